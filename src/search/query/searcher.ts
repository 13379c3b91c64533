/** Finds the documents of a full-text index that hold the terms of a query, and how well each matches. */
import { andThen, forEachInOrder, mapInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Work } from '../../base/work/work.js';
import type { Key, Stored, Transaction } from '../../storage/contract.js';
import { forEachBatch } from '../../storage/cursor.js';
import { inverseFrequency, type Statistics } from '../segments/bm25.js';
import { manifestKey, pendingPrefix, SegmentKeys, unfoldedRange, unlistedPrefix } from '../segments/layout.js';
import { readManifest, type SegmentEntry } from '../segments/manifest.js';
import { readChange } from '../segments/pending.js';
import { type ListFormat, PostingBuffer, PostingList } from '../segments/postings.js';
import {
  findOnPage,
  isMarked,
  lastUpTo,
  readChanged,
  readHead,
  readPage,
  type SegmentHead,
  type TermEntry,
} from '../segments/segment-reader.js';
import { readUnlisted, type UnlistedSegment } from '../segments/unlisted-segments.js';
import { nameOf, type QueryTerm, type SearchQuery } from './query.js';
import { type DocumentCounts, QueryCounter } from './query-counter.js';

/** A term of a query: how often it stands there, and its weight in scores. */
export interface WeightedTerm {
  readonly term: QueryTerm;
  readonly times: number;
  readonly weight: number;
}

/** A segment with the lists of the terms of a query. */
export interface SearchedSegment {
  readonly keys: SegmentKeys;
  readonly documents: number;
  readonly changed: Uint8Array | undefined;
  /** One for each term; `undefined` where it doesn't occur. */
  readonly lists: readonly (PostingList | undefined)[];
  /** Of the terms that are excluded, those that occur. */
  readonly excluded: readonly PostingList[];
}

/** What has changed of a record, as far as a query concerns it: its terms, then those that it excludes. */
export interface SearchedChange {
  /** The encoded key. */
  readonly key: string;
  readonly before: DocumentCounts | undefined;
  readonly after: DocumentCounts | undefined;
}

/** What is needed to answer a query: all of the index that it concerns. */
export interface Search {
  readonly query: SearchQuery;
  /** Each once. */
  readonly terms: readonly WeightedTerm[];
  readonly statistics: Statistics;
  readonly segments: readonly SearchedSegment[];
  /** Changes that aren't in any segment yet, in the order of their keys. */
  readonly pending: readonly SearchedChange[];
  /** The keys of those; what segments hold of them is void. */
  readonly overridden: ReadonlySet<string>;
}

/** What isn't in the manifest. */
interface Unfolded {
  readonly pending: readonly SearchedChange[];
  readonly unlisted: readonly UnlistedSegment[];
}

/** Reads what a query concerns; `undefined` where the index was never built, or isn't yet. */
export function openSearch(
  transaction: Transaction,
  index: string,
  query: SearchQuery,
  work: Work,
): PromiseOrValue<Search | undefined> {
  const times = new Map<string, number>();
  for (const term of query.terms) times.set(nameOf(term), (times.get(nameOf(term)) ?? 0) + 1);
  const wanted = [...new Map(query.terms.map((term) => [nameOf(term), term])).values()];
  const fetched = transaction.prefetch?.({ keys: [manifestKey(index)], ranges: [unfoldedRange(index)] });
  return andThen(fetched, () =>
    andThen(transaction.get(manifestKey(index)), (stored): PromiseOrValue<Search | undefined> => {
      if (stored === undefined) return undefined;
      const manifest = readManifest(stored);
      const terms = [...wanted, ...query.excluded];
      return andThen(readUnfolded(transaction, index, terms, work), (unfolded) => {
        const segments = [...manifest.segments, ...unfolded.unlisted];
        return andThen(openSegments(transaction, index, segments, terms, work), (opened) => {
          const { pending } = unfolded;
          const statistics = adjusted(manifest, unfolded);
          const weighted = wanted.map((term, at): WeightedTerm => {
            const net = opened.reduce((sum, { found }) => sum + (found[at]?.net ?? 0), 0);
            const having = net + pendingFrequency(pending, at);
            const weight = inverseFrequency(statistics, having);
            return { term, times: times.get(nameOf(term)) as number, weight };
          });
          return {
            query,
            terms: weighted,
            statistics,
            segments: opened.map(({ keys, documents, changed, found }) => ({
              keys,
              documents,
              changed,
              lists: wanted.map((_, at) => found[at]?.list),
              excluded: found.slice(wanted.length).flatMap((each) => each?.list ?? []),
            })),
            pending,
            overridden: new Set(pending.flatMap(({ before, key }) => (before === undefined ? [] : key))),
          };
        });
      });
    }),
  );
}

function readUnfolded(
  transaction: Transaction,
  index: string,
  terms: readonly QueryTerm[],
  work: Work,
): PromiseOrValue<Unfolded> {
  const prefix = pendingPrefix(index);
  const ofUnlisted = unlistedPrefix(index);
  const changes: SearchedChange[] = [];
  const unlisted: UnlistedSegment[] = [];
  let counter: QueryCounter | undefined;
  const read = forEachBatch(transaction.scan(unfoldedRange(index)), (batch) => {
    const counted = forEachInOrder(batch, ([key, stored]) => {
      if (key.startsWith(ofUnlisted)) {
        unlisted.push(readUnlisted(key.slice(ofUnlisted.length), stored));
        return undefined;
      }
      counter ??= new QueryCounter(terms);
      const counting = counter;
      const { before, after } = readChange(stored);
      return andThen(before && counting.count(before, work), (old) =>
        andThen(after && counting.count(after, work), (fresh) => {
          changes.push({ key: key.slice(prefix.length), before: old, after: fresh });
          return undefined;
        }),
      );
    });
    return andThen(counted, () => andThen(work.checkpoint(), () => false));
  });
  return andThen(read, () => ({ pending: changes, unlisted }));
}

function adjusted({ documents, terms }: Statistics, { pending, unlisted }: Unfolded): Statistics {
  let count = documents;
  let all = terms;
  for (const segment of unlisted) {
    count += segment.documents;
    all += segment.terms;
  }
  for (const { before, after } of pending) {
    count += (after === undefined ? 0 : 1) - (before === undefined ? 0 : 1);
    all += (after?.length ?? 0) - (before?.length ?? 0);
  }
  return { documents: count, terms: all };
}

/** By how much changes add to the number of documents that hold the term at a place. */
function pendingFrequency(pending: readonly SearchedChange[], place: number): number {
  let net = 0;
  for (const { before, after } of pending) {
    if (after !== undefined && after.occurrences[place] !== 0) net++;
    if (before !== undefined && before.occurrences[place] !== 0) net--;
  }
  return net;
}

// Finds the terms of a query in the segments of an index.

/** A term in a segment: its postings, and what the segment adds to the number of documents that hold it. */
interface FoundTerm {
  readonly list: PostingList | undefined;
  readonly net: number;
}

interface OpenedSegment {
  readonly keys: SegmentKeys;
  readonly documents: number;
  readonly changed: Uint8Array | undefined;
  /** One for each term; `undefined` where the segment knows nothing of it. */
  readonly found: readonly (FoundTerm | undefined)[];
}

/** Reads in turn the heads of all segments, the pages, and the lists that stand by themselves. */
function openSegments(
  transaction: Transaction,
  index: string,
  segments: readonly SegmentEntry[],
  terms: readonly QueryTerm[],
  work: Work,
): PromiseOrValue<OpenedSegment[]> {
  const all = segments.map(({ id }) => new SegmentKeys(index, id));
  const names = [
    ...all.map(({ head }) => head),
    ...all.flatMap(({ changed }, at) => ((segments[at] as SegmentEntry).changed > 0 ? changed : [])),
  ];
  return andThen(readAll(transaction, names), (heads) => {
    const read = all.map((keys) => readHead(heads.get(keys.head)));
    const pages = all.map((keys, at) => {
      const { firsts } = read[at] as SegmentHead;
      return terms.map((term) => pagesOf(firsts, term).map((page) => keys.page(page)));
    });
    return andThen(readAll(transaction, pages.flat(2)), (found) =>
      andThen(entriesIn(pages, terms, found, work), (entries) => {
        const long = entries.flatMap((each, at) =>
          each.flat().flatMap(({ list }) => (typeof list === 'number' ? (all[at] as SegmentKeys).list(list) : [])),
        );
        return andThen(readAll(transaction, long), (lists) =>
          mapInOrder(all, (keys, at): PromiseOrValue<OpenedSegment> => {
            const { documents, changed: count } = segments[at] as SegmentEntry;
            const { lists: format } = read[at] as SegmentHead;
            const changed = count > 0 ? readChanged(heads.get(keys.changed), documents) : undefined;
            const found = terms.map(({ isPrefix }, place) => {
              const own = (entries[at] as readonly TermEntry[][])[place] as readonly TermEntry[];
              const postings = own.flatMap((entry) => listOf(entry, keys, format, lists) ?? []);
              if (isPrefix) return united(postings, documents, changed);
              return own[0] && { list: postings[0], net: own[0].net };
            });
            return andThen(work.checkpoint(), () => ({ keys, documents, changed, found }));
          }),
        );
      }),
    );
  });
}

/** The pages on which a term may stand, or terms with a prefix. */
function pagesOf(firsts: readonly string[], { term, isPrefix }: QueryTerm): number[] {
  const first = lastUpTo(firsts, term);
  const pages = first < 0 ? [] : [first];
  if (!isPrefix) return pages;
  for (let page = first + 1; firsts[page]?.startsWith(term); page++) pages.push(page);
  return pages;
}

/** By segment, then by term. */
function entriesIn(
  pages: readonly (readonly (readonly Key[])[])[],
  terms: readonly QueryTerm[],
  read: ReadonlyMap<Key, Stored | undefined>,
  work: Work,
): PromiseOrValue<TermEntry[][][]> {
  const bytes = terms.map(({ term }) => new TextEncoder().encode(term));
  return mapInOrder(pages, (ofSegment) =>
    mapInOrder(ofSegment, (keys, at): PromiseOrValue<TermEntry[]> => {
      const { term, isPrefix } = terms[at] as QueryTerm;
      const found: TermEntry[] = [];
      const done = forEachInOrder(keys, (key) => {
        const page = read.get(key);
        if (!(page instanceof Uint8Array)) return undefined;
        if (!isPrefix) {
          const entry = findOnPage(page, bytes[at] as Uint8Array, term);
          if (entry !== undefined) found.push(entry);
          return undefined;
        }
        for (const entry of readPage(page)) if (entry.term.startsWith(term)) found.push(entry);
        return andThen(work.checkpoint(), () => undefined);
      });
      return andThen(done, () => found);
    }),
  );
}

function listOf(
  { list, count }: TermEntry,
  keys: SegmentKeys,
  format: ListFormat,
  lists: ReadonlyMap<Key, Stored | undefined>,
): PostingList | undefined {
  if (count === 0) return undefined;
  const bytes = typeof list === 'number' ? lists.get(keys.list(list)) : list;
  return bytes instanceof Uint8Array ? new PostingList(bytes, count, format) : undefined;
}

/** The postings of several terms as those of one, which no document that has changed adds to the number of. */
function united(
  lists: readonly PostingList[],
  documents: number,
  changed: Uint8Array | undefined,
): FoundTerm | undefined {
  if (lists.length === 0) return undefined;
  const sums = new Uint32Array(documents);
  for (const list of lists) {
    const all = new PostingBuffer();
    list.addTo(all, undefined);
    const { documents: numbers, occurrences } = all;
    for (let at = 0; at < all.count; at++) {
      const number = numbers[at] as number;
      sums[number] = (sums[number] as number) + (occurrences[at] as number);
    }
  }
  const numbers: number[] = [];
  const occurrences: number[] = [];
  let net = 0;
  for (let number = 0; number < documents; number++) {
    const sum = sums[number] as number;
    if (sum === 0) continue;
    numbers.push(number);
    occurrences.push(sum);
    if (changed === undefined || !isMarked(changed, number)) net++;
  }
  return { list: new PostingList({ documents: numbers, occurrences, count: numbers.length }, numbers.length), net };
}

function readAll(
  transaction: Transaction,
  names: readonly Key[],
): PromiseOrValue<ReadonlyMap<Key, Stored | undefined>> {
  const distinct = [...new Set(names)];
  if (distinct.length === 0) return new Map();
  return andThen(transaction.getMany(distinct), (values) => new Map(distinct.map((name, at) => [name, values[at]])));
}

/** Finds the documents of a full-text index that hold the terms of a query, and how well each matches. */
import { andThen, mapInOrder, type PromiseOrValue } from '../base/promise-or-value.js';
import { prefixRange } from '../catalog/keys.js';
import type { Key, Stored, Transaction } from '../storage/contract.js';
import { forEachBatch } from '../storage/cursor.js';
import type { Pause } from './analyzer.js';
import { inverseFrequency, type Statistics } from './bm25.js';
import { manifestKey, pendingPrefix, SegmentKeys } from './layout.js';
import { readManifest, type SegmentEntry } from './manifest.js';
import { type KeyedChange, readChange } from './pending.js';
import { PostingList } from './postings.js';
import { findOnPage, lastUpTo, readChanged, readHead, type TermEntry } from './segment-reader.js';

/** Which documents a query finds. */
export interface SearchQuery {
  /** Terms in the order of the query; one that stands there twice counts twice. */
  readonly terms: readonly string[];
  /** Whether each of the terms has to occur, or any one of them. */
  readonly operator: 'AND' | 'OR';
}

/** A term of a query: how often it stands there, and its weight in scores. */
export interface WeightedTerm {
  readonly term: string;
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
}

/** What is needed to answer a query: all of the index that it concerns. */
export interface Search {
  readonly terms: readonly WeightedTerm[];
  readonly operator: SearchQuery['operator'];
  readonly statistics: Statistics;
  readonly segments: readonly SearchedSegment[];
  /** Changes that aren't in any segment yet, in the order of their keys. */
  readonly pending: readonly KeyedChange[];
  /** The keys of those; what segments hold of them is void. */
  readonly overridden: ReadonlySet<string>;
}

/** Reads what a query concerns; `undefined` where the index was never built, or isn't yet. */
export function openSearch(
  transaction: Transaction,
  index: string,
  { terms, operator }: SearchQuery,
  pause: Pause,
): PromiseOrValue<Search | undefined> {
  const times = new Map<string, number>();
  for (const term of terms) times.set(term, (times.get(term) ?? 0) + 1);
  const distinct = [...times.keys()];
  const pendingRange = prefixRange(pendingPrefix(index));
  const fetched = transaction.prefetch?.({ keys: [manifestKey(index)], ranges: [pendingRange] });
  return andThen(fetched, () =>
    andThen(transaction.get(manifestKey(index)), (stored): PromiseOrValue<Search | undefined> => {
      if (stored === undefined) return undefined;
      const manifest = readManifest(stored);
      return andThen(readPending(transaction, index, pause), (pending) =>
        andThen(openSegments(transaction, index, manifest.segments, distinct), (opened) => {
          const statistics = adjusted(manifest, pending);
          const weighted = distinct.map((term, at): WeightedTerm => {
            const net = opened.reduce((sum, { entries }) => sum + (entries[at]?.net ?? 0), 0);
            return {
              term,
              times: times.get(term) as number,
              weight: inverseFrequency(statistics, net + pendingFrequency(pending, term)),
            };
          });
          return {
            terms: weighted,
            operator,
            statistics,
            segments: opened.map(({ segment }) => segment),
            pending,
            overridden: new Set(pending.flatMap(({ before, key }) => (before === undefined ? [] : key))),
          };
        }),
      );
    }),
  );
}

function readPending(transaction: Transaction, index: string, pause: Pause): PromiseOrValue<KeyedChange[]> {
  const prefix = pendingPrefix(index);
  const changes: KeyedChange[] = [];
  const read = forEachBatch(transaction.scan(prefixRange(prefix)), (batch) => {
    for (const [key, stored] of batch) changes.push({ ...readChange(stored), key: key.slice(prefix.length) });
    return andThen(pause(), () => false);
  });
  return andThen(read, () => changes);
}

function adjusted({ documents, terms }: Statistics, pending: readonly KeyedChange[]): Statistics {
  let count = documents;
  let all = terms;
  for (const { before, after } of pending) {
    count += (after === undefined ? 0 : 1) - (before === undefined ? 0 : 1);
    all += (after?.length ?? 0) - (before?.length ?? 0);
  }
  return { documents: count, terms: all };
}

function pendingFrequency(pending: readonly KeyedChange[], term: string): number {
  let net = 0;
  for (const { before, after } of pending) {
    if (after?.counts.has(term)) net++;
    if (before?.counts.has(term)) net--;
  }
  return net;
}

interface Opened {
  readonly segment: SearchedSegment;
  readonly entries: readonly (TermEntry | undefined)[];
}

/** Reads in turn the heads of all segments, the pages, and the lists that stand by themselves. */
function openSegments(
  transaction: Transaction,
  index: string,
  segments: readonly SegmentEntry[],
  terms: readonly string[],
): PromiseOrValue<Opened[]> {
  const all = segments.map(({ id }) => new SegmentKeys(index, id));
  const names = [
    ...all.map(({ head }) => head),
    ...all.flatMap(({ changed }, at) => ((segments[at] as SegmentEntry).changed > 0 ? changed : [])),
  ];
  return andThen(readAll(transaction, names), (heads) => {
    const pages = all.map((keys) => {
      const { firsts } = readHead(heads.get(keys.head));
      return terms.map((term) => {
        const page = lastUpTo(firsts, term);
        return page < 0 ? undefined : keys.page(page);
      });
    });
    return andThen(readAll(transaction, pages.flat().filter(isKey)), (found) => {
      const bytes = terms.map((term) => new TextEncoder().encode(term));
      const entries = pages.map((each) =>
        each.map((page, at) => {
          const content = page === undefined ? undefined : found.get(page);
          if (!(content instanceof Uint8Array)) return undefined;
          return findOnPage(content, bytes[at] as Uint8Array, terms[at] as string);
        }),
      );
      const long = entries.flatMap((each, at) =>
        each.flatMap((entry) => (typeof entry?.list === 'number' ? (all[at] as SegmentKeys).list(entry.list) : [])),
      );
      return andThen(readAll(transaction, long), (lists) =>
        mapInOrder(all, (keys, at): Opened => {
          const own = entries[at] as readonly (TermEntry | undefined)[];
          const { documents, changed } = segments[at] as SegmentEntry;
          return {
            entries: own,
            segment: {
              keys,
              documents,
              changed: changed > 0 ? readChanged(heads.get(keys.changed), documents) : undefined,
              lists: own.map((entry) => listOf(entry, keys, lists)),
            },
          };
        }),
      );
    });
  });
}

function listOf(
  entry: TermEntry | undefined,
  keys: SegmentKeys,
  lists: ReadonlyMap<Key, Stored | undefined>,
): PostingList | undefined {
  if (entry === undefined || entry.count === 0) return undefined;
  const { list, count } = entry;
  const bytes = typeof list === 'number' ? lists.get(keys.list(list)) : list;
  return bytes instanceof Uint8Array ? new PostingList(bytes, count) : undefined;
}

function readAll(
  transaction: Transaction,
  names: readonly Key[],
): PromiseOrValue<ReadonlyMap<Key, Stored | undefined>> {
  const distinct = [...new Set(names)];
  if (distinct.length === 0) return new Map();
  return andThen(transaction.getMany(distinct), (values) => new Map(distinct.map((name, at) => [name, values[at]])));
}

function isKey(key: Key | undefined): key is Key {
  return key !== undefined;
}

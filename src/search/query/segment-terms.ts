/** Finds the terms of a query in the segments of an index. */

import { andThen, forEachInOrder, mapInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Work } from '../../base/work/work.js';
import type { Key, Stored, Transaction } from '../../storage/contract.js';
import { SegmentKeys } from '../segments/layout.js';
import type { SegmentEntry } from '../segments/manifest.js';
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
import type { QueryTerm } from './query.js';

/** A term in a segment: its postings, and what the segment adds to the number of documents that hold it. */
export interface FoundTerm {
  readonly list: PostingList | undefined;
  readonly net: number;
}

export interface OpenedSegment {
  readonly keys: SegmentKeys;
  readonly documents: number;
  readonly changed: Uint8Array | undefined;
  /** One for each term; `undefined` where the segment knows nothing of it. */
  readonly found: readonly (FoundTerm | undefined)[];
}

/** Reads in turn the heads of all segments, the pages, and the lists that stand by themselves. */
export function openSegments(
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

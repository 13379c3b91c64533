/** Finds the documents of a full-text index that hold the terms of a query, and how well each matches. */

import { andThen, forEachInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Work } from '../../base/work/work.js';
import type { Transaction } from '../../storage/contract.js';
import { forEachBatch } from '../../storage/cursor.js';
import { inverseFrequency, type Statistics } from '../segments/bm25.js';
import { manifestKey, pendingPrefix, type SegmentKeys, unfoldedRange, unlistedPrefix } from '../segments/layout.js';
import { readManifest } from '../segments/manifest.js';
import { readChange } from '../segments/pending.js';
import type { PostingList } from '../segments/postings.js';
import { readUnlisted, type UnlistedSegment } from '../segments/unlisted-segments.js';
import { nameOf, type QueryTerm, type SearchQuery } from './query.js';
import { type DocumentCounts, QueryCounter } from './query-counter.js';
import { openSegments } from './segment-terms.js';

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

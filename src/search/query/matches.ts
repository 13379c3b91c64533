/** The matches of a search: all of them in the order of their keys, or the best ones first. */
import { Heap } from '../../base/heap.js';
import { andThen, forEachInOrder, mapInOrder, type PromiseOrValue, untilTrue } from '../../base/promise-or-value.js';
import { mapItems } from '../../base/work/loops.js';
import { sortItems } from '../../base/work/sort.js';
import type { Work } from '../../base/work/work.js';
import type { Transaction } from '../../storage/contract.js';
import { type Bm25, isBounded } from '../segments/bm25.js';
import type { Search } from './searcher.js';
import { type Found, type Match, pendingMatches, SegmentScan } from './window-scan.js';

/** Matches batch by batch; `undefined` is the end. */
export interface Matches {
  next(): PromiseOrValue<readonly Match[] | undefined>;
}

/** Windows between two checkpoints. */
const TURN = 16;

/** Matches of one segment, some windows at a time. */
class SegmentMatches {
  /** Those that were found and not taken yet. */
  found: readonly Match[] = [];
  at = 0;
  readonly #scan: SegmentScan;
  readonly #together: number;
  #next = 0;

  constructor(scan: SegmentScan) {
    this.#scan = scan;
    this.#together = Math.min(TURN, scan.windowsTogether);
  }

  get isAtEnd(): boolean {
    return this.at >= this.found.length && this.#next >= this.#scan.windows.length;
  }

  /** Fetches more where all were taken. */
  fill(): PromiseOrValue<void> {
    return untilTrue(() => {
      if (this.at < this.found.length || this.#next >= this.#scan.windows.length) return true;
      const windows = this.#scan.windows.slice(this.#next, this.#next + this.#together);
      this.#next += windows.length;
      return andThen(this.#scan.scan(windows), (found) => {
        this.found = found;
        this.at = 0;
        return false;
      });
    });
  }
}

/** Matches in a batch. */
const BATCH = 256;

/** All matches, in the order of the keys of their records. */
export class MatchesByKey implements Matches {
  readonly #sources: SegmentMatches[];
  readonly #pending: readonly Match[];
  readonly #work: Work;
  #at = 0;

  constructor(transaction: Transaction, search: Search, bm25: Bm25 | undefined, work: Work) {
    this.#sources = search.segments.map(
      (segment) => new SegmentMatches(new SegmentScan(transaction, search, segment, bm25)),
    );
    this.#pending = pendingMatches(search, bm25);
    this.#work = work;
  }

  next(): PromiseOrValue<readonly Match[] | undefined> {
    const batch: Match[] = [];
    const filled = untilTrue(() => {
      const empty = this.#sources.find((source) => source.at >= source.found.length && !source.isAtEnd);
      if (empty !== undefined) return andThen(empty.fill(), () => andThen(this.#work.checkpoint(), () => false));
      return this.#take(batch);
    });
    return andThen(filled, () => (batch.length === 0 ? undefined : batch));
  }

  /** Takes matches in order until one source is empty; answers whether the batch is full, or all were taken. */
  #take(batch: Match[]): boolean {
    while (batch.length < BATCH) {
      let least: Match | undefined = this.#pending[this.#at];
      let from: SegmentMatches | undefined;
      for (const source of this.#sources) {
        const match = source.found[source.at];
        if (match === undefined) {
          if (source.isAtEnd) continue;
          return false;
        }
        if (least === undefined || match.key < least.key) {
          least = match;
          from = source;
        }
      }
      if (least === undefined) return true;
      batch.push(least);
      if (from === undefined) this.#at++;
      else from.at++;
    }
    return true;
  }
}

/** Better ones first; of equal ones in the order of their keys. */
function compare(a: Match, b: Match): number {
  return b.score - a.score || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);
}

/**
 * The best `most` matches, the best first. Windows are looked through from the most promising one on, and passed over
 * once none of their documents can be among the best.
 */
export function bestMatches(
  transaction: Transaction,
  search: Search,
  bm25: Bm25,
  most: number,
  work: Work,
): PromiseOrValue<Match[]> {
  const pending = pendingMatches(search, bm25).sort(compare).slice(0, most);
  const scans = search.segments.map((segment) => new SegmentScan(transaction, search, segment, bm25));
  const best = new BestDocuments(
    scans.length,
    most,
    pending.map(({ score }) => score),
  );
  const canSkip = isBounded(bm25);
  const measured = forEachInOrder(canSkip ? scans : [], (scan) => andThen(scan.measure(), () => false));
  const done = andThen(measured, () => {
    const windows = scans.flatMap((scan, segment) =>
      scan.windows.map((window) => ({ scan, segment, window, most: scan.mostOf(window) })),
    );
    if (canSkip) windows.sort((a, b) => b.most - a.most);
    let visited = 0;
    return forEachInOrder(windows, ({ scan, segment, window, most: bound }) => {
      // Scores are rounded; equal ones may come before those that are there.
      if (canSkip && Math.fround(bound) < best.least) return true;
      return andThen(scan.rate(window, best.least), (found) => {
        for (const each of found) best.add(segment, each);
        return andThen(best.tidy(work), () =>
          andThen(++visited % TURN === 0 ? work.checkpoint() : undefined, () => false),
        );
      });
    });
  });
  const kept = andThen(done, () => best.documents(work));
  const named = andThen(kept, (all) =>
    mapInOrder(scans, (scan, segment) => {
      const own = all[segment] as readonly Found[];
      return andThen(scan.keysOf(own, work), (keys) =>
        mapItems(own, work, ({ score }, at): Match => ({ key: keys[at] as string, score })),
      );
    }),
  );
  return andThen(named, (all) =>
    andThen(sortItems([...pending, ...all.flat()], work, compare), (sorted) => sorted.slice(0, most)),
  );
}

/** So many documents match at most, by how many hold each term. */
export function mostMatches({ query, segments, pending }: Search): number {
  const counted = segments.map(({ lists }) => {
    const counts = lists.map((list) => list?.count ?? 0);
    return query.operator === 'AND' ? Math.min(...counts) : counts.reduce((sum, count) => sum + count, 0);
  });
  return counted.reduce((sum, count) => sum + count, pending.length);
}

/** How many documents match; `undefined` where their texts have to be looked at. */
export function countMatches(transaction: Transaction, search: Search, work: Work): PromiseOrValue<number | undefined> {
  if (search.query.phrases.length > 0) return undefined;
  let count = pendingMatches(search, undefined).length;
  let visited = 0;
  const done = forEachInOrder(search.segments, (segment) => {
    const scan = new SegmentScan(transaction, search, segment, undefined);
    const counted = forEachInOrder(scan.windows, (window) =>
      andThen(scan.count(window), (found) => {
        count += found;
        return andThen(++visited % TURN === 0 ? work.checkpoint() : undefined, () => undefined);
      }),
    );
    return andThen(counted, () => undefined);
  });
  return andThen(done, () => count);
}

// The best documents of several segments, of which numbers are known and keys aren't yet.

interface Kept extends Found {
  readonly segment: number;
}

/** Better ones first; of equal ones, in each segment, those with lower numbers: their keys come first. */
function compareKept(a: Kept, b: Kept): number {
  return b.score - a.score || a.segment - b.segment || a.document - b.document;
}

/** Documents that are kept at least before those that fell behind are dropped. */
const ROOM = 64;

/** So many that each that is among the `most` best by score and key is kept, and no more than `most` of a segment. */
export class BestDocuments {
  /** The lowest score among the best; documents below it aren't among them. */
  least = Number.NEGATIVE_INFINITY;
  readonly #segments: number;
  readonly #most: number;
  /** The best scores so far, the lowest first; the heap's items aren't used. */
  readonly #scores = new Heap();
  #kept: Kept[] = [];
  /** When those that fell behind are dropped next. */
  #next: number;

  /** `others`: scores of matches that no segment holds. */
  constructor(segments: number, most: number, others: readonly number[]) {
    this.#segments = segments;
    this.#most = most;
    this.#next = 2 * most + ROOM;
    for (const score of others) this.#addScore(score);
  }

  add(segment: number, { document, score }: Found): void {
    if (score < this.least) return;
    this.#kept.push({ segment, document, score });
    this.#addScore(score);
  }

  /** Drops those that fell behind, if there are many; called now and then while documents are added. */
  tidy(work: Work): PromiseOrValue<void> {
    if (this.#kept.length >= this.#next) return this.#cut(work);
  }

  #addScore(score: number): void {
    const scores = this.#scores;
    if (scores.size === this.#most) {
      if (!(score > scores.key)) return;
      scores.pop();
    }
    scores.push(score, 0);
    if (scores.size === this.#most) this.least = scores.key;
  }

  #cut(work: Work): PromiseOrValue<void> {
    const counts = new Array<number>(this.#segments).fill(0);
    return andThen(sortItems(this.#kept, work, compareKept), (sorted) => {
      this.#kept = sorted.filter(({ segment, score }) => {
        if (score < this.least) return false;
        const count = (counts[segment] as number) + 1;
        counts[segment] = count;
        return count <= this.#most;
      });
      this.#next = 2 * this.#kept.length + ROOM;
    });
  }

  /** By segment. */
  documents(work: Work): PromiseOrValue<readonly (readonly Found[])[]> {
    return andThen(this.#cut(work), () => {
      const found = Array.from({ length: this.#segments }, (): Found[] => []);
      for (const each of this.#kept) found[each.segment]?.push(each);
      return found;
    });
  }
}

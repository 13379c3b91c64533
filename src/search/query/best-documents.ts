/** The best documents of several segments, of which numbers are known and keys aren't yet. */
import { Heap } from '../../base/heap.js';
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { sortItems } from '../../base/work/sort.js';
import type { Work } from '../../base/work/work.js';
import type { Found } from './window-scan.js';

interface Kept extends Found {
  readonly segment: number;
}

/** Better ones first; of equal ones, in each segment, those with lower numbers: their keys come first. */
function compare(a: Kept, b: Kept): number {
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
    return andThen(sortItems(this.#kept, work, compare), (sorted) => {
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

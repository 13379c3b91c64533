/** The best documents of several segments, of which numbers are known and keys aren't yet. */
import type { Found } from './window-scan.js';

interface Kept extends Found {
  readonly segment: number;
}

/** Better ones first; of equal ones, in each segment, those with lower numbers: their keys come first. */
function compare(a: Kept, b: Kept): number {
  return b.score - a.score || a.segment - b.segment || a.document - b.document;
}

/** So many that each that is among the `most` best by score and key is kept, and no more than `most` of a segment. */
export class BestDocuments {
  /** The lowest score among the best; documents below it aren't among them. */
  least = Number.NEGATIVE_INFINITY;
  readonly #segments: number;
  readonly #most: number;
  /** Of matches that no segment holds. */
  readonly #others: readonly number[];
  #kept: Kept[] = [];
  /** When they are sorted next: a higher bar saves work, but sorting is work, too. */
  #next: number;

  constructor(segments: number, most: number, others: readonly number[]) {
    this.#segments = segments;
    this.#most = most;
    this.#others = others;
    this.#next = most;
    this.#cut();
  }

  add(segment: number, { document, score }: Found): void {
    if (score < this.least) return;
    this.#kept.push({ segment, document, score });
    if (this.#kept.length >= this.#next) this.#cut();
  }

  #cut(): void {
    const most = this.#most;
    const sorted = this.#kept.sort(compare);
    const scores = [...this.#others, ...sorted.slice(0, most).map(({ score }) => score)].sort((a, b) => b - a);
    this.least = scores[most - 1] ?? Number.NEGATIVE_INFINITY;
    const counts = new Array<number>(this.#segments).fill(0);
    this.#kept = sorted.filter(({ segment, score }) => {
      if (score < this.least) return false;
      const count = (counts[segment] as number) + 1;
      counts[segment] = count;
      return count <= most;
    });
    this.#next = Math.max(most, this.#kept.length) + (most >>> 3) + 1;
  }

  /** By segment. */
  documents(): readonly (readonly Found[])[] {
    this.#cut();
    const found = Array.from({ length: this.#segments }, (): Found[] => []);
    for (const each of this.#kept) found[each.segment]?.push(each);
    return found;
  }
}

/** Scores, by the formula of BM25 as the reference engine has it: with logarithmic occurrences. */

/** Statistics of the index that scores depend on. */
export interface Statistics {
  /** Documents, and terms of all of them together. */
  readonly documents: number;
  readonly terms: number;
}

export interface Bm25 {
  readonly k1: number;
  readonly b: number;
}

export const DEFAULT_BM25: Bm25 = { k1: 1.2, b: 0.75 };

/** The weight of a term that `having` of the documents hold; 0 for one that half of them or more do. */
export function inverseFrequency({ documents }: Statistics, having: number): number {
  return Math.max(0, Math.log((documents - having + 0.5) / (having + 0.5)));
}

/** What the lengths of documents count for. */
export function lengthFactor({ k1, b }: Bm25, { documents, terms }: Statistics): (length: number) => number {
  const average = documents > 0 ? terms / documents : 0;
  return (length) => k1 * (1 - b + (average > 0 ? (b * length) / average : 0));
}

/** What few occurrences count for. */
const TIMES = Float64Array.from({ length: 64 }, (_, occurrences) => 1 + Math.log(occurrences));

/** What one term adds to a score. `factor`: the length of the document (`lengthFactor`). */
export function termScore(weight: number, occurrences: number, factor: number, { k1 }: Bm25): number {
  const times = occurrences < TIMES.length ? (TIMES[occurrences] as number) : 1 + Math.log(occurrences);
  return (weight * times * (k1 + 1)) / (times + factor);
}

/** Whether a score grows with occurrences and shrinks with the length, so that one can tell how high it gets. */
export function isBounded({ k1, b }: Bm25): boolean {
  return k1 >= 0 && b >= 0 && b <= 1;
}

/** Vectors for searches, and their neighbours by a plain loop. */
import { compareDistances } from '../../src/vectors/nearest.js';

export { seededRandom } from '../../bench/data/seeded-random.mjs';
export { clustered, spread } from '../../bench/data/vectors.mjs';

export type Random = () => number;

/** The indexes of the k nearest, nearest first. */
export function plainLoop(
  vectors: readonly (readonly number[] | undefined)[],
  k: number,
  distance: (vector: readonly number[]) => number,
): number[] {
  return vectors
    .flatMap((vector, at) => (vector === undefined ? [] : [{ at, distance: distance(vector) }]))
    .sort((a, b) => compareDistances(a.distance, b.distance) || a.at - b.at)
    .slice(0, k)
    .map(({ at }) => at);
}

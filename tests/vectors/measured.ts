/** Vectors for searches, and their neighbours by a plain loop. */
import { compareDistances } from '../../src/vectors/nearest.js';

export type Random = () => number;

/** Numbers from 0 to 1 that depend on the seed alone (mulberry32). */
export function seededRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Evenly spread in a cube: the hard case, in which all are about as far from each other. */
export function spread(count: number, dimension: number, random: Random): number[][] {
  return Array.from({ length: count }, () => Array.from({ length: dimension }, random));
}

/** In so many clusters, as embeddings are. */
export function clustered(count: number, dimension: number, clusters: number, random: Random): number[][] {
  const centres = spread(clusters, dimension, random);
  return Array.from({ length: count }, (_, at) =>
    (centres[at % clusters] as number[]).map((centre) => centre + (random() - 0.5) / 10),
  );
}

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

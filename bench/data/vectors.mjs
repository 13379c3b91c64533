// Vectors for searches, and their neighbours by a plain loop.

/** Numbers from 0 to 1 that depend on the seed alone (mulberry32). @param {number} seed @returns {() => number} */
export function seededRandom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * Evenly spread in a cube: the hard case, in which all are about as far from each other.
 * @param {number} count @param {number} dimension @param {() => number} random @returns {number[][]}
 */
export function spread(count, dimension, random) {
  return Array.from({ length: count }, () => Array.from({ length: dimension }, random));
}

/**
 * In so many clusters, as embeddings are.
 * @param {number} count @param {number} dimension @param {number} clusters @param {() => number} random
 * @returns {number[][]}
 */
export function clustered(count, dimension, clusters, random) {
  const centres = spread(clusters, dimension, random);
  return Array.from({ length: count }, (_, at) =>
    /** @type {number[]} */ (centres[at % clusters]).map((centre) => centre + (random() - 0.5) / 10),
  );
}

// Vectors for searches, and their neighbours by a plain loop.

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

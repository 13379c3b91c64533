// A vector for a text without a language model, by feature hashing (Weinberger et al., arXiv 0902.2206): texts that share words, or parts of
// words, get vectors that lie near. It knows nothing of meaning: put the call of your model here.
//
// 1. The text in lower case, without diacritics, is cut into words: runs of letters and digits.
// 2. Features are the words, and the trigrams of each word between `<` and `>`: of `tea` `<te`, `tea`, `ea>`.
// 3. The hash of a feature (FNV-1a, 32 bits, over UTF-8) is a component, by its lower bits, and a sign, by its highest bit. A word
//    adds 1, a trigram 1/4.
// 4. Each component becomes its square root, with its sign, so that a word that comes often doesn't outweigh all others.
// 5. The vector is divided by its length.

export const DIMENSION = 256;

const TRIGRAM_WEIGHT = 0.25;

/** 256 numbers, of length 1; zeros where there is no word. */
export function embed(text) {
  const sums = new Float64Array(DIMENSION);
  const add = (feature, weight) => {
    const hash = fnv1a(feature);
    sums[hash % DIMENSION] += hash >>> 31 === 0 ? weight : -weight;
  };
  for (const word of wordsOf(text)) {
    add(word, 1);
    const marked = `<${word}>`;
    for (let at = 0; at + 3 <= marked.length; at++) add(marked.slice(at, at + 3), TRIGRAM_WEIGHT);
  }
  const roots = Array.from(sums, (sum) => Math.sign(sum) * Math.sqrt(Math.abs(sum)));
  const length = Math.hypot(...roots) || 1;
  return roots.map((root) => root / length);
}

function wordsOf(text) {
  const plain = text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  return plain.match(/[\p{L}\p{N}]+/gu) ?? [];
}

function fnv1a(text) {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}

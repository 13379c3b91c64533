// Texts for full-text search that are the same in each run: words of made-up syllables whose frequencies fall as in natural texts (Zipf).

import { seededRandom } from './seeded-random.mjs';

/** Different words there are. */
const VOCABULARY = 30_000;
/** How fast their frequencies fall. */
const EXPONENT = 1.05;
/** Words of a text. */
const [SHORTEST, LONGEST] = [20, 120];

const CONSONANTS = ['b', 'd', 'f', 'g', 'h', 'k', 'l', 'm', 'n', 'p', 'r', 't', 'v', 'z'];
const VOWELS = ['a', 'e', 'i', 'o', 'u'];

/** The word of a rank, from 0: the frequent ones are short. */
export function wordOf(rank) {
  let word = '';
  for (let rest = rank + 70; rest > 0; rest = Math.floor(rest / 70)) {
    const syllable = rest % 70;
    word += CONSONANTS[Math.floor(syllable / 5)] + VOWELS[syllable % 5];
  }
  return word;
}

/** What fraction of all words those up to each rank are. */
const shares = new Float64Array(VOCABULARY);
let sum = 0;
for (let rank = 0; rank < VOCABULARY; rank++) {
  sum += 1 / (rank + 2) ** EXPONENT;
  shares[rank] = sum;
}

function rankAt(share) {
  let low = 0;
  let high = VOCABULARY - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (shares[middle] < share * sum) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Texts without end. */
export function* articles(seed) {
  const random = seededRandom(seed);
  for (;;) {
    const words = SHORTEST + Math.floor(random() * (LONGEST - SHORTEST));
    yield Array.from({ length: words }, () => wordOf(rankAt(random()))).join(' ');
  }
}

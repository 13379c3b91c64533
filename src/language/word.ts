/** Interns the words of a text: each is needed as written and in capitals, and most recur. */
import { TwoGenerationCache } from '../base/two-generation-cache.js';

/** A bare word as it is written, and in upper case. */
export interface Word {
  readonly written: string;
  readonly upper: string;
}

/** V8 keeps a longer part of a text as a reference to the whole of it. */
const LONGEST_REMEMBERED = 12;
/** Interned words: most recur, so that trees share them. */
const words = new TwoGenerationCache<string, Word>(2_048);

/** A word of a text with its name in capitals and its keyword. Short ones are kept, since texts repeat them. */
export function wordOf(text: string): Word {
  if (text.length > LONGEST_REMEMBERED) return madeOf(text);
  let word = words.get(text);
  if (word === undefined) {
    word = madeOf(text);
    words.set(text, word);
  }
  return word;
}

function madeOf(text: string): Word {
  return { written: text, upper: text.toUpperCase() };
}

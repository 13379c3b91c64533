import { toAscii } from './ascii.js';
import { lazyLibrary } from './lazy.js';
import { TwoGenerationCache } from './two-generation-cache.js';

const library = lazyLibrary<typeof import('unidecode')>('unidecode');

/** What the library gives for what is in none of its tables. */
const UNKNOWN = '[?]';
const LETTER = /[\p{L}\p{N}]/u;
const ASCII = /^[\0-\x7f]*$/;

const known = new TwoGenerationCache<string, string>(4_096);

/**
 * A character as it is written in ASCII, by the tables of Unidecode, which the reference engine uses: `я` → `ia`, `东` → `Dong `. What is younger than
 * those is written as it sounds or looks, or by its name: `😀` → `grinning `. Empty if there is no way to write it.
 */
export function transliterated(character: string): string {
  let ascii = known.get(character);
  if (ascii === undefined) {
    const given = library()(character);
    ascii = given === '' || given === UNKNOWN ? unlisted(character) : given;
    known.set(character, ascii);
  }
  return ascii;
}

function unlisted(character: string): string {
  // Of letters beyond the basic plane only those are known that are others in another style: `𝒜` is an `A`.
  if (character.length > 1 && LETTER.test(character)) {
    const plain = character.normalize('NFKC');
    return ASCII.test(plain) ? plain : '';
  }
  return toAscii(character).replace(/^:(.+):$/, '$1 ');
}

/** Transliteration as the reference engine does it, for analyzers, slugs and collation. */
import { toAscii } from './ascii.js';
import { lazyLibrary } from './lazy.js';
import { TwoGenerationCache } from './two-generation-cache.js';

const library = lazyLibrary<typeof import('unidecode')>('unidecode');

/** The library's output for unknown characters. */
const UNKNOWN = '[?]';
const LETTER = /[\p{L}\p{N}]/u;
const ASCII = /^[\0-\x7f]*$/;

const known = new TwoGenerationCache<string, string>(4_096);

/**
 * The ASCII form of a character by the tables of Unidecode, which the reference engine uses: `я` → `ia`, `东` → `Dong `.
 * Newer characters are transliterated by sound, shape or name: `😀` → `grinning `. Empty if there is no
 * transliteration.
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
  // Beyond the basic plane only styled variants of letters are known: `𝒜` is an `A`.
  if (character.length > 1 && LETTER.test(character)) {
    const plain = character.normalize('NFKC');
    return ASCII.test(plain) ? plain : '';
  }
  return toAscii(character).replace(/^:(.+):$/, '$1 ');
}

/** Transliteration to ASCII by any-ascii: for names of GraphQL, and for characters that Unidecode lacks. */
import { lazyLibrary } from './lazy.js';

const library = lazyLibrary<typeof import('any-ascii')>('any-ascii');

/** Transliterates a text to ASCII: `Łódź` → `Lodz`. */
export function toAscii(text: string): string {
  return library().default(text);
}

/** Sort keys of texts: keys compare by code point as their texts shall compare. */
import { transliterated } from '../../base/transliterate.js';

export interface Collation {
  /** Numbers in texts by value: `a9` before `a10`. */
  readonly natural?: true;
  /** As in a dictionary: without regard to case and accents, signs before digits before letters. */
  readonly lexical?: true;
}

/**
 * A text whose order by code units is that of the original: `natural` by numbers in it, `lexical` by letters in ASCII.
 */
export function collationKey(text: string, { natural, lexical }: Collation): string {
  const letters = lexical ? lexicalKey(text) : text;
  return natural ? letters.replace(/\d+/g, numberKey) : letters;
}

const NOT_ASCII = /[^\0-\x7f]/gu;
const COMBINING_MARK = /[\u0300-\u036f]/g;
const LETTER_OR_DIGIT = /[\p{Alphabetic}\p{N}]/u;
const SIGN = /[^\p{Alphabetic}\p{N}]/gu;
/** Below all letters and digits. */
const BEFORE_SIGN = '\x01';

/**
 * Letters and digits in ASCII and in lower case, without accents; other characters stay, and sort before them.
 * (Compared with the reference engine letter by letter.)
 */
function lexicalKey(text: string): string {
  return text
    .replace(COMBINING_MARK, '')
    .replace(NOT_ASCII, letters)
    .toLowerCase()
    .replace(SIGN, (sign) => BEFORE_SIGN + sign);
}

function letters(character: string): string {
  if (!LETTER_OR_DIGIT.test(character)) return character;
  const ascii = transliterated(character).trim();
  // A letter without a sound of its own counts for nothing, but a whole script that isn't known isn't nothing.
  return ascii === '' && character.length > 1 ? character : ascii;
}

/**
 * The longer number is the greater one, so its length comes first: 1 … 9 as `0` … `8`, then `90` … `98`, `990` and so
 * on.
 */
function numberKey(digits: string): string {
  const significant = digits.replace(/^0+(?=\d)/, '');
  const beyond = significant.length - 1;
  return `${'9'.repeat(Math.floor(beyond / 9))}${beyond % 9}${significant}`;
}

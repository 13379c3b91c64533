/** Sort keys of texts: keys compare by code point as their texts shall compare. */
import { toAscii } from '../../base/ascii.js';

export interface Collation {
  /** Numbers in texts by value: `a9` before `a10`. */
  readonly natural?: true;
  /** As in a dictionary: without regard to case and accents, signs before digits before letters. */
  readonly lexical?: true;
}

export function collationKey(text: string, { natural, lexical }: Collation): string {
  const letters = lexical ? toAscii(text).toLowerCase().replace(SIGN, signKey) : text;
  return natural ? letters.replace(/\d+/g, numberKey) : letters;
}

const SIGNS = Array.from({ length: 0x7f - 0x20 }, (_, index) => String.fromCharCode(0x20 + index)).filter((sign) =>
  /[^a-zA-Z0-9]/.test(sign),
);
const SIGN = /[^a-z0-9]/g;

/** Signs in their own order, all of them below the digits. */
function signKey(sign: string): string {
  return String.fromCharCode(1 + Math.max(0, SIGNS.indexOf(sign)));
}

/** The longer number is the greater one, so its length comes first: 1 … 9 as `0` … `8`, then `90` … `98`, `990` and so on. */
function numberKey(digits: string): string {
  const significant = digits.replace(/^0+(?=\d)/, '');
  const beyond = significant.length - 1;
  return `${'9'.repeat(Math.floor(beyond / 9))}${beyond % 9}${significant}`;
}

/** Texts by characters, that is by Unicode code points. */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Work } from '../../base/work/work.js';
import { forEachPiece } from './text-pieces.js';

const isHigh = (unit: number) => (unit & 0xfc00) === 0xd800;
const isLow = (unit: number) => (unit & 0xfc00) === 0xdc00;

/** The number of characters of a text of any length. */
export function countCodePoints(text: string, work: Work): PromiseOrValue<number> {
  let count = 0;
  const counted = forEachPiece(text, work, (piece) => {
    count += codePointCount(piece);
  });
  return andThen(counted, () => count);
}

/** The number of characters of the text. */
export function codePointCount(text: string): number {
  let count = text.length;
  for (let index = 1; index < text.length; index++) {
    if (isLow(text.charCodeAt(index)) && isHigh(text.charCodeAt(index - 1))) {
      count--;
      index++;
    }
  }
  return count;
}

/** The characters as numbers. */
export function codePoints(text: string): number[] {
  return Array.from(text, (character) => character.codePointAt(0) as number);
}

/** The characters from `start` to before `end`, both counted from 0. */
export function sliceCodePoints(text: string, start: number, end: number): string {
  if (start >= end) return '';
  const from = unitOffset(text, start, 0);
  return text.slice(from, unitOffset(text, end - start, from));
}

/** The index of the code unit `count` characters after the one at `from`. */
function unitOffset(text: string, count: number, from: number): number {
  let offset = from;
  for (let passed = 0; passed < count && offset < text.length; passed++) {
    offset += isHigh(text.charCodeAt(offset)) && isLow(text.charCodeAt(offset + 1)) ? 2 : 1;
  }
  return offset;
}

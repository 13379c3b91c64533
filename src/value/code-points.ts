/** Lengths and parts of texts in code points, and no pair of UTF-16 units ever cut. */

/** The length of the common prefix of two texts in UTF-16 units, without cutting a pair. */
export function commonStart(a: string, b: string): number {
  const limit = Math.min(a.length, b.length);
  let length = 0;
  while (length < limit && a.charCodeAt(length) === b.charCodeAt(length)) length++;
  return length > 0 && isHighSurrogate(a.charCodeAt(length - 1)) ? length - 1 : length;
}

/** The same at their end, not reaching into the first `start` units. */
export function commonEnd(a: string, b: string, start: number): number {
  const limit = Math.min(a.length, b.length) - start;
  let length = 0;
  while (length < limit && a.charCodeAt(a.length - 1 - length) === b.charCodeAt(b.length - 1 - length)) length++;
  return length > 0 && isLowSurrogate(a.charCodeAt(a.length - length)) ? length - 1 : length;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}

/** The number of code points of a well-formed text. */
export function pointCount(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length; index++) if (isLowSurrogate(text.charCodeAt(index))) count--;
  return count;
}

/** The first `count` code points of a text. */
export function firstPoints(text: string, count: number): string {
  return text.slice(0, unitIndex(text, count));
}

/** The last `count` code points of a text. */
export function lastPoints(text: string, count: number): string {
  let start = text.length;
  for (let point = 0; point < count && start > 0; point++) start -= isLowSurrogate(text.charCodeAt(start - 1)) ? 2 : 1;
  return text.slice(start);
}

/** The index in UTF-16 units of a code point, at most the length of the text. */
export function unitIndex(text: string, points: number): number {
  let index = 0;
  for (let point = 0; point < points && index < text.length; point++) {
    index += isHighSurrogate(text.charCodeAt(index)) ? 2 : 1;
  }
  return Math.min(index, text.length);
}

/** Which parts of an upload are written again as one, so that there are few, however they came. */
import type { ContentPart } from '../contents/joined.js';

/** Bytes from which on a part is kept as it is: reading each costs some. */
export const LARGE_PART = 2 ** 20;
/** Parts of an upload, about: its row is written again with each that comes. */
const MOST_PARTS = 1024;

/**
 * How many of the last parts become one: none, or at least two. From the end on a part is taken in unless it is more
 * than twice as large as what was taken so far, as in a merge sort: a byte is written again some twenty times at most.
 *
 *     smallTail([{ size: 9 }, { size: 1 }, { size: 1 }], 11)   // 2
 */
export function smallTail(parts: readonly Pick<ContentPart, 'size'>[], length: number): number {
  const large = Math.max(LARGE_PART, length / MOST_PARTS);
  let size = 0;
  let count = 0;
  for (const part of parts.toReversed()) {
    if (part.size >= large || size >= large || (count > 0 && part.size > 2 * size)) break;
    size += part.size;
    count++;
  }
  return count > 1 ? count : 0;
}

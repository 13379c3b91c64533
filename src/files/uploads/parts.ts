/** Parts of uploads: a stream of bytes is cut into them, and small ones become one. */
import type { ContentPart } from '../contents/joined.js';

/**
 *     const parts = new Parts(bytes);
 *     while (await parts.hasMore()) await write(parts.next(1000));
 */
export class Parts {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #left: Uint8Array = new Uint8Array();

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#pieces = bytes[Symbol.asyncIterator]();
  }

  /** Whether there is another byte. */
  async hasMore(): Promise<boolean> {
    while (this.#left.length === 0) {
      const piece = await this.#pieces.next();
      if (piece.done === true) return false;
      this.#left = piece.value;
    }
    return true;
  }

  /** The bytes that come, but at most so many. */
  async *next(most: number): AsyncGenerator<Uint8Array> {
    for (let missing = most; missing > 0 && (await this.hasMore()); ) {
      const piece = this.#left.subarray(0, missing);
      this.#left = this.#left.subarray(piece.length);
      missing -= piece.length;
      yield piece;
    }
  }

  /** No more is read. */
  async end(): Promise<void> {
    await this.#pieces.return?.();
  }
}

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

/** Cuts a stream of bytes into parts. */

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

/** Longer frames are large; their header has an eight-byte length. */
const LARGEST_SMALL = 0xffff;

/**
 * Unmasks the large frames of a client (RFC 6455, section 5.3) in place as their bytes arrive, and replaces the mask by
 * zeros. The library would unmask a complete frame at once, which takes 2 ns per byte; it skips masks of zeros. Small
 * frames are left to it.
 */
export class FrameUnmasker {
  /** Bytes of the frame's header received, and its total length as far as known. */
  #come = 0;
  #header = 2;
  #extended = 0;
  #length = 0;
  readonly #mask = new Uint8Array(4);
  /** Bytes of the payload still missing. */
  #left = 0;

  /** Processes the next chunk of the connection. */
  unmask(chunk: Uint8Array): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#left === 0) {
        this.#readHeader(chunk, at++);
        continue;
      }
      const end = Math.min(at + this.#left, chunk.length);
      if (this.#length > LARGEST_SMALL) this.#apply(chunk, at, end);
      this.#left -= end - at;
      at = end;
    }
  }

  #readHeader(chunk: Uint8Array, at: number): void {
    const byte = chunk[at] as number;
    const index = this.#come++;
    if (index === 1) {
      const length = byte & 0x7f;
      this.#extended = length === 126 ? 2 : length === 127 ? 8 : 0;
      this.#length = this.#extended === 0 ? length : 0;
      this.#header = 2 + this.#extended + (byte & 0x80 ? 4 : 0);
      this.#mask.fill(0);
    } else if (index > 1 && index < 2 + this.#extended) this.#length = this.#length * 256 + byte;
    else if (index > 1) {
      this.#mask[index - 2 - this.#extended] = byte;
      if (this.#length > LARGEST_SMALL) chunk[at] = 0;
    }
    if (this.#come < this.#header) return;
    this.#left = this.#length;
    this.#come = 0;
    this.#header = 2;
  }

  #apply(chunk: Uint8Array, from: number, to: number): void {
    const mask = this.#mask;
    // The mask continues where the last chunk ended.
    const shift = (this.#length - this.#left - from) & 3;
    for (let at = from; at < to; at++) chunk[at] = (chunk[at] as number) ^ (mask[(at + shift) & 3] as number);
  }
}

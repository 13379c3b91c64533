/** Reads bytes from the front to the back, in network byte order. Reading beyond the end calls `damaged`, which throws. */
import { Buffer, isUtf8 } from 'node:buffer';

const SHORT = 24;

export class ByteReader {
  readonly #bytes: Buffer;
  readonly #damaged: (what: string) => never;
  #at = 0;

  constructor(bytes: Uint8Array, damaged: (what: string) => never) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#damaged = damaged;
  }

  get remaining(): number {
    return this.#bytes.length - this.#at;
  }

  byte(): number {
    return this.#bytes[this.#advance(1)] as number;
  }

  peek(): number {
    return this.#at < this.#bytes.length ? (this.#bytes[this.#at] as number) : this.#damaged('unexpected end');
  }

  uint16(): number {
    return this.#bytes.readUInt16BE(this.#advance(2));
  }

  uint32(): number {
    return this.#bytes.readUInt32BE(this.#advance(4));
  }

  uint64(): bigint {
    return this.#bytes.readBigUInt64BE(this.#advance(8));
  }

  float32(): number {
    return this.#bytes.readFloatBE(this.#advance(4));
  }

  float64(): number {
    return this.#bytes.readDoubleBE(this.#advance(8));
  }

  /** A whole number up to 2^53, as `ByteWriter.varint` writes it. */
  varint(): number {
    let value = 0;
    for (let factor = 1; factor <= 2 ** 49; factor *= 0x80) {
      const byte = this.byte();
      if (byte < 0x80) return value + byte * factor;
      value += (byte & 0x7f) * factor;
    }
    return this.#damaged('a number that is too long');
  }

  /** A copy of the next bytes. */
  raw(length: number): Uint8Array {
    const start = this.#advance(length);
    return Uint8Array.prototype.slice.call(this.#bytes, start, start + length);
  }

  /** The next bytes where they are, to be looked at before anything else is read. */
  view(length: number): Uint8Array {
    const start = this.#advance(length);
    return this.#bytes.subarray(start, start + length);
  }

  /** A text of so many bytes in UTF-8. */
  utf8(length: number): string {
    const start = this.#advance(length);
    const bytes = this.#bytes;
    if (length < SHORT) {
      let text = '';
      for (let index = start; index < start + length; index++) {
        const byte = bytes[index] as number;
        if (byte > 0x7f) return this.#checked(start, length);
        text += String.fromCharCode(byte);
      }
      return text;
    }
    return this.#checked(start, length);
  }

  #checked(start: number, length: number): string {
    if (!isUtf8(this.#bytes.subarray(start, start + length))) return this.#damaged('a text that is not UTF-8');
    return this.#bytes.toString('utf8', start, start + length);
  }

  #advance(count: number): number {
    const start = this.#at;
    if (count > this.#bytes.length - start) return this.#damaged('unexpected end');
    this.#at = start + count;
    return start;
  }
}

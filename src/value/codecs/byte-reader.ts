/**
 * Reads bytes from the front to the back, in network byte order. Reading beyond the end calls `damaged`, which throws.
 */
import { Buffer, isUtf8 } from 'node:buffer';

/** Maximum number of ASCII bytes that are read faster here than by a call out of JavaScript. */
const SHORT = 8;
/**
 * So many bytes are looked at here before they are given to the decoder of UTF-8, which is slower than that of ASCII.
 */
const MEDIUM = 256;

export class ByteReader {
  #bytes: Buffer;
  readonly #damaged: (what: string) => never;
  /** Asked of the bytes once: theirs may be written over, as it is in LMDB's library, and is slow to be read then. */
  #end: number;
  #at = 0;

  constructor(bytes: Uint8Array, damaged: (what: string) => never) {
    this.#bytes = asBuffer(bytes);
    this.#end = bytes.length;
    this.#damaged = damaged;
  }

  /** Begins with other bytes, of which it reads so many. */
  begin(bytes: Uint8Array, length = bytes.length): void {
    this.#bytes = asBuffer(bytes);
    this.#end = length;
    this.#at = 0;
  }

  get remaining(): number {
    return this.#end - this.#at;
  }

  byte(): number {
    return this.#bytes[this.#advance(1)] as number;
  }

  peek(): number {
    return this.#at < this.#end ? (this.#bytes[this.#at] as number) : this.#damaged('unexpected end');
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

  /** Goes on behind the next bytes if they are those of `expected`; otherwise stays. */
  skip(expected: Uint8Array): boolean {
    const start = this.#at;
    const { length } = expected;
    if (length > this.#end - start) return false;
    for (let index = 0; index < length; index++) if (this.#bytes[start + index] !== expected[index]) return false;
    this.#at = start + length;
    return true;
  }

  /** A text of so many bytes in UTF-8. */
  utf8(length: number): string {
    const start = this.#advance(length);
    return utf8Between(this.#bytes, start, start + length) ?? this.#damaged('a text that is not UTF-8');
  }

  #advance(count: number): number {
    const start = this.#at;
    if (count > this.#end - start) return this.#damaged('unexpected end');
    this.#at = start + count;
    return start;
  }
}

/** The text between two places; `undefined` if it isn't UTF-8. */
export function utf8Between(bytes: Buffer, start: number, end: number): string | undefined {
  const length = end - start;
  if (length <= MEDIUM) {
    let ascii = 0;
    for (let index = start; index < end; index++) ascii |= bytes[index] as number;
    if (ascii < 0x80) return length < SHORT ? shortAscii(bytes, start, end) : bytes.toString('latin1', start, end);
  }
  return isUtf8(bytes.subarray(start, end)) ? bytes.toString('utf8', start, end) : undefined;
}

export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Four characters at a time: a string put together of single ones is a chain of as many links. */
function shortAscii(bytes: Uint8Array, start: number, end: number): string {
  const at = (index: number) => bytes[index] as number;
  let text = '';
  let index = start;
  for (; index + 4 <= end; index += 4) {
    text += String.fromCharCode(at(index), at(index + 1), at(index + 2), at(index + 3));
  }
  for (; index < end; index++) text += String.fromCharCode(at(index));
  return text;
}

/** Reads what `ByteWriter` writes, at any place, with no more checks than end each loop: for bytes of our own. */
import { Buffer } from 'node:buffer';

export class ByteCursor {
  #buffer: Buffer | undefined;

  constructor(
    readonly bytes: Uint8Array,
    public at = 0,
  ) {}

  get isAtEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  byte(): number {
    return this.bytes[this.at++] as number;
  }

  /** @throws RangeError where bytes are damaged, so that no list is read without end */
  varint(): number {
    const { bytes } = this;
    let value = bytes[this.at++] as number;
    if (value < 0x80) return value;
    value &= 0x7f;
    let scale = 0x80;
    while (this.at < bytes.length) {
      const byte = bytes[this.at++] as number;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 0x80;
    }
    throw new RangeError('the bytes end within a number');
  }

  /** Of `length` bytes, in UTF-8 or with one character a byte. */
  text(length: number, encoding: 'utf8' | 'latin1'): string {
    const { buffer, byteOffset, byteLength } = this.bytes;
    this.#buffer ??= Buffer.from(buffer, byteOffset, byteLength);
    const from = this.at;
    this.at += length;
    return this.#buffer.toString(encoding, from, this.at);
  }

  slice(length: number): Uint8Array {
    const slice = this.bytes.subarray(this.at, this.at + length);
    this.at += length;
    return slice;
  }
}

/** In how many bytes `writeVarint` writes a number. */
export function varintLength(value: number): number {
  let length = 1;
  for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 0x80)) length++;
  return length;
}

/** Writes a whole number as `ByteWriter.varint` does, into bytes that have room for it; answers where it ends. */
export function writeVarint(bytes: Uint8Array, at: number, value: number): number {
  let rest = value;
  let end = at;
  while (rest > 0x7f) {
    bytes[end++] = (rest % 0x80) | 0x80;
    rest = Math.floor(rest / 0x80);
  }
  bytes[end++] = rest;
  return end;
}

/** Signed numbers as unsigned ones, small ones as small ones. */
export function toZigzag(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}

export function fromZigzag(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

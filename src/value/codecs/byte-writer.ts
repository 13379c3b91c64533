/**
 * Bytes under construction, in network byte order. One writer serves one codec over and over; `finish` copies out what
 * was written.
 */
import { Buffer } from 'node:buffer';
import { MAX_ENCODED } from '../limits.js';
import { tooLarge } from '../walk.js';

const INITIAL = 8192;
/** A buffer that grew beyond this for one large value isn't kept. */
const KEEP = 1 << 20;

export class ByteWriter {
  #bytes = Buffer.allocUnsafe(INITIAL);
  #length = 0;

  begin(): void {
    this.#length = 0;
    if (this.#bytes.length > KEEP) this.#bytes = Buffer.allocUnsafe(INITIAL);
  }

  /**
   * The bytes with room for so many more behind them. Small ones come out of Node's pool: to give each a memory of its
   * own takes longer than to write it.
   */
  finish(room = 0): Uint8Array {
    const finished = Buffer.allocUnsafe(this.#length + room);
    this.#bytes.copy(finished, 0, 0, this.#length);
    return finished;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  uint16(value: number): void {
    this.#reserve(2);
    this.#length = this.#bytes.writeUInt16BE(value, this.#length);
  }

  uint32(value: number): void {
    this.#reserve(4);
    this.#length = this.#bytes.writeUInt32BE(value, this.#length);
  }

  uint64(value: bigint): void {
    this.#reserve(8);
    this.#length = this.#bytes.writeBigUInt64BE(value, this.#length);
  }

  float32(value: number): void {
    this.#reserve(4);
    this.#length = this.#bytes.writeFloatBE(value, this.#length);
  }

  float64(value: number): void {
    this.#reserve(8);
    this.#length = this.#bytes.writeDoubleBE(value, this.#length);
  }

  /** A whole number up to 2^53, seven bits a byte, the low ones first. */
  varint(value: number): void {
    let rest = value;
    while (rest > 0x7f) {
      this.byte((rest % 0x80) | 0x80);
      rest = Math.floor(rest / 0x80);
    }
    this.byte(rest);
  }

  raw(source: Uint8Array): void {
    this.#reserve(source.length);
    this.#bytes.set(source, this.#length);
    this.#length += source.length;
  }

  /** A part of some bytes, which may stand in wider elements. */
  part(source: Uint8Array | Uint16Array, start: number, end: number): void {
    this.#reserve(end - start);
    const bytes = this.#bytes;
    let length = this.#length;
    for (let at = start; at < end; at++) bytes[length++] = source[at] as number;
    this.#length = length;
  }

  /** The characters of a byte string from one on. */
  characters(text: string, from: number): void {
    this.#reserve(text.length - from);
    const bytes = this.#bytes;
    let length = this.#length;
    for (let at = from; at < text.length; at++) bytes[length++] = text.charCodeAt(at);
    this.#length = length;
  }

  /** Writes a string in UTF-8; `byteLength` is its `utf8Length`. */
  utf8(text: string, byteLength: number): void {
    this.#reserve(byteLength);
    if (byteLength === text.length && byteLength < SHORT) {
      const bytes = this.#bytes;
      let at = this.#length;
      for (let index = 0; index < byteLength; index++) bytes[at++] = text.charCodeAt(index);
      this.#length = at;
    } else {
      this.#length += this.#bytes.write(text, this.#length, 'utf8');
    }
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    if (this.#length + count > MAX_ENCODED) throw tooLarge(MAX_ENCODED);
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + count));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

/** Shorter texts are faster counted and copied here than by a call out of JavaScript. */
const SHORT = 48;

/** The length of a text in UTF-8. */
export function utf8Length(text: string): number {
  if (text.length >= SHORT) return Buffer.byteLength(text, 'utf8');
  for (let index = 0; index < text.length; index++) {
    if (text.charCodeAt(index) > 0x7f) return Buffer.byteLength(text, 'utf8');
  }
  return text.length;
}

/**
 * The buffer in which keys are encoded. A single one is reused: encoding is synchronous, and its result is copied to a
 * flat one-byte string.
 */
import { Buffer } from 'node:buffer';
import { MAX_ENCODED } from '../limits.js';
import { tooLarge } from '../walk.js';

let bytes = Buffer.allocUnsafe(4096);
let length = 0;
/** A buffer grown beyond this for one large key isn't kept. */
const KEEP = 1 << 20;

/**
 * V8 keeps strings of up to twelve characters flat when they are put together, and that is faster than a call into the
 * buffer.
 */
const SHORT = 12;

/** The terminator of texts and byte strings: a zero. Zeros and ones within them are written as two bytes. */
const END = 0;
const ESCAPE = 1;

export const keyBytes = {
  begin(): void {
    length = 0;
    if (bytes.length > KEEP) bytes = Buffer.allocUnsafe(4096);
  },

  finish(): string {
    if (length > SHORT) return bytes.toString('latin1', 0, length);
    let key = '';
    for (let index = 0; index < length; index++) key += String.fromCharCode(bytes[index] as number);
    return key;
  },

  byte(value: number): void {
    if (length === bytes.length) grow(1);
    bytes[length++] = value;
  },

  uint32(value: number): void {
    if (length + 4 > bytes.length) grow(4);
    length = bytes.writeUInt32BE(value, length);
  },

  uint64(value: bigint): void {
    if (length + 8 > bytes.length) grow(8);
    length = bytes.writeBigUInt64BE(value, length);
  },

  /** A double so that bytes are ordered as numbers are: the sign turned round, and all the rest, too, below zero. */
  float64(value: number): void {
    if (length + 8 > bytes.length) grow(8);
    bytes.writeDoubleBE(value + 0, length);
    const mask = value < 0 ? 0xff : 0;
    for (let index = 0; index < 8; index++) bytes[length + index] = (bytes[length + index] as number) ^ mask;
    bytes[length] = (bytes[length] as number) ^ (value < 0 ? 0 : 0x80);
    length += 8;
  },

  /** Bytes of a length that the reader knows. */
  raw(source: Uint8Array): void {
    if (length + source.length > bytes.length) grow(source.length);
    bytes.set(source, length);
    length += source.length;
  },

  /** A text in UTF-8, whose bytes are ordered as its code points are, and its end. */
  text(text: string): void {
    if (length + text.length + 1 > bytes.length) grow(text.length + 1);
    for (let index = 0; index < text.length; index++) {
      const unit = text.charCodeAt(index);
      if (unit <= ESCAPE || unit > 0x7f) {
        keyBytes.escaped(Buffer.from(text.slice(index), 'utf8'));
        return;
      }
      bytes[length++] = unit;
    }
    bytes[length++] = END;
  },

  /** Any bytes, and their end. */
  escaped(source: Uint8Array): void {
    if (length + source.length * 2 + 1 > bytes.length) grow(source.length * 2 + 1);
    for (let index = 0; index < source.length; index++) {
      const byte = source[index] as number;
      if (byte <= ESCAPE) bytes[length++] = ESCAPE;
      bytes[length++] = byte <= ESCAPE ? byte + 1 : byte;
    }
    bytes[length++] = END;
  },
};

function grow(by: number): void {
  if (length + by > MAX_ENCODED) throw tooLarge(MAX_ENCODED);
  const larger = Buffer.allocUnsafe(Math.max(bytes.length * 2, length + by));
  bytes.copy(larger, 0, 0, length);
  bytes = larger;
}

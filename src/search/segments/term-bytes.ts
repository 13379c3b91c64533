/** Terms as UTF-8 where they stand, and their order, which is that of texts: by UTF-16 code units. */
import { Buffer } from 'node:buffer';
import { newBytes } from '../text/new-bytes.js';

const NO_BYTES = newBytes(0);

/** A part of some bytes. */
export interface TermBytes {
  readonly units: Uint8Array;
  readonly start: number;
  readonly end: number;
  /** Orders most terms without a look at their bytes (`termHead`). */
  readonly head: number;
}

/** The first term of a source that wasn't taken yet: one object for all of its terms, and one class for all sources. */
export class TermCursor implements TermBytes {
  units: Uint8Array = NO_BYTES;
  start = 0;
  end = 0;
  head = 0;
  /** Whether there is one. */
  isThere = false;
  /** What the source adds to the number of documents that hold the term (`TermPostings.net`). */
  net = 0;
}

/** The first six bytes as one number. */
export function termHead(units: Uint8Array, start: number, end: number): number {
  let head = 0;
  for (let at = start; at < start + 6; at++) head = head * 0x100 + (at < end ? rankOf(units[at] as number) : 0);
  return head;
}

/** Characters beyond the basic plane have greater bytes, and lesser code units, than those from U+E000 on. */
function rankOf(byte: number): number {
  return byte === 0xee || byte === 0xef ? byte + 0x10 : byte;
}

/** Negative where the first term comes before the other one. */
export function compareTerms(a: TermBytes, b: TermBytes): number {
  return a.head - b.head || compareBytes(a.units, a.start, a.end, b.units, b.start, b.end);
}

/** The same of parts of bytes. */
export function compareBytes(
  units: Uint8Array,
  start: number,
  end: number,
  others: Uint8Array,
  otherStart: number,
  otherEnd: number,
): number {
  const length = end - start;
  const otherLength = otherEnd - otherStart;
  const common = Math.min(length, otherLength);
  for (let at = 0; at < common; at++) {
    const byte = units[start + at] as number;
    const otherByte = others[otherStart + at] as number;
    if (byte !== otherByte) return rankOf(byte) - rankOf(otherByte);
  }
  return length - otherLength;
}

export function termText({ units, start, end }: TermBytes): string {
  return Buffer.from(units.buffer, units.byteOffset + start, end - start).toString('utf8');
}

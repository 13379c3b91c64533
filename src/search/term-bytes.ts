/** Terms as UTF-8 where they stand, and their order, which is that of texts: by UTF-16 code units. */
import { Buffer } from 'node:buffer';
import type { Units } from './sequence-table.js';

/** A part of some bytes. A source of terms uses the same object for one after the other. */
export interface TermBytes {
  units: Units;
  start: number;
  end: number;
  /** Orders most terms without a look at their bytes (`termHead`). */
  head: number;
}

/** The first six bytes as one number. */
export function termHead(units: Units, start: number, end: number): number {
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
  return a.head - b.head || compareBytes(a, b);
}

function compareBytes(a: TermBytes, b: TermBytes): number {
  const length = a.end - a.start;
  const other = b.end - b.start;
  const common = Math.min(length, other);
  for (let at = 0; at < common; at++) {
    const byte = a.units[a.start + at] as number;
    const otherByte = b.units[b.start + at] as number;
    if (byte !== otherByte) return rankOf(byte) - rankOf(otherByte);
  }
  return length - other;
}

export function termText({ units, start, end }: TermBytes): string {
  return Buffer.from(units.subarray(start, end)).toString('utf8');
}

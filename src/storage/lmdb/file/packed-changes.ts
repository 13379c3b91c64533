/**
 * Changes as bytes, to be transferred to a thread:
 *
 *     change: key length u16 · value length u32, or NO_VALUE for a removal · key · value
 */
import type { Key } from '../../contract.js';

/** One key's new value, or its removal. */
export interface EncodedChange {
  readonly key: Key;
  readonly bytes: Uint8Array | undefined;
}

/** Maximum bytes of a part, which takes about a millisecond to pack; a longer change is a part of its own. */
const PART = 1 << 19;
const HEADER = 6;
const NO_VALUE = 0xffff_ffff;

/** A part, and the index at which the next one begins. */
export interface PackedChanges {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly end: number;
}

/** Packs changes from the one at `from` on, as many as a part takes. */
export function packChanges(changes: readonly EncodedChange[], from: number): PackedChanges {
  let size = 0;
  let end = from;
  while (end < changes.length) {
    const more = sizeOf(changes[end] as EncodedChange);
    if (size > 0 && size + more > PART) break;
    size += more;
    end++;
  }
  // A separate buffer, since it is transferred.
  const bytes = Buffer.allocUnsafeSlow(size);
  let at = 0;
  for (let index = from; index < end; index++) {
    const { key, bytes: value } = changes[index] as EncodedChange;
    at = bytes.writeUInt16LE(key.length, at);
    at = bytes.writeUInt32LE(value?.length ?? NO_VALUE, at);
    at += bytes.write(key, at, 'latin1');
    if (value === undefined) continue;
    bytes.set(value, at);
    at += value.length;
  }
  return { bytes, end };
}

/** Calls `visit` for each change, in their order. @throws RangeError for bytes that end within a change */
export function unpackChanges(packed: Uint8Array, visit: (change: EncodedChange) => void): void {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.length);
  for (let at = 0; at < bytes.length; ) {
    const keyAt = at + HEADER;
    const valueAt = keyAt + bytes.readUInt16LE(at);
    const length = bytes.readUInt32LE(at + 2);
    const key = bytes.toString('latin1', keyAt, valueAt);
    at = length === NO_VALUE ? valueAt : valueAt + length;
    if (at > bytes.length) throw new RangeError('The bytes end within a change');
    visit({ key, bytes: length === NO_VALUE ? undefined : bytes.subarray(valueAt, at) });
  }
}

function sizeOf({ key, bytes }: EncodedChange): number {
  return HEADER + key.length + (bytes?.length ?? 0);
}

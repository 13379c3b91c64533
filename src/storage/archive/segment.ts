/**
 * Segments of an archive: what each write of a store changed, in the order of writes.
 *
 *     segment:   header · records
 *     header:    "TESSARCH" · format u32 · id of the store, 16 bytes · version of the store when it began u64 · checksum u32
 *     record:    length u32 · checksum u32 · payload
 *     payload:   00 · changes                                                    a part of a group
 *                01 · version u64 · milliseconds since 1970 u64 · versionstamp u64 or 0 · changes      its last part
 *
 * Integers are little-endian; changes are as in `engines/packed-changes.ts`. A checksum is XXH32, seeded with the one
 * before it, so that a record that is missing, or of another segment, is noticed. A group counts once its last part is
 * there: what a crash has left behind it is no group.
 */
import { xxh32 } from '../../base/xxh32.js';
import type { Versionstamp } from '../contract.js';
import { type Change, packChanges } from '../engines/packed-changes.js';

export const ARCHIVE_FORMAT = 1;
const MAGIC = 'TESSARCH';
export const SEGMENT_HEADER = 40;
const RECORD_HEADER = 8;
const LAST_PART_HEADER = 25;
const KINDS = { part: 0, last: 1 } as const;

export interface SegmentHeader {
  readonly format: number;
  /** The id of the store, hexadecimal. */
  readonly store: string;
  /** The version of the store when the segment began: its groups have later ones. */
  readonly base: number;
  /** With which the chain of checksums begins. */
  readonly checksum: number;
}

/** What a group of commits made of a store. */
export interface GroupFacts {
  /** The version of the store by it. */
  readonly version: number;
  /** When it was about to be written, in milliseconds since 1970. */
  readonly time: number;
  /** The last versionstamp that was given out, if it gave out any. */
  readonly stamp: Versionstamp | undefined;
}

export function encodeSegmentHeader(store: string, base: number): { bytes: Uint8Array; checksum: number } {
  const bytes = Buffer.alloc(SEGMENT_HEADER);
  bytes.write(MAGIC, 0, 'latin1');
  bytes.writeUInt32LE(ARCHIVE_FORMAT, 8);
  bytes.write(store, 12, 16, 'hex');
  bytes.writeBigUInt64LE(BigInt(base), 28);
  const checksum = xxh32(bytes, 0, SEGMENT_HEADER - 4, 0) >>> 0;
  bytes.writeUInt32LE(checksum, SEGMENT_HEADER - 4);
  return { bytes, checksum };
}

/** `undefined` for bytes that aren't a whole header, as a crash may leave them. */
export function decodeSegmentHeader(bytes: Buffer): SegmentHeader | undefined {
  if (bytes.length < SEGMENT_HEADER || bytes.toString('latin1', 0, 8) !== MAGIC) return undefined;
  const checksum = bytes.readUInt32LE(SEGMENT_HEADER - 4);
  if (checksum !== xxh32(bytes, 0, SEGMENT_HEADER - 4, 0) >>> 0) return undefined;
  return {
    format: bytes.readUInt32LE(8),
    store: bytes.toString('hex', 12, 28),
    base: Number(bytes.readBigUInt64LE(28)),
    checksum,
  };
}

/** The records of a group, each by itself; `checksum` is that of the record before. */
export function* encodeGroup(
  changes: readonly Change[],
  { version, time, stamp }: GroupFacts,
  checksum: number,
): Generator<{ readonly bytes: Uint8Array; readonly checksum: number }> {
  let chain = checksum;
  let from = 0;
  do {
    const packed = packChanges(changes, from);
    from = packed.end;
    const isLast = from >= changes.length;
    const header = Buffer.alloc(RECORD_HEADER + (isLast ? LAST_PART_HEADER : 1));
    header[RECORD_HEADER] = isLast ? KINDS.last : KINDS.part;
    if (isLast) {
      header.writeBigUInt64LE(BigInt(version), RECORD_HEADER + 1);
      header.writeBigUInt64LE(BigInt(time), RECORD_HEADER + 9);
      header.writeBigUInt64LE(stamp ?? 0n, RECORD_HEADER + 17);
    }
    const bytes = Buffer.concat([header, packed.bytes]);
    chain = xxh32(bytes, RECORD_HEADER, bytes.length, chain | 0) >>> 0;
    bytes.writeUInt32LE(bytes.length - RECORD_HEADER, 0);
    bytes.writeUInt32LE(chain, 4);
    yield { bytes, checksum: chain };
  } while (from < changes.length);
}

/** A record as it was read: a part of a group's changes and, with the last one, what is known of the group. */
export interface ReadRecord {
  readonly changes: Uint8Array;
  readonly group: GroupFacts | undefined;
  readonly checksum: number;
}

/** The length of a payload whose header is at the beginning of these bytes. */
export function payloadLength(header: Buffer): number {
  return header.readUInt32LE(0);
}

export { RECORD_HEADER };

/** The record of a header and its payload; `undefined` if it isn't as it was written. */
export function decodeRecord(header: Buffer, payload: Buffer, before: number): ReadRecord | undefined {
  const checksum = header.readUInt32LE(4);
  if (payload.length === 0 || checksum !== xxh32(payload, 0, payload.length, before | 0) >>> 0) return undefined;
  if (payload[0] === KINDS.part) return { changes: payload.subarray(1), group: undefined, checksum };
  if (payload[0] !== KINDS.last || payload.length < LAST_PART_HEADER) return undefined;
  const stamp = payload.readBigUInt64LE(17);
  const group: GroupFacts = {
    version: Number(payload.readBigUInt64LE(1)),
    time: Number(payload.readBigUInt64LE(9)),
    stamp: stamp === 0n ? undefined : stamp,
  };
  return { changes: payload.subarray(LAST_PART_HEADER), group, checksum };
}

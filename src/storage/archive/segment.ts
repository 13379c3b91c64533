/**
 * Segments of an archive: the changes of each write of a store, in the order of writes.
 *
 *     segment:   header · records
 *     header:    "TESSARCH" · format u32 · id of the store, 16 bytes · version of the store when it began u64 · checksum u32
 *     record:    length u32 · checksum u32 · payload
 *     payload:   00 · changes                                                    a part of a group
 *                01 · version u64 · milliseconds since 1970 u64 · versionstamp u64 or 0 · changes      its last part
 *
 * Integers are little-endian; changes are as in `lmdb/file/packed-changes.ts`. A checksum is XXH32, seeded with the one
 * before it, so that a record that is missing, or of another segment, is detected. A group is valid only with its last
 * part: records behind it that a crash has left are no group.
 */
import { xxh32 } from '../../base/xxh32.js';
import type { Versionstamp } from '../contract.js';
import { type EncodedChange, packChanges } from '../lmdb/file/packed-changes.js';

export const ARCHIVE_FORMAT = 1;
/** Bytes and milliseconds after which a segment is closed and another one begins. */
export const SEGMENT_BYTES = 64 << 20;
export const SEGMENT_AGE = 10 * 60_000;
const MAGIC = 'TESSARCH';
export const SEGMENT_HEADER = 40;
const RECORD_HEADER = 8;
const LAST_PART_HEADER = 25;
const KINDS = { part: 0, last: 1 } as const;
/** The first byte of the payload of a group's last part. */
export const LAST_PART = KINDS.last;

export interface SegmentHeader {
  readonly format: number;
  /** The id of the store, hexadecimal. */
  readonly store: string;
  /** The version of the store when the segment began: its groups have later ones. */
  readonly base: number;
  /** The first seed of the chain of checksums. */
  readonly checksum: number;
}

/** What identifies a group of commits: the version that it made, when, and its last versionstamp. */
export interface GroupFacts {
  /** The version of the store after the group. */
  readonly version: number;
  /** When it was about to be written, in milliseconds since 1970. */
  readonly time: number;
  /** The last versionstamp of the group, if it assigned any. */
  readonly stamp: Versionstamp | undefined;
}

/** The header of a segment; the first record continues its checksum. Format: `docs/reference/formats.md`. */
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
export function* encodeArchiveGroup(
  changes: readonly EncodedChange[],
  group: GroupFacts,
  checksum: number,
): Generator<EncodedRecord> {
  let chain = checksum;
  let from = 0;
  do {
    const packed = packChanges(changes, from);
    from = packed.end;
    const record = encodeArchiveRecord(packed.bytes, from < changes.length ? undefined : group, chain);
    chain = record.checksum;
    yield record;
  } while (from < changes.length);
}

/** A record as it is written. */
export interface EncodedRecord {
  readonly bytes: Uint8Array;
  readonly checksum: number;
}

/** The record of some packed changes; with the facts of their group, its last one. `checksum`: of the record before. */
export function encodeArchiveRecord(
  changes: Uint8Array,
  group: GroupFacts | undefined,
  checksum: number,
): EncodedRecord {
  const header = Buffer.alloc(RECORD_HEADER + (group === undefined ? 1 : LAST_PART_HEADER));
  header[RECORD_HEADER] = group === undefined ? KINDS.part : KINDS.last;
  if (group !== undefined) {
    header.writeBigUInt64LE(BigInt(group.version), RECORD_HEADER + 1);
    header.writeBigUInt64LE(BigInt(group.time), RECORD_HEADER + 9);
    header.writeBigUInt64LE(group.stamp ?? 0n, RECORD_HEADER + 17);
  }
  const bytes = Buffer.concat([header, changes]);
  const own = xxh32(bytes, RECORD_HEADER, bytes.length, checksum | 0) >>> 0;
  bytes.writeUInt32LE(bytes.length - RECORD_HEADER, 0);
  bytes.writeUInt32LE(own, 4);
  return { bytes, checksum: own };
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
export function decodeArchiveRecord(header: Buffer, payload: Buffer, before: number): ReadRecord | undefined {
  const checksum = header.readUInt32LE(4);
  if (payload.length === 0 || checksum !== xxh32(payload, 0, payload.length, before | 0) >>> 0) return undefined;
  if (payload[0] === KINDS.part) return { changes: payload.subarray(1), group: undefined, checksum };
  if (payload[0] !== KINDS.last || payload.length < LAST_PART_HEADER) return undefined;
  return { changes: payload.subarray(LAST_PART_HEADER), group: decodeFacts(payload), checksum };
}

function decodeFacts(payload: Buffer): GroupFacts {
  const stamp = payload.readBigUInt64LE(17);
  return {
    version: Number(payload.readBigUInt64LE(1)),
    time: Number(payload.readBigUInt64LE(9)),
    stamp: stamp === 0n ? undefined : stamp,
  };
}

/** Bytes of a record that determine its kind and length. */
export const RECORD_HEAD = RECORD_HEADER + LAST_PART_HEADER;

/** What a record is by its first bytes, its changes unread and its checksum not verified. */
export interface RecordHead {
  /** Of the whole record, in bytes. */
  readonly length: number;
  readonly checksum: number;
  readonly group: GroupFacts | undefined;
}

/** `undefined` for bytes that begin no record. */
export function decodeRecordHead(bytes: Buffer): RecordHead | undefined {
  if (bytes.length <= RECORD_HEADER) return undefined;
  const payload = bytes.subarray(RECORD_HEADER);
  const isLast = payload[0] === KINDS.last;
  if (isLast ? payload.length < LAST_PART_HEADER : payload[0] !== KINDS.part) return undefined;
  const length = RECORD_HEADER + payloadLength(bytes);
  return { length, checksum: bytes.readUInt32LE(4), group: isLast ? decodeFacts(payload) : undefined };
}

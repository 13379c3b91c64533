/** Reads the archive of a store: its segments in their order, and the groups of commits in them. */
import { readdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { failure } from '../../errors/error.js';
import { MAX_ENCODED } from '../../value/limits.js';
import { openRegularFile } from '../file-system.js';
import { MAX_KEY_LENGTH } from '../lmdb/file/lmdb-limits.js';
import { type EncodedChange, unpackChanges } from '../lmdb/file/packed-changes.js';
import {
  ARCHIVE_FORMAT,
  decodeArchiveRecord,
  decodeSegmentHeader,
  type GroupFacts,
  payloadLength,
  RECORD_HEADER,
  SEGMENT_HEADER,
  type SegmentHeader,
} from './segment.js';

const SEGMENT_NAME = /^(\d{8})\.segment$/;
/** Records are parts of 512 KiB, or one change that is longer: four times what a value may take (`MAX_ENCODED`). */
const LONGEST_RECORD = 4 * MAX_ENCODED;

export interface ArchiveSegment {
  readonly number: number;
  readonly path: string;
  /** `undefined` for one that a crash left without a whole header: nothing else is in it. */
  readonly header: SegmentHeader | undefined;
}

export interface ArchivedGroup extends GroupFacts {
  readonly changes: readonly EncodedChange[];
}

/** The path of a segment in an archive. */
export function segmentPath(folder: string, number: number): string {
  return join(folder, `${String(number).padStart(8, '0')}.segment`);
}

/** The number of the last segment of a folder; 1 where there is none. @throws Error of the system */
export function lastSegment(folder: string): number {
  return Math.max(1, ...numbersIn(readdirSync(folder)));
}

function numbersIn(names: readonly string[]): readonly number[] {
  return names.flatMap((name) => SEGMENT_NAME.exec(name)?.[1] ?? []).map(Number);
}

/**
 * The segments of a folder, in their order.
 * @throws TesseraError `archive_foreign` for those of another store, or of a format that isn't known; Error of the
 * system
 */
export async function segmentsOf(folder: string, store: string): Promise<readonly ArchiveSegment[]> {
  const numbers = numbersIn(await readdir(folder));
  const segments: ArchiveSegment[] = [];
  for (const number of numbers.toSorted((a, b) => a - b)) {
    const path = segmentPath(folder, number);
    const file = await openRegularFile(path);
    try {
      if (file === undefined) continue;
      const { buffer, bytesRead } = await file.read(Buffer.alloc(SEGMENT_HEADER), 0, SEGMENT_HEADER, 0);
      const header = decodeSegmentHeader(buffer.subarray(0, bytesRead));
      if (header !== undefined && (header.store !== store || header.format !== ARCHIVE_FORMAT))
        throw failure('archive_foreign', { folder });
      segments.push({ number, path, header });
    } finally {
      await file?.close();
    }
  }
  return segments;
}

/** The complete groups of a segment in their order, up to its end or the first damaged record. */
export async function* groupsOf({ path, header }: ArchiveSegment): AsyncGenerator<ArchivedGroup> {
  if (header === undefined) return;
  const file = await openRegularFile(path);
  if (file === undefined) return;
  try {
    let changes: EncodedChange[] = [];
    let chain = header.checksum;
    for (let at = SEGMENT_HEADER; ; ) {
      const head = await file.read(Buffer.alloc(RECORD_HEADER), 0, RECORD_HEADER, at);
      if (head.bytesRead < RECORD_HEADER) return;
      const length = payloadLength(head.buffer);
      const { size } = await file.stat();
      if (length > LONGEST_RECORD || at + RECORD_HEADER + length > size) return;
      const { buffer } = await file.read(Buffer.alloc(length), 0, length, at + RECORD_HEADER);
      const record = decodeArchiveRecord(head.buffer, buffer, chain);
      if (record === undefined) return;
      chain = record.checksum;
      at += RECORD_HEADER + length;
      if (!addChanges(record.changes, changes)) return;
      if (record.group === undefined) continue;
      yield { ...record.group, changes };
      changes = [];
    }
  } finally {
    await file.close();
  }
}

/** Adds the changes of a record; `false` for bytes that aren't changes, which a right checksum doesn't rule out. */
export function addChanges(packed: Uint8Array, changes: EncodedChange[]): boolean {
  let isSound = true;
  try {
    unpackChanges(packed, (change) => {
      changes.push(change);
      isSound &&= change.key.length > 0 && change.key.length <= MAX_KEY_LENGTH;
    });
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
  return isSound;
}

/** The groups to read: those after a version of the store, up to a time in milliseconds since 1970. */
export interface WantedGroups {
  readonly store: string;
  readonly after: number;
  readonly until: number | undefined;
}

/**
 * The groups that bring a store from a version to a time, or to the end of the archive.
 *
 * A group is written to the archive before the store, and so may be the last one of a segment without ever having been
 * committed: then the process ended, and the next segment begins with the version that the store had.
 * @throws TesseraError `archive_foreign`, `archive_gap`, `restore_time`; Error of the system
 */
export async function* archivedGroups(folder: string, wanted: WantedGroups): AsyncGenerator<ArchivedGroup> {
  const segments = (await segmentsOf(folder, wanted.store)).filter(({ header }) => header !== undefined);
  let { after: version } = wanted;
  const first = segments[0]?.header?.base;
  if (first === undefined) throw failure('restore_time', { reason: `there is no archive in ${folder}` });
  if (first > version) throw failure('archive_gap', { folder, from: version, to: first });
  for (const [index, segment] of segments.entries()) {
    const next = segments[index + 1]?.header?.base ?? Number.POSITIVE_INFINITY;
    if (next <= version) continue;
    for await (const group of groupsOf(segment)) {
      if (group.version <= version) continue;
      if (group.version > next) break;
      if (wanted.until !== undefined && group.time > wanted.until) return;
      if (group.version !== version + 1) throw failure('archive_gap', { folder, from: version, to: group.version });
      version = group.version;
      yield group;
    }
    if (next !== Number.POSITIVE_INFINITY && next > version)
      throw failure('archive_gap', { folder, from: version, to: next });
  }
}

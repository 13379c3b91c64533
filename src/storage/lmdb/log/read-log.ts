/**
 * Reads the log in front of a data file: which of the groups in it the tree of the data file lacks.
 *
 * Its segments are those of an archive (`archive/segment.ts`), but for two things. A segment is used again once the
 * tree has all of its groups, so that what lies behind the newest record is from a former use. And the checksum of each
 * record is seeded with that of the header, so that a record can be verified by itself: a crash leaves nothing behind a
 * record that it has torn, since the next one is written when it is on the disk. A record that isn't as it was written
 * and has others behind it is damage.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { failure } from '../../../errors/error.js';
import { type ArchivedGroup, addChanges } from '../../archive/read-archive.js';
import {
  ARCHIVE_FORMAT,
  decodeArchiveRecord,
  decodeRecordHead,
  decodeSegmentHeader,
  LAST_PART,
  RECORD_HEAD,
  RECORD_HEADER,
  type RecordHead,
  SEGMENT_HEADER,
  type SegmentHeader,
} from '../../archive/segment.js';
import { syncFile } from '../../file-system.js';
import type { EncodedChange } from '../file/packed-changes.js';

const LOG_NAME = /^(\d{8})\.log$/;
/** Versions up to so many ahead of the last one that is known may be in a segment. */
const MOST_AHEAD = 2 ** 20;

/** The store that a log belongs to. */
export interface LoggedStore {
  readonly folder: string;
  readonly id: string;
  /** The version of its tree. */
  readonly version: number;
}

/** The path of a segment of the log. */
export function logPath(folder: string, number: number): string {
  return join(folder, `${String(number).padStart(8, '0')}.log`);
}

/** The numbers of the segments of a folder, in their order. @throws Error of the system */
export function logSegments(folder: string): readonly number[] {
  return readdirSync(folder)
    .flatMap((name) => LOG_NAME.exec(name)?.[1] ?? [])
    .map(Number)
    .toSorted((a, b) => a - b);
}

/** What the tree lacks. */
export interface MissingGroups {
  /** In their order. */
  readonly groups: readonly ArchivedGroup[];
  /** The numbers of the segments that they are in. */
  readonly segments: readonly number[];
}

/**
 * The groups in the log that the tree lacks.
 * @throws TesseraError `storage_corrupt` if one of them is damaged or missing; Error of the system
 */
export function readLog({ folder, id, version }: LoggedStore): MissingGroups {
  const numbers = logSegments(folder);
  if (numbers.length === 0) damaged('the log', 'it is missing');
  const segments = numbers.map((number) => readSegment(logPath(folder, number), id));
  const groups = segments
    .flatMap((segment) => segment.groups)
    .filter((group) => group.version > version)
    .sort((one, other) => one.version - other.version);
  let last = version;
  for (const group of groups) {
    if (group.version !== last + 1) damaged('the log', `write ${last + 1} is not as it was written`);
    last = group.version;
  }
  for (const { name, header, bytes } of segments) {
    // The groups before a segment were on the disk when it began.
    if (header !== undefined && header.base > last) damaged(name, `the writes from ${last + 1} on are missing`);
    // A header is on the disk before the first record is.
    if (header === undefined && hasRecordsAfter(bytes, last)) damaged(name, 'its header is not as it was written');
  }
  const holds = (index: number) => segments[index]?.groups.some((group) => group.version > version);
  return { groups, segments: numbers.filter((_, index) => holds(index)) };
}

/**
 * The version of the last group in the log, which a server may be writing to; that of the tree if there is none after
 * it.
 * @throws Error of the system
 */
export function lastLogged({ folder, id, version }: LoggedStore): number {
  const groups = logSegments(folder).flatMap((number) => readSegment(logPath(folder, number), id).groups);
  return groups.reduce((last, group) => Math.max(last, group.version), version);
}

/**
 * Has the system write what a killed process has left in its memory: a later power failure must not take back what was
 * read.
 * @throws Error of the system
 */
export function syncLog(folder: string, segments: readonly number[]): void {
  for (const number of segments) syncFile(logPath(folder, number));
}

interface ReadSegment {
  readonly name: string;
  /** `undefined` for one that a crash left without a whole header. */
  readonly header: SegmentHeader | undefined;
  readonly bytes: Buffer;
  readonly groups: readonly ArchivedGroup[];
}

function readSegment(path: string, id: string): ReadSegment {
  const name = basename(path);
  const bytes = readFileSync(path);
  const header = decodeSegmentHeader(bytes);
  if (header === undefined) return { name, header, bytes, groups: [] };
  if (header.store !== id) damaged(name, 'it is of another store');
  if (header.format !== ARCHIVE_FORMAT) damaged(name, `it has format ${header.format}`);
  return { name, header, bytes, groups: groupsIn(bytes, header) };
}

/** All groups of a segment that are as they were written, those behind others that aren't among them. */
function groupsIn(bytes: Buffer, { base, checksum }: SegmentHeader): ArchivedGroup[] {
  const groups: ArchivedGroup[] = [];
  for (let at = SEGMENT_HEADER; at !== -1; ) {
    const head = headAt(bytes, at, base);
    const group = head && groupAt(bytes, at, head, checksum);
    if (group !== undefined) groups.push(group);
    at = group === undefined ? nextHead(bytes, at + 1) : at + (head?.length ?? 0);
  }
  return groups;
}

function hasRecordsAfter(bytes: Buffer, version: number): boolean {
  for (let at = nextHead(bytes, 0); at !== -1; at = nextHead(bytes, at + 1))
    if (headAt(bytes, at, version) !== undefined) return true;
  return false;
}

/** Where the next record may begin: there is the byte that says what kind it is. -1 if there is none. */
function nextHead(bytes: Buffer, from: number): number {
  const kind = bytes.indexOf(LAST_PART, from + RECORD_HEADER);
  return kind === -1 ? -1 : kind - RECORD_HEADER;
}

/** What a record would be that begins there, with a version after another one; nothing of it is verified. */
function headAt(bytes: Buffer, at: number, after: number): RecordHead | undefined {
  const head = decodeRecordHead(bytes.subarray(at, at + RECORD_HEAD));
  const version = head?.group?.version ?? 0;
  if (head === undefined || version <= after || version > after + MOST_AHEAD) return undefined;
  return at + head.length > bytes.length ? undefined : head;
}

function groupAt(bytes: Buffer, at: number, { length, group }: RecordHead, seed: number): ArchivedGroup | undefined {
  const payload = bytes.subarray(at + RECORD_HEADER, at + length);
  const record = decodeArchiveRecord(bytes.subarray(at, at + RECORD_HEADER), payload, seed);
  const changes: EncodedChange[] = [];
  if (group === undefined || record === undefined || !addChanges(record.changes, changes)) return undefined;
  return { ...group, changes };
}

function damaged(name: string, what: string): never {
  throw failure('storage_corrupt', { what: `${name}: ${what}` });
}

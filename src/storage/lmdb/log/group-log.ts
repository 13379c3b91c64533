/**
 * The log in front of a data file: a group of commits is durable when it is in the log, which takes one write and one
 * sync. The tree of the data file follows (`engine/tail.ts`); what it lacks after a crash is read from the log when the
 * store is opened.
 *
 * There are two segments, allocated beforehand, so that a write changes neither the length of a file nor what belongs
 * to it: they take turns, and each is used again when the tree has all of its groups. They are removed when the store
 * is closed. The data file says whether there is a log (`LOGGED_LMDB_FORMAT`), so that an older release doesn't open a
 * store without the end of it.
 */
import { closeSync, fdatasync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import type { Clock } from '../../../env/environment.js';
import { TesseraError } from '../../../errors/error.js';
import type { ArchivedGroup } from '../../archive/read-archive.js';
import { encodeArchiveRecord, encodeSegmentHeader, type GroupFacts } from '../../archive/segment.js';
import type { Versionstamp } from '../../contract.js';
import { syncFolder } from '../../file-system.js';
import { writeZeros } from '../file/lmdb-space.js';
import { type EncodedChange, packChanges } from '../file/packed-changes.js';
import { type LoggedStore, logPath, logSegments, readLog, syncLog } from './read-log.js';

/** Bytes of a segment: together they bound what is read and written again after a crash. */
const SEGMENT_BYTES = 1 << 20;
/** A longer group isn't logged. */
const LONGEST_GROUP = SEGMENT_BYTES >> 2;

/** A store, as its log sees it. */
export interface LogOwner extends LoggedStore {
  /** Whether the data file says that it has a log. */
  readonly isLogged: boolean;
  /** Has the data file say so or not, durably. @throws Error of the library */
  setLogged(isLogged: boolean): void;
}

export interface LogOptions {
  readonly clock: Clock;
  /** Whether groups are written to it; if not, it only gives what is in it. */
  readonly isWritten: boolean;
  /** Nothing in the folder is changed. */
  readonly readOnly: boolean;
}

export class GroupLog {
  readonly #owner: LogOwner;
  readonly #clock: Clock;
  readonly #readOnly: boolean;
  /** Whether the data file says that it has a log. */
  #isLogged: boolean;
  /** The segments of before, until the tree has what is in them. */
  #former: readonly number[];
  /** None if groups aren't written to it. */
  readonly #segments: readonly Segment[];
  #current: Segment | undefined;
  /** What the tree lacks of the log of before, in its order. */
  readonly tail: readonly ArchivedGroup[];

  /**
   * Opens the log in the folder of a store, which must be locked, and makes it if there is none. On a full disk the
   * store goes without.
   * @throws TesseraError `storage_corrupt`; Error of the system or of the library
   */
  constructor(owner: LogOwner, { clock, isWritten, readOnly }: LogOptions) {
    const { folder, id, isLogged } = owner;
    this.#owner = owner;
    this.#clock = clock;
    this.#readOnly = readOnly;
    this.#isLogged = isLogged;
    const { groups, segments } = isLogged ? readLog(owner) : { groups: [], segments: [] };
    this.tail = groups;
    this.#former = logSegments(folder);
    const last = this.#former.at(-1) ?? 0;
    if (!readOnly) {
      // However often it is killed here, no more is left. One has to be there as long as the file says so.
      this.#removeFormer((number) => segments.includes(number) || (isLogged && number === last));
      syncLog(folder, segments);
    }
    const next = last + 1;
    this.#segments = isWritten && !readOnly ? newSegments(folder, id, next) : [];
    if (this.#segments.length === 0) return;
    syncFolder(folder);
    this.#setLogged(true);
    if (this.tail.length === 0) this.#removeFormer();
  }

  /**
   * Adds the group that makes a version of the store; resolves when it is on the disk. `undefined` if it is too large
   * for the log. `reached` waits until the tree has a version.
   */
  append(
    changes: readonly EncodedChange[],
    version: number,
    stamp: Versionstamp | undefined,
    reached: (version: number) => Promise<void>,
  ): Promise<void> | undefined {
    if (this.#segments.length === 0) return undefined;
    const { bytes, end } = packChanges(changes, 0);
    if (end < changes.length || bytes.length > LONGEST_GROUP) return undefined;
    return this.#append(bytes, { version, stamp, time: Number(this.#clock.now() / 1_000_000n) }, reached);
  }

  async #append(changes: Uint8Array, group: GroupFacts, reached: (version: number) => Promise<void>): Promise<void> {
    const written = this.#current?.write(changes, group);
    if (written !== undefined) return written;
    const next = this.#segments[this.#current === this.#segments[0] ? 1 : 0] as Segment;
    await reached(next.last);
    await next.begin(group.version - 1);
    this.#current = next;
    return next.write(changes, group);
  }

  /** The tree has all that was in the log when it was opened. @throws Error of the system or of the library */
  forgetTail(): void {
    if (this.#readOnly || this.#former.length === 0) return;
    if (this.#segments.length === 0) this.#setLogged(false);
    this.#removeFormer();
  }

  /** Removes the log, of which the tree has all if `isSettled`. @throws Error of the system or of the library */
  close(isSettled: boolean): void {
    for (const segment of this.#segments) segment.close();
    if (!isSettled || this.#readOnly) return;
    this.#setLogged(false);
    this.#former = logSegments(this.#owner.folder);
    this.#removeFormer();
  }

  #setLogged(isLogged: boolean): void {
    if (this.#isLogged !== isLogged) this.#owner.setLogged(isLogged);
    this.#isLogged = isLogged;
  }

  #removeFormer(isKept: (number: number) => boolean = () => false): void {
    for (const number of this.#former)
      if (!isKept(number)) rmSync(logPath(this.#owner.folder, number), { force: true });
    this.#former = this.#former.filter(isKept);
  }
}

/** Both segments; none if the disk is full. @throws Error of the system */
function newSegments(folder: string, store: string, first: number): readonly Segment[] {
  const segments: Segment[] = [];
  try {
    for (const number of [first, first + 1]) segments.push(new Segment(logPath(folder, number), store));
    return segments;
  } catch (error) {
    for (const segment of segments) segment.close();
    for (const number of [first, first + 1]) rmSync(logPath(folder, number), { force: true });
    if (!(error instanceof TesseraError) || error.code !== 'storage_full') throw error;
    return [];
  }
}

class Segment {
  readonly #store: string;
  readonly #descriptor: number;
  /** The seed of the checksums of its records. */
  #checksum = 0;
  #end = 0;
  /** The version of its last group. */
  last = 0;

  /** Makes its file. @throws TesseraError `storage_full`; Error of the system */
  constructor(path: string, store: string) {
    this.#store = store;
    writeZeros(path, SEGMENT_BYTES);
    this.#descriptor = openSync(path, 'r+');
    fsyncSync(this.#descriptor);
  }

  /** Begins it again, behind a version of the store. */
  begin(base: number): Promise<void> {
    const { bytes, checksum } = encodeSegmentHeader(this.#store, base);
    this.#checksum = checksum;
    this.#end = 0;
    return this.#write(bytes);
  }

  /** `undefined` if there is no more room in it. */
  write(changes: Uint8Array, group: GroupFacts): Promise<void> | undefined {
    const { bytes } = encodeArchiveRecord(changes, group, this.#checksum);
    if (this.#end + bytes.length > SEGMENT_BYTES) return undefined;
    this.last = group.version;
    return this.#write(bytes);
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  /** The bytes go to the memory of the system at once, and from there to the disk on another thread. */
  #write(bytes: Uint8Array): Promise<void> {
    for (let done = 0; done < bytes.length; )
      done += writeSync(this.#descriptor, bytes, done, bytes.length - done, this.#end + done);
    this.#end += bytes.length;
    return new Promise((resolve, reject) => {
      fdatasync(this.#descriptor, (error) => (error === null ? resolve() : reject(error)));
    });
  }
}

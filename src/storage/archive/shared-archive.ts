/**
 * The archive of a store that several worker processes write to, one group at a time under the store's lock of writers.
 */
import { closeSync, fdatasyncSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { OWNER_ONLY } from '../../base/private-file.js';
import type { Clock } from '../../env/environment.js';
import type { Versionstamp } from '../contract.js';
import { syncFolder } from '../file-system.js';
import { type EncodedChange, packChanges } from '../lmdb/file/packed-changes.js';
import { lastSegment, segmentPath } from './read-archive.js';
import {
  decodeRecordHead,
  decodeSegmentHeader,
  encodeArchiveRecord,
  encodeSegmentHeader,
  type GroupFacts,
  RECORD_HEAD,
  SEGMENT_AGE,
  SEGMENT_BYTES,
  SEGMENT_HEADER,
} from './segment.js';

/** The archive of a store. */
export interface ArchiveLocation {
  readonly folder: string;
  /** The id of the store. */
  readonly store: string;
}

/**
 * The archive of a store that several processes write to. It is used under the store's lock of writers, which holds for
 * all of them: each group is on the disk of the archive before the store commits it, and the lock is released.
 *
 * A process that is killed between the two leaves a group that the store never received, or a part of one. The process
 * that writes next finds it behind the version of the store, and begins another segment, as a server does that starts.
 */
export class SharedArchive {
  readonly #location: ArchiveLocation;
  readonly #clock: Clock;
  #tail: TailSegment | undefined;
  /** When this process has first seen that segment. */
  #since = 0;
  /** Of the last group before that segment, in milliseconds since 1970. */
  #time = 0;
  /** The latest part of the unfinished group: whether it is the last one isn't known yet. */
  #held: Uint8Array | undefined;
  /** The segment to which the group goes, once a part of it was written. */
  #target: TailSegment | undefined;

  constructor(location: ArchiveLocation, clock: Clock) {
    this.#location = location;
    this.#clock = clock;
  }

  /**
   * Adds packed changes to the group that follows a version of the store.
   * @throws Error of the system
   */
  add(changes: Uint8Array, after: number): void {
    if (this.#held !== undefined) this.#segmentFor(after).append(this.#held);
    this.#held = changes;
  }

  /** Ends the group, which is on the disk when this returns. @throws Error of the system */
  end(version: number, stamp: Versionstamp | undefined): void {
    const segment = this.#segmentFor(version - 1);
    // Times ascend, whatever the clock does.
    const time = Math.max(this.#time, segment.time, Number(this.#clock.now() / 1_000_000n));
    segment.append(this.#held ?? new Uint8Array(), { version, time, stamp });
    segment.sync();
    this.drop();
  }

  /** Writes a whole group, which is on the disk when this returns. @throws Error of the system */
  write(changes: readonly EncodedChange[], version: number, stamp: Versionstamp | undefined): void {
    for (let from = 0; from < changes.length; ) {
      const { bytes, end } = packChanges(changes, from);
      this.add(bytes, version - 1);
      from = end;
    }
    this.end(version, stamp);
  }

  /** Abandons the group. */
  drop(): void {
    this.#held = undefined;
    this.#target = undefined;
  }

  close(): void {
    this.#leave();
    this.#tail = undefined;
  }

  #segmentFor(version: number): TailSegment {
    this.#target ??= this.#settled(version);
    return this.#target;
  }

  /** The segment that ends with a version of the store: the last one, or a new one. */
  #settled(version: number): TailSegment {
    const { folder, store } = this.#location;
    let number = this.#tail === undefined ? lastSegment(folder) : this.#tail.number + 1;
    for (; ; number++) {
      const next = TailSegment.open(folder, number);
      if (next === undefined) break;
      this.#follow(next);
    }
    const tail = this.#tail;
    const isWhole = tail?.catchUp() === true && tail.version === version;
    const isFull = tail === undefined || tail.size >= SEGMENT_BYTES;
    if (isWhole && !isFull && this.#clock.monotonic() - this.#since < SEGMENT_AGE) return tail;
    return this.#follow(TailSegment.create(folder, number, store, version));
  }

  #follow(segment: TailSegment): TailSegment {
    this.#leave();
    this.#tail = segment;
    this.#since = this.#clock.monotonic();
    return segment;
  }

  #leave(): void {
    if (this.#tail === undefined) return;
    this.#tail.catchUp();
    this.#time = Math.max(this.#time, this.#tail.time);
    this.#tail.close();
  }
}

/** Bytes that are read at a time of what other processes have appended. */
const READ_BYTES = 1 << 16;

/** The last segment of an archive, to which several processes append, one at a time under the lock. */
class TailSegment {
  readonly number: number;
  /** Of the store, by the last whole group; -1 where a crash has left not even the header. */
  version: number;
  /** When the last group was about to be written, in milliseconds since 1970. */
  time = 0;
  readonly #descriptor: number;
  /** The offset of the next record. */
  #end = SEGMENT_HEADER;
  /** The checksum of the record before it. */
  #chain: number;
  /** Whether the last record is a part of a group that hasn't ended. */
  #isWithinGroup = false;

  private constructor(number: number, descriptor: number, version: number, chain: number) {
    this.number = number;
    this.#descriptor = descriptor;
    this.version = version;
    this.#chain = chain;
  }

  /** Begins a segment behind a version of the store. @throws Error of the system */
  static create(folder: string, number: number, store: string, base: number): TailSegment {
    const { bytes, checksum } = encodeSegmentHeader(store, base);
    const descriptor = openSync(segmentPath(folder, number), 'wx+', OWNER_ONLY);
    writeSync(descriptor, bytes);
    fsyncSync(descriptor);
    syncFolder(folder);
    return new TailSegment(number, descriptor, base, checksum);
  }

  /** `undefined` where there is none of this number. @throws Error of the system */
  static open(folder: string, number: number): TailSegment | undefined {
    let descriptor: number;
    try {
      descriptor = openSync(segmentPath(folder, number), 'r+');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
    const bytes = Buffer.alloc(SEGMENT_HEADER);
    const header = decodeSegmentHeader(bytes.subarray(0, readSync(descriptor, bytes, 0, SEGMENT_HEADER, 0)));
    return new TailSegment(number, descriptor, header?.base ?? -1, header?.checksum ?? 0);
  }

  /** In bytes. */
  get size(): number {
    return this.#end;
  }

  /**
   * Reads the groups that were appended meanwhile. Returns whether the segment ends with a complete one.
   * @throws Error of the system
   */
  catchUp(): boolean {
    const { size } = fstatSync(this.#descriptor);
    let chunk = Buffer.alloc(0);
    let chunkAt = this.#end;
    while (this.#end < size) {
      if (this.#end + RECORD_HEAD > chunkAt + chunk.length) {
        chunkAt = this.#end;
        const bytes = Buffer.alloc(Math.min(READ_BYTES, size - chunkAt));
        chunk = bytes.subarray(0, readSync(this.#descriptor, bytes, 0, bytes.length, chunkAt));
      }
      const head = decodeRecordHead(chunk.subarray(this.#end - chunkAt, this.#end - chunkAt + RECORD_HEAD));
      if (head === undefined || this.#end + head.length > size) return false;
      this.#advance(head.length, head.checksum, head.group);
    }
    return !this.#isWithinGroup;
  }

  /** Appends a part of a group; with the facts of the group, its last one. @throws Error of the system */
  append(changes: Uint8Array, group?: GroupFacts): void {
    const { bytes, checksum } = encodeArchiveRecord(changes, group, this.#chain);
    for (let done = 0; done < bytes.length; )
      done += writeSync(this.#descriptor, bytes, done, bytes.length - done, this.#end + done);
    this.#advance(bytes.length, checksum, group);
  }

  /** Syncs appended records to the disk. @throws Error of the system */
  sync(): void {
    fdatasyncSync(this.#descriptor);
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #advance(length: number, checksum: number, group: GroupFacts | undefined): void {
    this.#end += length;
    this.#chain = checksum;
    this.#isWithinGroup = group === undefined;
    if (group === undefined) return;
    this.version = group.version;
    this.time = group.time;
  }
}

/** The open segment at the end of a shared archive, with what other processes have appended to it. */
import { closeSync, fdatasyncSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { OWNER_ONLY } from '../../base/private-file.js';
import { syncFolder } from '../file-system.js';
import { segmentPath } from './read-archive.js';
import {
  decodeRecordHead,
  decodeSegmentHeader,
  encodeArchiveRecord,
  encodeSegmentHeader,
  type GroupFacts,
  RECORD_HEAD,
  SEGMENT_HEADER,
} from './segment.js';

/** Bytes that are read at a time of what other processes have appended. */
const READ_BYTES = 1 << 16;

/** The last segment of an archive, to which several processes append, one at a time under the lock. */
export class TailSegment {
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

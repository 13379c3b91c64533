/**
 * Writes the archive of a store that one process has open: each group of commits is synced before it is acknowledged.
 */
import { mkdirSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { OWNER_ONLY } from '../../base/private-file.js';
import type { Clock } from '../../env/environment.js';
import { failure, type TesseraError } from '../../errors/error.js';
import type { Versionstamp } from '../contract.js';
import { syncFolder } from '../file-system.js';
import type { EncodedChange } from '../lmdb/file/packed-changes.js';
import { ArchiveSpace } from './archive-space.js';
import { groupsOf, segmentPath, segmentsOf } from './read-archive.js';
import { encodeArchiveGroup, encodeSegmentHeader, SEGMENT_AGE, SEGMENT_BYTES } from './segment.js';

/** Bytes of records that are written together. */
const WRITE_BYTES = 4 << 20;

/** The store whose writes are archived. */
export interface ArchivedStoreFacts {
  readonly id: string;
  /** The version of its last write. */
  readonly version: number;
}

/** Appends what each write of a store changes to the segments of a folder. */
export class ArchiveWriter {
  readonly #folder: string;
  readonly #store: string;
  readonly #clock: Clock;
  #file: FileHandle;
  #number: number;
  #checksum: number;
  #size = 0;
  #began: number;
  #lastTime = 0;
  /** Of its disk. */
  readonly space: ArchiveSpace;

  private constructor(folder: string, store: string, clock: Clock, segment: NewSegment) {
    this.#folder = folder;
    this.#store = store;
    this.#clock = clock;
    this.#file = segment.file;
    this.#number = segment.number;
    this.#checksum = segment.checksum;
    this.#began = clock.monotonic();
    this.space = new ArchiveSpace(folder);
  }

  /**
   * Continues the archive in a folder, or begins one, in a new segment. `report` is called if the
   * archive has a gap, such as writes while the server ran without it.
   * @throws TesseraError `archive_foreign`; Error of the system
   */
  static async open(
    folder: string,
    { id, version }: ArchivedStoreFacts,
    clock: Clock,
    report: (error: TesseraError) => void,
  ): Promise<ArchiveWriter> {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const segments = await segmentsOf(folder, id);
    let known = version;
    const last = segments.findLast(({ header }) => header !== undefined);
    if (last?.header !== undefined) {
      known = last.header.base;
      for await (const group of groupsOf(last)) known = group.version;
    }
    if (known < version) report(failure('archive_gap', { folder, from: known, to: version }));
    const number = (segments.at(-1)?.number ?? 0) + 1;
    return new ArchiveWriter(folder, id, clock, await newSegment(folder, number, id, version));
  }

  /** Resolves when the group of commits that makes a version of the store is on the disk. */
  async append(changes: readonly EncodedChange[], version: number, stamp: Versionstamp | undefined): Promise<void> {
    const now = this.#clock.monotonic();
    if (this.#size >= SEGMENT_BYTES || now - this.#began >= SEGMENT_AGE) await this.#rotate(version - 1);
    // Times ascend, whatever the clock does.
    this.#lastTime = Math.max(this.#lastTime, Number(this.#clock.now() / 1_000_000n));
    const group = { version, time: this.#lastTime, stamp };
    let waiting: Uint8Array[] = [];
    let bytes = 0;
    for (const record of encodeArchiveGroup(changes, group, this.#checksum)) {
      waiting.push(record.bytes);
      bytes += record.bytes.length;
      this.#checksum = record.checksum;
      if (bytes < WRITE_BYTES) continue;
      await this.#write(waiting, bytes);
      waiting = [];
      bytes = 0;
    }
    if (bytes > 0) await this.#write(waiting, bytes);
    await this.#file.datasync();
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  async #write(buffers: Uint8Array[], bytes: number): Promise<void> {
    const whole = buffers.length === 1 ? (buffers[0] as Uint8Array) : Buffer.concat(buffers);
    for (let done = 0; done < bytes; ) done += (await this.#file.write(whole, done, bytes - done, null)).bytesWritten;
    this.#size += bytes;
  }

  async #rotate(base: number): Promise<void> {
    const former = this.#file;
    const segment = await newSegment(this.#folder, this.#number + 1, this.#store, base);
    this.#file = segment.file;
    this.#number = segment.number;
    this.#checksum = segment.checksum;
    this.#size = 0;
    this.#began = this.#clock.monotonic();
    await former.close();
  }
}

interface NewSegment {
  readonly file: FileHandle;
  readonly number: number;
  readonly checksum: number;
}

async function newSegment(folder: string, number: number, store: string, base: number): Promise<NewSegment> {
  const { bytes, checksum } = encodeSegmentHeader(store, base);
  const file = await open(segmentPath(folder, number), 'wx', OWNER_ONLY);
  await file.write(bytes);
  await file.sync();
  syncFolder(folder);
  return { file, number, checksum };
}

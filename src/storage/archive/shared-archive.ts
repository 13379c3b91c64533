/**
 * The archive of a store that several worker processes write to, one group at a time under the store's lock of writers.
 */
import type { Clock } from '../../env/environment.js';
import type { Versionstamp } from '../contract.js';
import { type EncodedChange, packChanges } from '../lmdb/file/packed-changes.js';
import { lastSegment } from './read-archive.js';
import { SEGMENT_AGE, SEGMENT_BYTES } from './segment.js';
import { TailSegment } from './tail-segment.js';

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

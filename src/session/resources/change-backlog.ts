/** The changes that wait for the clients of all live queries of a process. */
import type { ChangeMemory } from '../../runtime/live-changes.js';

/** Whom changes wait for. */
export interface BacklogReader {
  /** Bytes of the changes that wait, each counted in full. */
  readonly backlog: number;
  /** Ends its live queries and releases its changes, since it reads too slowly. */
  fallBehind(): void;
}

/**
 * Bounds the memory of waiting changes. One that waits for several readers counts once. If there is no room for
 * another change, those readers fall behind whose backlogs are the largest, so that those that keep up
 * aren't affected.
 */
export class ChangeBacklog {
  readonly #limit: number;
  readonly #readers = new Set<BacklogReader>();
  #used = 0;

  /** `limit` in bytes. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Bytes of the changes that wait. */
  get used(): number {
    return this.#used;
  }

  /**
   * A change waits for a reader. False if the reader itself is the slowest and must fall behind. A single change may
   * have any size.
   */
  hold(change: ChangeMemory, reader: BacklogReader): boolean {
    if (change.holders === 0 && !this.#makeRoom(change.bytes, reader)) return false;
    if (change.holders++ === 0) this.#used += change.bytes;
    this.#readers.add(reader);
    return true;
  }

  /** A change no longer waits for a reader. */
  release(change: ChangeMemory, reader: BacklogReader): void {
    if (--change.holders === 0) this.#used -= change.bytes;
    if (reader.backlog === 0) this.#readers.delete(reader);
  }

  #makeRoom(bytes: number, reader: BacklogReader): boolean {
    if (this.#used + bytes <= this.#limit) return true;
    for (const slowest of [...this.#readers].sort((a, b) => b.backlog - a.backlog)) {
      if (slowest === reader) return false;
      slowest.fallBehind();
      if (this.#used + bytes <= this.#limit) break;
    }
    return true;
  }
}

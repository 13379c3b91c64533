/** Changes laid over a snapshot: what a transaction has written, or what others have committed that isn’t durable yet. */
import type { Entry, Key, KeyRange, Stored } from './contract.js';
import type { TreeCursor } from './ordered-tree.js';
import { DELETED, type Overlay, type Written } from './overlay.js';
import type { ReadValues, Snapshot, SnapshotCursor } from './snapshot.js';

/** A snapshot as it would be after changes, which don't change any more themselves. */
export class LayeredSnapshot implements Snapshot {
  readonly #below: Snapshot;
  readonly #changes: Overlay;

  constructor(below: Snapshot, changes: Overlay) {
    this.#below = below;
    this.#changes = changes;
  }

  get(key: Key): Stored | undefined {
    const written = this.#changes.get(key);
    if (written === undefined) return this.#below.get(key);
    return written === DELETED ? undefined : written;
  }

  has(key: Key): boolean {
    const written = this.#changes.get(key);
    return written === undefined ? this.#below.has(key) : written !== DELETED;
  }

  scan(range: KeyRange, reverse: boolean, keysOnly: boolean): SnapshotCursor {
    const below = this.#below.scan(range, reverse, keysOnly);
    const changes = this.#changes.cursor(range, reverse);
    return changes.key === undefined ? below : new LayeredCursor(below, changes, reverse);
  }

  count(range: KeyRange): number {
    return countLayered(this.#below, this.#changes, range);
  }

  release(): void {
    this.#below.release();
    this.#changes.release();
  }
}

/** How many keys of a range there are in a snapshot with changes over it. */
export function countLayered(below: Snapshot, changes: Overlay, range: KeyRange): number {
  let count = below.count(range);
  const cursor = changes.cursor(range);
  for (let key = cursor.key; key !== undefined; cursor.advance(), key = cursor.key) {
    const there = cursor.value !== DELETED;
    if (below.has(key) !== there) count += there ? 1 : -1;
  }
  return count;
}

/** Both in the order of their keys; what was deleted is left out. */
export class LayeredCursor implements SnapshotCursor {
  readonly #below: SnapshotCursor;
  readonly #changes: TreeCursor<Written>;
  readonly #reverse: boolean;
  /** Entries from below that are waiting for their turn, the next one at `#at`. */
  #ahead: Entry[] = [];
  #at = 0;
  #belowEnded = false;

  constructor(below: SnapshotCursor, changes: TreeCursor<Written>, reverse: boolean) {
    this.#below = below;
    this.#changes = changes;
    this.#reverse = reverse;
  }

  read(entries: Entry[], limit: number): void {
    const changes = this.#changes;
    const end = entries.length + limit;
    while (entries.length < end) {
      const stored = this.#peek(limit);
      const key = changes.key;
      if (key === undefined) {
        if (stored === undefined) return;
        entries.push(stored);
        this.#at++;
        continue;
      }
      if (stored !== undefined && stored[0] !== key && stored[0] < key !== this.#reverse) {
        entries.push(stored);
        this.#at++;
        continue;
      }
      if (stored !== undefined && stored[0] === key) this.#at++;
      const value = changes.value;
      if (value !== DELETED) entries.push([key, value]);
      changes.advance();
    }
  }

  readValues(limit: number): ReadValues {
    const entries: Entry[] = [];
    this.read(entries, limit);
    return { values: entries.map(([, value]) => value), last: entries[entries.length - 1]?.[0] };
  }

  /** The next entry from below. */
  #peek(limit: number): Entry | undefined {
    if (this.#at === this.#ahead.length && !this.#belowEnded) {
      this.#ahead = [];
      this.#at = 0;
      this.#below.read(this.#ahead, limit);
      this.#belowEnded = this.#ahead.length < limit;
    }
    return this.#ahead[this.#at];
  }
}

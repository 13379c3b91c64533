/** Uncommitted writes of a transaction with their savepoints. */
import { invariant } from '../../base/invariant.js';
import type { Key, KeyRange, Savepoint, Stored, Versionstamp } from '../contract.js';
import { OrderedTree, type TreeCursor } from '../tree/ordered-tree.js';
import type { AfterCommit } from './after-commit.js';
import { APPENDED_LENGTH, type Appended, type StampSource, withoutRange } from './append.js';
import type { MemoryReservation } from './memory-reservation.js';
import { DELETED, type Overlay, type OverlayValue } from './overlay.js';
import { byteOrder } from './read-set.js';
import { writeSize } from './write-size.js';

class WriteSetSavepoint {
  constructor(
    readonly writes: WriteSet,
    readonly overlay: Overlay,
    readonly appended: Appended | undefined,
    readonly afterCommit: AfterCommit | undefined,
    /** Bytes that they take. */
    readonly size: number,
  ) {}
}

/** The writes of a transaction, which overlay its snapshot, and the entries that it has appended to logs. */
export class WriteSet {
  readonly #memory: MemoryReservation | undefined;
  /** See `BeginOptions.maintenance`. */
  readonly isMaintenance: boolean;
  #overlay: Overlay = new OrderedTree<OverlayValue>();
  #appended: Appended | undefined;
  #afterCommit: AfterCommit | undefined;

  constructor(memory?: MemoryReservation, isMaintenance = false) {
    this.#memory = memory;
    this.isMaintenance = isMaintenance;
  }

  get overlay(): Overlay {
    return this.#overlay;
  }

  /** Joins the overlay under a versionstamp. */
  get appended(): Appended | undefined {
    return this.#appended;
  }

  get afterCommit(): AfterCommit | undefined {
    return this.#afterCommit;
  }

  /** Whether a commit would change nothing. */
  get isEmpty(): boolean {
    return this.#overlay.size === 0 && this.#appended === undefined;
  }

  /** Number of written keys, without those of logs. */
  get size(): number {
    return this.#overlay.size;
  }

  /** Roughly how many bytes of memory the writes take; 0 where they aren't counted. */
  get bytes(): number {
    return this.#memory === undefined ? 0 : this.#memory.writes;
  }

  get(key: Key): OverlayValue | undefined {
    return this.#overlay.size === 0 ? undefined : this.#overlay.get(key);
  }

  put(key: Key, value: OverlayValue): void {
    if (this.#memory !== undefined) {
      const before = this.#overlay.size > 0 ? this.#overlay.get(key) : undefined;
      this.#memory.grow(sizeOf(key, value) - (before === undefined ? 0 : sizeOf(key, before)));
    }
    this.#overlay.put(key, value);
  }

  append(prefix: Key, value: Stored): void {
    invariant(!this.isMaintenance, 'maintenance that appends to a log');
    const before = this.#appended;
    this.#memory?.grow(writeSize(prefix, value) + APPENDED_LENGTH);
    this.#appended = { prefix, value, at: before === undefined ? 0 : before.at + 1, before };
  }

  /** Removes the entries appended under the prefixes of a range. */
  removeAppended(range: KeyRange): void {
    if (this.#appended !== undefined) this.#appended = withoutRange(this.#appended, range);
  }

  /** Calls a callback once, even if a commit is answered twice. */
  call(callback: (last: Versionstamp) => void): void {
    let isCalled = false;
    const once = (last: Versionstamp) => {
      if (isCalled) return;
      isCalled = true;
      callback(last);
    };
    this.#afterCommit = { callback: once, before: this.#afterCommit };
  }

  /**
   * The written keys of a range as they are now, whatever is written while they are read; `undefined` if there are
   * none.
   */
  cursor(range: KeyRange, reverse: boolean): TreeCursor<OverlayValue> | undefined {
    if (this.#overlay.size === 0) return undefined;
    const cursor = this.#overlay.cursor(range, reverse);
    if (cursor.key === undefined) return undefined;
    // From here on the overlay copies the nodes that the cursor is reading instead of changing them.
    this.#overlay.snapshot();
    return cursor;
  }

  hasKeyIn(range: KeyRange): boolean {
    return this.#overlay.size > 0 && this.#overlay.cursor(range).key !== undefined;
  }

  savepoint(): Savepoint {
    const size = this.#memory === undefined ? 0 : this.#memory.writes;
    return new WriteSetSavepoint(this, this.#overlay.snapshot(), this.#appended, this.#afterCommit, size);
  }

  rollback(to: Savepoint): void {
    invariant(to instanceof WriteSetSavepoint && to.writes === this, 'a savepoint of another transaction');
    this.#overlay = to.overlay.snapshot();
    this.#appended = to.appended;
    this.#afterCommit = to.afterCommit;
    if (this.#memory !== undefined) this.#memory.writes = to.size;
  }
}

function sizeOf(key: Key, value: OverlayValue): number {
  return writeSize(key, value === DELETED ? undefined : value);
}

/** The keys that a commit would write now, ascending. */
export function writtenKeys({ overlay, appended }: WriteSet, stamps: StampSource): readonly Key[] {
  return appended === undefined ? overlay.keys() : [...overlay.keys(), ...stamps.keysOf(appended)].sort(byteOrder);
}

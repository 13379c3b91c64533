import { invariant } from '../base/invariant.js';
import type { MemoryBudget } from '../base/memory-budget.js';
import { lastly, type PromiseOrValue } from '../base/promise-or-value.js';
import { failure } from '../errors/error.js';
import { type AfterCommit, callAll } from './after-commit.js';
import { APPENDED_LENGTH, type Appended, type StampSource, withoutRange } from './append.js';
import { BatchCursor } from './batch-cursor.js';
import type {
  Key,
  KeyRange,
  Reservation,
  Savepoint,
  ScanOptions,
  Stored,
  Transaction,
  Versionstamp,
} from './contract.js';
import { countLayered, LayeredCursor } from './layered.js';
import { OrderedTree } from './ordered-tree.js';
import { DELETED, type Overlay, type Written } from './overlay.js';
import { byteOrder, ReadSet } from './read-set.js';
import type { Snapshot } from './snapshot.js';
import { writeSize } from './write-size.js';

/** What an answer to a commit waits for. */
export type CommitStage = 'accepted' | 'durable';

/** The engine's side of one read-write transaction. One of `commit` and `abandon` is called, once. */
export interface Committer {
  /** The longest key that can be stored; any unless told. */
  readonly maxKeyLength?: number;
  /**
   * Validates what was read and applies what was written.
   * @throws TesseraError `transaction_conflict`, `storage_unavailable`
   */
  commit(reads: ReadSet, writes: Writes, until: CommitStage): PromiseOrValue<void>;
  /** The transaction ended without changing anything. */
  abandon(): void;
  /** The last versionstamp of the commits that new snapshots show. */
  lastStamp(): Versionstamp;
  /** Reserves what was read, after the transaction has ended. @throws TesseraError `transaction_conflict` */
  reserve(reads: ReadSet, writes: Writes): PromiseOrValue<Reservation>;
}

/** What a transaction would have the store do. */
export interface Writes {
  readonly overlay: Overlay;
  /** Joins the overlay under a versionstamp. */
  readonly appended: Appended | undefined;
  readonly afterCommit: AfterCommit | undefined;
}

function sizeOf(key: Key, value: Written): number {
  return writeSize(key, value === DELETED ? undefined : value);
}

/** The keys that a commit would write now, ascending. */
export function writtenKeys({ overlay, appended }: Writes, stamps: StampSource): readonly Key[] {
  return appended === undefined ? overlay.keys() : [...overlay.keys(), ...stamps.keysOf(appended)].sort(byteOrder);
}

/** The overlay of all read-only transactions. */
const NOTHING: Overlay = new OrderedTree<Written>();

class OverlaySavepoint {
  constructor(
    readonly transaction: EmbeddedTransaction,
    readonly writes: Writes,
    /** Bytes that they take. */
    readonly size: number,
  ) {}
}

/** What a transaction may take before it reserves memory, in bytes: most take less. */
const UNRESERVED = 4_096;
/** By how much what is remembered of reads grows before it is reserved. */
const READS_STEP = 16_384;

/**
 * The transaction of all embedded engines: a snapshot of the store, an overlay of its own writes, and a record of what it read.
 *
 * Writes stay in the overlay until `commit`. Reading one's own write reads nothing of the store and so can't conflict, nor can writing a
 * key without having read it. A read-only transaction records nothing.
 */
export class EmbeddedTransaction implements Transaction {
  readonly #snapshot: Snapshot;
  readonly #committer: Committer | undefined;
  readonly #reads: ReadSet | undefined;
  #overlay: Overlay;
  #appended: Appended | undefined;
  #afterCommit: AfterCommit | undefined;
  #finished = false;
  readonly #makeBudget: (() => MemoryBudget) | undefined;
  #budget: MemoryBudget | undefined;
  /** How many bytes the writes take, and how many were reserved for them and for what is remembered of reads: the most there were. */
  #size = 0;
  #reserved = UNRESERVED;
  /** How many bytes of reads are reserved. */
  #readsReserved = 0;

  /** Read-only without a committer. */
  constructor(snapshot: Snapshot, committer?: Committer, makeBudget?: () => MemoryBudget) {
    this.#snapshot = snapshot;
    this.#committer = committer;
    this.#makeBudget = makeBudget;
    this.#reads = committer && new ReadSet();
    this.#overlay = committer ? new OrderedTree<Written>() : NOTHING;
  }

  get writable(): boolean {
    return this.#committer !== undefined;
  }

  get finished(): boolean {
    return this.#finished;
  }

  get(key: Key): Stored | undefined {
    this.#mustBeOpen();
    if (this.#overlay.size > 0) {
      const own = this.#overlay.get(key);
      if (own !== undefined) return own === DELETED ? undefined : own;
    }
    if (this.#reads !== undefined) this.#remember(this.#reads, key);
    return this.#snapshot.get(key);
  }

  getMany(keys: readonly Key[]): (Stored | undefined)[] {
    this.#mustBeOpen();
    if (this.#overlay.size > 0 || this.#reads !== undefined) return keys.map((key) => this.get(key));
    const snapshot = this.#snapshot;
    return keys.map((key) => snapshot.get(key));
  }

  scan(range: KeyRange, options: ScanOptions = {}): BatchCursor {
    return this.#scan(range, options, false);
  }

  count(range: KeyRange): number {
    this.#mustBeOpen();
    this.#reads?.addRange(range.from, range.to);
    return this.#overlay.size === 0 ? this.#snapshot.count(range) : countLayered(this.#snapshot, this.#overlay, range);
  }

  hasWritten(key: Key): boolean {
    return this.#overlay.size > 0 && this.#overlay.get(key) !== undefined;
  }

  put(key: Key, value: Stored): void {
    this.#mustBeWritable();
    invariant(key !== '', 'an empty key');
    this.#mustFit(key.length);
    this.#write(key, value);
  }

  delete(key: Key): void {
    this.#mustBeWritable();
    this.#write(key, DELETED);
  }

  deleteRange(range: KeyRange): void {
    this.#mustBeWritable();
    const cursor = this.#scan(range, {}, true);
    for (let batch = cursor.next(); batch !== undefined; batch = cursor.next()) {
      for (const [key] of batch) this.#write(key, DELETED);
    }
    if (this.#appended !== undefined) this.#appended = withoutRange(this.#appended, range);
  }

  append(prefix: Key, value: Stored): void {
    this.#mustBeWritable();
    this.#mustFit(prefix.length + APPENDED_LENGTH);
    const before = this.#appended;
    if (this.#makeBudget !== undefined) this.#grow(writeSize(prefix, value) + APPENDED_LENGTH);
    this.#appended = { prefix, value, at: before === undefined ? 0 : before.at + 1, before };
  }

  afterCommit(callback: (last: Versionstamp) => void): void {
    this.#mustBeWritable();
    this.#afterCommit = { callback, before: this.#afterCommit };
  }

  savepoint(): Savepoint {
    this.#mustBeOpen();
    const overlay = this.writable ? this.#overlay.snapshot() : NOTHING;
    const writes = { overlay, appended: this.#appended, afterCommit: this.#afterCommit };
    return new OverlaySavepoint(this, writes, this.#size);
  }

  rollback(to: Savepoint): void {
    this.#mustBeOpen();
    invariant(to instanceof OverlaySavepoint && to.transaction === this, 'a savepoint of another transaction');
    if (!this.writable) return;
    this.#overlay = to.writes.overlay.snapshot();
    this.#appended = to.writes.appended;
    this.#afterCommit = to.writes.afterCommit;
    this.#size = to.size;
  }

  commit(): PromiseOrValue<void> {
    return this.#commit('durable');
  }

  /** See `EarlyAnswers`. */
  accept(): PromiseOrValue<void> {
    return this.#commit('accepted');
  }

  #commit(until: CommitStage): PromiseOrValue<void> {
    this.#mustBeOpen();
    this.#finish();
    if (this.#committer === undefined || this.#reads === undefined) return;
    // One that changed nothing is serializable as of its snapshot, whatever happened since.
    if (this.#overlay.size === 0 && this.#appended === undefined) {
      this.#committer.abandon();
      this.#releaseMemory();
      return callAll(this.#afterCommit, this.#committer.lastStamp());
    }
    if (this.#reserved === UNRESERVED) return this.#committer.commit(this.#reads, this.#writes, until);
    const [reads, committer] = [this.#reads, this.#committer];
    return lastly(
      () => committer.commit(reads, this.#writes, until),
      () => this.#releaseMemory(),
    );
  }

  get #writes(): Writes {
    return { overlay: this.#overlay, appended: this.#appended, afterCommit: this.#afterCommit };
  }

  cancel(): void {
    if (this.#finished) return;
    this.#finish();
    this.#committer?.abandon();
    this.#releaseMemory();
  }

  reserve(): PromiseOrValue<Reservation> {
    invariant(this.#finished, 'a transaction that may still commit reserves nothing');
    if (this.#committer === undefined || this.#reads === undefined) throw failure('read_only');
    return this.#committer.reserve(this.#reads, this.#writes);
  }

  #scan(range: KeyRange, options: ScanOptions, keysOnly: boolean): BatchCursor {
    this.#mustBeOpen();
    const reverse = options.reverse ?? false;
    let store = this.#snapshot.scan(range, reverse, keysOnly);
    const own = this.#overlay.size > 0 ? this.#overlay.cursor(range, reverse) : undefined;
    if (own?.key !== undefined) {
      store = new LayeredCursor(store, own, reverse);
      // From here on the overlay leaves the nodes alone that the cursor is reading.
      this.#overlay.snapshot();
    }
    return new BatchCursor(this, store, this.#reads, range, options);
  }

  #write(key: Key, value: Written): void {
    if (this.#makeBudget !== undefined) {
      const before = this.#overlay.size > 0 ? this.#overlay.get(key) : undefined;
      this.#grow(sizeOf(key, value) - (before === undefined ? 0 : sizeOf(key, before)));
    }
    this.#overlay.put(key, value);
  }

  /** The writes are about to take so many bytes more. @throws what the budget throws if there is no room for them */
  #grow(bytes: number): void {
    this.#reserve(this.#size + bytes + this.#readsReserved);
    this.#size += bytes;
  }

  #remember(reads: ReadSet, key: Key): void {
    reads.addKey(key);
    if (this.#makeBudget === undefined || reads.size < this.#readsReserved + READS_STEP) return;
    this.#reserve(this.#size + reads.size);
    this.#readsReserved = reads.size;
  }

  /** What is reserved only grows, so that a rollback never needs more than there is. */
  #reserve(bytes: number): void {
    if (bytes <= this.#reserved) return;
    this.#budget ??= this.#makeBudget?.();
    this.#budget?.reserve(bytes - this.#reserved);
    this.#reserved = bytes;
  }

  #releaseMemory(): void {
    if (this.#reserved === UNRESERVED) return;
    this.#budget?.release(this.#reserved - UNRESERVED);
    this.#reserved = UNRESERVED;
  }

  #mustFit(length: number): void {
    const limit = this.#committer?.maxKeyLength;
    if (limit !== undefined && length > limit) throw failure('key_too_long', { length, limit });
  }

  #finish(): void {
    this.#finished = true;
    this.#snapshot.release();
  }

  #mustBeOpen(): void {
    if (this.#finished) throw failure('transaction_finished');
  }

  #mustBeWritable(): void {
    this.#mustBeOpen();
    if (!this.writable) throw failure('read_only');
  }
}

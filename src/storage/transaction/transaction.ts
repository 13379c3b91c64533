/** The transaction that all engines share. */
import { invariant } from '../../base/invariant.js';
import {
  andThen,
  forEachInOrder,
  lastly,
  otherwise,
  type PromiseOrValue,
  untilTrue,
} from '../../base/promise-or-value.js';
import type { Work } from '../../base/work/work.js';
import { failure } from '../../errors/error.js';
import type {
  BeginOptions,
  Key,
  KeyRange,
  Prefetch,
  ReadRecorder,
  Reservation,
  Savepoint,
  ScanOptions,
  Stored,
  Transaction,
  TransactionLocal,
  Versionstamp,
} from '../contract.js';
import { callAll } from './after-commit.js';
import { APPENDED_LENGTH } from './append.js';
import { BatchCursor } from './batch-cursor.js';
import { countLayered, getManyLayered, LayeredCursor } from './layered-snapshot.js';
import type { LocalFollowers } from './local-followers.js';
import { MemoryReservation } from './memory-reservation.js';
import { DELETED } from './overlay.js';
import { ReadSet } from './read-set.js';
import type { Snapshot } from './snapshot.js';
import { WriteSet } from './write-set.js';

/** When a commit resolves. */
export type CommitStage = 'accepted' | 'durable';

/** The engine's side of one read-write transaction. One of `commit` and `abandon` is called, once. */
export interface Committer {
  /** The longest key that can be stored. Default: unlimited. */
  readonly maxKeyLength?: number;
  /** Those who follow the commits of the engine; absent where others deliver them. */
  readonly followers?: LocalFollowers;
  /**
   * Validates what was read and applies what was written.
   * @throws TesseraError `transaction_conflict`, `storage_unavailable`
   */
  commit(reads: ReadSet, writes: WriteSet, until: CommitStage): PromiseOrValue<void>;
  /** The transaction ended without changing anything. */
  abandon(): void;
  /** The last versionstamp of the commits that new snapshots show. */
  lastStamp(): Versionstamp;
  /** Reserves what was read, after the transaction has ended. @throws TesseraError `transaction_conflict` */
  reserve(reads: ReadSet, writes: WriteSet): PromiseOrValue<Reservation>;
}

type TransactionOptions = Pick<BeginOptions, 'memory' | 'maintenance' | 'reads'>;

/** What only read-only transactions share. */
const NO_SAVEPOINT: Savepoint = {};
/** Of most transactions. */
const NO_CALLBACKS: (() => PromiseOrValue<void>)[] = [];
/** Keys of a range that are deleted at a time. */
const DELETED_AT_ONCE = 512;

/**
 * The transaction of every engine: a snapshot of the store, a write set over it, and a read set. It stays synchronous
 * where the snapshot and the committer do.
 *
 * Writes stay in the write set until `commit`. Reading one's own write reads nothing of the store and so can't
 * conflict, nor can writing a key without having read it. A read-only transaction has only `BeginOptions.reads`.
 */
export class SnapshotTransaction implements Transaction {
  readonly #snapshot: Snapshot;
  readonly #committer: Committer | undefined;
  readonly #reads: ReadRecorder | undefined;
  /** The same, if it may commit. */
  readonly #readSet: ReadSet | undefined;
  readonly #writes: WriteSet | undefined;
  readonly #memory: MemoryReservation | undefined;
  #finished = false;
  #locals: Map<TransactionLocal<object>, object> | undefined;
  #beforeCommit: (() => PromiseOrValue<void>)[] = NO_CALLBACKS;
  pace: (() => Promise<void>) | undefined = undefined;
  readonly prefetch?: (wanted: Prefetch) => PromiseOrValue<void>;

  /** Read-only without a committer. */
  constructor(snapshot: Snapshot, committer?: Committer, options?: TransactionOptions) {
    this.#snapshot = snapshot;
    this.#committer = committer;
    if (snapshot.prefetch !== undefined) this.prefetch = (wanted) => this.#prefetch(snapshot, wanted);
    if (committer === undefined) {
      this.#reads = options?.reads;
      return;
    }
    const memory = options?.memory;
    this.#memory = memory && new MemoryReservation(memory);
    this.#readSet = new ReadSet();
    this.#reads = this.#readSet;
    this.#writes = new WriteSet(this.#memory, options?.maintenance);
  }

  get writable(): boolean {
    return this.#committer !== undefined;
  }

  get finished(): boolean {
    return this.#finished;
  }

  get(key: Key): PromiseOrValue<Stored | undefined> {
    this.#mustBeOpen();
    if (this.#writes !== undefined) {
      const own = this.#writes.get(key);
      if (own !== undefined) return own === DELETED ? undefined : own;
    }
    if (this.#reads !== undefined) this.#remember(this.#reads, key);
    return this.#snapshot.get(key);
  }

  getMany(keys: readonly Key[]): PromiseOrValue<(Stored | undefined)[]> {
    this.#mustBeOpen();
    const writes = this.#writes;
    const reads = this.#reads;
    if (reads === undefined) return this.#snapshot.getMany(keys);
    for (let at = 0; at < keys.length; at++) {
      const key = keys[at] as Key;
      if (writes?.get(key) === undefined) this.#remember(reads, key);
    }
    return writes === undefined || writes.size === 0
      ? this.#snapshot.getMany(keys)
      : getManyLayered(this.#snapshot, writes.overlay, keys);
  }

  scan(range: KeyRange, options: ScanOptions = {}): BatchCursor {
    return this.#scan(range, options, false);
  }

  count(range: KeyRange): PromiseOrValue<number> {
    this.#mustBeOpen();
    this.#reads?.addRange(range.from, range.to);
    const writes = this.#writes;
    return writes === undefined || writes.size === 0
      ? this.#snapshot.count(range)
      : countLayered(this.#snapshot, writes.overlay, range);
  }

  hasWritten(key: Key): boolean {
    return this.#writes?.get(key) !== undefined;
  }

  put(key: Key, value: Stored): void {
    const writes = this.#mustBeWritable();
    invariant(key !== '', 'an empty key');
    this.#mustFit(key.length);
    writes.put(key, value);
  }

  delete(key: Key): void {
    this.#mustBeWritable().put(key, DELETED);
  }

  deleteRange(range: KeyRange, work?: Work): PromiseOrValue<void> {
    const writes = this.#mustBeWritable();
    const cursor = this.#scan(range, { batch: DELETED_AT_ONCE }, true);
    const done = untilTrue(() =>
      andThen(cursor.next(), (batch) => {
        if (batch === undefined) return true;
        for (const [key] of batch) writes.put(key, DELETED);
        return andThen(work?.checkpoint(), () => false);
      }),
    );
    return andThen(done, () => writes.removeAppended(range));
  }

  append(prefix: Key, value: Stored): void {
    const writes = this.#mustBeWritable();
    this.#mustFit(prefix.length + APPENDED_LENGTH);
    writes.append(prefix, value);
  }

  // State as properties of transactions would give them several hidden classes: each notification of a live query took
  // a fifth longer.
  local<T extends object>(of: TransactionLocal<T>, make: () => T): T {
    this.#locals ??= new Map();
    let kept = this.#locals.get(of) as T | undefined;
    if (kept === undefined) {
      kept = make();
      this.#locals.set(of, kept);
    }
    return kept;
  }

  charge(bytes: number): void {
    this.#mustBeWritable();
    this.#memory?.charge(bytes);
  }

  afterCommit(callback: (last: Versionstamp) => void): void {
    this.#mustBeWritable().call(callback);
  }

  beforeCommit(callback: () => PromiseOrValue<void>): void {
    this.#mustBeWritable();
    if (this.#beforeCommit === NO_CALLBACKS) this.#beforeCommit = [];
    this.#beforeCommit.push(callback);
  }

  savepoint(): Savepoint {
    this.#mustBeOpen();
    return this.#writes === undefined ? NO_SAVEPOINT : this.#writes.savepoint();
  }

  rollback(to: Savepoint): void {
    this.#mustBeOpen();
    this.#writes?.rollback(to);
  }

  commit(): PromiseOrValue<void> {
    return this.#commit('durable');
  }

  /** See `EarlyAnswers`. */
  accept(): PromiseOrValue<void> {
    return this.#commit('accepted');
  }

  #commit(until: CommitStage): PromiseOrValue<void> {
    const callbacks = this.#beforeCommit;
    if (callbacks.length === 0) return this.#commitWritten(until);
    this.#mustBeOpen();
    this.#beforeCommit = NO_CALLBACKS;
    return otherwise(
      () =>
        andThen(
          forEachInOrder(callbacks, (callback) => andThen(callback(), () => undefined)),
          () => this.#commitWritten(until),
        ),
      (error) => {
        this.cancel();
        throw error;
      },
    );
  }

  #commitWritten(until: CommitStage): PromiseOrValue<void> {
    this.#mustBeOpen();
    this.#finish();
    const committer = this.#committer;
    const reads = this.#readSet;
    const writes = this.#writes;
    if (committer === undefined || reads === undefined || writes === undefined) return;
    // A transaction without changes is serializable as of its snapshot.
    if (writes.isEmpty) {
      committer.abandon();
      this.#memory?.release();
      return callAll(writes.afterCommit, committer.lastStamp());
    }
    committer.followers?.note(writes);
    const memory = this.#memory;
    if (memory === undefined || !memory.isReserved) return committer.commit(reads, writes, until);
    return lastly(
      () => committer.commit(reads, writes, until),
      () => memory.release(),
    );
  }

  cancel(): void {
    if (!this.#finished) {
      this.#finish();
      this.#committer?.abandon();
    }
    this.#memory?.release();
  }

  reserve(): PromiseOrValue<Reservation> {
    invariant(this.#finished, 'a transaction that may still commit reserves nothing');
    if (this.#committer === undefined || this.#readSet === undefined || this.#writes === undefined) {
      throw failure('read_only');
    }
    return this.#committer.reserve(this.#readSet, this.#writes);
  }

  #prefetch(snapshot: Snapshot, wanted: Prefetch): PromiseOrValue<void> {
    this.#mustBeOpen();
    const { keys } = wanted;
    const writes = this.#writes;
    if (keys === undefined || writes === undefined || writes.size === 0) return snapshot.prefetch?.(wanted);
    return snapshot.prefetch?.({ ...wanted, keys: keys.filter((key) => writes.get(key) === undefined) });
  }

  get tracksRevisions(): boolean {
    return this.#snapshot.rangeRevision !== undefined;
  }

  // A closure for each transaction, where snapshots know it, made creating a record take 1.4 times as long.
  rangeRevision(range: KeyRange): number | undefined {
    this.#mustBeOpen();
    this.#reads?.addRange(range.from, range.to);
    return this.#writes?.hasKeyIn(range) === true ? undefined : this.#snapshot.rangeRevision?.(range);
  }

  #scan(range: KeyRange, options: ScanOptions, keysOnly: boolean): BatchCursor {
    this.#mustBeOpen();
    const reverse = options.reverse ?? false;
    const store = this.#snapshot.scan(range, reverse, keysOnly);
    const own = this.#writes?.cursor(range, reverse);
    const layered = own === undefined ? store : new LayeredCursor(store, own, reverse);
    return new BatchCursor(this, layered, this.#reads, range, options);
  }

  #remember(reads: ReadRecorder, key: Key): void {
    reads.addKey(key);
    this.#memory?.noteReads(reads.size);
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

  #mustBeWritable(): WriteSet {
    this.#mustBeOpen();
    if (this.#writes === undefined) throw failure('read_only');
    return this.#writes;
  }
}

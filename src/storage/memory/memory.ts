/** The engine in memory: a persistent tree, of which each transaction has a snapshot. */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Work } from '../../base/work/work.js';
import type { Clock, Timers } from '../../env/environment.js';
import { realEnvironment } from '../../env/real.js';
import { failure } from '../../errors/error.js';
import { admitted, type CommitOrder } from '../commit/admission.js';
import { CommitGate } from '../commit/commit-gate.js';
import { type Commit, CommitLog } from '../commit/commit-log.js';
import { forEachChange, isLargeCommit, settleInSteps } from '../commit/commit-steps.js';
import { RangeRevisions } from '../commit/range-revisions.js';
import { type KeyReservation, ownReservation, Reservations } from '../commit/reservations.js';
import type { BeginOptions, CopySupport, Engine, Key, KeyRange, Stored } from '../contract.js';
import { callAll, callInSteps } from '../transaction/after-commit.js';
import { StampSource } from '../transaction/append.js';
import { LocalFollowers } from '../transaction/local-followers.js';
import { DELETED, type OverlayValue } from '../transaction/overlay.js';
import type { ReadSet } from '../transaction/read-set.js';
import type { Snapshot } from '../transaction/snapshot.js';
import { type Committer, SnapshotTransaction } from '../transaction/transaction.js';
import { type WriteSet, writtenKeys } from '../transaction/write-set.js';
import { OrderedTree } from '../tree/ordered-tree.js';

export interface MemoryEngineOptions {
  readonly clock?: Clock;
  readonly timers?: Timers;
}

/**
 * The engine in memory; values are kept as they are. Everything is synchronous, commits included, unless they have to
 * wait for a reservation.
 */
export class MemoryEngine implements Engine {
  readonly name = 'memory';
  readonly isVolatile = true;
  readonly commitFeed = new LocalFollowers();
  #tree = new OrderedTree<Stored>();
  readonly #revisions = new RangeRevisions(0);
  readonly #log = new CommitLog();
  readonly #gate = new CommitGate();
  readonly #work: Work;
  readonly #reservations: Reservations;
  readonly #stamps: StampSource;
  readonly #order: CommitOrder;
  readonly #clock: Clock;
  readonly #options: MemoryEngineOptions;
  #changedAt: bigint;
  /** How many there were. */
  #commits = 0;
  #closed = false;

  constructor(options: MemoryEngineOptions = {}) {
    this.#options = options;
    const timers = options.timers ?? realEnvironment.timers;
    this.#work = { checkpoint: () => timers.nextRound() };
    this.#reservations = new Reservations(timers);
    this.#clock = options.clock ?? realEnvironment.clock;
    this.#stamps = new StampSource(this.#clock);
    this.#order = { log: this.#log, gate: this.#gate, reservations: this.#reservations, stamps: this.#stamps };
    this.#changedAt = this.#clock.now();
  }

  get changedAt(): bigint {
    return this.#changedAt;
  }

  begin(options: BeginOptions): SnapshotTransaction {
    const snapshot = this.snapshot();
    return options.writable
      ? new SnapshotTransaction(snapshot, this.committer(options), options)
      : new SnapshotTransaction(snapshot, undefined, options);
  }

  readonly copying: CopySupport = {
    revision: () => `${this.#commits}`,
    lastStamp: () => this.#stamps.last,
    raiseStamp: (stamp) => this.#stamps.raise(stamp),
  };

  /** Another engine that begins with all that this one has; each goes on by itself. They share what neither changes. */
  fork(): MemoryEngine {
    const fork = new MemoryEngine(this.#options);
    fork.#tree = this.#tree.snapshot();
    fork.#stamps.raise(this.#stamps.last);
    return fork;
  }

  snapshot(): Snapshot {
    this.#mustBeOpen();
    return new TreeSnapshot(this.#tree.snapshot(), this.#revisions, this.#commits);
  }

  /** Of a transaction that begins on the current snapshot. */
  committer({ reservation, interrupt }: Pick<BeginOptions, 'reservation' | 'interrupt'>): Committer {
    const began = this.#log.hold(this.#log.latest);
    const own = ownReservation(reservation);
    const committer: Committer = {
      followers: this.commitFeed,
      commit: (reads, writes) => {
        const commit = () => this.#commit(began, reads, writes, own);
        // Most meet no other commit, and aren't worth another closure.
        if (!this.#gate.isHeld && this.#reservations.isEmpty) return commit();
        return admitted(this.#order, { began, reads, writes, own, interrupt, abandon: committer.abandon }, commit);
      },
      abandon: () => this.#log.release(began),
      lastStamp: () => this.#stamps.last,
      reserve: (reads, writes) =>
        this.#reservations.reserve({ reads, written: writtenKeys(writes, this.#stamps), interrupt }, own),
    };
    return committer;
  }

  /** How many read-write transactions are under way. */
  get inUse(): { readonly transactions: number } {
    return { transactions: this.#log.holders };
  }

  check(): void {
    const snapshot = this.snapshot();
    void snapshot.get('\0');
    snapshot.release();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#reservations.close();
  }

  #mustBeOpen(): void {
    if (this.#closed) throw failure('storage_unavailable', { reason: 'it has been closed' });
  }

  #commit(began: Commit, reads: ReadSet, writes: WriteSet, own: KeyReservation | undefined): PromiseOrValue<void> {
    const conflicts = this.#log.conflicts(began, reads, writes);
    this.#log.release(began);
    this.#mustBeOpen();
    if (conflicts) throw failure('transaction_conflict');
    const applied = isLargeCommit(writes)
      ? this.#gate.exclusively(() => this.#applyInSteps(writes))
      : this.#apply(writes);
    return own === undefined ? applied : andThen(applied, () => own.release());
  }

  /** Makes a new tree, which replaces the present one when all changes are made. */
  #applyInSteps(writes: WriteSet): PromiseOrValue<void> {
    const { overlay, afterCommit } = writes;
    const work = this.#work;
    const tree = this.#tree.snapshot();
    const change = (key: Key, value: OverlayValue) => {
      write(tree, key, value);
      return 0;
    };
    return andThen(settleInSteps(writes, this.#stamps, work), (stamp) =>
      andThen(forEachChange(overlay, work, change), (keys) => {
        this.#mustBeOpen();
        this.#tree = tree;
        if (stamp !== undefined) this.#stamps.give(stamp);
        this.#log.append(() => keys, writes.isMaintenance ? 'maintenance' : 'large');
        this.#changedAt = this.#clock.now();
        this.#revisions.advance(++this.#commits);
        // To look each of them up takes longer than what is known saves.
        this.#revisions.clear();
        return callInSteps(afterCommit, this.#stamps.last, work);
      }),
    );
  }

  #apply({ overlay, appended, afterCommit, isMaintenance }: WriteSet): void {
    if (appended !== undefined) this.#stamps.settle(appended, overlay);
    this.#revisions.advance(++this.#commits);
    overlay.forEach((key, value) => {
      write(this.#tree, key, value);
      this.#revisions.changed(key);
    });
    this.#log.append(() => overlay.keys(), isMaintenance ? 'maintenance' : 'small');
    this.#changedAt = this.#clock.now();
    callAll(afterCommit, this.#stamps.last);
  }
}

function write(tree: OrderedTree<Stored>, key: Key, value: OverlayValue): void {
  if (value === DELETED) tree.delete(key);
  else tree.put(key, value);
}

class TreeSnapshot implements Snapshot {
  readonly #tree: OrderedTree<Stored>;
  readonly #revisions: RangeRevisions;
  /** How many commits it shows. */
  readonly #version: number;

  constructor(tree: OrderedTree<Stored>, revisions: RangeRevisions, version: number) {
    this.#tree = tree;
    this.#revisions = revisions;
    this.#version = version;
  }

  get(key: Key): Stored | undefined {
    return this.#tree.get(key);
  }

  getMany(keys: readonly Key[]): (Stored | undefined)[] {
    return keys.map((key) => this.#tree.get(key));
  }

  hasMany(keys: readonly Key[]): boolean[] {
    return keys.map((key) => this.#tree.get(key) !== undefined);
  }

  scan(range: KeyRange, reverse: boolean) {
    return this.#tree.cursor(range, reverse);
  }

  count(range: KeyRange): number {
    return this.#tree.count(range);
  }

  rangeRevision(range: KeyRange): number | undefined {
    return this.#revisions.of(range, this.#version);
  }

  release(): void {
    this.#tree.release();
  }
}

/** The engine of a folder that one process uses, on LMDB. */
import { invariant } from '../../../base/invariant.js';
import { andThen, type PromiseOrValue } from '../../../base/promise-or-value.js';
import type { Work } from '../../../base/work/work.js';
import type { Clock, Timers } from '../../../env/environment.js';
import { realEnvironment } from '../../../env/real.js';
import { asTesseraError, failure, type TesseraError } from '../../../errors/error.js';
import type { Family } from '../../../metrics/families.js';
import { admitted, type CommitOrder } from '../../commit/admission.js';
import { CommitGate } from '../../commit/commit-gate.js';
import { type Commit, CommitLog } from '../../commit/commit-log.js';
import { forEachChange, isHeavyCommit, settleInSteps } from '../../commit/commit-steps.js';
import { type KeyReservation, ownReservation, Reservations } from '../../commit/reservations.js';
import type { BeginOptions, CopySupport, EarlyAnswers, Engine, Key, Versionstamp } from '../../contract.js';
import { StoredValues } from '../../stored-values.js';
import { callAll } from '../../transaction/after-commit.js';
import { StampSource } from '../../transaction/append.js';
import { LayeredSnapshot } from '../../transaction/layered-snapshot.js';
import type { OverlayValue } from '../../transaction/overlay.js';
import type { ReadSet } from '../../transaction/read-set.js';
import type { Snapshot } from '../../transaction/snapshot.js';
import { type CommitStage, type Committer, SnapshotTransaction } from '../../transaction/transaction.js';
import { type WriteSet, writtenKeys } from '../../transaction/write-set.js';
import { MAX_READERS } from '../file/lmdb-databases.js';
import { MAX_KEY_LENGTH } from '../file/lmdb-limits.js';
import { noDemand, type SpaceDemand } from '../file/lmdb-space.js';
import { FullDiskReport } from './full-disk-report.js';
import { encodedChange, GroupWriter, type KeyChange, type WriteGroup } from './group-writer.js';
import { anyEntry, type LmdbOptions } from './lmdb-options.js';
import { type Caches, LmdbSnapshot, newCaches } from './lmdb-snapshot.js';
import type { ByteStore, ByteView } from './lmdb-store.js';
import { openLocked } from './locked-store.js';
import { type SealingEngine, sealOldValues } from './seal-old-values.js';
import { SnapshotPool } from './snapshot-pool.js';
import { unreadable, unwritable } from './store-failures.js';

const DEFAULT_CACHE_BYTES = 128 << 20;
/**
 * Maximum number of states of the store that are read at once: each takes one of LMDB's readers, of which there are
 * twice as many.
 */
const MAX_VIEWS = MAX_READERS / 2;
/** A transaction waits for more changes than these instead of overlaying them on its snapshot. */
const LAID_OVER = 4096;

/**
 * Opens a store in a folder, creating it if there is none.
 * @throws TesseraError `storage_in_use` if another engine has it open, `storage_format`, `storage_corrupt`,
 * `restore_incomplete`, `storage_full`, `storage_unavailable`
 */
export function openLmdb(folder: string, options: LmdbOptions = {}): LmdbEngine {
  const { store, unlock } = openLocked(folder, options);
  return new LmdbEngine(store, options, unlock);
}

/** An accepted commit. It is an object so that awaiting it doesn't await `written`. */
interface Accepted {
  readonly written: Promise<void>;
}

/**
 * Keeps everything in a folder, through LMDB. Reads are answered at once; a commit is answered when it is on disk.
 *
 * A commit is validated and gets its position in the order of commits at once; then it waits to be written, together
 * with others. Each group that is written raises the version of the store, which is stored with it, so that every
 * snapshot knows exactly which commits it shows. A transaction is validated against all commits accepted since, written
 * or not. A transaction that begins on accepted commits has the unwritten ones overlaid on its snapshot.
 *
 * A commit for which there is no space is refused before it gets its position. After a failed write the state on disk
 * is unknown: then the engine stays unavailable until the store is opened again.
 */
export class LmdbEngine implements Engine {
  readonly name = 'lmdb';
  readonly #store: ByteStore;
  readonly #unlock: () => Promise<void>;
  readonly #writer: GroupWriter;
  readonly #caches: Caches;
  readonly #values: StoredValues;
  readonly #report: ((error: TesseraError) => void) | undefined;
  readonly #fullDisk: FullDiskReport;
  readonly #fatal: ((error: TesseraError) => void) | undefined;
  readonly #log = new CommitLog();
  readonly #gate = new CommitGate();
  readonly #work: Work;
  readonly #reservations: Reservations;
  readonly #stamps: StampSource;
  readonly #order: CommitOrder;
  readonly #clock: Clock;
  #changedAt: bigint;
  /** The version that new snapshots show, and the last commit in it. */
  #version: number;
  #visible = this.#log.hold(this.#log.latest);
  #visibleStamp: Versionstamp;
  readonly #views: SnapshotPool;
  /** Resolves when every value has a checksum, or when the engine is closed before; stores of format 1 had none. */
  readonly sealed: Promise<void>;
  /** Why the engine has become unavailable. */
  #ended: TesseraError | undefined;
  #closing: Promise<void> | undefined;

  constructor(store: ByteStore, options: LmdbOptions = {}, unlock: () => Promise<void> = async () => {}) {
    this.#store = store;
    this.#unlock = unlock;
    const view = store.view();
    this.#version = view.version;
    view.release();
    this.#clock = options.clock ?? realEnvironment.clock;
    const timers = options.timers ?? realEnvironment.timers;
    this.#work = { checkpoint: () => timers.nextRound() };
    this.#reservations = new Reservations(timers);
    this.#views = new SnapshotPool(() => this.#view(), options.maxViews ?? MAX_VIEWS);
    this.#stamps = new StampSource(this.#clock, store.lastStamp);
    this.#order = { log: this.#log, gate: this.#gate, reservations: this.#reservations, stamps: this.#stamps };
    this.#visibleStamp = store.lastStamp;
    this.#changedAt = this.#clock.now();
    this.#values = new StoredValues(store.mayBeUnsealed, options.describeKey ?? anyEntry, options.damagedAsNull);
    this.#report = options.report;
    this.#fullDisk = new FullDiskReport(options.report ?? (() => undefined), this.#clock);
    this.#fatal = options.fatal;
    this.#caches = newCaches(options.cacheBytes ?? DEFAULT_CACHE_BYTES, this.#version);
    this.#writer = new GroupWriter(
      store,
      timers,
      this.#version,
      (group) => this.#show(group),
      (reason) => this.#fail(reason),
    );
    this.sealed = store.mayBeUnsealed && !store.isReadOnly ? this.#sealAll(timers) : Promise.resolve();
  }

  get metrics(): readonly Family[] {
    return this.#store.metrics?.families(this.#caches) ?? [];
  }

  /** Whether every value has a checksum. */
  get isSealed(): boolean {
    return !this.#values.mayBeUnsealed;
  }

  get changedAt(): bigint {
    // Accepted commits are changes for transactions that see them.
    return this.#writer.pending > 0 ? this.#clock.now() : this.#changedAt;
  }

  begin(options: BeginOptions): SnapshotTransaction {
    return this.#begin(options, false);
  }

  readonly earlyAnswers: EarlyAnswers = {
    beginOnAccepted: (options) => {
      if (this.#writer.pending <= LAID_OVER) return this.#begin(options, true);
      return andThen(this.#writer.settled(), () => this.begin(options));
    },
    accept: (transaction) => {
      invariant(transaction instanceof SnapshotTransaction, 'a transaction of another kind of store');
      return transaction.accept();
    },
    durable: () => (this.#ended === undefined ? this.#writer.written : Promise.reject(this.#ended)),
  };

  readonly copying: CopySupport = {
    revision: () => this.#store.revision(),
    lastStamp: () => this.#stamps.last,
    raiseStamp: (stamp) => {
      this.#stamps.raise(stamp);
      return this.#writeBeside([], true);
    },
  };

  /** Numbers of states of the store being read, and of open read-write transactions. */
  get inUse(): { readonly views: number; readonly transactions: number } {
    // The engine itself holds the newest one.
    return { views: this.#views.inUse, transactions: this.#log.holders - 1 };
  }

  check(): void {
    this.#mustBeOpen();
    const view = this.#open();
    try {
      view.next('\0');
    } catch (error) {
      throw unreadable(error);
    } finally {
      view.release();
    }
  }

  #mustBeOpen(): void {
    if (this.#ended !== undefined) throw this.#ended;
  }

  close(): Promise<void> {
    this.#end(failure('storage_unavailable', { reason: 'it has been closed' }));
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #begin(options: BeginOptions, onAccepted: boolean): SnapshotTransaction {
    const { writable, reservation, interrupt } = options;
    this.#mustBeOpen();
    const shared = this.#views.share();
    const unshare = () => this.#views.unshare(shared);
    let snapshot: Snapshot = new LmdbSnapshot(shared.view, this.#caches, this.#values, shared, unshare, this.#work);
    if (onAccepted && this.#writer.pending > 0) snapshot = new LayeredSnapshot(snapshot, this.#writer.unwritten());
    if (!writable) return new SnapshotTransaction(snapshot);
    const began = this.#log.hold(onAccepted ? this.#log.latest : this.#visible);
    const own = ownReservation(reservation);
    const committer: Committer = {
      maxKeyLength: MAX_KEY_LENGTH,
      commit: (reads, writes, until) => {
        const commit = () => this.#commit(began, reads, writes, until, own);
        // Most meet no other commit, and aren't worth another closure.
        if (!this.#gate.isHeld && this.#reservations.isEmpty) return commit();
        return admitted(this.#order, { began, reads, writes, own, interrupt, abandon: committer.abandon }, commit);
      },
      abandon: () => this.#log.release(began),
      lastStamp: () => this.#visibleStamp,
      reserve: (reads, writes) =>
        this.#reservations.reserve({ reads, written: writtenKeys(writes, this.#stamps), interrupt }, own),
    };
    return new SnapshotTransaction(snapshot, committer, options);
  }

  #commit(
    began: Commit,
    reads: ReadSet,
    writes: WriteSet,
    until: CommitStage,
    own: KeyReservation | undefined,
  ): PromiseOrValue<void> {
    const conflicts = this.#log.conflicts(began, reads, writes);
    this.#log.release(began);
    this.#mustBeOpen();
    if (conflicts) {
      if (until === 'accepted') throw failure('transaction_conflict');
      // A retry must see the commits that conflicted.
      return andThen(this.#writer.settled(), () => {
        throw failure('transaction_conflict');
      });
    }
    const accepted = isHeavyCommit(writes)
      ? this.#gate.exclusively(() => this.#acceptInSteps(writes))
      : this.#accept(writes);
    return andThen(accepted, ({ written }) => {
      own?.release();
      return until === 'accepted' ? undefined : written;
    });
  }

  /** Assigns a commit its position; `written` resolves when it is durable. */
  #accept({ overlay, appended, afterCommit, isMaintenance }: WriteSet): Accepted {
    if (appended !== undefined) this.#stamps.settle(appended, overlay);
    // Before the log has it, since a value may not be storable, or there may be no space.
    const changes: KeyChange[] = [];
    const room = noDemand();
    overlay.forEach((key, value) => {
      this.#encode(key, value, changes, room);
    });
    this.#fullDisk.admit(() => this.#store.reserve(room));
    const commit = this.#log.append(() => overlay.keys(), isMaintenance ? 'maintenance' : 'small');
    const appends = appended !== undefined;
    return { written: this.#writer.add({ changes, room, commit, appends, stamp: this.#stamps.last, afterCommit }) };
  }

  /** The same for many changes, which are encoded in steps. */
  #acceptInSteps(writes: WriteSet): PromiseOrValue<Accepted> {
    const { overlay, afterCommit } = writes;
    const changes: KeyChange[] = [];
    const room = noDemand();
    const encodeOne = (key: Key, value: OverlayValue) => this.#encode(key, value, changes, room);
    return andThen(settleInSteps(writes, this.#stamps, this.#work), (stamp) =>
      andThen(forEachChange(overlay, this.#work, encodeOne), (keys) => {
        this.#mustBeOpen();
        this.#fullDisk.admit(() => this.#store.reserve(room));
        if (stamp !== undefined) this.#stamps.give(stamp);
        const commit = this.#log.append(() => keys, writes.isMaintenance ? 'maintenance' : 'large');
        const appends = stamp !== undefined;
        return { written: this.#writer.add({ changes, room, commit, appends, stamp: this.#stamps.last, afterCommit }) };
      }),
    );
  }

  /** Adds one encoded change, and its space demand, to those of a commit. */
  #encode(key: Key, value: OverlayValue, changes: KeyChange[], room: SpaceDemand): number {
    const change = encodedChange(key, value);
    changes.push(change);
    this.#store.measure(change, room);
    return change.bytes?.length ?? 0;
  }

  /** A group is durable: snapshots show it from now on. */
  #show(group: WriteGroup): void {
    if (group.version === this.#version) return;
    this.#version = group.version;
    this.#changedAt = this.#clock.now();
    const before = this.#visible;
    this.#visible = this.#log.hold(group.last);
    this.#visibleStamp = group.stamp;
    this.#log.release(before);
    const { records, ranges, revisions } = this.#caches;
    records.advance(group.version);
    ranges.advance(group.version);
    revisions.advance(group.version);
    if (group.changes.length > LAID_OVER) {
      // Looking each of them up takes longer than the cache saves.
      records.clear();
      ranges.clear();
      revisions.clear();
    } else {
      for (const { key, value, bytes } of group.changes) {
        const size = bytes?.length ?? 0;
        records.replace(key, value, size);
        ranges.replace(key, value, size);
        revisions.changed(key);
      }
    }
    this.#views.outdate();
    for (const { callbacks, stamp } of group.afterCommit) callAll(callbacks, stamp);
  }

  #fail(reason: unknown): TesseraError {
    const error = unwritable(reason);
    this.#end(error);
    this.#fatal?.(error);
    return error;
  }

  #end(reason: TesseraError): void {
    this.#ended ??= reason;
    this.#views.end(reason);
  }

  /** Adds checksums to the values of a store of format 1, some at a time, between other commits. */
  async #sealAll(timers: Timers): Promise<void> {
    const engine: SealingEngine = {
      isOpen: () => this.#ended === undefined,
      view: () => this.#store.view(),
      isPending: (key) => this.#writer.pending > 0 && this.#writer.unwritten().get(key) !== undefined,
      write: (changes) => this.#writeBeside(changes, false),
    };
    try {
      if (!(await sealOldValues(engine, timers)) || this.#ended !== undefined) return;
      await this.#store.sealed();
      this.#values.mayBeUnsealed = false;
    } catch (error) {
      // It goes on when the store is opened again.
      this.#report?.(asTesseraError(error));
    }
  }

  /** Writes changes with which no transaction can conflict, since no value changes. */
  #writeBeside(changes: KeyChange[], appends: boolean): Promise<void> {
    const room = noDemand();
    for (const change of changes) this.#store.measure(change, room);
    this.#fullDisk.admit(() => this.#store.reserve(room));
    const { latest: commit } = this.#log;
    return this.#writer.add({ changes, room, commit, appends, stamp: this.#stamps.last, afterCommit: undefined });
  }

  #open(): ByteView {
    try {
      return this.#store.view();
    } catch (error) {
      throw unreadable(error);
    }
  }

  #view(): ByteView {
    const view = this.#open();
    if (view.version !== this.#version) {
      // The group that is being written has just become durable, and its writer will be resolved shortly.
      const { writing } = this.#writer;
      invariant(writing !== undefined && writing.version === view.version, 'a view of an unknown version');
      this.#show(writing);
    }
    return view;
  }

  async #close(): Promise<void> {
    this.#reservations.close();
    await this.#writer.settled();
    await this.sealed;
    // Transactions under way find the engine closed.
    this.#views.close();
    await this.#store.close();
    await this.#unlock();
  }
}

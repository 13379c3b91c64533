/** The engine of a data folder that one process has open. */
import { invariant } from '../../../base/invariant.js';
import { andThen, isPromise, type PromiseOrValue } from '../../../base/promise-or-value.js';
import type { Work } from '../../../base/work/work.js';
import type { Clock, Timers } from '../../../env/environment.js';
import { realEnvironment } from '../../../env/real.js';
import { asTesseraError, failure, TesseraError } from '../../../errors/error.js';
import type { Family } from '../../../metrics/families.js';
import type { ArchiveWriter } from '../../archive/archive-writer.js';
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
import { LocalFollowers } from '../../transaction/local-followers.js';
import type { OverlayValue } from '../../transaction/overlay.js';
import type { ReadSet } from '../../transaction/read-set.js';
import type { Snapshot } from '../../transaction/snapshot.js';
import { type CommitStage, type Committer, SnapshotTransaction } from '../../transaction/transaction.js';
import { type WriteSet, writtenKeys } from '../../transaction/write-set.js';
import { MAX_READERS } from '../file/lmdb-databases.js';
import { MAX_KEY_LENGTH } from '../file/lmdb-limits.js';
import { noDemand, type SpaceDemand } from '../file/lmdb-space.js';
import type { GroupLog } from '../log/group-log.js';
import { FullDiskReport } from './full-disk-report.js';
import { GroupWriter, type WriteGroup } from './group-writer.js';
import { encodedChange, type KeyChange } from './key-change.js';
import { anyEntry, type LmdbOptions } from './lmdb-options.js';
import { type Caches, LmdbSnapshot, newCaches } from './lmdb-snapshot.js';
import type { ByteStore, ByteView } from './lmdb-store.js';
import { openLocked } from './locked-store.js';
import { type SealingEngine, sealOldValues } from './seal-old-values.js';
import { SnapshotPool } from './snapshot-pool.js';
import { unreadable, unwritable } from './store-failures.js';
import { recoveredTail } from './tail.js';

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
  const files = openLocked(folder, options);
  try {
    return new LmdbEngine(files, options);
  } catch (error) {
    void files.close();
    throw error;
  }
}

/** What an engine of a folder uses, and closes. */
export interface EngineFiles {
  readonly store: ByteStore;
  readonly log?: GroupLog | undefined;
  readonly archive?: ArchiveWriter | undefined;
  /** Unlocks the folder. */
  readonly unlock?: () => Promise<void>;
}

/** An accepted commit. It is an object so that awaiting it doesn't await `written`. */
interface Accepted {
  readonly written: Promise<void>;
}

/**
 * Keeps everything in a folder, through LMDB. Reads are answered at once; a commit is answered when it is on disk.
 *
 * A commit is validated and gets its position in the order of commits at once; then it waits to be written, together
 * with others. Each group that is written raises the version of the store, which is stored with it. It is durable when
 * it is in the log, which the tree of the data file follows: a snapshot is the tree with the changes that it lacks
 * overlaid. A transaction is validated against all commits accepted since, written or not. A transaction that begins on
 * accepted commits has those overlaid too that aren't written.
 *
 * A commit for which there is no space is refused before it gets its position. After a failed write the state on disk
 * is unknown: then the engine stays unavailable until the store is opened again.
 */
export class LmdbEngine implements Engine {
  readonly name = 'lmdb';
  readonly commitFeed = new LocalFollowers();
  readonly #files: EngineFiles;
  readonly #store: ByteStore;
  readonly #writer: GroupWriter;
  readonly #caches: Caches;
  readonly #values: StoredValues;
  readonly #report: ((error: TesseraError) => void) | undefined;
  readonly #fullDisk: FullDiskReport;
  readonly #fatal: ((error: TesseraError) => void) | undefined;
  readonly #commits = new CommitLog();
  readonly #gate = new CommitGate();
  readonly #work: Work;
  readonly #reservations: Reservations;
  readonly #stamps: StampSource;
  readonly #order: CommitOrder;
  readonly #clock: Clock;
  #changedAt: bigint;
  /** The last version in the log when it was opened. */
  readonly #tailEnd: number;
  /** The version that new snapshots show, and the last commit in it. */
  #version: number;
  #visible = this.#commits.hold(this.#commits.latest);
  #visibleStamp: Versionstamp;
  readonly #views: SnapshotPool;
  /** Resolves when every value has a checksum, or when the engine is closed before; stores of format 1 had none. */
  readonly sealed: Promise<void>;
  /** Why the engine has become unavailable. */
  #ended: TesseraError | undefined;
  #closing: Promise<void> | undefined;

  constructor(files: EngineFiles, options: LmdbOptions = {}) {
    const { store, log, archive } = files;
    this.#files = files;
    this.#store = store;
    this.#clock = options.clock ?? realEnvironment.clock;
    const timers = options.timers ?? realEnvironment.timers;
    this.#work = { checkpoint: () => timers.nextRound() };
    this.#reservations = new Reservations(timers);
    this.#views = new SnapshotPool(() => this.#view(), options.maxViews ?? MAX_VIEWS);
    this.#values = new StoredValues(store.mayBeUnsealed, options.describeKey ?? anyEntry, options.damagedAsNull);
    const tail = recoveredTail(log?.tail ?? [], store, this.#values);
    const lastStamp = tail.at(-1)?.stamp ?? store.lastStamp;
    this.#stamps = new StampSource(this.#clock, lastStamp);
    this.#order = { log: this.#commits, gate: this.#gate, reservations: this.#reservations, stamps: this.#stamps };
    this.#visibleStamp = lastStamp;
    this.#changedAt = this.#clock.now();
    this.#report = options.report;
    this.#fullDisk = new FullDiskReport(options.report ?? (() => undefined), this.#clock);
    this.#fatal = options.fatal;
    const version = store.isReadOnly ? 0 : store.version;
    this.#caches = newCaches(options.cacheBytes ?? DEFAULT_CACHE_BYTES, version);
    this.#writer = new GroupWriter(
      { store, log, archive },
      timers,
      {
        applied: (changes, version) => this.#advance(changes, version),
        written: (group) => this.#show(group),
        failed: (reason) => this.#fail(reason),
      },
      { version, tail },
    );
    this.#tailEnd = tail.at(-1)?.version ?? version;
    this.#version = this.#tailEnd;
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
    revision: () => `${this.#version}.${this.#visibleStamp}`,
    lastStamp: () => this.#stamps.last,
    raiseStamp: (stamp) => {
      this.#stamps.raise(stamp);
      return this.#writeBeside([], true);
    },
  };

  /** Numbers of states of the store being read, and of open read-write transactions. */
  get inUse(): { readonly views: number; readonly transactions: number } {
    // The engine itself holds the newest one.
    return { views: this.#views.inUse, transactions: this.#commits.holders - 1 };
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
    const { view } = shared;
    const shown = this.#version;
    let snapshot: Snapshot = new LmdbSnapshot(view, this.#caches, this.#values, shared, unshare, this.#work, shown);
    if (onAccepted && this.#writer.pending > 0) snapshot = new LayeredSnapshot(snapshot, this.#writer.unwritten());
    else if (this.#writer.hasTail) snapshot = new LayeredSnapshot(snapshot, this.#writer.tail(), true);
    if (!writable) return new SnapshotTransaction(snapshot, undefined, options);
    const began = this.#commits.hold(onAccepted ? this.#commits.latest : this.#visible);
    const own = ownReservation(reservation);
    const committer: Committer = {
      followers: this.commitFeed,
      maxKeyLength: MAX_KEY_LENGTH,
      commit: (reads, writes, until) => {
        const commit = () => this.#commit(began, reads, writes, until, own);
        // Most meet no other commit, and aren't worth another closure.
        if (!this.#gate.isHeld && this.#reservations.isEmpty) return commit();
        return admitted(this.#order, { began, reads, writes, own, interrupt, abandon: committer.abandon }, commit);
      },
      abandon: () => this.#commits.release(began),
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
    const conflicts = this.#commits.conflicts(began, reads, writes);
    this.#commits.release(began);
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
  #accept({ overlay, appended, afterCommit, isMaintenance }: WriteSet): PromiseOrValue<Accepted> {
    if (appended !== undefined) this.#stamps.settle(appended, overlay);
    // Before the log has it, since a value may not be storable, or there may be no space.
    const changes: KeyChange[] = [];
    const room = noDemand();
    overlay.forEach((key, value) => {
      this.#encode(key, value, changes, room);
    });
    const reserved = this.#reserve(room);
    const accept = (): Accepted => {
      const commit = this.#commits.append(() => overlay.keys(), isMaintenance ? 'maintenance' : 'small');
      const appends = appended !== undefined;
      return { written: this.#writer.add({ changes, room, commit, appends, stamp: this.#stamps.last, afterCommit }) };
    };
    if (!isPromise(reserved)) return accept();
    return this.#gate.exclusively(() =>
      reserved.then(() => {
        this.#mustBeOpen();
        return accept();
      }),
    );
  }

  /** The same for many changes, which are encoded in steps. */
  #acceptInSteps(writes: WriteSet): PromiseOrValue<Accepted> {
    const { overlay, afterCommit } = writes;
    const changes: KeyChange[] = [];
    const room = noDemand();
    const encodeOne = (key: Key, value: OverlayValue) => this.#encode(key, value, changes, room);
    return andThen(settleInSteps(writes, this.#stamps, this.#work), (stamp) =>
      andThen(forEachChange(overlay, this.#work, encodeOne), (keys) => {
        return andThen(this.#reserve(room), () => {
          this.#mustBeOpen();
          if (stamp !== undefined) this.#stamps.give(stamp);
          const commit = this.#commits.append(() => keys, writes.isMaintenance ? 'maintenance' : 'large');
          const appends = stamp !== undefined;
          const { last } = this.#stamps;
          return { written: this.#writer.add({ changes, room, commit, appends, stamp: last, afterCommit }) };
        });
      }),
    );
  }

  /**
   * Reserves room for a commit. On a full disk it waits until the tree has followed the log, which may give up pages.
   * @throws TesseraError `storage_full`, `storage_unavailable`, `read_only`, with nothing reserved
   */
  #reserve(room: SpaceDemand): PromiseOrValue<void> {
    const reserve = () => this.#fullDisk.admit(() => this.#reserveNow(room));
    if (!this.#writer.hasTail) return reserve();
    try {
      this.#reserveNow(room);
    } catch (error) {
      if (!(error instanceof TesseraError) || error.code !== 'storage_full') throw error;
      return this.#writer.followed().then(reserve);
    }
  }

  #reserveNow(room: SpaceDemand): void {
    this.#files.archive?.space.admit(room);
    this.#store.reserve(room);
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
    this.#visible = this.#commits.hold(group.last);
    this.#visibleStamp = group.stamp;
    this.#commits.release(before);
    const { revisions } = this.#caches;
    revisions.advance(group.version);
    if (group.changes.length > LAID_OVER) revisions.clear();
    else for (const { key } of group.changes) revisions.changed(key);
    for (const { callbacks, stamp } of group.afterCommit) callAll(callbacks, stamp);
  }

  /** The tree has a newer version: views of it that are taken from now on show that. */
  #advance(changes: readonly KeyChange[], version: number): void {
    const { records, ranges } = this.#caches;
    records.advance(version);
    ranges.advance(version);
    if (changes.length > LAID_OVER) {
      // Looking each of them up takes longer than the cache saves.
      records.clear();
      ranges.clear();
    } else {
      for (const { key, value, bytes } of changes) {
        const size = bytes?.length ?? 0;
        records.replace(key, value, size);
        ranges.replace(key, value, size);
      }
    }
    this.#views.outdate();
    if (version >= this.#tailEnd) this.#files.log?.forgetTail();
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
      isPending: (key) =>
        (this.#writer.hasTail || this.#writer.pending > 0) && this.#writer.unwritten().get(key) !== undefined,
      write: (changes) => this.#writeBeside(changes, false),
    };
    try {
      if (!(await sealOldValues(engine, timers)) || this.#ended !== undefined) return;
      // A file that is taken for sealed must be so without its log.
      await this.#writer.followed();
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
    this.#fullDisk.admit(() => this.#reserveNow(room));
    const { latest: commit } = this.#commits;
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
    // A write may have become visible just now, whose writer will be resolved shortly.
    invariant(this.#writer.knows(view.version), 'a view of an unknown version');
    return view;
  }

  async #close(): Promise<void> {
    this.#reservations.close();
    await this.#writer.settled();
    await this.sealed;
    const isFollowed = await this.#writer.followed().then(
      () => true,
      () => false,
    );
    // Transactions under way find the engine closed.
    this.#views.close();
    const { log, archive, unlock } = this.#files;
    try {
      log?.close(isFollowed);
    } catch (error) {
      // The log stays, and is read when the store is opened again.
      this.#report?.(asTesseraError(error));
    }
    await this.#store.close();
    await archive?.close();
    await unlock?.();
  }
}

/** The engine of a data folder that several worker processes have open. */
import { andThen, type PromiseOrValue } from '../../../base/promise-or-value.js';
import type { Work } from '../../../base/work/work.js';
import type { Clock, Timers } from '../../../env/environment.js';
import { failure, TesseraError } from '../../../errors/error.js';
import type { Family } from '../../../metrics/families.js';
import { type KeyReservation, ownReservation, Reservations } from '../../commit/reservations.js';
import type {
  BeginOptions,
  CommitFeed,
  CommitFollower,
  Engine,
  FollowedCommit,
  Key,
  Reservation,
  SharedStore,
  Stored,
  Versionstamp,
} from '../../contract.js';
import { SharedReservations } from '../../remote/shared-reservations.js';
import { StoredValues } from '../../stored-values.js';
import { callAll } from '../../transaction/after-commit.js';
import { StampSource } from '../../transaction/append.js';
import { DELETED } from '../../transaction/overlay.js';
import { type Committer, SnapshotTransaction } from '../../transaction/transaction.js';
import { writtenKeys } from '../../transaction/write-set.js';
import { type Caches, LmdbSnapshot, newCaches } from '../engine/lmdb-snapshot.js';
import type { ByteView } from '../engine/lmdb-store.js';
import { SnapshotPool } from '../engine/snapshot-pool.js';
import { unreadable, unwritable } from '../engine/store-failures.js';
import { MAX_KEY_LENGTH } from '../file/lmdb-limits.js';
import { type GroupCommitRequest, GroupCommits } from './group-commits.js';
import { type KnownGroup, LogMirror } from './log-mirror.js';
import type { SharedByteStore, SharedView } from './shared-store.js';

/** The followers of the commits of all processes (`SharedStore.follow`). */
class CommitFollowers {
  readonly #followers = new Set<CommitFollower>();

  /** Returns how to end it. */
  add(follower: CommitFollower): () => void {
    // A new object, so that one follower may follow twice.
    const each: CommitFollower = { onCommits: (commits) => follower.onCommits(commits), onGap: () => follower.onGap() };
    this.#followers.add(each);
    return () => {
      this.#followers.delete(each);
    };
  }

  /** Delivers groups that have become visible. */
  deliver(groups: readonly KnownGroup[]): void {
    let commits: FollowedCommit[] = [];
    const flush = () => {
      if (commits.length > 0) for (const follower of this.#followers) follower.onCommits(commits);
      commits = [];
    };
    for (const { commits: logged, isOwn, isGap } of groups) {
      for (const { versionstamp, keys, ranges } of logged) commits.push({ versionstamp, isOwn, keys, ranges });
      if (!isGap) continue;
      flush();
      for (const follower of this.#followers) follower.onGap();
    }
    flush();
  }
}

export interface SharedEngineOptions {
  /** Identifies this process (`SharedStore.node`). */
  readonly node: string;
  /** Room for what is kept decoded, in bytes. */
  readonly cacheBytes: number;
  /** How many states of the store may be read at once, the present one among them. */
  readonly maxViews: number;
  /** Names what is stored under a key, for the texts of errors. */
  readonly describeKey: (key: Key) => string;
  /** Called for a write that failed after it had begun: the process shouldn't go on. */
  readonly fatal: (error: TesseraError) => void;
  readonly timers: Timers;
  readonly clock: Clock;
}

/** Interval of polling the log for those who wait for it, in milliseconds: a poll takes some microseconds. */
const POLL_INTERVAL = 25;

/**
 * The engine of a folder that other processes of this machine use, too, on LMDB. Reads are synchronous;
 * a commit is answered when it is on disk.
 *
 * LMDB's lock of writers orders the commits of all processes, in groups; each group raises the version of the store,
 * and is logged under it. A process reads the log whenever it takes a snapshot, so that its caches agree with
 * the snapshot. It validates its own commits under the lock, when it has read all of the log.
 */
export class SharedLmdbEngine implements Engine {
  readonly name = 'lmdb';
  readonly shared: SharedStore;
  readonly #store: SharedByteStore;
  readonly #views: SnapshotPool<SharedView>;
  readonly #caches: Caches;
  readonly #values: StoredValues;
  readonly #mirror: LogMirror;
  readonly #groups: GroupCommits;
  readonly #followers = new CommitFollowers();
  readonly #reservations: Reservations;
  readonly #sharedReservations: SharedReservations;
  /** For the approximate keys of entries to be appended. */
  readonly #stamps: StampSource;
  readonly #timers: Timers;
  readonly #work: Work;
  readonly #clock: Clock;
  readonly #fatal: (error: TesseraError) => void;
  readonly #leave: () => Promise<void>;
  #lastStamp: Versionstamp;
  #changedAt: bigint;
  #caughtUpAt: number;
  /** Number of those who wait for the log. A follower does so as long as the engine is open. */
  #pollsWanted = 0;
  #stopPolling: (() => void) | undefined;
  /** Why the engine has become unavailable. */
  #ended: TesseraError | undefined;
  #closing: Promise<void> | undefined;

  /** `leave` is called when the engine is closed. */
  constructor(store: SharedByteStore, options: SharedEngineOptions, leave: () => Promise<void>) {
    const { node, cacheBytes, timers, clock } = options;
    this.#store = store;
    this.#leave = leave;
    this.#timers = timers;
    this.#work = { checkpoint: () => timers.nextRound() };
    this.#clock = clock;
    this.#fatal = options.fatal;
    this.#views = new SnapshotPool(() => store.view(), options.maxViews);
    this.#caughtUpAt = clock.monotonic();
    const view = store.view();
    this.#views.replace(view);
    this.#values = new StoredValues(store.mayBeUnsealed, options.describeKey);
    this.#caches = newCaches(cacheBytes, view.version);
    this.#mirror = new LogMirror(view.version);
    this.#lastStamp = store.lastStamp(view);
    this.#changedAt = clock.now();
    // Reservations of other processes are over when the log says so.
    this.#reservations = new Reservations(timers, () => this.#beginPolling());
    this.#sharedReservations = new SharedReservations(this.#reservations, () => this.begin({ writable: true }));
    this.#followers.add({
      // It reads, and commits are delivered as a transaction begins.
      onCommits: (commits) => queueMicrotask(() => this.#sharedReservations.onCommits(commits)),
      onGap: () => this.#sharedReservations.onGap(),
    });
    this.#stamps = new StampSource(clock);
    this.#groups = new GroupCommits(
      { store, mirror: this.#mirror, node },
      { timers, clock },
      { written: () => this.#refresh(), failed: (reason) => this.#fail(reason) },
    );
    this.shared = this.#sharedStore(node);
  }

  get commitFeed(): CommitFeed {
    return this.shared;
  }

  get changedAt(): bigint {
    return this.#changedAt;
  }

  get metrics(): readonly Family[] {
    return this.#store.metrics.families(this.#caches);
  }

  begin(options: BeginOptions): SnapshotTransaction {
    this.#mustBeOpen();
    this.#refresh();
    const shared = this.#views.share();
    const unshare = () => this.#views.unshare(shared);
    const snapshot = new LmdbSnapshot(shared.view, this.#caches, this.#values, shared, unshare, this.#work);
    if (!options.writable) return new SnapshotTransaction(snapshot, undefined, options);
    return new SnapshotTransaction(snapshot, this.#committer(options), options);
  }

  check(): void {
    this.#mustBeOpen();
    this.#refresh();
    const shared = this.#views.share();
    try {
      shared.view.next('\0');
    } catch (error) {
      throw unreadable(error);
    } finally {
      this.#views.unshare(shared);
    }
  }

  close(): Promise<void> {
    this.#end(failure('storage_unavailable', { reason: 'it has been closed' }));
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #mustBeOpen(): void {
    if (this.#ended !== undefined) throw this.#ended;
  }

  #committer({ reservation, interrupt }: BeginOptions): Committer {
    const { commits } = this.#mirror;
    const began = commits.hold(this.#mirror.shown);
    const own = ownReservation(reservation);
    const committer: Committer = {
      maxKeyLength: MAX_KEY_LENGTH,
      commit: (reads, writes) => {
        // Other processes know with the commit that the reservation is over.
        if (own?.row !== undefined) writes.overlay.put(own.row, DELETED);
        const commit = () => {
          this.#mustBeOpen();
          return this.#commit({ began, reads, writes }, own);
        };
        // What has conflicted already fails at once.
        if (this.#reservations.isEmpty || commits.conflicts(began, reads, writes)) return commit();
        const { isMaintenance } = writes;
        const { abandon } = committer;
        const admission = { written: writtenKeys(writes, this.#stamps), isMaintenance, own, interrupt, abandon };
        return this.#reservations.admit(admission, commit);
      },
      abandon: () => commits.release(began),
      lastStamp: () => this.#lastStamp,
      reserve: (reads, writes): PromiseOrValue<Reservation> => {
        const written = writtenKeys(writes, this.#stamps);
        return andThen(this.#reservations.reserve({ reads, written, interrupt }, own), (reservation) =>
          this.#sharedReservations.publishIfNeeded(reservation),
        );
      },
    };
    return committer;
  }

  async #commit(request: GroupCommitRequest, own: KeyReservation | undefined): Promise<void> {
    await this.#groups.submit(request);
    own?.committed();
  }

  /** Makes new snapshots show all commits until now, and brings the caches up to date. */
  #refresh(): void {
    const now = this.#clock.monotonic();
    let groups: readonly KnownGroup[];
    try {
      const last = this.#store.lastTransaction();
      if (this.#views.newest?.lastTransaction === last) {
        this.#caughtUpAt = now;
        return;
      }
      groups = this.#show(this.#store.view(last));
    } catch (error) {
      throw error instanceof TesseraError ? error : unreadable(error);
    }
    this.#caughtUpAt = now;
    this.#followers.deliver(groups);
    for (const { afterCommit } of groups) for (const { callbacks, stamp } of afterCommit) callAll(callbacks, stamp);
  }

  /** New snapshots are those of a view. Returns the groups of commits that are new in it. */
  #show(view: SharedView): readonly KnownGroup[] {
    try {
      this.#mirror.read(this.#store.logOf(view), view.version);
      this.#lastStamp = this.#store.lastStamp(view);
    } catch (error) {
      view.release();
      throw error;
    }
    const groups = this.#mirror.show(view.version);
    updateCaches(this.#caches, groups, view, this.#values);
    this.#views.replace(view);
    this.#changedAt = this.#clock.now();
    return groups;
  }

  #sharedStore(node: string): SharedStore {
    const engine = this;
    return {
      node,
      get caughtUpAt() {
        return engine.#caughtUpAt;
      },
      follow: async (follower) => {
        this.#mustBeOpen();
        this.#refresh();
        this.#beginPolling();
        return this.#followers.add(follower);
      },
      catchUp: async () => {
        this.#mustBeOpen();
        this.#refresh();
      },
      // Each group that is logged takes the place of an old one.
      prune: async () => false,
    };
  }

  /** Polls the log until the returned function is called. */
  #beginPolling(): () => void {
    this.#pollsWanted++;
    this.#poll();
    return () => {
      if (--this.#pollsWanted > 0) return;
      this.#stopPolling?.();
      this.#stopPolling = undefined;
    };
  }

  #poll(): void {
    this.#stopPolling ??= this.#timers.after(POLL_INTERVAL, () => {
      this.#stopPolling = undefined;
      if (this.#pollsWanted === 0 || this.#ended !== undefined) return;
      try {
        this.#refresh();
      } catch {
        // `caughtUpAt` says so, and transactions that begin fail.
      }
      this.#poll();
    });
  }

  #fail(reason: unknown): TesseraError {
    const error = unwritable(reason);
    this.#end(error);
    this.#fatal(error);
    return error;
  }

  #end(reason: TesseraError): void {
    this.#ended ??= reason;
    this.#stopPolling?.();
    this.#views.end(reason);
  }

  async #close(): Promise<void> {
    this.#reservations.close();
    await this.#groups.settled();
    this.#views.close();
    await this.#store.close();
    await this.#leave();
  }
}

/** Looking up more changes than these takes longer than the caches save. */
const MOST_CHANGES = 1_024;

/** Brings the caches of decoded data to the state of a view in which some groups of commits are new. */
function updateCaches(caches: Caches, groups: readonly KnownGroup[], view: ByteView, values: StoredValues): void {
  const { records, ranges, revisions } = caches;
  records.advance(view.version);
  ranges.advance(view.version);
  revisions.advance(view.version);
  const forget = () => {
    records.clear();
    ranges.clear();
    revisions.clear();
  };
  const changed = changedKeys(groups);
  if (changed === undefined) {
    forget();
    return;
  }
  try {
    for (const key of changed) {
      revisions.changed(key);
      if (!records.holds(key) && !ranges.holds(key)) continue;
      const bytes = view.get(key);
      const size = bytes?.length ?? 0;
      const value: Stored | undefined = bytes === undefined ? undefined : values.decode(key, bytes);
      records.replace(key, value, size);
      ranges.replace(key, value, size);
    }
  } catch {
    // A value that can't be read fails those who read it.
    forget();
  }
}

/** `undefined` where they are many, or not known. */
function changedKeys(groups: readonly KnownGroup[]): ReadonlySet<Key> | undefined {
  const keys = new Set<Key>();
  for (const { commits, isGap } of groups) {
    if (isGap) return undefined;
    for (const commit of commits) {
      if (commit.ranges.length > 0) return undefined;
      for (const key of commit.keys) keys.add(key);
      if (keys.size > MOST_CHANGES) return undefined;
    }
  }
  return keys;
}

/** The engine over a networked store: transactions are local until their commit, which the store validates. */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Clock, Timers } from '../../env/environment.js';
import { failure } from '../../errors/error.js';
import type { Family } from '../../metrics/families.js';
import { type KeyReservation, ownReservation, Reservations } from '../commit/reservations.js';
import type { BeginOptions, CopySupport, Engine, Key, KeyRange, Reservation, Versionstamp } from '../contract.js';
import { callAll } from '../transaction/after-commit.js';
import { LAST_POSITION } from '../transaction/append.js';
import { DELETED } from '../transaction/overlay.js';
import { after, type ReadSet } from '../transaction/read-set.js';
import { type Committer, SnapshotTransaction } from '../transaction/transaction.js';
import type { WriteSet } from '../transaction/write-set.js';
import { writeSize } from '../transaction/write-size.js';
import { GroupCommitter } from './group-committer.js';
import { headLocks, headOf } from './heads.js';
import { LogFollower } from './log-follower.js';
import { RemoteSnapshot } from './remote-snapshot.js';
import { SharedReservations } from './shared-reservations.js';
import type { AppendedEntry, CommitRequest, KeyWrite, RemoteStore } from './store.js';

export interface RemoteEnvironment {
  readonly clock: Clock;
  readonly timers: Timers;
}

/**
 * The engine of stores over a network. A commit is durable when it is visible, so that there are no earlier answers.
 */
export class RemoteEngine implements Engine {
  readonly name: string;
  readonly copying?: CopySupport;
  readonly #follower: LogFollower;
  readonly #store: RemoteStore;
  readonly #clock: Clock;
  readonly #groups: GroupCommitter;
  readonly #reservations: Reservations;
  readonly #shared: SharedReservations;
  #lastStamp: Versionstamp = 0n;
  #changedAt: bigint;
  #closed = false;

  constructor(store: RemoteStore, { clock, timers }: RemoteEnvironment) {
    this.name = store.name;
    if (store.copying !== undefined) this.copying = store.copying;
    this.#store = store;
    this.#clock = clock;
    this.#groups = new GroupCommitter(store, timers);
    this.#reservations = new Reservations(timers);
    this.#shared = new SharedReservations(this.#reservations, () => this.begin({ writable: true }));
    this.#follower = new LogFollower(store, { clock, timers }, this.#shared);
    this.#changedAt = clock.now();
  }

  get metrics(): readonly Family[] {
    return this.#store.metrics ?? [];
  }

  get changedAt(): bigint {
    return this.#changedAt;
  }

  get commitFeed(): LogFollower {
    return this.#follower;
  }

  get shared(): LogFollower {
    return this.#follower;
  }

  begin(options: BeginOptions): SnapshotTransaction {
    this.#mustBeOpen();
    const snapshot = new RemoteSnapshot(this.#store.snapshot(), options);
    if (!options.writable) return new SnapshotTransaction(snapshot, undefined, options);
    return new SnapshotTransaction(snapshot, this.#committer(snapshot, options), options);
  }

  async check(): Promise<void> {
    this.#mustBeOpen();
    await this.#store.check();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#follower.close();
    this.#reservations.close();
    await this.#groups.close();
    await this.#store.close();
  }

  #mustBeOpen(): void {
    if (this.#closed) throw failure('storage_unavailable', { reason: 'it has been closed' });
  }

  #committer(snapshot: RemoteSnapshot, { reservation, interrupt }: BeginOptions): Committer {
    const own = ownReservation(reservation);
    return {
      maxKeyLength: this.#store.maxKeyLength,
      lastStamp: () => this.#lastStamp,
      abandon: () => undefined,
      commit: (reads, writes) => {
        // Other nodes know with the commit that the reservation is over.
        if (own?.row !== undefined) writes.overlay.put(own.row, DELETED);
        const commit = () => this.#commit(requestOf(snapshot, reads, writes, this.#store.mostLoggedKeys), writes, own);
        if (this.#reservations.isEmpty) return commit();
        return this.#reservations.admit(
          { written: keysOf(writes), isMaintenance: writes.isMaintenance, own, interrupt, abandon: () => undefined },
          commit,
        );
      },
      reserve: (reads, writes): PromiseOrValue<Reservation> =>
        andThen(this.#reservations.reserve({ reads, written: keysOf(writes), interrupt }, own), (reservation) =>
          this.#shared.publishIfNeeded(reservation),
        ),
    };
  }

  async #commit(request: CommitRequest, { afterCommit }: WriteSet, own: KeyReservation | undefined): Promise<void> {
    this.#mustBeOpen();
    await this.#groups.submit(request, (stamp) => {
      if (stamp > this.#lastStamp) this.#lastStamp = stamp;
      this.#changedAt = this.#clock.now();
      callAll(afterCommit, stamp);
      this.#follower.wake();
    });
    own?.committed();
  }
}

function requestOf(snapshot: RemoteSnapshot, reads: ReadSet, writes: WriteSet, mostLoggedKeys: number): CommitRequest {
  let size = 0;
  const changes: KeyWrite[] = [];
  writes.overlay.forEach((key, written) => {
    const value = written === DELETED ? undefined : written;
    changes.push([key, value]);
    size += writeSize(key, value);
  });
  const appended: AppendedEntry[] = [];
  for (let entry = writes.appended; entry !== undefined; entry = entry.before) {
    appended.push({ prefix: entry.prefix, at: entry.at, value: entry.value });
    size += writeSize(entry.prefix, entry.value);
  }
  const written = keysOf(writes);
  const keysRead = [...reads.keys];
  const rangesRead = reads.ranges.flatMap((range) => snapshot.partsRead(range));
  const heads = headLocks(written, keysRead, rangesRead);
  return {
    heads,
    since: snapshot.since(heads),
    keysRead,
    rangesRead,
    changes,
    appended,
    loggedRanges:
      written.length > mostLoggedKeys ? loggedRanges(written, new Set(appended.map(({ prefix }) => prefix))) : [],
    size,
    isMaintenance: writes.isMaintenance,
  };
}

/** The keys that a commit writes, ascending; of what it appends the prefixes, since the store gives the rest. */
function keysOf(writes: WriteSet): readonly string[] {
  const keys = writes.overlay.keys();
  for (let entry = writes.appended; entry !== undefined; entry = entry.before) keys.push(entry.prefix);
  return keys.sort();
}

/** Maximum number of logged ranges of a commit that writes under one head. */
const MOST_RANGES = 256;

/**
 * Ranges in which all keys of a large commit lie. They end where neighbouring keys have the least in common, so that
 * they hold little of other tables and indexes, and at the border of a head.
 * @param keys ascending
 * @param prefixes those of the keys under which entries are appended
 */
function loggedRanges(keys: readonly Key[], prefixes: ReadonlySet<Key>): KeyRange[] {
  const common = keys.map((key, at) => (at === 0 ? -1 : commonLength(keys[at - 1]!, key)));
  const longest = longestSplit(common);
  const ranges: KeyRange[] = [];
  let from: Key | undefined;
  let to = '';
  for (const [at, key] of keys.entries()) {
    const isSplit = at > 0 && (common[at]! < longest || headOf(keys[at - 1]!) !== headOf(key));
    // What is appended under a prefix may reach over keys behind it.
    if (from !== undefined && isSplit && key >= to) {
      ranges.push({ from, to });
      from = undefined;
    }
    from ??= key;
    const end = after(prefixes.has(key) ? key + LAST_POSITION : key);
    if (end > to) to = end;
  }
  if (from !== undefined) ranges.push({ from, to });
  return ranges;
}

function commonLength(one: Key, other: Key): number {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length < most && one.charCodeAt(length) === other.charCodeAt(length)) length++;
  return length;
}

/** The length of a common beginning below which keys are split, so that there aren't too many ranges. */
function longestSplit(common: readonly number[]): number {
  const counts: number[] = [];
  for (const length of common) if (length >= 0) counts[length] = (counts[length] ?? 0) + 1;
  let ranges = 1;
  let length = 0;
  while (length < counts.length && ranges + (counts[length] ?? 0) <= MOST_RANGES) ranges += counts[length++] ?? 0;
  return length;
}

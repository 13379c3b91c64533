/** Group commit of one worker among several, under the store's lock of writers. */
import { andThen, mapInOrder, type PromiseOrValue } from '../../../base/promise-or-value.js';
import { eachItem } from '../../../base/work/loops.js';
import { AT_ONCE, type Work } from '../../../base/work/work.js';
import type { Clock, Timers } from '../../../env/environment.js';
import { failure } from '../../../errors/error.js';
import { sealRecord } from '../../../value/codecs/sealed-record.js';
import type { Commit } from '../../commit/commit-log.js';
import { forEachChange, isHeavyCommit, isLargeCommit } from '../../commit/commit-steps.js';
import type { Key, KeyRange, Versionstamp } from '../../contract.js';
import { type Appended, appendedKey, LAST_POSITION, StampSource, stampBytes } from '../../transaction/append.js';
import { DELETED } from '../../transaction/overlay.js';
import { byteOrder, type ReadSet } from '../../transaction/read-set.js';
import type { WriteSet } from '../../transaction/write-set.js';
import { addDemand, noDemand, type SpaceDemand } from '../file/lmdb-space.js';
import type { EncodedChange } from '../file/packed-changes.js';
import type { KnownGroup, LogMirror } from './log-mirror.js';
import { encodeGroup, type LoggedCommit, type LoggedGroup, RangeSummary } from './logged-group.js';
import type { GroupValidator, GroupWrite, SharedByteStore } from './shared-store.js';

/** A group takes no more commits beyond this many changes: they are written in one turn of the event loop. */
const GROUP_CHANGES = 2_048;
/** Overhead of the log for a key, and for a commit. */
const LOGGED_KEY = 8;
const LOGGED_COMMIT = 64;

/** The request of a transaction to commit. */
export interface GroupCommitRequest {
  /** The last commit that its snapshot shows, which it holds on to. */
  readonly began: Commit;
  readonly reads: ReadSet;
  readonly writes: WriteSet;
}

/** A waiting commit, with its encoded writes. */
interface WaitingCommit extends GroupCommitRequest {
  readonly changes: EncodedChange[];
  readonly room: SpaceDemand;
  /** The logged ranges of a large commit. */
  readonly summary: RangeSummary | undefined;
  resolve(): void;
  reject(error: unknown): void;
}

/** The content of one write of the store. */
interface Group {
  changes: EncodedChange[];
  readonly room: SpaceDemand;
  readonly commits: LoggedCommit[];
  readonly afterCommit: KnownGroup['afterCommit'][number][];
  /** Why commits aren't part of it. */
  readonly refused: Map<WaitingCommit, unknown>;
}

/**
 * Commits of this process go out in groups: those that come while one is being written make up the next. A group is
 * validated and written under the lock of the store, which applies to all processes.
 */
export class GroupCommits {
  readonly #store: SharedByteStore;
  readonly #mirror: LogMirror;
  readonly #timers: Timers;
  readonly #stamps: StampSource;
  readonly #work: Work;
  readonly #node: string;
  readonly #written: () => void;
  readonly #failed: (reason: unknown) => unknown;
  #waiting: WaitingCommit[] = [];
  #running: Promise<void> | undefined;
  /** Why writing has ended. */
  #ended: { readonly error: unknown } | undefined;

  /**
   * `written` is called for each durable group before its commits are answered. `failed` makes the error for those of
   * a write that failed; after that nothing is written.
   */
  constructor(
    { store, mirror, node }: { store: SharedByteStore; mirror: LogMirror; node: string },
    { timers, clock }: { timers: Timers; clock: Clock },
    { written, failed }: { written: () => void; failed: (reason: unknown) => unknown },
  ) {
    this.#store = store;
    this.#mirror = mirror;
    this.#node = node;
    this.#timers = timers;
    this.#stamps = new StampSource(clock);
    this.#work = { checkpoint: () => timers.nextRound() };
    this.#written = written;
    this.#failed = failed;
  }

  /**
   * Resolves when the commit is durable and visible.
   * @throws TesseraError `transaction_conflict`, `storage_full`, `storage_unavailable`
   */
  submit({ began, reads, writes }: GroupCommitRequest): Promise<void> {
    const { overlay } = writes;
    const isLarge = isLargeCommit(writes);
    const summary = isLarge ? new RangeSummary() : undefined;
    const changes: EncodedChange[] = [];
    const room = noDemand();
    const encoded = forEachChange(overlay, isHeavyCommit(writes) ? this.#work : AT_ONCE, (key, value) => {
      summary?.add(key);
      const bytes = value === DELETED ? undefined : sealRecord(key, value);
      this.#add({ key, bytes }, changes, room);
      return bytes?.length ?? 0;
    });
    const wait = () =>
      new Promise<void>((resolve, reject) => {
        // One by one: spreading the request took longer than encoding a small commit.
        this.#enqueue({ began, reads, writes, changes, room, summary, resolve, reject });
      });
    return Promise.resolve(andThen(encoded, wait));
  }

  /** Waits until all submitted commits are answered. */
  async settled(): Promise<void> {
    await this.#running;
  }

  /** Adds one change to others of a commit, and its room to theirs. */
  #add(change: EncodedChange, changes: EncodedChange[], room: SpaceDemand): void {
    changes.push(change);
    this.#store.measure(change, room);
    room.bytes += change.key.length + LOGGED_KEY;
  }

  #enqueue(commit: WaitingCommit): void {
    if (this.#ended !== undefined) {
      commit.reject(this.#ended.error);
      return;
    }
    this.#waiting.push(commit);
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Transactions about to commit, perhaps after replies to the last group, join this one.
      await this.#timers.nextRound();
      await this.#write();
    }
    this.#running = undefined;
  }

  /** The commits that come first; a large one alone. */
  #take(): readonly WaitingCommit[] {
    let changes = 0;
    const end = this.#waiting.findIndex((commit, at) => {
      changes += commit.changes.length;
      return (
        at > 0 && (changes > GROUP_CHANGES || commit.summary !== undefined || this.#waiting[0]?.summary !== undefined)
      );
    });
    return this.#waiting.splice(0, end < 0 ? this.#waiting.length : end);
  }

  async #write(): Promise<void> {
    const group: Group = { changes: [], room: noDemand(), commits: [], afterCommit: [], refused: new Map() };
    const isLarge = this.#waiting[0]?.summary !== undefined;
    let taken: readonly WaitingCommit[] = [];
    const judge: GroupValidator = (store, work) => {
      // Not before the lock has been waited for: commits that came meanwhile belong to the group.
      taken = this.#take();
      this.#mirror.read(store, store.version);
      if (store.lastStamp > this.#stamps.last) this.#stamps.give(store.lastStamp);
      const judged = mapInOrder(taken, (commit) => this.#judge(commit, group, work));
      return andThen(judged, () => this.#groupWrite(group, store.version + 1));
    };
    try {
      await (isLarge ? this.#store.writeLarge(judge) : this.#store.write(judge));
      this.#written();
    } catch (reason) {
      this.#end(this.#failed(reason), taken);
      return;
    } finally {
      this.#store.written(group.room);
    }
    for (const commit of taken) {
      const { refused } = group;
      if (refused.has(commit)) commit.reject(refused.get(commit));
      else commit.resolve();
    }
  }

  /** Takes a commit into the group, unless it conflicts or there is no room for it. */
  #judge(commit: WaitingCommit, group: Group, work: Work): PromiseOrValue<void> {
    const { began, reads, writes, changes, room, summary } = commit;
    const isConflicting = this.#mirror.commits.conflicts(began, reads, writes);
    this.#mirror.commits.release(began);
    if (isConflicting) {
      group.refused.set(commit, failure('transaction_conflict'));
      return undefined;
    }
    const stamp = this.#stamps.next();
    return andThen(this.#settleAppended(commit, stamp, work), (appended) => {
      try {
        room.bytes += LOGGED_COMMIT;
        this.#store.admit(room);
        addDemand(group.room, room);
      } catch (error) {
        group.refused.set(commit, error);
        return;
      }
      this.#stamps.give(stamp);
      const keys = summary === undefined ? changes.map(({ key }) => key).sort(byteOrder) : [];
      const ranges = summary === undefined ? [] : [...summary.ranges, ...appended];
      if (group.changes.length === 0) group.changes = changes;
      else for (const change of changes) group.changes.push(change);
      group.commits.push({ versionstamp: stamp, isMaintenance: writes.isMaintenance, keys, ranges });
      this.#mirror.append(keys, ranges, writes.isMaintenance);
      if (writes.afterCommit !== undefined) group.afterCommit.push({ callbacks: writes.afterCommit, stamp });
    });
  }

  /** Adds what was appended to the changes; returns the ranges in which that is. */
  #settleAppended(
    { writes: { appended }, changes, room }: WaitingCommit,
    stamp: Versionstamp,
    work: Work,
  ): PromiseOrValue<readonly KeyRange[]> {
    if (appended === undefined) return [];
    const entries: Appended[] = [];
    const prefixes = new Set<Key>();
    for (let entry: Appended | undefined = appended; entry !== undefined; entry = entry.before) {
      entries.push(entry);
      prefixes.add(entry.prefix);
    }
    const settled = eachItem(entries, work, (entry) => {
      const key = appendedKey(entry, stamp);
      this.#add({ key, bytes: sealRecord(key, entry.value) }, changes, room);
    });
    const first = stampBytes(stamp);
    return andThen(settled, () =>
      [...prefixes].map((prefix) => ({ from: prefix + first, to: prefix + first + LAST_POSITION })),
    );
  }

  #groupWrite({ changes, commits, afterCommit }: Group, version: number): GroupWrite | undefined {
    const stamp = commits.at(-1)?.versionstamp;
    if (stamp === undefined) return undefined;
    const logged: LoggedGroup = { version, node: this.#node, commits };
    this.#mirror.addOwn(logged, afterCommit);
    return { changes, result: { version, stamp, logged: encodeGroup(logged) } };
  }

  #end(error: unknown, taken: readonly WaitingCommit[]): void {
    this.#ended = { error };
    for (const { reject } of [...taken, ...this.#waiting.splice(0)]) reject(error);
  }
}

/** Group commit: transactions that commit during a write to the disk share the next one, and its sync. */
import type { PromiseOrValue } from '../../../base/promise-or-value.js';
import type { Timers } from '../../../env/environment.js';
import type { ArchiveWriter } from '../../archive/archive-writer.js';
import type { Commit } from '../../commit/commit-log.js';
import type { Versionstamp } from '../../contract.js';
import type { AfterCommit } from '../../transaction/after-commit.js';
import type { Overlay, OverlayValue } from '../../transaction/overlay.js';
import { OrderedTree } from '../../tree/ordered-tree.js';
import { addDemand, type SpaceDemand } from '../file/lmdb-space.js';
import type { GroupLog } from '../log/group-log.js';
import { type KeyChange, lay } from './key-change.js';
import { LARGE_WRITE } from './large-writer.js';
import type { ByteStore, WriteBatch } from './lmdb-store.js';
import { Tail, type TailGroup } from './tail.js';

/** One commit's part of a group. */
export interface Addition {
  /** Owned by the writer from now on, which appends the changes of later commits. */
  readonly changes: KeyChange[];
  readonly room: SpaceDemand;
  readonly commit: Commit;
  /** Whether the commit appended to a log. */
  readonly appends: boolean;
  /** The last assigned versionstamp, of this commit or an earlier one. */
  readonly stamp: Versionstamp;
  readonly afterCommit: AfterCommit | undefined;
}

/** Commits that are written together, by one sync. */
export class WriteGroup implements WriteBatch, TailGroup {
  readonly changes: KeyChange[];
  readonly room: SpaceDemand;
  /** The last of the commits. */
  last: Commit;
  /** The last versionstamp assigned by then. */
  stamp: Versionstamp;
  /** The version of the store once the group is written. */
  version = 0;
  /** Whether any of the commits appended to a log. */
  appends: boolean;
  /** The callbacks of the commits, in their order. */
  readonly afterCommit: { readonly callbacks: AfterCommit; readonly stamp: Versionstamp }[] = [];
  resolve!: () => void;
  reject!: (reason: unknown) => void;
  readonly written = new Promise<void>((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });

  constructor({ changes, room, commit, appends, stamp, afterCommit }: Addition) {
    this.changes = changes;
    this.room = room;
    this.last = commit;
    this.stamp = stamp;
    this.appends = appends;
    if (afterCommit !== undefined) this.afterCommit.push({ callbacks: afterCommit, stamp });
    // The transaction that committed gets the error; it must not be reported as unhandled.
    this.written.catch(() => {});
  }

  add({ changes, room, commit, appends, stamp, afterCommit }: Addition): void {
    for (const change of changes) this.changes.push(change);
    addDemand(this.room, room);
    this.last = commit;
    this.stamp = stamp;
    this.appends ||= appends;
    if (afterCommit !== undefined) this.afterCommit.push({ callbacks: afterCommit, stamp });
  }
}

/** A commit with more changes than these is merged into the view only on demand. */
const LAID_AT_ONCE = 4096;

/** Where groups are written. */
export interface WriterFiles {
  readonly store: ByteStore;
  /** Absent if commits are durable only when the tree has them, or not at all. */
  readonly log: GroupLog | undefined;
  /** Gets every group before the log and the store do, so that it never lacks one. */
  readonly archive: ArchiveWriter | undefined;
}

/** What there is when it begins. */
export interface WriterState {
  /** The version of the tree. */
  readonly version: number;
  /** What the tree lacks of the log, in its order. */
  readonly tail: readonly TailGroup[];
}

export interface WriterUser {
  /** The tree of the store has so many changes more, and this version. */
  applied(changes: readonly KeyChange[], version: number): void;
  /** Called for each durable group before its waiting commits are resolved. */
  written(group: WriteGroup): void;
  /** Makes the error for all lost commits; after that nothing is written. */
  failed(reason: unknown): unknown;
}

/**
 * Writes commits in the order they come. Commits that come while others are being written are written together after
 * them: to the log, or if they are too large for it into the tree of the store.
 */
export class GroupWriter {
  readonly #files: WriterFiles;
  readonly #timers: Timers;
  readonly #user: WriterUser;
  readonly #tail: Tail;
  #version: number;
  #running = false;
  /** Whether the next group waits for the end of this round of the event loop. */
  #collecting = false;
  #prepared = false;
  #writing: WriteGroup | undefined;
  /** In the order in which they came; only the last group grows. */
  #waiting: WriteGroup[] = [];
  /** The changes of both, over those that the tree lacks; made on demand. */
  #unwritten: OrderedTree<OverlayValue> | undefined;
  /** The error of the first write that failed. */
  #failure: { readonly error: unknown } | undefined;

  constructor(files: WriterFiles, timers: Timers, user: WriterUser, { version, tail }: WriterState) {
    this.#files = files;
    this.#timers = timers;
    this.#user = user;
    this.#tail = new Tail(files.store, timers, version, {
      applied: (changes, version) => {
        this.#unwritten = undefined;
        user.applied(changes, version);
      },
      failed: (reason) => void this.#fail(reason),
    });
    for (const group of tail) this.#tail.add(group);
    this.#version = this.#tail.last;
    // Soon, so that the log of before can go; what fails is reported to the user.
    this.followed().catch(() => {});
  }

  add(addition: Addition): Promise<void> {
    const { changes } = addition;
    let group = this.#waiting.at(-1);
    // Small commits together don't become a large write.
    if (group !== undefined && group.changes.length + changes.length <= LARGE_WRITE) group.add(addition);
    else {
      group = new WriteGroup(addition);
      this.#waiting.push(group);
    }
    // The view of many changes is made again when it is asked for.
    if (changes.length > LAID_AT_ONCE) this.#unwritten = undefined;
    else if (this.#unwritten !== undefined) lay(changes, this.#unwritten);
    if (!this.#running) void this.#run();
    else if (this.#collecting) this.#prepare();
    return group.written;
  }

  /** Waits until all that was added so far is written; fails if that does. */
  get written(): PromiseOrValue<void> {
    return this.#last?.written;
  }

  /** The same, whether it is written or has failed. */
  settled(): PromiseOrValue<void> {
    return this.#last?.written.catch(() => {});
  }

  get #last(): WriteGroup | undefined {
    return this.#waiting.at(-1) ?? this.#writing;
  }

  /** Waits until the tree of the store has all that is durable. */
  followed(): Promise<void> {
    return this.#tail.reached(this.#tail.last);
  }

  /** Whether the tree of the store lacks durable changes. */
  get hasTail(): boolean {
    return !this.#tail.isEmpty;
  }

  /** Those changes, as they are now. */
  tail(): Overlay {
    return this.#tail.overlay();
  }

  /** Whether the tree has a version, which is known only by a view of it. */
  knows(version: number): boolean {
    if (this.#tail.settle(version)) return true;
    const writing = this.#writing;
    if (writing?.version !== version) return false;
    this.#settle(writing);
    this.#user.written(writing);
    return true;
  }

  /** Number of changes that aren't known to be durable. */
  get pending(): number {
    let pending = this.#writing?.changes.length ?? 0;
    for (const { changes } of this.#waiting) pending += changes.length;
    return pending;
  }

  /** Those changes over those that the tree lacks, as they are now. */
  unwritten(): Overlay {
    if (this.#unwritten === undefined) {
      this.#unwritten = new OrderedTree();
      for (const changes of this.#tail.changes()) lay(changes, this.#unwritten);
      if (this.#writing !== undefined) lay(this.#writing.changes, this.#unwritten);
      for (const { changes } of this.#waiting) lay(changes, this.#unwritten);
    }
    return this.#unwritten.snapshot();
  }

  async #run(): Promise<void> {
    this.#running = true;
    for (;;) {
      // Transactions about to commit, perhaps after replies to the last group, join this one.
      const end = this.#timers.nextRound();
      this.#collecting = true;
      this.#prepare();
      await end;
      this.#collecting = false;
      this.#prepared = false;
      const group = this.#waiting.shift();
      if (group === undefined) break;
      this.#writing = group;
      group.version = ++this.#version;
      try {
        await this.#write(group);
      } catch (reason) {
        this.#writing = undefined;
        group.reject(this.#fail(reason));
        return;
      }
      this.#writing = undefined;
      this.#user.written(group);
      group.resolve();
      if (this.#failure !== undefined) return;
    }
    this.#running = false;
  }

  async #write(group: WriteGroup): Promise<void> {
    const { store, log, archive } = this.#files;
    const { changes, version } = group;
    const measured = store.metrics?.beginWrite();
    const stamp = group.appends ? group.stamp : undefined;
    await archive?.append(changes, version, stamp);
    if (this.#tail.isFull) await this.followed();
    const logged = log?.append(changes, version, stamp, (last) => this.#tail.reached(last));
    if (logged !== undefined) {
      await logged;
      this.#tail.add(group);
    } else {
      await this.followed();
      await store.write(group, version, stamp);
      this.#settle(group);
    }
    measured?.();
  }

  /** The tree has the group that is being written. */
  #settle({ changes, version }: WriteGroup): void {
    if (this.#tail.last >= version) return;
    this.#tail.settled(version);
    this.#unwritten = undefined;
    this.#user.applied(changes, version);
  }

  /** Called behind `nextRound`, so that the group comes into the batch before the library ends that. */
  #prepare(): void {
    const next = this.#waiting[0];
    const { store, log, archive } = this.#files;
    // The write of the store comes some rounds later, behind others.
    if (log !== undefined || archive !== undefined) return;
    if (next === undefined || this.#prepared || next.changes.length > LARGE_WRITE) return;
    this.#prepared = true;
    store.prepare();
  }

  /** Leaves the writer in the running state for ever, so that nothing begins again. */
  #fail(reason: unknown): unknown {
    this.#failure ??= { error: this.#user.failed(reason) };
    const { error } = this.#failure;
    this.#running = true;
    for (const group of this.#waiting) group.reject(error);
    this.#waiting = [];
    this.#tail.fail(error);
    return error;
  }
}

/** Group commit: transactions that commit during a write of the file share the next one, and its fsync. */
import type { PromiseOrValue } from '../../../base/promise-or-value.js';
import type { Timers } from '../../../env/environment.js';
import { sealRecord } from '../../../value/codecs/sealed-record.js';
import type { Commit } from '../../commit/commit-log.js';
import type { Key, Stored, Versionstamp } from '../../contract.js';
import type { AfterCommit } from '../../transaction/after-commit.js';
import { DELETED, type Overlay, type OverlayValue } from '../../transaction/overlay.js';
import { OrderedTree } from '../../tree/ordered-tree.js';
import { addDemand, type SpaceDemand } from '../file/lmdb-space.js';
import type { EncodedChange } from '../file/packed-changes.js';
import { LARGE_WRITE } from './large-writer.js';
import type { ByteStore, WriteBatch } from './lmdb-store.js';

/** A key's new value, or absence, encoded and as it is. */
export interface KeyChange extends EncodedChange {
  readonly value: Stored | undefined;
}

/** A change with its stored bytes and their checksum. */
export function encodedChange(key: Key, value: OverlayValue): KeyChange {
  return value === DELETED
    ? { key, value: undefined, bytes: undefined }
    : { key, value, bytes: sealRecord(key, value) };
}

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

/** Commits that are written together: one transaction of the store, one fsync. */
export class WriteGroup implements WriteBatch {
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

/**
 * Writes commits in the order they come. Commits that come while others are being written are written together after
 * them.
 */
export class GroupWriter {
  readonly #store: ByteStore;
  readonly #timers: Timers;
  readonly #written: (group: WriteGroup) => void;
  readonly #failed: (reason: unknown) => unknown;
  #version: number;
  #running = false;
  /** Whether the next group waits for the end of this round of the event loop. */
  #collecting = false;
  #prepared = false;
  #writing: WriteGroup | undefined;
  /** In the order in which they came; only the last group grows. */
  #waiting: WriteGroup[] = [];
  /** The changes of both, made on demand. */
  #unwritten: OrderedTree<OverlayValue> | undefined;

  /**
   * `written` is called for each durable group before its waiting commits are resolved. `failed` makes the error for
   * all lost commits; after that nothing is written.
   */
  constructor(
    store: ByteStore,
    timers: Timers,
    version: number,
    written: (group: WriteGroup) => void,
    failed: (reason: unknown) => unknown,
  ) {
    this.#store = store;
    this.#timers = timers;
    this.#version = version;
    this.#written = written;
    this.#failed = failed;
  }

  /** The group that is being written. */
  get writing(): WriteGroup | undefined {
    return this.#writing;
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

  /** Number of changes that aren't known to be written. */
  get pending(): number {
    let pending = this.#writing?.changes.length ?? 0;
    for (const { changes } of this.#waiting) pending += changes.length;
    return pending;
  }

  /** Those changes, as they are now. */
  unwritten(): Overlay {
    if (this.#unwritten === undefined) {
      this.#unwritten = new OrderedTree();
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
        await this.#store.write(group, group.version, group.appends ? group.stamp : undefined);
      } catch (reason) {
        const error = this.#failed(reason);
        group.reject(error);
        this.#fail(error);
        return;
      }
      this.#writing = undefined;
      this.#unwritten = undefined;
      this.#written(group);
      group.resolve();
    }
    this.#running = false;
  }

  /** Called behind `nextRound`, so that the group comes into the batch before the library ends that. */
  #prepare(): void {
    const next = this.#waiting[0];
    if (next === undefined || this.#prepared || next.changes.length > LARGE_WRITE) return;
    this.#prepared = true;
    this.#store.prepare();
  }

  /** Leaves the writer in the running state for ever, so that nothing begins again. */
  #fail(error: unknown): void {
    for (const group of this.#waiting) group.reject(error);
    this.#waiting = [];
    this.#writing = undefined;
  }
}

function lay(changes: readonly KeyChange[], over: OrderedTree<OverlayValue>): void {
  for (const { key, value } of changes) over.put(key, value ?? DELETED);
}

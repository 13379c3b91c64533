/**
 * A store in memory that several nodes use, each through an engine of its own: all have the same data, and each follows the commits of all.
 * A node can be cut off from the store, its deliveries can be held back, and it can miss commits.
 */
import type { Clock, Timers } from '../../src/env/environment.js';
import { failure } from '../../src/errors/error.js';
import type {
  BeginOptions,
  CommitFollower,
  Engine,
  FollowedCommit,
  Key,
  KeyRange,
  Savepoint,
  SharedStore,
  Stored,
  Transaction,
  Versionstamp,
} from '../../src/storage/contract.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { stampBytes } from '../../src/storage/transaction/append.js';

/** Each commit appends here, so that each has a versionstamp of its own. */
const OWN_LOG = 'Z';

export class SharedMemory {
  readonly #engine: MemoryEngine;
  readonly #clock: Clock;
  readonly #nodes: MemoryNode[] = [];

  constructor(environment: { readonly clock: Clock; readonly timers: Timers }) {
    this.#engine = new MemoryEngine(environment);
    this.#clock = environment.clock;
  }

  /** Another node. The store outlives it. */
  node(): MemoryNode {
    const id = (this.#nodes.length + 1).toString(16).padStart(16, '0');
    const node = new MemoryNode(this.#engine, this.#clock, id, (commit) => {
      for (const each of this.#nodes) each.arrives({ ...commit, isOwn: each === node });
    });
    this.#nodes.push(node);
    return node;
  }
}

export class MemoryNode implements Engine {
  readonly name = 'shared memory';
  readonly shared: SharedStore;
  readonly #followers = new Set<CommitFollower>();
  #waiting: FollowedCommit[] = [];
  #isHeld = false;
  #isSilent = false;
  #isCut = false;
  #isClosed = false;
  #caughtUpAt = 0;

  constructor(
    private readonly engine: MemoryEngine,
    private readonly clock: Clock,
    node: string,
    private readonly publish: (commit: Omit<FollowedCommit, 'isOwn'>) => void,
  ) {
    const current = () => (this.#isCut || this.#isHeld ? this.#caughtUpAt : clock.monotonic());
    this.shared = {
      node,
      get caughtUpAt() {
        return current();
      },
      follow: async (follower) => {
        this.#mustAnswer();
        this.#followers.add(follower);
        return () => this.#followers.delete(follower);
      },
      catchUp: async () => {
        this.#mustAnswer();
        this.#deliver();
      },
      prune: async () => false,
    };
  }

  get commitFeed(): SharedStore {
    return this.shared;
  }

  get changedAt(): bigint {
    return this.engine.changedAt;
  }

  begin(options: BeginOptions): Transaction {
    this.#mustAnswer();
    const transaction = this.engine.begin(options);
    return options.writable ? followed(transaction, this.publish) : transaction;
  }

  async check(): Promise<void> {
    if (this.#isSilent) await new Promise(() => undefined);
    this.#mustAnswer();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#followers.clear();
  }

  /** The store doesn't answer until `restore`. */
  cut(): void {
    this.#caughtUpAt = this.clock.monotonic();
    this.#isCut = true;
  }

  /** Commits aren't delivered, and `check` doesn't answer, until `restore`. */
  silence(): void {
    this.hold();
    this.#isSilent = true;
  }

  restore(): void {
    this.#isSilent = false;
    this.#isCut = false;
    this.#isHeld = false;
    this.#deliver();
  }

  /** Commits aren't delivered until `restore`, while the store answers. */
  hold(): void {
    this.#caughtUpAt = this.clock.monotonic();
    this.#isHeld = true;
  }

  /** Commits that haven't been delivered never will be. */
  miss(): void {
    this.#waiting = [];
    for (const follower of this.#followers) follower.onGap();
  }

  arrives(commit: FollowedCommit): void {
    this.#waiting.push(commit);
    setImmediate(() => this.#deliver());
  }

  #deliver(): void {
    if (this.#isCut || this.#isHeld || this.#waiting.length === 0) return;
    const commits = this.#waiting;
    this.#waiting = [];
    for (const follower of this.#followers) follower.onCommits(commits);
  }

  #mustAnswer(): void {
    if (this.#isCut) throw failure('storage_unavailable', { reason: 'it was cut off' });
    if (this.#isClosed) throw failure('storage_unavailable', { reason: 'it has been closed' });
  }
}

/** What a transaction has written so far, with what was appended by its prefix. */
type Write = { readonly key: Key } | { readonly range: KeyRange } | { readonly appendedTo: Key };

/** The same transaction, which publishes what it has written when it has committed. */
function followed(inner: Transaction, publish: (commit: Omit<FollowedCommit, 'isOwn'>) => void): Transaction {
  let writes: readonly Write[] = [];
  const savepoints = new WeakMap<Savepoint, readonly Write[]>();
  const note = (write: Write) => {
    writes = [...writes, write];
  };
  inner.afterCommit((versionstamp) => {
    if (writes.length === 0) return;
    const ranges = writes.flatMap((write) => ('range' in write ? [write.range] : []));
    publish({ versionstamp, keys: keysOf(writes, versionstamp), ranges });
  });
  return {
    writable: true,
    get: (key) => inner.get(key),
    getMany: (keys) => inner.getMany(keys),
    scan: (range, options) => inner.scan(range, options),
    hasWritten: (key) => inner.hasWritten(key),
    count: (range) => inner.count(range),
    rangeRevision: (range) => inner.rangeRevision(range),
    tracksRevisions: inner.tracksRevisions,
    put: (key: Key, value: Stored) => {
      note({ key });
      inner.put(key, value);
    },
    delete: (key) => {
      note({ key });
      inner.delete(key);
    },
    deleteRange: (range, work) => {
      note({ range });
      return inner.deleteRange(range, work);
    },
    append: (prefix, value) => {
      note({ appendedTo: prefix });
      inner.append(prefix, value);
    },
    afterCommit: (callback) => inner.afterCommit(callback),
    local: (of, make) => inner.local(of, make),
    charge: (bytes) => inner.charge(bytes),
    beforeCommit: (callback) => inner.beforeCommit(callback),
    savepoint: () => {
      const savepoint = inner.savepoint();
      savepoints.set(savepoint, writes);
      return savepoint;
    },
    rollback: (to) => {
      writes = savepoints.get(to) ?? [];
      inner.rollback(to);
    },
    commit: () => {
      if (writes.length > 0) inner.append(OWN_LOG, true);
      return inner.commit();
    },
    cancel: () => inner.cancel(),
    reserve: () => inner.reserve(),
  };
}

function keysOf(writes: readonly Write[], stamp: Versionstamp): Key[] {
  const keys: Key[] = [];
  let appended = 0;
  for (const write of writes) {
    if ('key' in write) keys.push(write.key);
    else if ('appendedTo' in write) {
      keys.push(`${write.appendedTo}${stampBytes(stamp)}\0\0${String.fromCharCode(appended >> 8, appended & 0xff)}`);
      appended++;
    }
  }
  return keys;
}

/** An engine whose calls now and then are never answered, are answered twice, or fail, before or after they were carried out. */
import type { PromiseOrValue } from '../../src/base/promise-or-value.js';
import { failure } from '../../src/errors/error.js';
import type { BeginOptions, Engine, Entry, Key, KeyRange, Prefetch, Stored } from '../../src/storage/contract.js';
import type { MemoryEngine } from '../../src/storage/memory/memory.js';
import { callAll } from '../../src/storage/transaction/after-commit.js';
import type { ReadValues, Snapshot, SnapshotCursor } from '../../src/storage/transaction/snapshot.js';
import { type Committer, SnapshotTransaction } from '../../src/storage/transaction/transaction.js';

export type Fault = 'none' | 'silent' | 'failed' | 'failed afterwards' | 'twice';

/** Draws the outcome of each call. */
export type Faults = () => Fault;

const never = <T>() => new Promise<T>(() => undefined);
const broken = () => failure('storage_unavailable', { reason: 'the connection broke' });

/** Does the work of a call, and answers in a later turn as the fault has it. */
function answered<T>(fault: Fault, work: () => PromiseOrValue<T>, again?: () => void): Promise<T> {
  if (fault === 'failed') return later().then(() => Promise.reject(broken()));
  const done = new Promise<T>((resolve) => resolve(work()));
  done.catch(() => undefined);
  switch (fault) {
    case 'silent':
      return never();
    case 'failed afterwards':
      return later().then(() => Promise.reject(broken()));
    case 'twice':
      return later().then(async () => {
        const value = await done;
        again?.();
        return value;
      });
    case 'none':
      return later().then(() => done);
  }
}

function later(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

export class FaultyEngine implements Engine {
  readonly name = 'faulty';
  readonly isVolatile = true;

  constructor(
    private readonly inner: MemoryEngine,
    private readonly faults: Faults,
  ) {}

  get commitFeed() {
    return this.inner.commitFeed;
  }

  get changedAt(): bigint {
    return this.inner.changedAt;
  }

  begin(options: BeginOptions): Promise<SnapshotTransaction> {
    const fault = this.faults();
    // What never comes to this process holds nothing in it.
    if (fault === 'silent') return never();
    if (fault === 'failed afterwards') return answered('failed', () => never());
    return answered(fault, () => {
      const snapshot = new FaultySnapshot(this.inner.snapshot(), this.faults);
      return options.writable
        ? new SnapshotTransaction(snapshot, faultyCommitter(this.inner.committer(options), this.faults), options)
        : new SnapshotTransaction(snapshot, undefined, options);
    });
  }

  check(): Promise<void> {
    return answered(this.faults(), () => this.inner.check());
  }

  close(): Promise<void> {
    return this.inner.close();
  }
}

class FaultySnapshot implements Snapshot {
  constructor(
    private readonly inner: Snapshot,
    private readonly faults: Faults,
  ) {}

  get(key: Key): Promise<Stored | undefined> {
    return answered(this.faults(), () => this.inner.get(key));
  }

  getMany(keys: readonly Key[]): Promise<(Stored | undefined)[]> {
    return answered(this.faults(), () => this.inner.getMany(keys));
  }

  hasMany(keys: readonly Key[]): Promise<boolean[]> {
    return answered(this.faults(), () => this.inner.hasMany(keys));
  }

  scan(range: KeyRange, reverse: boolean, keysOnly: boolean): SnapshotCursor {
    const cursor = this.inner.scan(range, reverse, keysOnly);
    return {
      read: (entries: Entry[], limit: number): Promise<void> =>
        answered(this.faults(), () => cursor.read(entries, limit)),
      readValues: (limit: number): Promise<ReadValues> => answered(this.faults(), () => cursor.readValues(limit)),
    };
  }

  count(range: KeyRange): Promise<number> {
    return answered(this.faults(), () => this.inner.count(range));
  }

  readonly prefetch = (_: Prefetch): Promise<void> => answered(this.faults(), () => undefined);

  release(): void {
    this.inner.release();
  }
}

function faultyCommitter(inner: Committer, faults: Faults): Committer {
  return {
    ...(inner.followers !== undefined && { followers: inner.followers }),
    commit(reads, writes, until) {
      const fault = faults();
      if (fault === 'failed') inner.abandon();
      return answered(
        fault,
        () => inner.commit(reads, writes, until),
        () => callAll(writes.afterCommit, inner.lastStamp()),
      );
    },
    abandon: () => inner.abandon(),
    lastStamp: () => inner.lastStamp(),
    reserve: (reads, writes) => answered(faults(), () => inner.reserve(reads, writes)),
  };
}

/**
 * Commits of this node go out in groups: those that come while one is under way make up the next. So a store that takes milliseconds to make
 * a commit durable still takes hundreds of them at once.
 */
import { failure } from '../../errors/error.js';
import { LAST_POSITION } from '../append.js';
import type { Key, KeyRange, Versionstamp } from '../contract.js';
import { type HeadLocks, headLocks } from './heads.js';
import { type CommitGroup, type CommitOutcome, type CommitRequest, OutcomeUnknown, type RemoteStore } from './store.js';

/** At most this many commits go out together. */
const GROUP_SIZE = 256;
/** A group takes no more commits beyond this many changes. */
const GROUP_CHANGES = 4_096;

interface WaitingCommit {
  readonly request: CommitRequest;
  readonly settled: (stamp: Versionstamp) => void;
  readonly failed: (error: unknown) => void;
}

/** Commits under the same heads, one group of them under way at a time. */
interface Lane {
  readonly heads: HeadLocks | 'all';
  waiting: WaitingCommit[];
}

export class GroupCommitter {
  readonly #store: RemoteStore;
  readonly #lanes = new Map<string, Lane>();
  #groups = 0n;
  #closed = false;
  #idle: (() => void)[] = [];

  constructor(store: RemoteStore) {
    this.#store = store;
  }

  /**
   * Calls `settled` with the versionstamp as soon as the commit is durable, before any commit that comes later under the same heads.
   * @throws TesseraError `transaction_conflict`, `storage_unavailable`, `commit_outcome_unknown`
   */
  submit(request: CommitRequest, applied: (stamp: Versionstamp) => void): Promise<void> {
    if (this.#closed) return Promise.reject(failure('storage_unavailable', { reason: 'it has been closed' }));
    const { changes, appended, keysRead, rangesRead } = request;
    const written = [...changes.map(([key]) => key), ...appended.map(({ prefix }) => prefix)];
    const heads = headLocks(written, keysRead, rangesRead);
    return new Promise((resolve, reject) => {
      const settled = (stamp: Versionstamp) => {
        applied(stamp);
        resolve();
      };
      const name = heads === 'all' ? heads : `${heads.written} ${heads.read}`;
      const lane = this.#lanes.get(name);
      if (lane !== undefined) {
        lane.waiting.push({ request, settled, failed: reject });
        return;
      }
      const opened: Lane = { heads, waiting: [{ request, settled, failed: reject }] };
      this.#lanes.set(name, opened);
      void this.#run(name, opened);
    });
  }

  /** Refuses what comes, and waits until what is under way has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#lanes.size > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  async #run(name: string, lane: Lane): Promise<void> {
    while (lane.waiting.length > 0) {
      const { taken, later } = compatible(lane.waiting);
      lane.waiting = later;
      await this.#apply(lane.heads, taken);
    }
    this.#lanes.delete(name);
    if (this.#lanes.size === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  async #apply(heads: HeadLocks | 'all', taken: readonly WaitingCommit[]): Promise<void> {
    const group: CommitGroup = { number: ++this.#groups, heads, commits: taken.map(({ request }) => request) };
    try {
      const outcomes = await this.#outcomes(group);
      for (const [index, commit] of taken.entries()) {
        const outcome = outcomes[index]!;
        if (outcome === 'conflict') commit.failed(failure('transaction_conflict'));
        else commit.settled(outcome);
      }
    } catch (error) {
      for (const { failed } of taken) failed(error);
    }
  }

  async #outcomes(group: CommitGroup): Promise<readonly CommitOutcome[]> {
    try {
      return await this.#store.apply(group);
    } catch (error) {
      if (!(error instanceof OutcomeUnknown)) throw error;
    }
    const settled = await this.#store.settle(group);
    // Trying it again is up to the statement, which is told that nothing of it was done.
    if (settled === 'not applied') throw failure('storage_unavailable', { reason: 'the connection was lost' });
    return settled;
  }
}

/**
 * The commits that can go out together, the first ones first: none has written or read what an earlier one writes. One that has is judged after
 * that one, by the store's log.
 */
function compatible(waiting: readonly WaitingCommit[]): {
  readonly taken: readonly WaitingCommit[];
  readonly later: WaitingCommit[];
} {
  const taken: WaitingCommit[] = [];
  const later: WaitingCommit[] = [];
  const writes = new GroupWrites();
  for (const commit of waiting) {
    const isFull = taken.length === GROUP_SIZE || (taken.length > 0 && writes.size > GROUP_CHANGES);
    if (isFull || writes.meet(commit.request)) {
      later.push(commit);
    } else {
      writes.add(commit.request);
      taken.push(commit);
    }
  }
  return { taken, later };
}

/** What the commits of a group write. */
class GroupWrites {
  readonly #keys = new Set<Key>();
  /** Under these, entries are appended, whose keys aren't known yet. */
  readonly #prefixes = new Set<Key>();

  get size(): number {
    return this.#keys.size;
  }

  add({ changes, appended }: CommitRequest): void {
    for (const [key] of changes) this.#keys.add(key);
    for (const { prefix } of appended) this.#prefixes.add(prefix);
  }

  /** Whether a commit writes or reads any of it. Two that append under one prefix don't meet. */
  meet({ changes, keysRead, rangesRead }: CommitRequest): boolean {
    if (this.#keys.size === 0 && this.#prefixes.size === 0) return false;
    if (changes.some(([key]) => this.#keys.has(key)) || keysRead.some((key) => this.#keys.has(key))) return true;
    return rangesRead.some((range) => this.#isIn(range));
  }

  #isIn({ from, to }: KeyRange): boolean {
    for (const key of this.#keys) if (key >= from && key < to) return true;
    for (const prefix of this.#prefixes) if (prefix < to && prefix + LAST_POSITION >= from) return true;
    return false;
  }
}

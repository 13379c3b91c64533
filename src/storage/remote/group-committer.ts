/**
 * Commits of this node go out in groups: those that come while one is under way make up the next. So a store that takes
 * milliseconds to make a commit durable still takes hundreds of them at once.
 */
import type { Timers } from '../../env/environment.js';
import { failure, messageOf, TesseraError } from '../../errors/error.js';
import type { Key, KeyRange, Versionstamp } from '../contract.js';
import { LAST_POSITION } from '../transaction/append.js';
import type { Head, HeadLocks } from './heads.js';
import {
  type CommitGroup,
  type CommitOutcome,
  type CommitRequest,
  GroupTooOld,
  OutcomeUnknown,
  type RemoteStore,
} from './store.js';

/** At most this many commits go out together. */
const GROUP_SIZE = 256;
/** A group takes no more commits beyond this many changes, or bytes of changes. */
const GROUP_CHANGES = 4_096;
const GROUP_BYTES = 4 * 1024 * 1024;
/**
 * Delays in milliseconds between questions for the outcome of a group; together about as long as a server takes to
 * start again.
 */
const SETTLE_DELAYS = [50, 100, 200, 400, 800, 1_600, 1_850];

interface WaitingCommit {
  readonly request: CommitRequest;
  readonly settled: (stamp: Versionstamp) => void;
  readonly failed: (error: unknown) => void;
}

/** Commits under the same heads. */
interface Lane {
  readonly heads: HeadLocks;
  waiting: WaitingCommit[];
  isUnderWay: boolean;
}

export class GroupCommitter {
  readonly #store: RemoteStore;
  readonly #timers: Timers;
  /** The one that has waited longest comes first. */
  readonly #lanes = new Map<string, Lane>();
  #groups = 0n;
  #closed = false;
  #idle: (() => void)[] = [];

  constructor(store: RemoteStore, timers: Timers) {
    this.#store = store;
    this.#timers = timers;
  }

  /**
   * Calls `applied` with the versionstamp as soon as the commit is durable, before any commit that comes later under
   * the same heads.
   * @throws TesseraError `transaction_conflict`, `storage_unavailable`, `commit_outcome_unknown`
   */
  submit(request: CommitRequest, applied: (stamp: Versionstamp) => void): Promise<void> {
    if (this.#closed) return Promise.reject(failure('storage_unavailable', { reason: 'it has been closed' }));
    const { heads } = request;
    return new Promise((resolve, reject) => {
      const settled = (stamp: Versionstamp) => {
        applied(stamp);
        resolve();
      };
      const name = `${heads.written} ${heads.read}`;
      const lane = this.#lanes.get(name);
      if (lane !== undefined) {
        lane.waiting.push({ request, settled, failed: reject });
        return;
      }
      this.#lanes.set(name, { heads, waiting: [{ request, settled, failed: reject }], isUnderWay: false });
      this.#start();
    });
  }

  /** Refuses new commits, and waits until pending groups have ended. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#lanes.size > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /**
   * Sends the groups that don't write under a head of one under way, so that answers come in the order of commits under
   * each head.
   */
  #start(): void {
    const busy = new Set<Head>();
    for (const { isUnderWay, heads } of this.#lanes.values())
      if (isUnderWay) for (const head of heads.written) busy.add(head);
    for (const [name, lane] of this.#lanes) {
      if (lane.isUnderWay) continue;
      const { written } = lane.heads;
      if (!written.some((head) => busy.has(head))) void this.#run(name, lane);
      // A later group doesn't overtake one that waits for several heads.
      for (const head of written) busy.add(head);
    }
  }

  async #run(name: string, lane: Lane): Promise<void> {
    lane.isUnderWay = true;
    const { taken, later } = compatible(lane.waiting);
    lane.waiting = later;
    await this.#apply(lane.heads, taken);
    lane.isUnderWay = false;
    this.#lanes.delete(name);
    if (lane.waiting.length > 0) this.#lanes.set(name, lane);
    this.#start();
    if (this.#lanes.size === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  async #apply(heads: HeadLocks, taken: readonly WaitingCommit[]): Promise<void> {
    try {
      const commits = taken.map(({ request }) => request);
      const outcomes = await this.#outcomes(heads, commits);
      for (const [index, commit] of taken.entries()) {
        const outcome = outcomes[index]!;
        if (outcome === 'conflict') commit.failed(failure('transaction_conflict'));
        else commit.settled(outcome);
      }
    } catch (error) {
      for (const { failed } of taken) failed(error);
    }
  }

  async #outcomes(heads: HeadLocks, commits: readonly CommitRequest[]): Promise<readonly CommitOutcome[]> {
    for (;;) {
      const group: CommitGroup = { number: ++this.#groups, known: this.#store.known, heads, commits };
      try {
        return await this.#store.apply(group);
      } catch (error) {
        if (error instanceof OutcomeUnknown) return this.#settledOutcomes(group, error.ifNotApplied);
        if (!(error instanceof GroupTooOld)) throw error;
      }
      // No answer of the store has come for long.
      await this.#store.headsAbove(group.known);
    }
  }

  async #settledOutcomes(group: CommitGroup, ifNotApplied: TesseraError): Promise<readonly CommitOutcome[]> {
    const settled = await this.#settle(group);
    // Nothing of it was done: a retry is up to the statement.
    if (settled === 'not applied') throw ifNotApplied;
    return settled;
  }

  async #settle(group: CommitGroup): Promise<readonly CommitOutcome[] | 'not applied'> {
    let cause: unknown;
    for (const delay of SETTLE_DELAYS) {
      try {
        return await this.#store.settle(group);
      } catch (error) {
        if (error instanceof TesseraError && error.code === 'commit_outcome_unknown') throw error;
        cause = error;
      }
      await this.#timers.wait(delay);
    }
    const reason = messageOf(cause);
    throw failure('commit_outcome_unknown', { reason }, { cause });
  }
}

/**
 * The commits that can go out together, the first ones first: none has written or read what an earlier one writes. One
 * that has is judged after that one, by the store's log.
 */
function compatible(waiting: readonly WaitingCommit[]): {
  readonly taken: readonly WaitingCommit[];
  readonly later: WaitingCommit[];
} {
  const taken: WaitingCommit[] = [];
  const later: WaitingCommit[] = [];
  const writes = new GroupWrites();
  for (const commit of waiting) {
    const isFull = taken.length === GROUP_SIZE || (taken.length > 0 && writes.isFullFor(commit.request));
    if (isFull || writes.meet(commit.request)) {
      later.push(commit);
    } else {
      writes.add(commit.request);
      taken.push(commit);
    }
  }
  return { taken, later };
}

/** The writes of a group's commits. */
class GroupWrites {
  readonly #keys = new Set<Key>();
  /** Under these, entries are appended, whose keys aren't known yet. */
  readonly #prefixes = new Set<Key>();

  #bytes = 0;

  isFullFor({ size }: CommitRequest): boolean {
    return this.#keys.size > GROUP_CHANGES || this.#bytes + size > GROUP_BYTES;
  }

  add({ changes, appended, size }: CommitRequest): void {
    this.#bytes += size;
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

/**
 * Commits of this node go out in groups: those that come while one is under way make up the next, of one database or of
 * several. So a store that takes milliseconds to make a commit durable still takes hundreds of them at once.
 */
import type { Timers } from '../../env/environment.js';
import { failure, messageOf, TesseraError } from '../../errors/error.js';
import type { Key, KeyRange, Versionstamp } from '../contract.js';
import { LAST_POSITION } from '../transaction/append.js';
import { type Head, type HeadLocks, ROOT_HEAD } from './heads.js';
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

/** A commit of more changes, or bytes, goes out with those of its own database at the most: it takes long. */
const LARGE_CHANGES = 256;
const LARGE_BYTES = 64 * 1024;
/** Groups under way of one database each, which wait for the locks of their heads. */
const MOST_WAITING = 3;
/** After so many attempts in a row at which its head was locked, a database waits for the lock. */
const MOST_REFUSALS = 3;
/** Milliseconds until locked heads are tried again, while others wait for theirs. */
const RETRY_DELAY = 2;

interface WaitingCommit {
  readonly request: CommitRequest;
  readonly settled: (stamp: Versionstamp) => void;
  readonly failed: (error: unknown) => void;
}

/** Commits under the same heads, or those of one database. */
interface Lane {
  readonly name: string;
  readonly heads: HeadLocks;
  /** Whether it is that of one database, whose commits may go out together with those of others. */
  readonly isShared: boolean;
  waiting: WaitingCommit[];
  isUnderWay: boolean;
  /** How often in a row its head was locked, and when that was last so (`#attempt`). */
  refusals: number;
  refusedAt: number;
}

interface TakenCommit extends WaitingCommit {
  readonly lane: Lane;
}

export class GroupCommitter {
  readonly #store: RemoteStore;
  readonly #timers: Timers;
  /** The one that has waited longest comes first. */
  readonly #lanes = new Map<string, Lane>();
  #groups = 0n;
  /** Whether a group of several databases is under way: with more at a time they would be smaller. */
  #isTogether = false;
  /** Groups under way that wait for the lock of one database. */
  #waiting = 0;
  /** Counts the moments at which locked heads may be free again. */
  #attempt = 0;
  #stopRetry: (() => void) | undefined;
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
      const commit = { request, settled, failed: reject };
      const isShared = isOfOneDatabase(heads);
      const name = isShared ? `${heads.written}` : `${heads.written} ${heads.read}`;
      const lane = this.#lanes.get(name);
      if (lane !== undefined) {
        lane.waiting.push(commit);
        return;
      }
      const waiting = [commit];
      this.#lanes.set(name, { name, heads, isShared, waiting, isUnderWay: false, refusals: 0, refusedAt: 0 });
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
    const shared: Lane[] = [];
    for (const lane of this.#lanes.values()) {
      if (lane.isUnderWay) continue;
      const { written } = lane.heads;
      if (!written.some((head) => busy.has(head))) {
        if (lane.isShared) shared.push(lane);
        else void this.#run([lane], true);
      }
      // A later group doesn't overtake one that waits for several heads.
      for (const head of written) busy.add(head);
    }
    this.#startShared(shared);
  }

  /**
   * A database by itself waits for the lock of its head. So does one that was locked often, or has a large commit.
   * Several go out together, and wait for none, so that they aren't held up by one of them.
   */
  #startShared(lanes: readonly Lane[]): void {
    const others: Lane[] = [];
    for (const lane of lanes) {
      if (lane.refusals < MOST_REFUSALS && !isLarge(lane.waiting[0]!.request)) others.push(lane);
      else if (this.#waiting < MOST_WAITING) void this.#runWaiting(lane);
    }
    const [first] = others;
    if (first === undefined) return;
    const isAnyFree = others.some(({ refusals, refusedAt }) => refusals === 0 || refusedAt < this.#attempt);
    const isAlone = others.length === 1 && this.#waiting === 0;
    if (isAlone || (!isAnyFree && this.#waiting < MOST_WAITING)) void this.#runWaiting(first);
    else if (!isAnyFree) this.#retryLater();
    else if (!this.#isTogether) void this.#runTogether(others);
  }

  #retryLater(): void {
    this.#stopRetry ??= this.#timers.after(RETRY_DELAY, () => {
      this.#stopRetry = undefined;
      this.#attempt++;
      this.#start();
    });
  }

  async #runWaiting(lane: Lane): Promise<void> {
    this.#waiting++;
    await this.#run([lane], true, () => {
      this.#waiting--;
      this.#attempt++;
    });
  }

  async #runTogether(lanes: readonly Lane[]): Promise<void> {
    this.#isTogether = true;
    await this.#run(lanes, false, () => {
      this.#isTogether = false;
    });
  }

  /** Sends a group of what can go out together of some lanes; `ended` is called before the next ones are sent. */
  async #run(lanes: readonly Lane[], waits: boolean, ended?: () => void): Promise<void> {
    const taken = takeCompatible(lanes, waits);
    const used = new Set(taken.map(({ lane }) => lane));
    for (const lane of used) lane.isUnderWay = true;
    await this.#apply(union(taken), waits, taken);
    for (const lane of used) {
      lane.isUnderWay = false;
      this.#lanes.delete(lane.name);
      if (lane.waiting.length > 0) this.#lanes.set(lane.name, lane);
    }
    ended?.();
    this.#start();
    if (this.#lanes.size === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  async #apply(heads: HeadLocks, waits: boolean, taken: readonly TakenCommit[]): Promise<void> {
    const locked = new Map<Lane, WaitingCommit[]>();
    try {
      const outcomes = await this.#outcomes(
        heads,
        waits,
        taken.map(({ request }) => request),
      );
      for (const [index, commit] of taken.entries()) {
        const outcome = outcomes[index]!;
        if (outcome === 'locked') {
          locked.set(commit.lane, [...(locked.get(commit.lane) ?? []), commit]);
          continue;
        }
        commit.lane.refusals = 0;
        if (outcome === 'conflict') commit.failed(failure('transaction_conflict'));
        else commit.settled(outcome);
      }
    } catch (error) {
      for (const { failed } of taken) failed(error);
    }
    for (const [lane, commits] of locked) {
      lane.waiting.unshift(...commits);
      lane.refusals++;
      lane.refusedAt = this.#attempt;
    }
  }

  async #outcomes(
    heads: HeadLocks,
    waits: boolean,
    commits: readonly CommitRequest[],
  ): Promise<readonly CommitOutcome[]> {
    for (;;) {
      const group: CommitGroup = { number: ++this.#groups, known: this.#store.known, heads, waits, commits };
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

/** Whether a commit writes under the head of one database, and reads under no other but the root's. */
function isOfOneDatabase({ written, read }: HeadLocks): boolean {
  return written.length === 1 && written[0] !== ROOT_HEAD && read !== 'all' && read.every((head) => head === ROOT_HEAD);
}

function isLarge({ changes, size }: CommitRequest): boolean {
  return changes.length > LARGE_CHANGES || size > LARGE_BYTES;
}

/** What the commits of a group lock together: several of one database each, or some that lock the same. */
function union(commits: readonly TakenCommit[]): HeadLocks {
  const [{ lane, request: first }] = commits as [TakenCommit];
  if (!lane.isShared) return first.heads;
  const written = new Set(commits.map(({ request }) => request.heads.written[0]!));
  const readsRoot = commits.some(({ request: { heads } }) => heads.read.length > 0);
  return { written: [...written].sort((a, b) => a - b), read: readsRoot ? [ROOT_HEAD] : [] };
}

/**
 * Takes the commits that can go out together, the first ones first: none has written or read what an earlier one
 * writes. One that has is judged after that one, by the store's log.
 */
function takeCompatible(lanes: readonly Lane[], waits: boolean): readonly TakenCommit[] {
  const taken: TakenCommit[] = [];
  const writes = new GroupWrites();
  for (const lane of lanes) {
    const later: WaitingCommit[] = [];
    for (const commit of lane.waiting) {
      const isFull = taken.length === GROUP_SIZE || (taken.length > 0 && writes.isFullFor(commit.request));
      if (isFull || (!waits && isLarge(commit.request)) || writes.meet(commit.request)) later.push(commit);
      else {
        writes.add(commit.request);
        taken.push({ ...commit, lane });
      }
    }
    lane.waiting = later;
  }
  return taken;
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

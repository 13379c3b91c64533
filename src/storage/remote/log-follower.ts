/** Delivers the commits of all nodes in order, found by polling the log of the store. */
import type { Clock, Timers } from '../../env/environment.js';
import { failure, TesseraError } from '../../errors/error.js';
import type { CommitFollower, FollowedCommit, SharedStore, Versionstamp } from '../contract.js';
import type { Head } from './heads.js';
import type { HeadStamps, LogRow, LogSlice, RemoteStore } from './store.js';

/**
 * Heads below the greatest versionstamp by more than this (200 ms) rarely move: a commit takes its versionstamp and is
 * visible within that time.
 */
const SETTLED_BELOW = 200n << 16n;

/** The conclusions from an answer of `RemoteStore.headsAbove`. */
type HeadMovement =
  /** The slices of the log committed since, by head. */
  | readonly LogSlice[]
  /** A head has moved that isn't in the answer: all have to be requested. */
  | 'incomplete'
  /** The store was reset to an earlier state, as by restoring a backup. */
  | 'restored';

/**
 * Up to where the log of each head has been read. Which heads have moved is found without listing all of them: the
 * store lists those that moved lately, and sums up the others, whose sum is known here.
 */
class HeadPositions {
  readonly #positions = new Map<Head, Versionstamp>();
  #sum = 0n;
  #greatest: Versionstamp = 0n;

  /** The versionstamp above which heads are to be requested. */
  get settled(): Versionstamp {
    return this.#greatest > SETTLED_BELOW ? this.#greatest - SETTLED_BELOW : 0n;
  }

  /** @param answer above `settled`, or above 0, which is all heads under which anything was committed */
  movement({ stamps, sumOfOthers }: HeadStamps): HeadMovement {
    const slices: LogSlice[] = [];
    let known = 0n;
    for (const [head, upTo] of stamps) {
      const after = this.#positions.get(head) ?? 0n;
      known += after;
      if (upTo < after) return 'restored';
      if (upTo > after) slices.push({ head, after, upTo });
    }
    const others = this.#sum - known;
    if (sumOfOthers < others) return 'restored';
    return sumOfOthers > others ? 'incomplete' : slices;
  }

  /** What is left of some slices. */
  unread(slices: readonly LogSlice[]): LogSlice[] {
    return slices
      .map(({ head, upTo }) => ({ head, after: this.#positions.get(head) ?? 0n, upTo }))
      .filter(({ after, upTo }) => after < upTo);
  }

  advance(head: Head, to: Versionstamp): void {
    const before = this.#positions.get(head) ?? 0n;
    this.#positions.set(head, to);
    this.#sum += to - before;
    if (to > this.#greatest) this.#greatest = to;
  }

  /** Forgets all, and begins where all heads stand now. */
  reset({ stamps }: HeadStamps): void {
    this.#positions.clear();
    this.#sum = 0n;
    this.#greatest = 0n;
    for (const [head, stamp] of stamps) this.advance(head, stamp);
  }
}

/** Milliseconds between two polls, at least and as a rule; a commit of this node ends the wait after the least. */
const LEAST_PAUSE = 5;
const PAUSE = 25;
/** The longest pause, while the store doesn't answer. */
const LONGEST_PAUSE = 1_000;

interface CatchUp {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Follows the log of all heads by polling, as long as there are followers. Log rows become visible in the order of
 * versionstamps under each head, since a commit holds the lock of its heads from when it takes its versionstamp until
 * it is visible: nothing appears later before a position that was read.
 */
export class LogFollower implements SharedStore {
  readonly node: string;
  readonly #store: RemoteStore;
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #positions = new HeadPositions();
  readonly #followers = new Set<CommitFollower>();
  #caughtUpAt = Number.NEGATIVE_INFINITY;
  #starting: Promise<void> | undefined;
  /** Those that wait for a poll that hasn't begun. */
  #waiting: CatchUp[] = [];
  /** Whether the next poll comes as soon as it may. */
  #isDue = false;
  #endPause: (() => void) | undefined;
  #isPolling = false;
  #closed = false;
  readonly #companion: CommitFollower;

  /** `companion` gets all deliveries, but doesn't cause any. */
  constructor(
    store: RemoteStore,
    { clock, timers }: { readonly clock: Clock; readonly timers: Timers },
    companion: CommitFollower,
  ) {
    this.node = store.node;
    this.#store = store;
    this.#companion = companion;
    this.#clock = clock;
    this.#timers = timers;
  }

  get caughtUpAt(): number {
    return this.#caughtUpAt;
  }

  async follow(follower: CommitFollower): Promise<() => void> {
    this.#mustBeOpen();
    if (!this.#isPolling) {
      this.#starting ??= this.#start().finally(() => {
        this.#starting = undefined;
      });
      await this.#starting;
      this.#mustBeOpen();
    }
    this.#followers.add(follower);
    if (!this.#isPolling) void this.#poll();
    return () => {
      this.#followers.delete(follower);
      if (this.#followers.size === 0) this.wake();
    };
  }

  async catchUp(): Promise<void> {
    this.#mustBeOpen();
    if (!this.#isPolling) return;
    const caughtUp = new Promise<void>((resolve, reject) => this.#waiting.push({ resolve, reject }));
    this.wake();
    await caughtUp;
  }

  async prune(): Promise<boolean> {
    this.#mustBeOpen();
    return this.#store.prune();
  }

  async time(): Promise<bigint> {
    this.#mustBeOpen();
    return this.#store.time();
  }

  /** This node has committed: its followers needn't wait for the next poll. */
  wake(): void {
    this.#isDue = true;
    this.#endPause?.();
  }

  close(): void {
    this.#closed = true;
    this.wake();
  }

  /** Notes the positions of all heads, from which on commits are delivered. */
  async #start(): Promise<void> {
    const startedAt = this.#clock.monotonic();
    this.#positions.reset(await this.#store.headsAbove(0n));
    this.#caughtUpAt = startedAt;
  }

  async #poll(): Promise<void> {
    this.#isPolling = true;
    let pause = PAUSE;
    while (this.#followers.size > 0 && !this.#closed) {
      this.#isDue = false;
      const waiting = this.#waiting.splice(0);
      const startedAt = this.#clock.monotonic();
      try {
        await this.#deliverMoved();
        this.#caughtUpAt = startedAt;
        pause = PAUSE;
        for (const { resolve } of waiting) resolve();
      } catch (error) {
        // Anything else is an error of a follower.
        if (!(error instanceof TesseraError)) throw error;
        pause = Math.min(pause * 2, LONGEST_PAUSE);
        for (const { reject } of waiting) reject(error);
      }
      await this.#pause(pause);
    }
    this.#isPolling = false;
    for (const { resolve, reject } of this.#waiting.splice(0)) {
      if (this.#closed) reject(closed());
      else resolve();
    }
  }

  async #pause(milliseconds: number): Promise<void> {
    await new Promise<void>((resolve) => void this.#timers.after(LEAST_PAUSE, resolve));
    if (this.#isDue) return;
    await new Promise<void>((resolve) => {
      const stop = this.#timers.after(milliseconds - LEAST_PAUSE, resolve);
      this.#endPause = () => {
        stop();
        resolve();
      };
    });
    this.#endPause = undefined;
  }

  async #deliverMoved(): Promise<void> {
    let movement = this.#positions.movement(await this.#store.headsAbove(this.#positions.settled));
    if (movement === 'incomplete') movement = this.#positions.movement(await this.#store.headsAbove(0n));
    if (movement === 'incomplete' || movement === 'restored') return this.#skip();
    let isLast = movement.length === 0;
    while (!isLast && !this.#closed) {
      const page = await this.#store.log(this.#positions.unread(movement));
      if (page.isGap) return this.#skip();
      for (const { head, stamp } of page.rows) this.#positions.advance(head, stamp);
      if (page.isLast) for (const { head, upTo } of movement) this.#positions.advance(head, upTo);
      const commits = commitsOf(page.rows, this.node);
      if (commits.length > 0) for (const follower of [this.#companion, ...this.#followers]) follower.onCommits(commits);
      isLast = page.isLast;
    }
  }

  /** Continues from the current positions of the heads. */
  async #skip(): Promise<void> {
    this.#positions.reset(await this.#store.headsAbove(0n));
    for (const follower of [this.#companion, ...this.#followers]) follower.onGap();
  }

  #mustBeOpen(): void {
    if (this.#closed) throw closed();
  }
}

function closed(): TesseraError {
  return failure('storage_unavailable', { reason: 'it has been closed' });
}

/** Joins the rows of each commit. */
function commitsOf(rows: readonly LogRow[], node: string): FollowedCommit[] {
  const commits: FollowedCommit[] = [];
  for (let at = 0; at < rows.length; ) {
    const first = rows[at]!;
    let end = at + 1;
    while (end < rows.length && isSameCommit(first, rows[end]!)) end++;
    const parts = rows.slice(at, end);
    const keys = parts.length === 1 ? first.keys : parts.flatMap((row) => row.keys);
    const ranges = parts.length === 1 ? first.ranges : parts.flatMap((row) => row.ranges);
    commits.push({ versionstamp: first.stamp, isOwn: first.node === node, keys, ranges });
    at = end;
  }
  return commits;
}

function isSameCommit(one: LogRow, other: LogRow): boolean {
  return one.stamp === other.stamp && one.node === other.node && one.part === other.part && one.place === other.place;
}

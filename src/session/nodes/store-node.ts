/** The tasks of a node of a shared store: following commits, membership, pruning the log. */
import { FAILURES_PREFIX, REMOVED_SIGNALS_KEY, SIGNAL_LOG } from '../../catalog/keys/node-keys.js';
import { databaseOfQueuedEvent, databaseOfWaitingMail, INDEX_QUEUE } from '../../catalog/keys/store-keys.js';
import { DATABASE_GROUPS, type DatabaseWork, workOnGroup } from '../../catalog/nodes/lease-row.js';
import { SIGNALS_KEPT_FOR } from '../../catalog/nodes/signals.js';
import type { Clock } from '../../env/environment.js';
import { failure, type TesseraError } from '../../errors/error.js';
import type { CommitFollower, SharedStore } from '../../storage/contract.js';
import { RESERVATIONS_PREFIX } from '../../storage/remote/shared-reservations.js';
import { BackgroundRounds, type BackgroundServices } from '../background/background-rounds.js';
import { DatabaseLeases } from '../background/lease.js';
import { LimitExpiry } from './limit-expiry.js';
import { LogExpiry } from './log-expiry.js';
import { Membership, type MembershipOptions } from './membership.js';
import { SharedFailures } from './shared-failures.js';
import { SharedLimits } from './shared-limits.js';

/** Milliseconds between two rounds of pruning the log of commits, and between two steps of a round. */
const PRUNING_INTERVAL = 60_000;
const PRUNING_PAUSE = 50;
/** For how many milliseconds failed sign-ins and reservations are kept. */
const KEPT_FOR = 30_000;
/** Maximum milliseconds by which running background work may delay its take-over by another node. */
const LAST_WORK = 5_000;

export class StoreNode {
  readonly membership: Membership;
  readonly failures: SharedFailures;
  readonly limits: SharedLimits;
  readonly #services: Omit<BackgroundServices, 'leases'>;
  readonly #shared: SharedStore;
  readonly #expiry: LogExpiry;
  readonly #limitExpiry: LimitExpiry;
  readonly #pruning: BackgroundRounds;
  readonly #clockRounds: BackgroundRounds;
  readonly #unfollow: (() => void)[] = [];

  constructor(
    services: Omit<BackgroundServices, 'leases'>,
    shared: SharedStore,
    node: Pick<MembershipOptions, 'about' | 'formats' | 'forget' | 'returned'>,
  ) {
    const { environment, report, metrics } = services;
    this.#services = services;
    this.#shared = shared;
    this.membership = new Membership({ ...services, ...node, shared, report });
    this.failures = new SharedFailures(services, shared.node);
    this.limits = new SharedLimits(services.engine, environment);
    const rounds = { ...services, measure: metrics?.rounds('nodes') };
    this.#limitExpiry = new LimitExpiry(rounds, this.membership.lease('nodes'));
    this.#expiry = new LogExpiry(rounds, this.membership.lease('nodes'), [
      { prefix: FAILURES_PREFIX, keptFor: KEPT_FOR },
      { prefix: RESERVATIONS_PREFIX, keptFor: KEPT_FOR },
      { prefix: SIGNAL_LOG, keptFor: SIGNALS_KEPT_FOR, removedKey: REMOVED_SIGNALS_KEY },
    ]);
    const pruning = {
      interval: PRUNING_INTERVAL,
      startsSoon: false,
      lease: this.membership.lease('log'),
      measure: metrics?.rounds('log'),
    };
    this.#pruning = new BackgroundRounds(environment, () => this.#prune(), report, pruning);
    const clock = new ClockWatch(environment.clock, shared, report);
    const comparing = { interval: CLOCK_INTERVAL, startsSoon: false };
    this.#clockRounds = new BackgroundRounds(environment, () => clock.compare(), report, comparing);
  }

  /** The leases on a kind of work on databases. */
  leases(kind: DatabaseWork): DatabaseLeases {
    const groups = Array.from({ length: DATABASE_GROUPS }, (_, group) => workOnGroup(kind, group));
    return new DatabaseLeases(groups.map((work) => this.membership.lease(work)));
  }

  /** Follows the commits of other nodes, and takes part in the background work. */
  async join(work: QueuedWork): Promise<void> {
    for (const follower of [followWork(work), this.failures]) this.#unfollow.push(await this.#shared.follow(follower));
    await this.membership.join();
  }

  /** Hands the background work over to other nodes, after running work has ended. */
  async leave(ended: Promise<unknown>): Promise<void> {
    for (const unfollow of this.#unfollow) unfollow();
    this.failures.stop();
    const rounds = [this.#expiry, this.#limitExpiry, this.#pruning, this.#clockRounds].map((each) => each.stop());
    const all = Promise.all([ended, ...rounds]);
    await Promise.race([all, this.#services.environment.timers.wait(LAST_WORK)]);
    await this.membership.leave();
  }

  async #prune(): Promise<void> {
    while (!this.#pruning.mustEnd && (await this.#shared.prune()))
      await this.#services.environment.timers.wait(PRUNING_PAUSE);
  }
}

// Compares this server's clock with the store's. Nothing is decided by the difference; but the servers of a store issue
// tokens by their own clocks, and refuse those of others that come from too far in the future.

/** Milliseconds between two comparisons. */
const CLOCK_INTERVAL = 60_000;
/** Nanoseconds of a difference that is reported. */
const NOTEWORTHY = 1_000_000_000n;

export class ClockWatch {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #shared: Pick<SharedStore, 'time'>;
  readonly #report: (error: TesseraError) => void;
  /** A difference is reported once, until it is over. */
  #isReported = false;

  constructor(clock: Pick<Clock, 'now'>, shared: Pick<SharedStore, 'time'>, report: (error: TesseraError) => void) {
    this.#clock = clock;
    this.#shared = shared;
    this.#report = report;
  }

  async compare(): Promise<void> {
    const before = this.#clock.now();
    const time = await this.#shared.time?.();
    const after = this.#clock.now();
    if (time === undefined) return;
    // Whatever part of the call the answer took.
    const difference = time < before ? before - time : time > after ? time - after : 0n;
    const isNoteworthy = difference > NOTEWORTHY;
    if (isNoteworthy && !this.#isReported) {
      const seconds = (Number(difference / 1_000_000n) / 1_000).toFixed(1);
      this.#report(failure('clock_differs', { seconds, way: time < before ? 'ahead of' : 'behind' }));
    }
    this.#isReported = isNoteworthy;
  }
}

// Wakes this node's background work when another node has queued some.

/** Receives background work that commits of other nodes have queued. */
interface QueuedWork {
  readonly events: { queued(database: number): void; queuedAnywhere(): void };
  readonly indexes: { wake(): void };
  readonly mails: { queued(database: number): void; queuedAnywhere(): void };
}

/** Wakes background work when a commit of another node has queued some. */
function followWork({ events, indexes, mails }: QueuedWork): CommitFollower {
  const onKey = (key: string): void => {
    if (key.startsWith(INDEX_QUEUE)) indexes.wake();
    const database = databaseOfQueuedEvent(key);
    if (database !== undefined) events.queued(database);
    const mailed = databaseOfWaitingMail(key);
    if (mailed !== undefined) mails.queued(mailed);
  };
  return {
    onCommits(commits) {
      for (const { isOwn, keys, ranges } of commits) {
        if (isOwn) continue;
        for (const key of keys) onKey(key);
        if (ranges.length === 0) continue;
        // Of a large commit not all keys are known.
        events.queuedAnywhere();
        mails.queuedAnywhere();
        indexes.wake();
      }
    },
    onGap() {
      events.queuedAnywhere();
      mails.queuedAnywhere();
      indexes.wake();
    },
  };
}

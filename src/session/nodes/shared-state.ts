/** Cache coherence among nodes: what in memory a commit of another node makes stale. */
import { mayHoldFollowedKeys, readFollowedKey } from '../../catalog/keys/followed-key.js';
import type { Id } from '../../catalog/keys/key-bytes.js';
import { NODES_AREA, PRESENCE_RANGE, SIGNAL_LOG } from '../../catalog/keys/node-keys.js';
import { readSignals } from '../../catalog/nodes/signals.js';
import { type DatabasePath, isSamePath } from '../../catalog/principal.js';
import type { Environment } from '../../env/environment.js';
import type { TesseraError } from '../../errors/error.js';
import { endLive, findLive } from '../../runtime/live-statements.js';
import type { Executor } from '../../statements/executor.js';
import { CoalescedTask } from '../../storage/coalesced-task.js';
import type { CommitFollower, Engine, FollowedCommit, Transaction, Versionstamp } from '../../storage/contract.js';
import { type LogPosition, timeAfter } from '../../storage/transaction/append.js';
import type { InMemorySessionRegistry } from '../resources/session-registry.js';
import type { SharedServices } from './shared-services.js';

export interface SharedStateServices extends SharedServices {
  readonly engine: Engine;
  readonly environment: Environment;
  readonly executor: Pick<Executor, 'queryTimeout' | 'revocationFlag' | 'catalogs' | 'liveQueries' | 'liveResults'>;
  readonly registry: InMemorySessionRegistry;
  readonly report: (error: TesseraError) => void;
}

/**
 * Keeps what this process has in memory in step with a store that other nodes use, too: it follows their commits. By
 * their keys it knows which settings to read again, which sessions to re-validate, and which live queries and signals
 * have something to read.
 */
export class SharedState implements CommitFollower {
  readonly #services: SharedStateServices;
  readonly #settings: CoalescedTask;
  readonly #signals: CoalescedTask;
  /**
   * The position up to which the log of signals has been read. Signals from before this node was opened are for others.
   */
  #signalsRead: LogPosition | undefined;
  /** The last commit of any node that changed data since this node was opened. */
  #latest: Versionstamp = 0n;
  #openedAt = 0n;
  /** The last commit of any node. */
  #newest: Versionstamp = 0n;
  #unfollow: () => void = () => undefined;

  constructor(services: SharedStateServices) {
    const { environment, report } = services;
    this.#services = services;
    this.#settings = new CoalescedTask(environment.timers, () => this.#loadSettings(), report);
    this.#signals = new CoalescedTask(environment.timers, () => this.#obeySignals(), report);
  }

  /** To be called before the settings are read for the first time, so that no change of them is missed. */
  async open(): Promise<void> {
    this.#services.executor.revocationFlag.share();
    this.#unfollow = await this.#services.store.follow(this);
    this.#openedAt = this.#services.environment.clock.now();
  }

  /** Removes the stored sessions and live queries of this node, if the store answers. */
  async close(): Promise<void> {
    await this.#services.liveQueries.close();
    await this.#services.presence.close();
    this.#unfollow();
    this.#settings.stop();
    this.#signals.stop();
  }

  /**
   * Since when the data has been as a transaction shows it that has begun already, in nanoseconds since 1970: no
   * node has committed any since.
   * @throws TesseraError `storage_unavailable`
   */
  async changedAt(): Promise<bigint> {
    await this.#services.store.catchUp();
    return this.#latest === 0n ? this.#openedAt : timeAfter(this.#latest);
  }

  /**
   * A time that is past by the clock by which commits get their versionstamps, in nanoseconds since 1970: some seconds
   * ago at the most, since nodes renew their rows. The clock of this node may be another one.
   */
  get storeTime(): bigint {
    return this.#newest === 0n ? 0n : timeAfter(this.#newest);
  }

  onCommits(commits: readonly FollowedCommit[]): void {
    for (const commit of commits) {
      if (commit.versionstamp > this.#newest) this.#newest = commit.versionstamp;
      if (commit.versionstamp > this.#latest && changesData(commit)) this.#latest = commit.versionstamp;
      if (commit.ranges.length > 0) this.#followRanges(commit);
      this.#services.liveQueries.followed(commit.keys);
      for (const key of commit.keys) {
        if (key.startsWith(SIGNAL_LOG)) this.#signals.wake();
        const followed = readFollowedKey(key);
        if (followed?.kind === 'setting') this.#settings.wake();
        if (commit.isOwn) continue;
        if (key.startsWith(PRESENCE_RANGE.from)) this.#services.presence.followed(key);
        if (followed === undefined) continue;
        this.#services.registry.followed(followed, (database) => this.#pathOf(database));
      }
    }
  }

  /** The keys of a large commit aren't all known. */
  #followRanges({ ranges, isOwn }: FollowedCommit): void {
    if (isOwn) this.#services.liveQueries.followed();
    else if (ranges.some(mayHoldFollowedKeys)) this.onGap();
  }

  onGap(): void {
    const { registry, liveQueries } = this.#services;
    liveQueries.followed();
    registry.revalidateAll();
    this.readAgain();
  }

  /** Reads the current settings and signals. */
  readAgain(): void {
    this.#settings.wake();
    this.#signals.wake();
  }

  /** Known of databases in which anything has been run here. */
  #pathOf(database: Id): DatabasePath | undefined {
    const catalog = this.#services.executor.catalogs.latest(database);
    return catalog && { namespace: catalog.namespace.name, database: catalog.database.name };
  }

  #loadSettings(): Promise<void> {
    const { queryTimeout } = this.#services.executor;
    return this.#reading(async (transaction) => queryTimeout.load(transaction));
  }

  async #obeySignals(): Promise<void> {
    const { executor, registry, store } = this.#services;
    const from = this.#signalsRead;
    const read = await this.#reading(async (transaction) => readSignals(transaction, from ?? ''));
    const { signals, next, areMissing } = read;
    this.#signalsRead = next;
    if (areMissing && from !== undefined) registry.endWithoutToken();
    for (const signal of signals) {
      if (signal.node !== store.node) continue;
      if (signal.ends === 'session') {
        registry.find(signal.id)?.end();
        continue;
      }
      const live = findLive(executor, signal.id);
      if (live === undefined) continue;
      if (signal.ends === 'live-query' || isSamePath(live.databasePath, signal.databasePath)) endLive(executor, live);
    }
  }

  async #reading<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const transaction = await this.#services.engine.begin({ writable: false });
    try {
      return await work(transaction);
    } finally {
      transaction.cancel();
    }
  }
}

/** Rows that nodes write for each other aren't data. */
function changesData({ keys, ranges }: FollowedCommit): boolean {
  return ranges.length > 0 || keys.some((key) => !key.startsWith(NODES_AREA));
}

import type { PromiseOrValue } from '../../base/promise-or-value.js';
import type { DatabaseCatalog } from '../../catalog/definitions/database-catalog.js';
import { type CatalogCache, loadDatabase } from '../../catalog/definitions/load.js';
import { isLiveLogEmpty, pruneLiveLog } from '../../catalog/live/live-log.js';
import { endWatches, type WatchedDatabase, watchedDatabases } from '../../catalog/live/watched-tables.js';
import { watchedDatabaseKey } from '../../catalog/nodes/keys.js';
import { pruneSignals } from '../../catalog/nodes/signals.js';
import type { Environment } from '../../env/environment.js';
import type { Engine, Transaction } from '../../storage/contract.js';
import { withRetries } from '../../storage/retry.js';
import { BackgroundRounds, type BackgroundServices } from '../database/background-rounds.js';
import { type Lease, underLease } from './lease.js';

/** Milliseconds between two rounds. */
const INTERVAL = 30_000;

/** Deletes what nodes have left for each other and no longer need. */
export class SharedRetention {
  readonly #engine: Engine;
  readonly #catalogs: CatalogCache;
  readonly #environment: Environment;
  readonly #rounds: BackgroundRounds;
  readonly #lease: Lease | undefined;

  constructor({ engine, environment, report, lease, measure }: BackgroundServices, catalogs: CatalogCache) {
    this.#engine = engine;
    this.#catalogs = catalogs;
    this.#environment = environment;
    this.#lease = lease;
    const options = { interval: INTERVAL, startsSoon: false, lease, measure };
    this.#rounds = new BackgroundRounds(environment, () => this.prune(), report, options);
  }

  /** Prunes logs of changes and signals, and ends the watch of tables that no node has renewed. */
  async prune(): Promise<void> {
    const { clock, timers } = this.#environment;
    await this.#work((transaction) => pruneSignals(transaction, clock.now()));
    for (const watched of await this.#databases()) {
      let more = true;
      while (more && !this.#rounds.mustEnd) {
        more = await this.#work((transaction) => this.#pruneSome(transaction, watched));
        await timers.yield();
      }
    }
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  #work<T>(work: (transaction: Transaction) => PromiseOrValue<T>): PromiseOrValue<T> {
    return withRetries(this.#engine, (transaction) => underLease(this.#lease, transaction, () => work(transaction)));
  }

  /** Answers whether there may be more. */
  async #pruneSome(transaction: Transaction, watched: WatchedDatabase): Promise<boolean> {
    const { random, clock } = this.#environment;
    const catalog = await this.#catalog(transaction, watched);
    if (catalog?.database.id !== watched.id) {
      transaction.delete(watchedDatabaseKey(watched.id));
      return false;
    }
    if (await pruneLiveLog(transaction, catalog.database.id, clock.now())) return true;
    const change = { transaction, random, clock, catalogs: this.#catalogs };
    const isWatched = await endWatches(change, catalog);
    if (!isWatched && (await isLiveLogEmpty(transaction, catalog.database.id)))
      transaction.delete(watchedDatabaseKey(watched.id));
    return false;
  }

  #catalog(transaction: Transaction, { namespace, database }: WatchedDatabase): Promise<DatabaseCatalog | undefined> {
    return Promise.resolve(loadDatabase(transaction, this.#catalogs, namespace, database));
  }

  async #databases(): Promise<readonly WatchedDatabase[]> {
    const transaction = await this.#engine.begin({ writable: false });
    try {
      return await watchedDatabases(transaction);
    } finally {
      transaction.cancel();
    }
  }
}

import type { DatabaseCatalog } from '../../catalog/definitions/database-catalog.js';
import { type CatalogCache, loadDatabase } from '../../catalog/definitions/load.js';
import { isLiveLogEmpty, pruneLiveLog } from '../../catalog/live/live-log.js';
import { sweepLiveRows } from '../../catalog/live/live-rows.js';
import { endWatches, type WatchedDatabase, watchedDatabases } from '../../catalog/live/watched-tables.js';
import { sweepSessions } from '../../catalog/nodes/presence.js';
import { pruneSignals } from '../../catalog/nodes/signals.js';
import type { Environment } from '../../env/environment.js';
import type { TesseraError } from '../../errors/error.js';
import type { Engine, Transaction } from '../../storage/contract.js';
import { withRetries } from '../../storage/retry.js';
import { BackgroundRounds } from '../database/background-rounds.js';

/** Milliseconds between two rounds. */
const INTERVAL = 30_000;

/** Deletes what nodes have left for each other and no longer need. */
export class SharedRetention {
  readonly #engine: Engine;
  readonly #catalogs: CatalogCache;
  readonly #environment: Environment;
  readonly #rounds: BackgroundRounds;

  constructor(engine: Engine, catalogs: CatalogCache, environment: Environment, report: (error: TesseraError) => void) {
    this.#engine = engine;
    this.#catalogs = catalogs;
    this.#environment = environment;
    const options = { interval: INTERVAL, startsSoon: false };
    this.#rounds = new BackgroundRounds(environment.timers, () => this.prune(), report, options);
  }

  /** Prunes logs of changes and signals, and ends the watch of tables that no node has renewed. */
  async prune(): Promise<void> {
    const { clock, timers } = this.#environment;
    await withRetries(this.#engine, (transaction) => pruneSignals(transaction, clock.now()));
    for (const watched of await this.#databases()) {
      let more = true;
      while (more && !this.#rounds.isStopped) {
        more = await withRetries(this.#engine, (transaction) => this.#pruneSome(transaction, watched));
        await timers.yield();
      }
    }
  }

  /** Deletes the sessions and live queries of nodes that are gone. */
  async sweep(isGone: (node: string) => boolean): Promise<void> {
    await withRetries(this.#engine, (transaction) => sweepSessions(transaction, isGone));
    for (const watched of await this.#databases()) {
      await withRetries(this.#engine, async (transaction) => {
        const catalog = await this.#catalog(transaction, watched);
        if (catalog !== undefined) await sweepLiveRows(transaction, catalog.database.id, isGone);
      });
    }
  }

  stop(): void {
    this.#rounds.stop();
  }

  /** Answers whether there may be more. */
  async #pruneSome(transaction: Transaction, watched: WatchedDatabase): Promise<boolean> {
    const { random, clock } = this.#environment;
    const catalog = await this.#catalog(transaction, watched);
    if (catalog === undefined) {
      transaction.delete(watched.key);
      return false;
    }
    if (await pruneLiveLog(transaction, catalog.database.id, clock.now())) return true;
    const change = { transaction, random, clock, catalogs: this.#catalogs };
    const isWatched = await endWatches(change, catalog);
    if (!isWatched && (await isLiveLogEmpty(transaction, catalog.database.id))) transaction.delete(watched.key);
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

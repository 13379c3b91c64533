/**
 * Deletes old changes from the log of live queries, and ends the watch of tables that no
 * node has renewed. Ages are measured by this node's own observations, never by the clocks of other nodes.
 */
import type { DatabaseCatalog } from '../../catalog/definitions/database-catalog.js';
import { type CatalogCache, loadDatabase } from '../../catalog/definitions/load.js';
import type { Id } from '../../catalog/keys/key-bytes.js';
import { liveLogPrunedKey } from '../../catalog/keys/live-keys.js';
import { watchedDatabaseKey } from '../../catalog/keys/node-keys.js';
import { LIVE_LOG_KEPT_FOR, lastInLiveLog, pruneLiveLog } from '../../catalog/live/live-log.js';
import { endWatches, WATCH_TIME, watchedDatabases } from '../../catalog/live/watched-tables.js';
import type { Environment } from '../../env/environment.js';
import type { Key, Stored, Transaction } from '../../storage/contract.js';
import type { NamedDatabase, Prunable } from '../background/retention.js';
import { LogAges } from './log-ages.js';

/** The content of the row of a watch, and when it was first seen, on the monotonic clock. */
interface Sighting {
  readonly row: Stored | undefined;
  readonly at: number;
}

export class LiveRetention implements Prunable {
  readonly #catalogs: CatalogCache;
  readonly #environment: Pick<Environment, 'clock' | 'random'>;
  readonly #ages: LogAges;
  /** By database, the last entry of its log that is old. */
  #old: ReadonlyMap<Id, Key> = new Map();
  /** By database and row. */
  readonly #sightings = new Map<Id, ReadonlyMap<Key, Sighting>>();

  constructor(catalogs: CatalogCache, environment: Pick<Environment, 'clock' | 'random'>) {
    this.#catalogs = catalogs;
    this.#environment = environment;
    this.#ages = new LogAges(environment.clock, LIVE_LOG_KEPT_FOR);
  }

  async databases(transaction: Transaction): Promise<readonly NamedDatabase[]> {
    const watched = await watchedDatabases(transaction);
    const old = new Map<Id, Key>();
    for (const { id } of watched) {
      const last = this.#ages.note(String(id), await lastInLiveLog(transaction, id));
      if (last !== undefined) old.set(id, last);
    }
    this.#old = old;
    const ids = new Set(watched.map(({ id }) => id));
    this.#ages.keepOnly(new Set([...ids].map(String)));
    for (const id of this.#sightings.keys()) if (!ids.has(id)) this.#sightings.delete(id);
    return watched;
  }

  async prune(transaction: Transaction, { id, namespace, database }: NamedDatabase): Promise<boolean> {
    const old = this.#old.get(id);
    if (old !== undefined && (await pruneLiveLog(transaction, id, old))) return true;
    const catalog = await loadDatabase(transaction, this.#catalogs, namespace, database);
    if (catalog?.database.id !== id) {
      // Live queries on other nodes may still be reading the last changes of a database that was removed.
      if ((await lastInLiveLog(transaction, id)) !== undefined) return false;
      transaction.delete(liveLogPrunedKey(id));
      transaction.delete(watchedDatabaseKey(id));
      return false;
    }
    const isWatched = await this.#endWatches(transaction, catalog);
    if (!isWatched && (await lastInLiveLog(transaction, id)) === undefined) transaction.delete(watchedDatabaseKey(id));
    return false;
  }

  async #endWatches(transaction: Transaction, catalog: DatabaseCatalog): Promise<boolean> {
    const { random, clock } = this.#environment;
    const { id } = catalog.database;
    const former = this.#sightings.get(id);
    const now = new Map<Key, Sighting>();
    const change = { transaction, random, clock, catalogs: this.#catalogs };
    const isWatched = await endWatches(change, catalog, (key, row) => {
      const known = former?.get(key);
      const sighting = known?.row === row && known !== undefined ? known : { row, at: clock.monotonic() };
      now.set(key, sighting);
      return clock.monotonic() - sighting.at >= WATCH_TIME;
    });
    this.#sightings.set(id, now);
    return isWatched;
  }
}

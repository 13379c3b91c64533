/** Deletes changefeed entries that are older than their CHANGEFEED clause retains them. */
import { andThen, lastly } from '../../base/promise-or-value.js';
import { hasChanges, pruneChanges } from '../../catalog/changefeed/retention.js';
import { type CatalogCache, loadDatabase } from '../../catalog/definitions/load.js';
import { loadNamespace, loadRoot } from '../../catalog/definitions/lookup.js';
import type { Environment } from '../../env/environment.js';
import type { Engine, Transaction } from '../../storage/contract.js';
import { isConflict, withRetries } from '../../storage/retry.js';
import { type Lease, underLease } from '../nodes/lease.js';
import { BackgroundRounds, type BackgroundServices } from './background-rounds.js';

/** Milliseconds between two rounds. */
const INTERVAL = 30_000;

interface DatabaseName {
  readonly namespace: string;
  readonly database: string;
}

export class ChangeRetention {
  readonly #engine: Engine;
  readonly #catalogs: CatalogCache;
  readonly #environment: Environment;
  readonly #rounds: BackgroundRounds;
  readonly #lease: Lease | undefined;

  constructor({ engine, environment, report, lease, measure }: BackgroundServices, catalogs: CatalogCache) {
    this.#engine = engine;
    this.#lease = lease;
    this.#catalogs = catalogs;
    this.#environment = environment;
    const options = { interval: INTERVAL, startsSoon: false, lease, measure };
    this.#rounds = new BackgroundRounds(environment, () => this.prune(), report, options);
  }

  /** Prunes all change logs in short transactions, yielding between them. */
  async prune(): Promise<void> {
    for (const name of await this.#databasesWithChanges()) {
      let more = true;
      while (more && !this.#rounds.mustEnd) {
        more = await this.#pruneOnce(name);
        await this.#environment.timers.yield();
      }
    }
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  /** Prunes one batch; answers whether more remains. Gives up for now if the definitions keep changing. */
  async #pruneOnce(name: DatabaseName): Promise<boolean> {
    try {
      return await withRetries(this.#engine, (transaction) =>
        underLease(this.#lease, transaction, () => this.#pruneSome(transaction, name)),
      );
    } catch (error) {
      if (isConflict(error)) return false;
      throw error;
    }
  }

  async #databasesWithChanges(): Promise<DatabaseName[]> {
    const found: DatabaseName[] = [];
    await andThen(this.#engine.begin({ writable: false }), (transaction) =>
      lastly(
        async () => {
          const { namespaces } = await loadRoot(transaction);
          for (const { name: namespace } of namespaces) {
            const { databases = [] } = (await loadNamespace(transaction, namespace)) ?? {};
            for (const { id, name } of databases) {
              if (await hasChanges(transaction, id)) found.push({ namespace, database: name });
            }
          }
        },
        () => transaction.cancel(),
      ),
    );
    return found;
  }

  #pruneSome(transaction: Transaction, { namespace, database }: DatabaseName) {
    return andThen(loadDatabase(transaction, this.#catalogs, namespace, database), (catalog) =>
      catalog === undefined ? false : pruneChanges(transaction, catalog, this.#environment.clock.now()),
    );
  }
}

/** Deletes changefeed entries that are older than the retention of their CHANGEFEED clause. */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { hasChanges, pruneChanges } from '../../catalog/changefeed/retention.js';
import { type CatalogCache, loadDatabase } from '../../catalog/definitions/load.js';
import { loadNamespace, loadRoot } from '../../catalog/definitions/lookup.js';
import type { Clock } from '../../env/environment.js';
import type { Transaction } from '../../storage/contract.js';
import type { NamedDatabase, Prunable } from './retention.js';

export class ChangeRetention implements Prunable {
  readonly #catalogs: CatalogCache;
  readonly #clock: Pick<Clock, 'now'>;

  /** `clock`: the clock of versionstamps, or one that is behind it. */
  constructor(catalogs: CatalogCache, clock: Pick<Clock, 'now'>) {
    this.#catalogs = catalogs;
    this.#clock = clock;
  }

  async databases(transaction: Transaction): Promise<readonly NamedDatabase[]> {
    const found: NamedDatabase[] = [];
    const { namespaces } = await loadRoot(transaction);
    for (const { name: namespace } of namespaces) {
      const { databases = [] } = (await loadNamespace(transaction, namespace)) ?? {};
      for (const { id, name } of databases) {
        if (await hasChanges(transaction, id)) found.push({ id, namespace, database: name });
      }
    }
    return found;
  }

  prune(transaction: Transaction, { namespace, database }: NamedDatabase): PromiseOrValue<boolean> {
    return andThen(loadDatabase(transaction, this.#catalogs, namespace, database), (catalog) =>
      catalog === undefined ? false : pruneChanges(transaction, catalog, this.#clock.now()),
    );
  }
}

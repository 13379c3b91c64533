/**
 * Loads the catalog of a database.
 *
 * The row of a database holds a schema version, which every definition in it replaces; a table's row holds one for the
 * table's definitions. If the version is known, a statement pays a single read, which makes it conflict with every
 * definition committed meanwhile. Versions are random rather than counted: concurrent transactions that both define
 * something get different ones, so that even a catalog which was never committed may be cached.
 */
import { invariant } from '../../base/invariant.js';
import { andThen, forEachInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import { TwoGenerationCache } from '../../base/two-generation-cache.js';
import type { Key, Stored, Transaction } from '../../storage/contract.js';
import { forEachEntry } from '../entries.js';
import type { Id } from '../keys/key-bytes.js';
import {
  databaseArea,
  databaseKey,
  definitionKey,
  definitionRange,
  memberRange,
  ROOT_AREA,
  tableOfMember,
} from '../keys/store-keys.js';
import { CatalogDraft } from './catalog-draft.js';
import type { DatabaseCatalog } from './database-catalog.js';
import { readDefinition, stampOf } from './stored-definition.js';

/** Estimated bytes of cached catalogs; at most twice as many are kept. */
const KEPT_CATALOGS = 4 * 2 ** 20;
/**
 * Estimated bytes per catalog with its derived data, and per definition in it; catalogs share unchanged definitions.
 */
const KEPT_KEYS = 64 * 2 ** 10;
const CATALOG_BYTES = 16 * 2 ** 10;
const DEFINITION_BYTES = 128;

function weightOf(catalog: DatabaseCatalog): number {
  const { tables, params, functions, users, accesses, apis, sequences, buckets, analyzers } = catalog;
  const kinds = [tables, params, functions, users, accesses, apis, sequences, buckets, analyzers];
  return CATALOG_BYTES + DEFINITION_BYTES * kinds.reduce((sum, { size }) => sum + size, 0);
}

/** The catalog cache of an open store. Safe to share between transactions, whether or not they commit. */
export class CatalogCache {
  readonly #byStamp: TwoGenerationCache<string, DatabaseCatalog>;
  /** The last catalog loaded of each database, whose unchanged tables the next one reuses. */
  readonly #latest: TwoGenerationCache<Id, DatabaseCatalog>;
  /** Databases by the keys of their rows. */
  readonly #databases = new TwoGenerationCache<Key, Id>(KEPT_KEYS, (key) => key.length);

  constructor(bytes = KEPT_CATALOGS) {
    this.#byStamp = new TwoGenerationCache(bytes, (_, catalog) => weightOf(catalog));
    this.#latest = new TwoGenerationCache(bytes, (_, catalog) => weightOf(catalog));
  }

  get(stamp: string): DatabaseCatalog | undefined {
    return this.#byStamp.get(stamp);
  }

  /** The last catalog loaded for a database's row. */
  latestAt(key: Key): DatabaseCatalog | undefined {
    const database = this.#databases.get(key);
    return database === undefined ? undefined : this.#latest.get(database);
  }

  latest(database: Id): DatabaseCatalog | undefined {
    return this.#latest.get(database);
  }

  add(catalog: DatabaseCatalog): void {
    this.#byStamp.set(catalog.stamp, catalog);
    this.#latest.set(catalog.database.id, catalog);
    this.#databases.set(databaseKey(catalog.namespace.name, catalog.database.name), catalog.database.id);
  }
}

/** The catalog of a database as of a transaction; `undefined` if the database doesn't exist. */
export function loadDatabase(
  transaction: Transaction,
  cache: CatalogCache,
  namespace: string,
  database: string,
  key: Key = databaseKey(namespace, database),
): PromiseOrValue<DatabaseCatalog | undefined> {
  return andThen(transaction.get(key), (stored) => {
    if (stored === undefined) return undefined;
    return cache.get(stampOf(stored)) ?? build(transaction, cache, namespace, stored);
  });
}

/** With more changed tables, one scan over all definitions is cheaper than one scan per table. */
const FEW_TABLES = 16;

function build(
  transaction: Transaction,
  cache: CatalogCache,
  namespaceName: string,
  stored: Stored,
): PromiseOrValue<DatabaseCatalog> {
  const database = readDefinition('define-database', stored);
  const previous = cache.latest(database.id);
  const draft = new CatalogDraft(database, stampOf(stored), previous);
  return andThen(transaction.get(definitionKey(ROOT_AREA, 'namespace', namespaceName)), (row) => {
    invariant(row !== undefined, 'the namespace of a database exists');
    const namespace = readDefinition('define-namespace', row);
    const area = databaseArea(database.id);
    const own = forEachEntry(transaction, definitionRange(area), ([, value]) => draft.add(value));
    return andThen(own, () => {
      const changed = draft.changedTables();
      const ranges =
        changed.length <= FEW_TABLES
          ? changed.map((table) => memberRange(database.id, table))
          : [memberRange(database.id)];
      const members = forEachInOrder(ranges, (range) =>
        andThen(
          forEachEntry(transaction, range, ([key, value]) => draft.addMember(tableOfMember(key), value)),
          () => false,
        ),
      );
      return andThen(members, () => {
        const catalog = draft.finish(namespace);
        cache.add(catalog);
        return catalog;
      });
    });
  });
}

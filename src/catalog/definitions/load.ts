/**
 * Loads what a database holds.
 *
 * The row of a database carries a stamp that every definition in it draws anew; a table's row carries one for what is defined on the
 * table. As long as the stamp is one that was met before, a statement pays a single read, and that read makes it conflict with every
 * definition that commits before it does. Stamps are random, never counted: two transactions that both define something and don't
 * know of each other get different ones, so that even a catalog nobody committed may be kept.
 */
import { invariant } from '../../base/invariant.js';
import { andThen, forEachInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import { TwoGenerationCache } from '../../base/two-generation-cache.js';
import type { Key, Stored, Transaction } from '../../storage/contract.js';
import { forEachEntry } from '../entries.js';
import {
  databaseArea,
  databaseKey,
  definitionKey,
  definitionRange,
  memberRange,
  ROOT_AREA,
  tableOfMember,
} from '../keys.js';
import { CatalogDraft } from './catalog-draft.js';
import type { DatabaseCatalog } from './database-catalog.js';
import type { Id } from './definition.js';
import { readDefinition, stampOf } from './stored-definition.js';

/** Bytes of the catalogs used last, estimated; at most twice as many are kept. */
const KEPT_CATALOGS = 4 * 2 ** 20;
/** Of a catalog with what is derived of it, and of each definition in it: catalogs share those that didn't change. */
const KEPT_KEYS = 64 * 2 ** 10;
const CATALOG_BYTES = 16 * 2 ** 10;
const DEFINITION_BYTES = 128;

function weightOf({ tables, params, functions, users, accesses, apis, sequences, analyzers }: DatabaseCatalog): number {
  const kinds = [tables, params, functions, users, accesses, apis, sequences, analyzers];
  return CATALOG_BYTES + DEFINITION_BYTES * kinds.reduce((sum, { size }) => sum + size, 0);
}

/** The catalogs used last, for one open store. Safe to share between transactions, whether or not they commit. */
export class CatalogCache {
  readonly #byStamp: TwoGenerationCache<string, DatabaseCatalog>;
  /** The catalog loaded last for each database, whose unchanged tables the next one takes over. */
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

  /** The one that was loaded last for the row of a database. */
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

/** The catalog of a database as it stands in a transaction; `undefined` when there is no such database. */
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

/** Above this many changed tables, one scan over the definitions on all tables is cheaper than one for each. */
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

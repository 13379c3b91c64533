/** What the statements of a transaction share: its reads and writes, and the catalog as it sees it. */
import { Derived } from '../base/derived.js';
import { andThen, type PromiseOrValue } from '../base/promise-or-value.js';
import type { DatabaseCatalog } from '../catalog/definitions/database-catalog.js';
import { type CatalogCache, loadDatabase } from '../catalog/definitions/load.js';
import { databaseKey } from '../catalog/keys/store-keys.js';
import type { DatabasePath } from '../catalog/principal.js';
import type { TesseraError } from '../errors/error.js';
import type { Key, Prefetch, Transaction } from '../storage/contract.js';

/** An open transaction with the catalog as it sees it. */
export interface TransactionContext {
  readonly transaction: Transaction;
  /** The catalog of the selected database; `undefined` when it (or its namespace) doesn't exist or none is selected. */
  catalog(): PromiseOrValue<DatabaseCatalog | undefined>;
  /** Call after each change of a definition. */
  catalogChanged(): void;
  /** The cache of catalogs. */
  readonly catalogs: CatalogCache;
  /** Whether the store is asynchronous, so that reads should be prefetched together. */
  readonly answersLater: boolean;
  /**
   * The cached catalog, which is likely current, on asynchronous stores: reads determined by it can be
   * fetched together with the check.
   */
  likelyCatalog(): DatabaseCatalog | undefined;
  /**
   * Prefetches reads (`Transaction.prefetch`), together with the row that shows whether the catalog is still
   * the same.
   */
  prefetch(wanted: Prefetch): PromiseOrValue<void>;
}

/** A transaction with the catalog of one database, which is read once and again only after a definition has changed. */
export class DatabaseTransactionContext implements TransactionContext {
  readonly transaction: Transaction;
  readonly catalogs: CatalogCache;
  readonly answersLater: boolean;
  readonly #databasePath: DatabasePath;
  readonly #refusal: TesseraError | undefined;
  #catalog: DatabaseCatalog | undefined;

  /**
   * With a refusal, every access to the catalog fails with it, without which no data of the database can be reached.
   * A `catalog` is used instead of the stored one.
   */
  constructor(
    transaction: Transaction,
    catalogs: CatalogCache,
    databasePath: DatabasePath,
    refusal: TesseraError | undefined,
    catalog?: DatabaseCatalog,
  ) {
    this.#catalog = catalog;
    this.transaction = transaction;
    this.answersLater = transaction.prefetch !== undefined;
    this.catalogs = catalogs;
    this.#databasePath = databasePath;
    this.#refusal = refusal;
  }

  catalog(): PromiseOrValue<DatabaseCatalog | undefined> {
    if (this.#refusal !== undefined) throw this.#refusal;
    const { namespace, database } = this.#databasePath;
    if (this.#catalog !== undefined || namespace === undefined || database === undefined) return this.#catalog;
    const key = this.#key();
    return andThen(loadDatabase(this.transaction, this.catalogs, namespace, database, key), (catalog) => {
      this.#catalog = catalog;
      return catalog;
    });
  }

  /** The key of the selected database's row. */
  #key(): Key | undefined {
    const { namespace, database } = this.#databasePath;
    if (namespace === undefined || database === undefined) return undefined;
    let key = databaseKeys.get(this.#databasePath);
    if (key === undefined) {
      key = databaseKey(namespace, database);
      databaseKeys.set(this.#databasePath, key);
    }
    return key;
  }

  prefetch(wanted: Prefetch): PromiseOrValue<void> {
    const { transaction } = this;
    if (transaction.prefetch === undefined) return;
    const key = this.#catalog === undefined ? this.#key() : undefined;
    return transaction.prefetch(key === undefined ? wanted : { ...wanted, keys: [key, ...(wanted.keys ?? [])] });
  }

  likelyCatalog(): DatabaseCatalog | undefined {
    const key = this.#catalog === undefined ? this.#key() : undefined;
    return key === undefined ? this.#catalog : this.catalogs.latestAt(key);
  }

  catalogChanged(): void {
    this.#catalog = undefined;
  }
}

/**
 * The key of the selected database: every statement asks for it, and a string is found faster that was asked for
 * before.
 */
const databaseKeys = new Derived<DatabasePath, Key>();

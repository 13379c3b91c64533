/**
 * What a transaction has done to a record is one change: the record before the transaction, and as it is committed.
 * Changefeeds and live queries get it before the commit, so that none of them shows a state that was never committed.
 */
import { andThen, type PromiseOrValue, untilTrue } from '../base/promise-or-value.js';
import { feedOf, logRecord } from '../catalog/changefeed/change-log.js';
import type { DatabaseCatalog, TableEntry } from '../catalog/definitions/database-catalog.js';
import { type CatalogCache, loadDatabase } from '../catalog/definitions/load.js';
import type { Id } from '../catalog/keys/key-bytes.js';
import { databaseKey } from '../catalog/keys/store-keys.js';
import { TimeSlice } from '../env/time-slice.js';
import type { Changefeed } from '../language/ast.js';
import type { Execution, LiveRegistry } from '../runtime/execution.js';
import type { WrittenRecord } from '../runtime/record-access.js';
import type { TransactionContext } from '../runtime/transaction-context.js';
import { type Key, type Transaction, TransactionLocal } from '../storage/contract.js';
import { equals } from '../value/order.js';
import { isObject, type ObjectValue, type RecordId } from '../value/value.js';
import { weightOf } from '../value/weight.js';

/** A record that a transaction has written, as its last writer found the definitions. */
interface ChangedRecord {
  readonly id: RecordId;
  /** As it was before the transaction. */
  readonly before: ObjectValue | undefined;
  catalog: DatabaseCatalog;
  table: TableEntry;
  feed: Changefeed | undefined;
  /** By imports alone, which live queries don't get. */
  isImported: boolean;
}

/** Bytes of a changed record beside its key and what it was before. */
const OVERHEAD = 128;

/** In the order in which they were written first. */
const CHANGES = new TransactionLocal<Map<Key, ChangedRecord>>();

/**
 * Notes a write for the table's changefeed and live queries, if it has any. `key` is the record's.
 * @throws TesseraError as `Transaction.charge` does
 */
export function noteChange(
  liveQueries: LiveRegistry,
  execution: Execution,
  catalog: DatabaseCatalog,
  key: Key,
  { table, id, before, after }: WrittenRecord,
): void {
  const feed = feedOf(catalog, table);
  if (feed === undefined && (execution.importing || !liveQueries.isWatched(table))) return;
  const { transaction } = execution.context;
  const change = { id, before, catalog, table, feed, isImported: execution.importing };
  if (table.definition.drop) {
    // Nothing is stored, so that each record is a change by itself.
    announce(liveQueries, transaction, change, after);
    return;
  }
  const changes = transaction.local(CHANGES, () => {
    const noted = new Map<Key, ChangedRecord>();
    transaction.beforeCommit(() => announceAll(liveQueries, execution, noted));
    return noted;
  });
  const known = changes.get(key);
  if (known === undefined) {
    transaction.charge(OVERHEAD + key.length + weightOf(before));
    changes.set(key, change);
    return;
  }
  known.catalog = catalog;
  known.table = table;
  known.feed = feed;
  known.isImported &&= execution.importing;
}

function announceAll(
  liveQueries: LiveRegistry,
  { context, services: { environment } }: Execution,
  changes: ReadonlyMap<Key, ChangedRecord>,
): PromiseOrValue<void> {
  // The statement may have ended long ago, with its time.
  const work = new TimeSlice(environment);
  const entries = changes.entries();
  const { transaction } = context;
  const tables = new CommittedTables(context);
  return untilTrue(() => {
    const next = entries.next();
    if (next.done === true) return true;
    const [key, change] = next.value;
    // Otherwise it was rolled back.
    if (!transaction.hasWritten(key)) return false;
    return andThen(tables.has(change), (has) => {
      if (!has) return false;
      return andThen(transaction.get(key), (stored) => {
        announce(liveQueries, transaction, change, isObject(stored) ? stored : undefined);
        return andThen(work.checkpoint(), () => false);
      });
    });
  });
}

/** Appends a change to the feed, and passes it to the live queries; one that changes nothing isn't passed on. */
function announce(
  liveQueries: LiveRegistry,
  transaction: Transaction,
  { id, before, catalog, table, feed, isImported }: ChangedRecord,
  after: ObjectValue | undefined,
): void {
  if (before === undefined ? after === undefined : after !== undefined && equals(before, after)) return;
  const change = { id, before, after };
  if (feed !== undefined) logRecord(transaction, catalog, feed, { ...change, importing: isImported });
  if (!isImported && liveQueries.isWatched(table)) liveQueries.note(transaction, { ...change, table });
}

/** Which tables a transaction leaves. */
class CommittedTables {
  readonly #transaction: Transaction;
  readonly #catalogs: CatalogCache;
  /** By the ids of databases. */
  readonly #committed = new Map<Id, DatabaseCatalog | undefined>();

  constructor({ transaction, catalogs }: TransactionContext) {
    this.#transaction = transaction;
    this.#catalogs = catalogs;
  }

  has({ catalog, table }: ChangedRecord): PromiseOrValue<boolean> {
    return andThen(this.#committedOf(catalog), (committed) => committed?.tablesById.has(table.definition.id) === true);
  }

  /** The definitions of a database as they are committed; `undefined` if it is removed. */
  #committedOf(catalog: DatabaseCatalog): PromiseOrValue<DatabaseCatalog | undefined> {
    const { namespace, database } = catalog;
    if (this.#committed.has(database.id)) return this.#committed.get(database.id);
    const key = databaseKey(namespace.name, database.name);
    const isChanged = this.#transaction.hasWritten(key);
    const found = isChanged
      ? loadDatabase(this.#transaction, this.#catalogs, namespace.name, database.name, key)
      : catalog;
    return andThen(found, (loaded) => {
      const committed = loaded?.database.id === database.id ? loaded : undefined;
      this.#committed.set(database.id, committed);
      return committed;
    });
  }
}

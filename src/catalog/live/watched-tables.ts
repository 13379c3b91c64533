/**
 * Watched tables, in stores that several nodes use: those on which any node has live queries. Writers append their
 * changes to a log (`live-log.ts`). They know it from the table's definition, which they have read in any case;
 * so transactions that began before a table was watched conflict, and are repeated.
 *
 * A node with live queries on a table rewrites a row of the watch from time to time. The watch ends when the node that
 * maintains it has seen that row unchanged for long enough on its own monotonic clock, so that clocks aren't
 * compared. A table that is watched again then has another watch: queries of a node that was away meanwhile know by it
 * that they have missed changes.
 */
import { andThen, forEachInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Key, Stored, Transaction } from '../../storage/contract.js';
import { isObject, objectFrom } from '../../value/value.js';
import type { DatabaseCatalog } from '../definitions/database-catalog.js';
import type { TableDefinition } from '../definitions/definition.js';
import { bumpDatabaseVersion, type SchemaChange, withVersion } from '../definitions/schema-version.js';
import { storeDefinition } from '../definitions/stored-definition.js';
import { entriesOf } from '../entries.js';
import type { Id } from '../keys/key-bytes.js';
import { watchKey } from '../keys/live-keys.js';
import { WATCHED_DATABASES, watchedDatabaseKey, watchedDatabaseOf } from '../keys/node-keys.js';
import { databaseArea, definitionKey } from '../keys/store-keys.js';

/** For how many milliseconds a table is watched without a renewal. */
export const WATCH_TIME = 600_000;
/** Milliseconds between two renewals. */
export const WATCH_RENEWAL_INTERVAL = 120_000;

/** The watch of a table, and whether it begins with the transaction. */
export interface TableWatch {
  readonly id: string;
  readonly isNew: boolean;
}

/** Watches a table from the commit on, if it isn't watched yet. Its definition is changed for that. */
export function watchTable(
  change: SchemaChange,
  catalog: DatabaseCatalog,
  table: TableDefinition,
): PromiseOrValue<TableWatch> {
  if (table.watch !== undefined) return { id: table.watch, isNew: false };
  const watch = { id: token(change), isNew: true };
  return andThen(putTable(change, catalog, { ...table, watch: watch.id }), () => watch);
}

/** Renews the watch of a table. Nodes that do so concurrently don't conflict. */
export function renewWatch(
  change: SchemaChange,
  { namespace, database }: DatabaseCatalog,
  { id }: Pick<TableDefinition, 'id'>,
): void {
  change.transaction.put(watchKey(database.id, id), token(change));
  const path = { namespace: namespace.name, database: database.name };
  change.transaction.put(watchedDatabaseKey(database.id), objectFrom(path));
}

function token({ random }: SchemaChange): string {
  return Buffer.from(random.bytes(8)).toString('hex');
}

/** The databases in which tables are watched, or were until not long ago. */
export function watchedDatabases(transaction: Transaction): PromiseOrValue<readonly WatchedDatabase[]> {
  return andThen(entriesOf(transaction, WATCHED_DATABASES), (entries) =>
    entries.flatMap(([key, stored]) =>
      isObject(stored)
        ? { id: watchedDatabaseOf(key), namespace: String(stored['namespace']), database: String(stored['database']) }
        : [],
    ),
  );
}

export interface WatchedDatabase {
  readonly id: Id;
  readonly namespace: string;
  readonly database: string;
}

/**
 * Ends the watch of tables whose rows weren't renewed. Returns whether any are still watched.
 */
export async function endWatches(
  change: SchemaChange,
  catalog: DatabaseCatalog,
  isOver: (row: Key, stored: Stored | undefined) => boolean,
): Promise<boolean> {
  const watched = [...catalog.tables.values()].map(({ definition }) => definition).filter(({ watch }) => watch);
  let ended = 0;
  await forEachInOrder(watched, (table) => {
    const key = watchKey(catalog.database.id, table.id);
    return andThen(change.transaction.get(key), (stored) => {
      if (!isOver(key, stored)) return false;
      change.transaction.delete(key);
      const { watch: _, ...unwatched } = table;
      change.transaction.put(tableKey(catalog, table), withVersion(change, storeDefinition(unwatched)));
      ended++;
      return false;
    });
  });
  if (ended > 0) await bumpDatabaseVersion(change, catalog);
  return ended < watched.length;
}

function putTable(change: SchemaChange, catalog: DatabaseCatalog, table: TableDefinition): PromiseOrValue<void> {
  change.transaction.put(tableKey(catalog, table), withVersion(change, storeDefinition(table)));
  return bumpDatabaseVersion(change, catalog);
}

function tableKey({ database }: DatabaseCatalog, { name }: TableDefinition): string {
  return definitionKey(databaseArea(database.id), 'table', name);
}

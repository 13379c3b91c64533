/**
 * Watched tables, in stores that several nodes use: those of which any node has live queries. Writers append what they
 * change there to a log (`live-log.ts`). They know it from the table's definition, which they have read in any case;
 * so those who began before a table was watched conflict, and run again.
 *
 * A table is watched until a time in a row of its own, which nodes with live queries on it put off as long as they have
 * some. Their clocks needn't agree better than by a minute.
 */
import { andThen, forEachInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Transaction } from '../../storage/contract.js';
import { datetimeNanoseconds } from '../../value/datetime.js';
import { Datetime, isObject, objectFrom, type Value } from '../../value/value.js';
import { toDatetime } from '../credentials/grant.js';
import type { DatabaseCatalog } from '../definitions/database-catalog.js';
import type { Id, TableDefinition } from '../definitions/definition.js';
import { bumpDatabaseVersion, type SchemaChange, withVersion } from '../definitions/schema-version.js';
import { storeDefinition } from '../definitions/stored-definition.js';
import { entriesOf } from '../entries.js';
import { databaseArea, definitionKey } from '../keys.js';
import { WATCHED_DATABASES, watchedDatabaseKey, watchedDatabaseOf } from '../nodes/keys.js';
import { watchKey } from './keys.js';

/** For how long a table is watched without a renewal, in nanoseconds. */
const WATCHED = 600n * 1_000_000_000n;
/** Milliseconds between two renewals. */
export const RENEWAL_INTERVAL = 120_000;

/** Has a table watched from the commit on. Answers whether its definition was changed for that. */
export function watchTable(
  change: SchemaChange,
  catalog: DatabaseCatalog,
  table: TableDefinition,
): PromiseOrValue<boolean> {
  return andThen(putOff(change, catalog, table), () => {
    if (table.isWatched === true) return false;
    return andThen(putTable(change, catalog, { ...table, isWatched: true }), () => true);
  });
}

/** Answers false if the table is no longer watched, so that changes of it may have been missed. */
export function renewWatch(
  change: SchemaChange,
  catalog: DatabaseCatalog,
  table: TableDefinition,
): PromiseOrValue<boolean> {
  if (table.isWatched !== true) return false;
  return andThen(putOff(change, catalog, table), () => true);
}

/** Rows that have most of their time still are left alone, so that nodes don't conflict over them. */
function putOff(
  { transaction, clock }: SchemaChange,
  { namespace, database }: DatabaseCatalog,
  { id }: TableDefinition,
): PromiseOrValue<void> {
  const key = watchKey(database.id, id);
  const now = clock.now();
  return andThen(transaction.get(key), (stored) => {
    if (untilIn(stored) >= now + (WATCHED * 3n) / 4n) return;
    transaction.put(key, toDatetime(now + WATCHED));
    const path = { namespace: namespace.name, database: database.name };
    transaction.put(watchedDatabaseKey(database.id), objectFrom(path));
  });
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

/** Ends the watch of tables whose time is over. Answers whether any are still watched. */
export function endWatches(change: SchemaChange, catalog: DatabaseCatalog): PromiseOrValue<boolean> {
  const now = change.clock.now();
  const watched = [...catalog.tables.values()].map(({ definition }) => definition).filter((each) => each.isWatched);
  let ended = 0;
  const all = forEachInOrder(watched, (table) => {
    const key = watchKey(catalog.database.id, table.id);
    return andThen(change.transaction.get(key), (stored) => {
      if (untilIn(stored) > now) return false;
      change.transaction.delete(key);
      const { isWatched: _, ...unwatched } = table;
      change.transaction.put(tableKey(catalog, table), withVersion(change, storeDefinition(unwatched)));
      ended++;
      return false;
    });
  });
  return andThen(all, () =>
    andThen(ended > 0 ? bumpDatabaseVersion(change, catalog) : undefined, () => ended < watched.length),
  );
}

function putTable(change: SchemaChange, catalog: DatabaseCatalog, table: TableDefinition): PromiseOrValue<void> {
  change.transaction.put(tableKey(catalog, table), withVersion(change, storeDefinition(table)));
  return bumpDatabaseVersion(change, catalog);
}

function tableKey({ database }: DatabaseCatalog, { name }: TableDefinition): string {
  return definitionKey(databaseArea(database.id), 'table', name);
}

function untilIn(stored: Value): bigint {
  return stored instanceof Datetime ? datetimeNanoseconds(stored) : 0n;
}

/**
 * Watched tables, in stores that several nodes use: those of which any node has live queries. Writers append what they
 * change there to a log (`live-log.ts`). They know it from the table's definition, which they have read in any case;
 * so those who began before a table was watched conflict, and run again.
 *
 * A table is watched until a time in a row of its own, which nodes with live queries on it put off as long as they have
 * some. Their clocks needn't agree better than by a minute.
 */
import { andThen, forEachInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import { datetimeNanoseconds } from '../../value/datetime.js';
import { Datetime, type Value } from '../../value/value.js';
import { toDatetime } from '../credentials/grant.js';
import type { DatabaseCatalog } from '../definitions/database-catalog.js';
import type { TableDefinition } from '../definitions/definition.js';
import { bumpDatabaseVersion, type SchemaChange, withVersion } from '../definitions/schema-version.js';
import { storeDefinition } from '../definitions/stored-definition.js';
import { databaseArea, definitionKey } from '../keys.js';
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

/** Answers false if the table isn't watched any more, so that changes of it may have been missed. */
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
  { database }: DatabaseCatalog,
  { id }: TableDefinition,
): PromiseOrValue<void> {
  const key = watchKey(database.id, id);
  const now = clock.now();
  return andThen(transaction.get(key), (stored) => {
    if (untilIn(stored) < now + (WATCHED * 3n) / 4n) transaction.put(key, toDatetime(now + WATCHED));
  });
}

/** Ends the watch of tables whose time is over. */
export function endWatches(change: SchemaChange, catalog: DatabaseCatalog): PromiseOrValue<void> {
  const now = change.clock.now();
  const watched = [...catalog.tables.values()].map(({ definition }) => definition).filter((each) => each.isWatched);
  let ended = false;
  const all = forEachInOrder(watched, (table) => {
    const key = watchKey(catalog.database.id, table.id);
    return andThen(change.transaction.get(key), (stored) => {
      if (untilIn(stored) > now) return false;
      change.transaction.delete(key);
      const { isWatched: _, ...unwatched } = table;
      change.transaction.put(tableKey(catalog, table), withVersion(change, storeDefinition(unwatched)));
      ended = true;
      return false;
    });
  });
  return andThen(all, () => (ended ? bumpDatabaseVersion(change, catalog) : undefined));
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

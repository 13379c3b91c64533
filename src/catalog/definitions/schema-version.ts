/** Ids and schema versions, which every change of a definition assigns. */
import { invariant } from '../../base/invariant.js';
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Work } from '../../base/work/work.js';
import type { Clock, Random } from '../../env/environment.js';
import type { Key, Transaction } from '../../storage/contract.js';
import { newObject, type ObjectValue } from '../../value/value.js';
import type { Id } from '../keys/key-bytes.js';
import { type Area, counterKey, databaseArea, databaseKey, definitionKey } from '../keys/store-keys.js';
import type { DatabaseCatalog } from './database-catalog.js';
import type { CatalogCache } from './load.js';
import { rowOf, stampOf } from './stored-definition.js';

/** The context of a schema change: its transaction, and the sources of randomness and time. */
export interface SchemaChange {
  readonly transaction: Transaction;
  readonly random: Random;
  readonly clock: Clock;
  /** The cache for the resulting catalog, if it is derived rather than loaded. */
  readonly catalogs?: CatalogCache;
  /** Long work has checkpoints; absent for what is small. */
  readonly work?: Work;
}

/** The next id of an area. Ids are never reused, even after removal. */
export function nextId(transaction: Transaction, area: Area): PromiseOrValue<Id> {
  const key = counterKey(area);
  return andThen(transaction.get(key), (last) => {
    const id = typeof last === 'number' ? last + 1 : 0;
    // The last id means "no id yet" (`keys/store-keys.ts`).
    invariant(id < 2 ** 32 - 1, 'an id fits its four bytes');
    transaction.put(key, id);
    return id;
  });
}

/** The row with a new schema version. */
export function withVersion(change: SchemaChange, row: ObjectValue): ObjectValue {
  const copy = newObject();
  for (const name in row) copy[name] = row[name];
  // 96 random bits: versions never repeat.
  copy['stamp'] = Buffer.from(change.random.bytes(12)).toString('base64url');
  return copy;
}

/** Replaces the schema version in the row of a key. */
export function bumpVersion(change: SchemaChange, key: Key): PromiseOrValue<void> {
  return andThen(restamp(change, key), () => undefined);
}

interface Stamps {
  readonly before: string;
  readonly after: string;
}

function restamp(change: SchemaChange, key: Key): PromiseOrValue<Stamps> {
  const { transaction } = change;
  return andThen(transaction.get(key), (stored) => {
    invariant(stored !== undefined, 'what is changed exists');
    const row = withVersion(change, rowOf(stored));
    transaction.put(key, row);
    return { before: stampOf(stored), after: stampOf(row) };
  });
}

/**
 * Derives the catalog after a change, with its new schema version, from the one before; `undefined` if it must be
 * loaded.
 */
export type Derive = (before: DatabaseCatalog, stamp: string) => DatabaseCatalog | undefined;

/**
 * Gives the database a new schema version. `derive` must apply every change made since the previous version,
 * independent of the caller's own catalog: a version identifies one state of the definitions.
 */
export function bumpDatabaseVersion(
  change: SchemaChange,
  catalog: DatabaseCatalog,
  derive?: Derive,
): PromiseOrValue<void> {
  return andThen(restamp(change, databaseKey(catalog.namespace.name, catalog.database.name)), ({ before, after }) => {
    const known = derive && change.catalogs?.get(before);
    const derived = known && derive(known, after);
    if (derived !== undefined) change.catalogs?.add(derived);
  });
}

/** Gives a table and its database new schema versions. `derive` receives both. */
export function bumpTableVersion(
  change: SchemaChange,
  catalog: DatabaseCatalog,
  table: string,
  derive?: (before: DatabaseCatalog, stamp: string, tableStamp: string) => DatabaseCatalog | undefined,
): PromiseOrValue<void> {
  return andThen(restamp(change, definitionKey(databaseArea(catalog.database.id), 'table', table)), ({ after }) =>
    bumpDatabaseVersion(change, catalog, derive && ((before, stamp) => derive(before, stamp, after))),
  );
}

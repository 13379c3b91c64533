/** Ids and stamps: what every change of a definition gives out anew. */
import { invariant } from '../../base/invariant.js';
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Clock, Random } from '../../env/environment.js';
import type { Key, Transaction } from '../../storage/contract.js';
import { type ObjectValue, objectFrom } from '../../value/value.js';
import { type Area, counterKey, databaseArea, databaseKey, definitionKey } from '../keys.js';
import type { DatabaseCatalog } from './database-catalog.js';
import type { Id } from './definition.js';
import type { CatalogCache } from './load.js';
import { rowOf, stampOf } from './stored-definition.js';

/** What a change needs: the transaction it is part of, where stamps are drawn, and the time. */
export interface SchemaChange {
  readonly transaction: Transaction;
  readonly random: Random;
  readonly clock: Clock;
  /** Where the catalog that follows is kept, if it is known without being loaded. */
  readonly catalogs?: CatalogCache;
  /** Called between batches of long work: lets others have their turn, and throws when the work is to stop. */
  pause?(): PromiseOrValue<void>;
}

/** The next id of an area. Ids are never given out twice, not even after what had them is gone. */
export function nextId(transaction: Transaction, area: Area): PromiseOrValue<Id> {
  const key = counterKey(area);
  return andThen(transaction.get(key), (last) => {
    const id = typeof last === 'number' ? last + 1 : 0;
    // The last one stands for what has no id yet (`keys.ts`).
    invariant(id < 2 ** 32 - 1, 'an id fits its four bytes');
    transaction.put(key, id);
    return id;
  });
}

/** The row with a stamp of its own. */
export function withVersion(change: SchemaChange, row: ObjectValue): ObjectValue {
  // 96 random bits: no two stamps are ever equal.
  return objectFrom({ ...row, stamp: Buffer.from(change.random.bytes(12)).toString('base64url') });
}

/** Gives the row of a key a new stamp. */
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

/** Makes of a catalog the one after a change, which has a stamp; `undefined` where it has to be loaded. */
export type Derive = (before: DatabaseCatalog, stamp: string) => DatabaseCatalog | undefined;

/**
 * Gives the database a new stamp. `derive` tells of everything that was changed since it was given the one before, and so does without what the
 * caller takes for the catalog: a stamp stands for one state of the definitions, whoever asks.
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

/** The same for a table and its database. `derive` is given the stamps of both. */
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

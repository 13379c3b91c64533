/** Ids and stamps: what every change of a definition gives out anew. */
import { invariant } from '../../base/invariant.js';
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Clock, Random } from '../../env/environment.js';
import type { Key, Transaction } from '../../storage/contract.js';
import { type ObjectValue, objectFrom } from '../../value/value.js';
import { type Area, counterKey, databaseArea, databaseKey, definitionKey } from '../keys.js';
import type { DatabaseCatalog } from './database-catalog.js';
import type { Id } from './definition.js';
import { rowOf } from './stored-definition.js';

/** What a change needs: the transaction it is part of, where stamps are drawn, and the time. */
export interface SchemaChange {
  readonly transaction: Transaction;
  readonly random: Random;
  readonly clock: Clock;
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
  const { transaction } = change;
  return andThen(transaction.get(key), (stored) => {
    invariant(stored !== undefined, 'what is changed exists');
    transaction.put(key, withVersion(change, rowOf(stored)));
  });
}

export function bumpDatabaseVersion(change: SchemaChange, catalog: DatabaseCatalog): PromiseOrValue<void> {
  return bumpVersion(change, databaseKey(catalog.namespace.name, catalog.database.name));
}

export function bumpTableVersion(change: SchemaChange, catalog: DatabaseCatalog, table: string): PromiseOrValue<void> {
  return andThen(bumpVersion(change, definitionKey(databaseArea(catalog.database.id), 'table', table)), () =>
    bumpDatabaseVersion(change, catalog),
  );
}

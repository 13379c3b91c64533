/**
 * Incarnations of records: a random id that tells a record from one that had the same id before it was deleted. Tokens,
 * grants and sessions of a record user name the incarnation that they were given to, so that they end with it, whoever
 * gets the id next.
 *
 * A record gets an incarnation when it is first handed something, and loses it when it is deleted, in the same
 * transaction. Only tables whose records have signed in (`hasUsers`) have any, so that writes to other tables cost
 * nothing more.
 *
 * What doesn't name an incarnation, as tokens of other issuers and of older releases, is held against the time of its
 * issue: `since` tells how old the record is at most, where an older one may have had its id.
 */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Clock, Random } from '../../env/environment.js';
import type { Transaction } from '../../storage/contract.js';
import { datetimeNanoseconds } from '../../value/datetime.js';
import { encodeKey } from '../../value/key-codec.js';
import { Datetime, isObject, newObject, Range, type RecordId, type Value } from '../../value/value.js';
import type { DatabaseCatalog, TableEntry } from '../definitions/database-catalog.js';
import type { DatabaseDefinition, TableDefinition } from '../definitions/definition.js';
import { bumpDatabaseVersion, type SchemaChange, withVersion } from '../definitions/schema-version.js';
import { readDefinition, storeDefinition } from '../definitions/stored-definition.js';
import { forEachEntry } from '../entries.js';
import { databaseArea, definitionKey, definitionRange, lostRecordsKey, settingKey } from '../keys.js';
import { toDatetime } from './grant.js';
import { generateSecret } from './secret.js';

export interface Incarnation {
  readonly id: string;
  /**
   * Nanoseconds since 1970: what doesn't name an incarnation must have been issued later. Without it, it may be as old
   * as it likes.
   */
  readonly since: bigint | undefined;
}

/** What incarnations are made with. */
export interface IncarnationSource {
  readonly transaction: Transaction;
  readonly random: Random;
  readonly clock: Clock;
}

/** What a record was handed before it existed names this incarnation, which none ever is. */
export const NO_INCARNATION = '';

const ID_LENGTH = 16;

/**
 * Whether something belongs to an incarnation that was issued at some time (nanoseconds since 1970) and names one, or
 * none.
 */
export function belongsTo({ id, since }: Incarnation, named: string | undefined, issuedAt: () => bigint): boolean {
  return named === undefined ? since === undefined || issuedAt() > since : named === id;
}

export function findIncarnation(
  transaction: Transaction,
  catalog: DatabaseCatalog | undefined,
  id: RecordId,
): PromiseOrValue<Incarnation | undefined> {
  const keys = catalog?.tables.get(id.table)?.keys;
  if (keys === undefined || id.key instanceof Range) return undefined;
  return andThen(transaction.get(keys.incarnation(encodeKey(id.key))), readIncarnation);
}

/**
 * The incarnation of a record, which gets one if it has none; `undefined` when there is no such record. `proven` says
 * that whoever asks has shown to be the record just now: what was issued before and names no incarnation is worth
 * nothing then.
 */
export function ensureIncarnation(
  change: SchemaChange,
  catalog: DatabaseCatalog | undefined,
  id: RecordId,
  proven: boolean,
): PromiseOrValue<Incarnation | undefined> {
  const { transaction, clock } = change;
  const table = catalog?.tables.get(id.table);
  if (catalog === undefined || table === undefined || id.key instanceof Range) return undefined;
  const key = encodeKey(id.key);
  return andThen(transaction.get(table.keys.incarnation(key)), (stored) => {
    const known = readIncarnation(stored);
    if (known !== undefined) return known;
    return andThen(transaction.get(table.keys.record(key)), (record) => {
      if (record === undefined) return undefined;
      const { madeAt } = table.definition;
      const since = proven ? clock.now() : madeAt && datetimeNanoseconds(madeAt);
      const incarnation = putIncarnation(change, table, key, since);
      return andThen(markUsers(change, catalog, table), () => incarnation);
    });
  });
}

/**
 * A record of a table that has users was created: where others were deleted before, it may have the id of one of them.
 */
export function recordCreated(source: IncarnationSource, table: TableEntry, key: string): PromiseOrValue<void> {
  const { transaction, clock } = source;
  return andThen(transaction.get(lostRecordsKey(table.keys.database, table.keys.table)), (lost) => {
    if (lost !== undefined) putIncarnation(source, table, key, clock.now());
  });
}

/** A record of a table that has users was deleted. */
export function recordDeleted(transaction: Transaction, table: TableEntry, key: string): PromiseOrValue<void> {
  transaction.delete(table.keys.incarnation(key));
  return recordGap(transaction, table);
}

/** All records of a table were deleted, which stays. */
export function recordsDeleted(transaction: Transaction, table: TableEntry): PromiseOrValue<void> {
  if (table.definition.hasUsers !== true) return undefined;
  return andThen(transaction.deleteRange(table.keys.incarnations), () => recordGap(transaction, table));
}

/** A table is removed: one of its name that is made later may have records with the same ids. */
export function tableRemoved({ transaction }: SchemaChange, table: TableEntry): PromiseOrValue<void> {
  if (table.definition.hasUsers === true) transaction.put(settingKey('users-lost'), true);
  const { database, table: id, incarnations } = table.keys;
  transaction.delete(lostRecordsKey(database, id));
  return transaction.deleteRange(incarnations);
}

/** A database is removed: so are all its tables. */
export function databaseRemoved({ transaction }: SchemaChange, { id }: DatabaseDefinition): PromiseOrValue<void> {
  return forEachEntry(transaction, definitionRange(databaseArea(id), 'table'), ([, stored]) => {
    if (readDefinition('define-table', stored).hasUsers === true) transaction.put(settingKey('users-lost'), true);
  });
}

/** What is noted of a table when it is made: its time, if one of its name may have had users. */
export function tableCreated({ transaction, clock }: SchemaChange): PromiseOrValue<Pick<TableDefinition, 'madeAt'>> {
  return andThen(transaction.get(settingKey('users-lost')), (lost) =>
    lost === undefined ? {} : { madeAt: toDatetime(clock.now()) },
  );
}

function putIncarnation(
  { transaction, random }: IncarnationSource,
  table: TableEntry,
  key: string,
  since: bigint | undefined,
): Incarnation {
  const incarnation: Incarnation = { id: generateSecret(random, ID_LENGTH), since };
  const stored = newObject();
  stored['id'] = incarnation.id;
  if (since !== undefined) stored['since'] = toDatetime(since);
  transaction.put(table.keys.incarnation(key), stored);
  return incarnation;
}

/** The id in what is stored under the key of an incarnation. */
export function incarnationId(stored: Value): string | undefined {
  return isObject(stored) ? (stored['id'] as string) : undefined;
}

function readIncarnation(stored: Value): Incarnation | undefined {
  if (!isObject(stored)) return undefined;
  const { id, since } = stored;
  return { id: id as string, since: since instanceof Datetime ? datetimeNanoseconds(since) : undefined };
}

/** Once for each table; a reload of the catalog shows it to all who write records. */
function markUsers(change: SchemaChange, catalog: DatabaseCatalog, { definition }: TableEntry): PromiseOrValue<void> {
  if (definition.hasUsers === true) return undefined;
  const key = definitionKey(databaseArea(catalog.database.id), 'table', definition.name);
  change.transaction.put(key, withVersion(change, storeDefinition({ ...definition, hasUsers: true })));
  return bumpDatabaseVersion(change, catalog);
}

/** Read before it is written, so that deleting records doesn't conflict with creating others each time. */
function recordGap(transaction: Transaction, { keys }: TableEntry): PromiseOrValue<void> {
  const key = lostRecordsKey(keys.database, keys.table);
  return andThen(transaction.get(key), (lost) => {
    if (lost === undefined) transaction.put(key, true);
  });
}

/**
 * Incarnations: a random id that distinguishes a record from earlier records with the same id. Tokens, grants and
 * sessions of a record user name the incarnation that they were issued to, so that they become invalid when the record
 * is deleted, even if its id is reused.
 *
 * A record gets an incarnation with its first credential, and loses it when it is deleted, in the same transaction.
 * Only tables whose records have signed in (`hasUsers`) have any, so that writes to other tables cost nothing.
 *
 * Credentials without an incarnation, from other issuers or older releases, are checked by their time of issue: `since`
 * is the earliest time at which the record may have been created, if an older one may have had its id.
 *
 * A system user has one, too, from its first definition until it is removed: its grants, tokens and sessions name it.
 */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Work } from '../../base/work/work.js';
import type { Clock, Random } from '../../env/environment.js';
import type { Transaction } from '../../storage/contract.js';
import { encodeKey } from '../../value/codecs/key-codec.js';
import { datetimeNanoseconds, toDatetime } from '../../value/time/datetime.js';
import { Datetime, isObject, newObject, Range, type RecordId, type Value } from '../../value/value.js';
import type { DatabaseCatalog, TableEntry } from '../definitions/database-catalog.js';
import type { DatabaseDefinition, TableDefinition, UserDefinition } from '../definitions/definition.js';
import { bumpDatabaseVersion, type SchemaChange, withVersion } from '../definitions/schema-version.js';
import { readDefinition, storeDefinition } from '../definitions/stored-definition.js';
import { forEachEntry } from '../entries.js';
import { databaseArea, definitionKey, definitionRange, lostRecordsKey, settingKey } from '../keys/store-keys.js';
import { Identities } from './identity.js';
import { generateSecret } from './secret.js';

export interface Incarnation {
  readonly id: string;
  /** Nanoseconds since 1970: credentials without an incarnation must have been issued later. Absent: any time. */
  readonly since: bigint | undefined;
}

/** What creating incarnations requires. */
export interface IncarnationSource {
  readonly transaction: Transaction;
  readonly random: Random;
  readonly clock: Clock;
}

/** Named by credentials issued before the record existed; no record ever has it. */
export const NO_INCARNATION = '';

const ID_LENGTH = 16;

/**
 * Whether a credential issued at some time (nanoseconds since 1970), which names an incarnation or none, belongs to an
 * incarnation.
 */
export function belongsTo({ id, since }: Incarnation, named: string | undefined, issuedAt: () => bigint): boolean {
  return named === undefined ? since === undefined || issuedAt() > since : named === id;
}

/**
 * The incarnation of a user to be defined: a redefined user stays the same one. Users of older releases have none, and
 * neither have their grants, so that these are valid until the user is removed.
 */
export function userIncarnation(
  existing: UserDefinition | undefined,
  random: Random,
): Pick<UserDefinition, 'incarnation'> {
  if (existing === undefined) return { incarnation: generateSecret(random, ID_LENGTH) };
  return existing.incarnation === undefined ? {} : { incarnation: existing.incarnation };
}

/** The incarnation of a record; `undefined` if it has none, or if there is no such table or record. */
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
 * The incarnation of a record, assigned if it has none; `undefined` if the record doesn't exist. `proven`: the caller
 * has just authenticated as the record, which invalidates earlier credentials without an incarnation.
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

/** A record of a table with users was created: it may have the id of a deleted one. */
export function recordCreated(source: IncarnationSource, table: TableEntry, key: string): PromiseOrValue<void> {
  const { transaction, clock } = source;
  return andThen(transaction.get(lostRecordsKey(table.keys.database, table.keys.table)), (lost) => {
    if (lost !== undefined) putIncarnation(source, table, key, clock.now());
  });
}

/** Deletes incarnation and identities of a record, by its encoded key, and notes that the table has lost records. */
export function recordDeleted(transaction: Transaction, table: TableEntry, key: string): PromiseOrValue<void> {
  transaction.delete(table.keys.incarnation(key));
  return andThen(identitiesEnd(transaction, table, key), () => noteLostRecords(transaction, table));
}

/** All records of a table were deleted. */
export function recordsDeleted(transaction: Transaction, table: TableEntry, work: Work): PromiseOrValue<void> {
  if (table.definition.hasUsers !== true) return undefined;
  return andThen(transaction.deleteRange(table.keys.incarnations, work), () =>
    andThen(identitiesEnd(transaction, table, undefined, work), () => noteLostRecords(transaction, table)),
  );
}

/** A table was removed: a later table of the same name may have records with the same ids. */
export function tableRemoved({ transaction, work }: SchemaChange, table: TableEntry): PromiseOrValue<void> {
  if (table.definition.hasUsers === true) transaction.put(settingKey('users-lost'), true);
  const { database, table: id, incarnations } = table.keys;
  transaction.delete(lostRecordsKey(database, id));
  return andThen(transaction.deleteRange(incarnations, work), () => identitiesEnd(transaction, table, undefined, work));
}

/** Of one record, or of all. */
function identitiesEnd(
  transaction: Transaction,
  { definition, keys }: TableEntry,
  key: string | undefined,
  work?: Work,
): PromiseOrValue<void> {
  if (definition.hasUsers !== true) return undefined;
  return new Identities(transaction, keys.database).removeOf(definition.name, key, work);
}

/** A database was removed, with all of its tables. */
export function databaseRemoved({ transaction }: SchemaChange, { id }: DatabaseDefinition): PromiseOrValue<void> {
  return forEachEntry(transaction, definitionRange(databaseArea(id), 'table'), ([, stored]) => {
    if (readDefinition('define-table', stored).hasUsers === true) transaction.put(settingKey('users-lost'), true);
  });
}

/** The creation time to record for a new table, if a table of its name may have had users. */
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

/** The id in the stored value of an incarnation. */
export function incarnationId(stored: Value): string | undefined {
  return isObject(stored) ? (stored['id'] as string) : undefined;
}

function readIncarnation(stored: Value): Incarnation | undefined {
  if (!isObject(stored)) return undefined;
  const { id, since } = stored;
  return { id: id as string, since: since instanceof Datetime ? datetimeNanoseconds(since) : undefined };
}

/** Once per table; the catalog reload shows it to all writers. */
function markUsers(change: SchemaChange, catalog: DatabaseCatalog, { definition }: TableEntry): PromiseOrValue<void> {
  if (definition.hasUsers === true) return undefined;
  const key = definitionKey(databaseArea(catalog.database.id), 'table', definition.name);
  change.transaction.put(key, withVersion(change, storeDefinition({ ...definition, hasUsers: true })));
  return bumpDatabaseVersion(change, catalog);
}

/** Read before writing, so that deleting records doesn't conflict with creating others every time. */
function noteLostRecords(transaction: Transaction, { keys }: TableEntry): PromiseOrValue<void> {
  const key = lostRecordsKey(keys.database, keys.table);
  return andThen(transaction.get(key), (lost) => {
    if (lost === undefined) transaction.put(key, true);
  });
}

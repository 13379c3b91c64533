/** Records of tables whose records sign in: their credentials end with them. */
import { Derived } from '../base/derived.js';
import { andThen, isPromise, type PromiseOrValue } from '../base/promise-or-value.js';
import { incarnationId, recordCreated, recordDeleted } from '../catalog/credentials/incarnation.js';
import type { DatabaseCatalog, TableEntry } from '../catalog/definitions/database-catalog.js';
import type { TableKeys } from '../catalog/keys/table-keys.js';
import type { RecordUser } from '../catalog/principal.js';
import { failure } from '../errors/error.js';
import type { Execution } from '../runtime/execution.js';
import type { Key, Transaction } from '../storage/contract.js';
import { encodeKey } from '../value/codecs/key-codec.js';
import { toText } from '../value/text/text.js';
import { Range, type RecordId } from '../value/value.js';

/** Call for each record that is created; no cost in databases without record access. */
export function beginUser(
  { services: { environment }, context }: Execution,
  table: TableEntry,
  id: RecordId,
): PromiseOrValue<void> {
  if (table.definition.hasUsers !== true) return undefined;
  const { random, clock } = environment;
  return recordCreated({ transaction: context.transaction, random, clock }, table, encodeKey(id.key));
}

/** Whether a record has been issued credentials, those of earlier records of its id apart. */
export function hasSignedIn({ context }: Execution, table: TableEntry, id: RecordId): PromiseOrValue<boolean> {
  const stored = context.transaction.get(table.keys.incarnation(encodeKey(id.key)));
  return andThen(stored, (found) => incarnationId(found) !== undefined);
}

/** Call for each record that is deleted; no cost in databases without record access. */
export function endUser(execution: Execution, table: TableEntry, id: RecordId): PromiseOrValue<void> {
  if (table.definition.hasUsers !== true) return undefined;
  const {
    services: { sessions },
    context,
    identity,
  } = execution;
  sessions.scheduleRecordRevalidation(context.transaction, identity.databasePath, id);
  return recordDeleted(context.transaction, table, encodeKey(id.key));
}

/**
 * Call when a session begins to use a transaction: a record user must be the record that has signed in, as the
 * transaction shows it, and no other that has its id by now. A commit that relies on this conflicts with one that
 * deletes the record. A view shows a deleted record as one that was deleted, but no other record of its id.
 *
 * @throws TesseraError `session_expired`; `view_target_missing` in a view
 */
export function assertSameUser({ context, identity }: Execution): PromiseOrValue<void> {
  const { principal, databasePath, viewer } = identity;
  if (principal.kind !== 'record' || principal.incarnation === undefined) return undefined;
  // In other databases a record user has no access, and no record.
  if (principal.namespace !== databasePath.namespace || principal.database !== databasePath.database) return undefined;
  // Called with each request: closures are made only if there is something to wait for.
  const catalog = context.catalog();
  const assert = viewer === undefined ? assertNamed : assertNoOther;
  const { transaction } = context;
  if (isPromise(catalog)) return catalog.then((loaded) => assertIncarnation(transaction, loaded, principal, assert));
  return assertIncarnation(transaction, catalog, principal, assert);
}

type Assert = (
  now: string | undefined,
  user: RecordUser,
  transaction: Transaction,
  catalog: DatabaseCatalog | undefined,
) => PromiseOrValue<void>;

function assertIncarnation(
  transaction: Transaction,
  catalog: DatabaseCatalog | undefined,
  user: RecordUser,
  assert: Assert,
): PromiseOrValue<void> {
  const key = incarnationKey(catalog, user);
  const stored = key === undefined ? undefined : transaction.get(key);
  if (isPromise(stored)) return stored.then((found) => assert(incarnationId(found), user, transaction, catalog));
  return assert(incarnationId(stored), user, transaction, catalog);
}

function assertNamed(now: string | undefined, { incarnation }: RecordUser): void {
  if (now !== incarnation) throw failure('session_expired');
}

const assertNoOther: Assert = (now, { id, incarnation }, transaction, catalog) => {
  if (now === incarnation) return undefined;
  const other = () => failure('view_target_missing', { what: `record ${toText(id)}` });
  if (now !== undefined) throw other();
  const keys = catalog?.tables.get(id.table)?.keys;
  if (keys === undefined || id.key instanceof Range) return undefined;
  // The record was deleted, or another one has its id, which hasn't signed in yet.
  return andThen(transaction.get(keys.record(encodeKey(id.key))), (record) => {
    if (record !== undefined) throw other();
  });
};

/** The keys read for a record user in each transaction, and for `$auth`. */
export function keysOfUser({ identity: { principal } }: Execution, { tables }: DatabaseCatalog): readonly Key[] {
  if (principal.kind !== 'record') return [];
  const keys = tables.get(principal.id.table)?.keys;
  if (keys === undefined || principal.id.key instanceof Range) return [];
  const own = encodeKey(principal.id.key);
  return [keys.record(own), keys.incarnation(own)];
}

/** Each request of a user asks for the same key. */
const keys = new Derived<RecordUser, { readonly of: TableKeys; readonly key: Key }>();

function incarnationKey(catalog: DatabaseCatalog | undefined, user: RecordUser): Key | undefined {
  const of = catalog?.tables.get(user.id.table)?.keys;
  if (of === undefined) return undefined;
  let known = keys.get(user);
  if (known?.of !== of) {
    known = { of, key: of.incarnation(encodeKey(user.id.key)) };
    keys.set(user, known);
  }
  return known.key;
}

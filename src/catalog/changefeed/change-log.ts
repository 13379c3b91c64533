/**
 * The change logs behind CHANGEFEED: one per table, written by the transaction that changes the records. Entries are
 * appended (`storage/transaction/append.ts`), so that they are in commit order and writers don't conflict.
 */
import { invariant } from '../../base/invariant.js';
import { andThen, type PromiseOrValue, untilTrue } from '../../base/promise-or-value.js';
import type { Work } from '../../base/work/work.js';
import type { Changefeed } from '../../language/ast.js';
import type { Key, KeyRange, Stored, Transaction, Versionstamp } from '../../storage/contract.js';
import { forEachBatch } from '../../storage/cursor.js';
import { stampBytes, stampIn } from '../../storage/transaction/append.js';
import { isArray, isObject, type ObjectValue, type RecordId, type Value } from '../../value/value.js';
import type { DatabaseCatalog, TableEntry } from '../definitions/database-catalog.js';
import type { TableDefinition } from '../definitions/definition.js';
import { readDefinition, storeDefinition } from '../definitions/stored-definition.js';
import { prefixRange } from '../keys/key-bytes.js';
import { changesPrefix, changesPrefixOf, changesRange } from '../keys/store-keys.js';

/** One entry of a log. */
export type LoggedChange =
  | { readonly kind: 'define'; readonly table: TableDefinition }
  | { readonly kind: 'set'; readonly record: Value }
  /** With the patch back to the previous record (`diff`). Written by earlier versions. */
  | { readonly kind: 'update'; readonly record: Value; readonly back: Value }
  | { readonly kind: 'delete'; readonly id: Value }
  | RecordChange;

/** A changed record, in a feed with INCLUDE ORIGINAL. Changes by an import aren't delivered to live queries. */
export interface RecordChange {
  readonly kind: 'change' | 'import';
  readonly before: ObjectValue | undefined;
  readonly after: ObjectValue | undefined;
}

/** A changed record to be logged. */
export interface LoggedRecord extends Omit<RecordChange, 'kind'> {
  readonly id: RecordId;
  readonly importing: boolean;
}

/** The changefeed clause of a table, if any: the database's takes precedence. Views are never logged. */
export function feedOf(
  { database }: Pick<DatabaseCatalog, 'database'>,
  { definition }: Pick<TableEntry, 'definition'>,
): Changefeed | undefined {
  return definition.view === undefined ? (database.changefeed ?? definition.changefeed) : undefined;
}

/** Logs a changed record. */
export function logRecord(
  transaction: Transaction,
  catalog: DatabaseCatalog,
  feed: Changefeed,
  { id, before, after, importing }: LoggedRecord,
): void {
  const prefix = changesPrefix(catalog.database.id, id.table);
  if (feed.original) transaction.append(prefix, [importing ? 'import' : 'change', before, after]);
  else transaction.append(prefix, after === undefined ? ['delete', id] : ['set', after]);
}

/** Logs the definition of a table with its own changefeed. */
export function logDefinition(transaction: Transaction, database: number, table: TableDefinition): void {
  if (table.changefeed !== undefined) {
    transaction.append(changesPrefix(database, table.name), ['define', storeDefinition(table)]);
  }
}

/** The change in an entry of a changefeed's log (`docs/reference/formats.md`). */
export function readChangeEntry(stored: Stored): LoggedChange {
  invariant(isArray(stored), 'an entry of a log is a list');
  const [kind, subject, back] = stored;
  switch (kind) {
    case 'change':
    case 'import':
      return { kind, before: isObject(subject) ? subject : undefined, after: isObject(back) ? back : undefined };
    case 'define':
      return { kind, table: readDefinition('define-table', subject as Stored) };
    case 'set':
      return { kind, record: subject };
    case 'update':
      return { kind, record: subject, back };
    default:
      return { kind: 'delete', id: subject };
  }
}

/** The changes of one commit. */
export interface ChangeSet {
  readonly stamp: Versionstamp;
  readonly changes: LoggedChange[];
}

/** Which changes: of one table or all, from a versionstamp on, of at most `limit` commits. */
export interface ChangesWanted {
  readonly table: string | undefined;
  readonly since: Versionstamp;
  readonly limit: number;
}

/** Reads changes in commit order, those of one commit ordered by table. `work` is called for each batch read. */
export function readChanges(
  transaction: Transaction,
  database: number,
  { table, since, limit }: ChangesWanted,
  work: Work,
): PromiseOrValue<ChangeSet[]> {
  let sets: ChangeSet[] = [];
  if (limit === 0) return sets;
  const readLog = (prefix: Key): PromiseOrValue<void> => {
    const found = new Map(sets.map((set) => [set.stamp, set]));
    // Later commits exceed the limit.
    const last = sets.length < limit ? undefined : sets.at(-1)?.stamp;
    let fresh = 0;
    const range = { from: prefix + stampBytes(since), to: prefixRange(prefix).to };
    const read = forEachBatch(transaction.scan(range), (batch) => {
      for (const [key, value] of batch) {
        const stamp = stampIn(prefix, key);
        if (last !== undefined && stamp > last) return true;
        let set = found.get(stamp);
        if (set === undefined) {
          if (fresh === limit) return true;
          fresh++;
          set = { stamp, changes: [] };
          found.set(stamp, set);
        }
        set.changes.push(readChangeEntry(value));
      }
      return andThen(work.checkpoint(), () => false);
    });
    return andThen(read, () => {
      const ordered = [...found.values()].sort((a, b) => (a.stamp < b.stamp ? -1 : 1));
      sets = ordered.slice(0, limit);
    });
  };
  const read =
    table === undefined
      ? forEachLog(transaction, changesRange(database), readLog)
      : readLog(changesPrefix(database, table));
  return andThen(read, () => sets);
}

/** Calls `visit` with the prefix of each log that isn't empty. */
export function forEachLog(
  transaction: Transaction,
  range: KeyRange,
  visit: (prefix: Key) => PromiseOrValue<void>,
): PromiseOrValue<void> {
  let { from } = range;
  return untilTrue(() => {
    const cursor = transaction.scan({ from, to: range.to }, { limit: 1 });
    return andThen(cursor.next(), (batch): PromiseOrValue<boolean> => {
      cursor.close();
      const entry = batch?.[0];
      if (entry === undefined) return true;
      const prefix = changesPrefixOf(entry[0]);
      from = prefixRange(prefix).to;
      return andThen(visit(prefix), () => false);
    });
  });
}

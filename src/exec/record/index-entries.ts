/** Keeps the indexes of a table in step with its records, and builds a new index over those that are there already. */
import { andThen, forEachInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { DatabaseCatalog, TableEntry } from '../../catalog/definitions/database-catalog.js';
import type { IndexDefinition } from '../../catalog/definitions/definition.js';
import { failure } from '../../errors/error.js';
import { type IndexEntry, indexEntries } from '../../index/entries.js';
import type { Transaction } from '../../storage/contract.js';
import { forEachBatch } from '../../storage/cursor.js';
import { equals } from '../../value/order.js';
import { toText } from '../../value/text/text.js';
import { isObject, type ObjectValue, RecordId, type RecordKey, type Value } from '../../value/value.js';
import type { Execution } from '../execution.js';

/** Which index entry kinds are kept as ordered keys. */
export function isOrdered(index: IndexDefinition): boolean {
  return index.indexKind.kind === 'plain' || index.indexKind.kind === 'unique';
}

/**
 * Replaces the entries of one record's old state by those of its new state. `tellsHolder` is whether the client may be told which record
 * stands in the way of it.
 * @throws TesseraError `index_violation` when a unique index already lists another record with the same values
 */
export function updateIndexes(
  transaction: Transaction,
  catalog: DatabaseCatalog,
  table: TableEntry,
  key: RecordKey,
  before: ObjectValue | undefined,
  after: ObjectValue | undefined,
  tellsHolder = true,
): PromiseOrValue<void> {
  return forEachInOrder(table.indexes, (index) => {
    if (!isOrdered(index)) return undefined;
    const entries = (record: ObjectValue | undefined) =>
      record === undefined ? [] : indexEntries(catalog.database.id, table.definition.id, index, record, key);
    const old = entries(before);
    const fresh = entries(after);
    const kept = new Set(fresh.map((entry) => entry.key));
    for (const entry of old) if (!kept.has(entry.key)) transaction.delete(entry.key);
    const had = new Set(old.map((entry) => entry.key));
    const added = fresh.filter((entry) => !had.has(entry.key));
    return andThen(
      forEachInOrder(added, (entry) => claim(transaction, table, index, entry, key, tellsHolder)),
      () => undefined,
    );
  });
}

function claim(
  transaction: Transaction,
  table: TableEntry,
  index: IndexDefinition,
  entry: IndexEntry,
  key: RecordKey,
  tellsHolder = true,
): PromiseOrValue<undefined> {
  const holder = entry.unique ? transaction.get(entry.key) : undefined;
  return andThen(holder as PromiseOrValue<Value>, (other) => {
    if (other !== undefined && !equals(other, key)) {
      const held = {
        value: toText(entry.values.length === 1 ? entry.values[0] : entry.values),
        id: toText(new RecordId(table.definition.name, other as RecordKey)),
      };
      throw failure('index_violation', { index: index.name, ...(tellsHolder && { held }) });
    }
    transaction.put(entry.key, key);
    return undefined;
  });
}

/** The record that holds the values which `record` would claim in one of the unique indexes of its table, if there is one. */
export function findByUniqueIndex(
  transaction: Transaction,
  catalog: DatabaseCatalog,
  table: TableEntry,
  record: ObjectValue,
): PromiseOrValue<RecordKey | undefined> {
  let found: Value;
  const done = forEachInOrder(table.indexes, (index) => {
    if (index.indexKind.kind !== 'unique') return undefined;
    const entries = indexEntries(catalog.database.id, table.definition.id, index, record, 0);
    return andThen(
      forEachInOrder(entries, (entry) => {
        if (!entry.unique) return undefined;
        return andThen(transaction.get(entry.key) as PromiseOrValue<Value>, (key) => {
          found = key;
          return key !== undefined;
        });
      }),
      () => found !== undefined,
    );
  });
  return andThen(done, () => found as RecordKey | undefined);
}

/** Lists all records of a table in a new index; a violation of uniqueness ends the definition. */
export function buildIndex(execution: Execution, table: TableEntry, index: IndexDefinition): PromiseOrValue<void> {
  if (!isOrdered(index)) return;
  return andThen(execution.unit.catalog(), (catalog) => {
    if (catalog === undefined) return;
    const { transaction } = execution.unit;
    return forEachBatch(transaction.scan(table.keys.records), (batch) => {
      const listed = forEachInOrder(batch, ([, record]) => {
        const id = isObject(record) ? record['id'] : undefined;
        if (!isObject(record) || !(id instanceof RecordId)) return undefined;
        const key = id.key as RecordKey;
        const entries = indexEntries(catalog.database.id, table.definition.id, index, record, key);
        return andThen(
          forEachInOrder(entries, (entry) => claim(transaction, table, index, entry, key)),
          () => undefined,
        );
      });
      return andThen(listed, () => andThen(execution.interrupt.checkpoint(), () => undefined));
    });
  });
}

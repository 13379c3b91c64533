/** Plain and unique indexes: entries in the order of their values (`index/entries.ts`). */
import { andThen, forEachInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import { eachChunk } from '../../base/work/loops.js';
import { noteFlaw } from '../../catalog/indexes/work.js';
import { failure, type TesseraError } from '../../errors/error.js';
import { type IndexEntry, indexEntries } from '../../index/entries.js';
import { printExpression } from '../../language/print.js';
import type { Execution } from '../../runtime/execution.js';
import type { Key, Stored, Transaction } from '../../storage/contract.js';
import { equals } from '../../value/order.js';
import { toText } from '../../value/text/text.js';
import { type ObjectValue, RecordId, type RecordKey } from '../../value/value.js';
import type { IndexedChange, IndexKeeping, KeptIndex } from './contract.js';

/** The maintenance of ordered indexes; with `unique` each value is admitted once. */
export function ordered(unique?: 'unique'): IndexKeeping {
  return unique === undefined ? { maintain, entries } : { maintain, entries, claims };
}

function maintain(
  index: KeptIndex,
  execution: Execution,
  changes: readonly IndexedChange[],
  tellsHolder: boolean,
): PromiseOrValue<void> {
  return forEachInOrder(changes, (change) => replaceEntries(index, execution, change, tellsHolder));
}

function entries({ prefix, definition }: KeptIndex, record: ObjectValue, key: RecordKey): readonly IndexEntry[] {
  return indexEntries(prefix, definition, record, key);
}

function claims(index: KeptIndex, record: ObjectValue): readonly Key[] {
  const all = entries(index, record, 0);
  return all.filter(({ unique }) => unique).map(({ key }) => key);
}

function replaceEntries(
  index: KeptIndex,
  execution: Execution,
  { key, before, after }: IndexedChange,
  tellsHolder: boolean,
): PromiseOrValue<undefined> {
  if (before !== undefined && after !== undefined && isSame(index.fields, before, after)) return;
  const old = before === undefined ? NONE : entries(index, before, key);
  const fresh = after === undefined ? NONE : entries(index, after, key);
  const removed = without(old, fresh);
  const added = without(fresh, old);
  const { transaction } = execution.context;
  const given = eachOf(execution, removed, (some) =>
    index.isBuilding ? forEachInOrder(some, (entry) => giveUp(transaction, entry, key)) : deleteAll(transaction, some),
  );
  const put = () =>
    eachOf(execution, added, (some) =>
      forEachInOrder(some, (entry) => list(index, transaction, entry, key, tellsHolder)),
    );
  return andThen(andThen(given, put), () => undefined);
}

/** Entries of one record at once; those of a long array are taken in steps. */
const AT_ONCE = 256;

function eachOf(
  execution: Execution,
  entries: readonly IndexEntry[],
  take: (some: readonly IndexEntry[]) => PromiseOrValue<void>,
): PromiseOrValue<void> {
  return entries.length <= AT_ONCE ? take(entries) : eachChunk(entries, execution.interrupt, take);
}

/** Whether the fields on which the entries of an index depend are unchanged. */
export function isSame(fields: KeptIndex['fields'], before: ObjectValue, after: ObjectValue): boolean {
  if (fields === undefined) return false;
  for (const field of fields) if (before[field] !== after[field]) return false;
  return true;
}

const NONE: readonly IndexEntry[] = [];

/** Maximum number of entries that are compared one by one. */
const FEW = 8;

/** The entries that aren't among others. */
function without(entries: readonly IndexEntry[], others: readonly IndexEntry[]): readonly IndexEntry[] {
  if (entries.length === 0 || others.length === 0) return entries;
  if (others.length <= FEW) return entries.filter(({ key }) => !others.some((other) => other.key === key));
  const keys = new Set(others.map(({ key }) => key));
  return entries.filter(({ key }) => !keys.has(key));
}

function deleteAll(transaction: Transaction, entries: readonly IndexEntry[]): undefined {
  for (const { key } of entries) transaction.delete(key);
}

/** While an index is under construction, a value may be listed for another record than the one that gives it up. */
function giveUp(transaction: Transaction, entry: IndexEntry, key: RecordKey): PromiseOrValue<undefined> {
  if (!entry.unique) {
    transaction.delete(entry.key);
    return;
  }
  return andThen(transaction.get(entry.key), (holder) => {
    if (holder !== undefined && equals(holder, key)) transaction.delete(entry.key);
    return undefined;
  });
}

function list(
  index: KeptIndex,
  transaction: Transaction,
  entry: IndexEntry,
  key: RecordKey,
  tellsHolder: boolean,
): PromiseOrValue<undefined> {
  if (!entry.unique) {
    transaction.put(entry.key, key);
    return;
  }
  return andThen(transaction.get(entry.key), (holder) => {
    if (holder === undefined || equals(holder, key)) {
      transaction.put(entry.key, key);
      return undefined;
    }
    if (!index.isBuilding) throw violation(index, entry, holder, tellsHolder);
    const noted = noteFlaw(transaction, index.ids, violation(index, entry, holder, true).message);
    return andThen(noted, () => undefined);
  });
}

function violation(
  { definition, table }: KeptIndex,
  { values }: IndexEntry,
  holder: Stored,
  tellsHolder: boolean,
): TesseraError {
  const held = {
    value: toText(values.length === 1 ? values[0] : values),
    id: toText(new RecordId(table, holder as RecordKey)),
  };
  const fields = definition.fields.map((field) => printExpression(field));
  return failure('index_violation', { index: definition.name, fields, ...(tellsHolder && { held }) });
}

/** Maintains the indexes of a table when its records change. */
import { Derived } from '../../base/derived.js';
import { andThen, forEachInOrder, otherwise, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { TableEntry } from '../../catalog/definitions/database-catalog.js';
import type { IndexDefinition } from '../../catalog/definitions/definition.js';
import { noteFlaw } from '../../catalog/indexes/work.js';
import { indexPrefix } from '../../catalog/keys/store-keys.js';
import type { ErrorCode } from '../../errors/catalogue.js';
import { TesseraError } from '../../errors/error.js';
import type { Execution } from '../../runtime/execution.js';
import type { Transaction } from '../../storage/contract.js';
import type { ObjectValue, RecordKey } from '../../value/value.js';
import type { IndexedChange, KeptIndex } from './contract.js';
import { INDEX_KINDS } from './kinds.js';

/** The indexes of a table that have entries. */
export function keptIndexes(table: TableEntry): readonly KeptIndex[] {
  let indexes = kept.get(table);
  if (indexes === undefined) {
    indexes = table.maintained.flatMap((index) => keptIndex(table, index) ?? []);
    kept.set(table, indexes);
  }
  return indexes;
}

const kept = new Derived<TableEntry, readonly KeptIndex[]>();

/** The maintained form of an index; `undefined` if its kind has no entries. */
export function keptIndex({ keys, definition: table }: TableEntry, index: IndexDefinition): KeptIndex | undefined {
  const keeping = INDEX_KINDS[index.indexKind.kind];
  if (typeof keeping === 'string') return undefined;
  return {
    definition: index,
    keeping,
    ids: { database: keys.database, table: keys.table, index: index.id },
    table: table.name,
    prefix: indexPrefix(keys.database, keys.table, index.id),
    fields: fieldsOf(index),
    isBuilding: index.state === 'building',
  };
}

function fieldsOf({ fields }: IndexDefinition): readonly string[] | undefined {
  const names = fields.flatMap(({ parts: [first] }) => (first?.kind === 'field' ? [first.name] : []));
  return names.length === fields.length ? names : undefined;
}

/**
 * Replaces the entries of a record's old state by those of its new state. `tellsHolder` is whether the error may name
 * the record that holds the values.
 * @throws TesseraError `index_violation` when a unique index already lists another record with the same values
 */
export function updateIndexes(
  execution: Execution,
  table: TableEntry,
  key: RecordKey,
  before: ObjectValue | undefined,
  after: ObjectValue | undefined,
  tellsHolder = true,
): PromiseOrValue<void> {
  const indexes = keptIndexes(table);
  if (indexes.length === 0) return;
  const changes = [{ key, before, after }];
  return forEachInOrder(indexes, (index) => notStopping(maintain(index, execution, changes, tellsHolder)));
}

/** For `forEachInOrder`, which stops where it is answered true. */
function notStopping(done: PromiseOrValue<void>): PromiseOrValue<undefined> {
  return andThen(done, () => undefined);
}

/** An error of an analyzer, or about its result. */
const ANALYZER_FAULTS = [
  'analyzer_missing',
  'analyzer_file_denied',
  'analyzer_file',
  'analyzer_lemma',
  'analyzer_result',
  'function_undefined',
  'too_many_terms',
  'invalid_arguments',
] as const;

/** Why a record can't be indexed. */
const FLAWS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'index_violation',
  'value_too_large',
  'key_too_long',
  ...ANALYZER_FAULTS,
  'vector_component',
  'vector_dimension',
  'vector_value',
]);

/** `IndexKeeping.maintain`; errors of an index under construction are noted instead of thrown. */
export function maintain(
  index: KeptIndex,
  execution: Execution,
  changes: readonly IndexedChange[],
  tellsHolder = true,
): PromiseOrValue<void> {
  const { keeping, ids, isBuilding } = index;
  if (!isBuilding) return keeping.maintain(index, execution, changes, tellsHolder);
  return notingFlaws(execution, ids, () => keeping.maintain(index, execution, changes, tellsHolder));
}

/** Runs work on an index under construction; its errors are noted instead of thrown. */
export function notingFlaws(
  { context: { transaction } }: Execution,
  ids: KeptIndex['ids'],
  work: () => PromiseOrValue<void>,
): PromiseOrValue<void> {
  return otherwise(work, (error) => {
    if (!(error instanceof TesseraError) || !FLAWS.has(error.code)) throw error;
    return noteFlaw(transaction, ids, error.message);
  });
}

/**
 * The record that holds the values which `record` would claim in one of the unique indexes of its table, if there is
 * one.
 */
export function findByUniqueIndex(
  transaction: Transaction,
  table: TableEntry,
  record: ObjectValue,
): PromiseOrValue<RecordKey | undefined> {
  let found: RecordKey | undefined;
  const done = forEachInOrder(keptIndexes(table), (index) => {
    const claimed = index.isBuilding ? undefined : index.keeping.claims?.(index, record);
    if (claimed === undefined) return undefined;
    const read = forEachInOrder(claimed, (entry) =>
      andThen(transaction.get(entry), (key) => {
        found = key as RecordKey | undefined;
        return found !== undefined;
      }),
    );
    return andThen(read, () => found !== undefined);
  });
  return andThen(done, () => found);
}

/** Builds an index within the statement that defines it. */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { TableEntry } from '../../catalog/definitions/database-catalog.js';
import type { IndexDefinition } from '../../catalog/definitions/definition.js';
import { putBuildProgress } from '../../catalog/indexes/work.js';
import type { Execution } from '../../runtime/execution.js';
import type { Stored } from '../../storage/contract.js';
import { forEachBatchOfValues } from '../../storage/cursor.js';
import { isObject, RecordId, type RecordKey } from '../../value/value.js';
import type { IndexedChange } from './contract.js';
import { INDEX_KINDS } from './kinds.js';
import { keptIndex, maintain } from './maintain.js';

/** Records a step: those with vectors or texts are large, and each takes as long to list as to read. */
const AT_ONCE = 64;

/**
 * Indexes all records of a table in a new index, and notes their number.
 * @throws TesseraError `index_violation`, `value_too_large`, `key_too_long`
 */
export function buildIndex(execution: Execution, table: TableEntry, index: IndexDefinition): PromiseOrValue<void> {
  if (INDEX_KINDS[index.indexKind.kind] === 'unsupported') return;
  const { transaction } = execution.context;
  return andThen(listRecords(execution, table, index), (initial) => {
    const ids = { database: table.keys.database, table: table.keys.table, index: index.id };
    putBuildProgress(transaction, ids, { initial });
  });
}

/** Returns their number. */
async function listRecords(execution: Execution, table: TableEntry, index: IndexDefinition): Promise<number> {
  const { transaction } = execution.context;
  const kept = keptIndex(table, index);
  if (kept === undefined) return transaction.count(table.keys.records);
  let read = 0;
  const build = kept.keeping.build?.(kept, execution);
  await forEachBatchOfValues(transaction.scan(table.keys.records, { batch: AT_ONCE }), async (batch) => {
    read += batch.length;
    const changes = asCreations(batch);
    await (build === undefined ? maintain(kept, execution, changes) : build.add(changes));
    await execution.interrupt.checkpoint();
  });
  await build?.finish();
  return read;
}

/** Stored records as if they had just been created. */
export function asCreations(records: readonly Stored[]): IndexedChange[] {
  const changes: IndexedChange[] = [];
  for (const record of records) {
    const id = isObject(record) ? record['id'] : undefined;
    if (!isObject(record) || !(id instanceof RecordId)) continue;
    changes.push({ key: id.key as RecordKey, before: undefined, after: record });
  }
  return changes;
}

/** Access to records as they are stored, past the reader: for exports and for writers. */
import { invariant } from '../base/invariant.js';
import type { TableEntry } from '../catalog/definitions/database-catalog.js';
import type { Execution } from '../runtime/execution.js';
import type { Cursor } from '../storage/contract.js';
import type { ObjectValue } from '../value/value.js';

/** Records a batch. */
const BATCH = 256;

/**
 * All records of a table as they are stored, without what its fields compute: for a principal whom no permissions apply
 * to. All others read records through the reader.
 */
export function storedRecords(execution: Execution, { keys }: TableEntry): Cursor {
  invariant(!execution.checks.view, 'whoever reads what is stored may see all of it');
  return execution.context.transaction.scan(keys.records, { batch: BATCH });
}

/** The stored form of a record that the reader returned to a writer. It never reaches the user. */
export function storedOf(seen: ObjectValue): ObjectValue {
  return stored.get(seen) ?? seen;
}

/** `seen` is the visible form of the record for a writer. */
export function withStoredRecord(seen: ObjectValue, record: ObjectValue): ObjectValue {
  if (seen !== record) stored.set(seen, record);
  return seen;
}

const stored = new WeakMap<ObjectValue, ObjectValue>();

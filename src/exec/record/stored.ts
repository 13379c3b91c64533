import { invariant } from '../../base/invariant.js';
import type { TableEntry } from '../../catalog/database-catalog.js';
import type { Cursor } from '../../storage/contract.js';
import type { Execution } from '../execution.js';

/** Records a batch. */
const BATCH = 256;

/**
 * All records of a table as they are stored, without what its fields compute: for a principal whom no permissions apply to. Everybody else's
 * records come through the reader.
 */
export function storedRecords(execution: Execution, { keys }: TableEntry): Cursor {
  invariant(!execution.checks.view, 'whoever reads what is stored may see all of it');
  return execution.unit.transaction.scan(keys.records, { batch: BATCH });
}

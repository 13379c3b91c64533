/**
 * What becomes of a write that PERMISSIONS refuse. It is left out, as if what it is about weren't there; strictly it is an error. No error
 * tells of anything that can't be seen: for those who may not see a record or a field, there is none.
 */
import { andThen, type PromiseOrValue } from '../base/promise-or-value.js';
import type { TableEntry } from '../catalog/definitions/database-catalog.js';
import { failure } from '../errors/error.js';
import { NO_FIELDS } from '../plan/fields-read.js';
import type { ObjectValue, RecordId } from '../value/value.js';
import type { Execution } from './execution.js';
import type { Refusal } from './witness.js';

/** @throws TesseraError `write_refused` strictly */
export function refuse(execution: Execution, refusal: Refusal): undefined {
  leaveOut(execution, refusal);
  if (execution.strict) throw failure('write_refused', refusal);
  return undefined;
}

/** The same for a record that exists, of which only those are told who can see it. */
export function refuseChange(
  execution: Execution,
  refusal: Refusal,
  table: TableEntry,
  before: ObjectValue,
): PromiseOrValue<undefined> {
  if (!execution.strict || !execution.checks.view) return refuse(execution, refusal);
  return andThen(execution.reader.present(execution, table, before, 'select', NO_FIELDS), (seen) =>
    seen === undefined ? leaveOut(execution, refusal) : refuse(execution, refusal),
  );
}

/** Tells nobody but the witness. */
export function leaveOut({ witness }: Execution, refusal: Refusal): undefined {
  witness?.refused(refusal);
  return undefined;
}

/**
 * Whether a record is there, for statements that create what isn't. Strictly, one that can't be seen isn't: that creating it is refused, or
 * that its id is taken, is what whoever names it is told.
 */
export function isThere(execution: Execution, id: RecordId): PromiseOrValue<boolean> {
  return isDiscreet(execution) ? canTouch(execution, id) : execution.writer.exists(execution, id);
}

/** The same for a record that an index lists. */
export function isListedRecordThere(execution: Execution, id: RecordId): PromiseOrValue<boolean> {
  return isDiscreet(execution) ? canTouch(execution, id) : true;
}

function isDiscreet({ strict, checks }: Execution): boolean {
  return strict && checks.edit;
}

function canTouch(execution: Execution, id: RecordId): PromiseOrValue<boolean> {
  return andThen(execution.reader.read(execution, id, 'update', NO_FIELDS), (record) => record !== undefined);
}

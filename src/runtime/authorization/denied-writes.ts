/**
 * Denied writes are skipped, as if the record or field didn't exist; strict mode throws `write_refused`, unless that
 * would reveal a hidden record or field.
 */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { TableEntry } from '../../catalog/definitions/database-catalog.js';
import { failure } from '../../errors/error.js';
import { OTHER_LABEL } from '../../metrics/label-values.js';
import { NO_FIELDS } from '../../plan/fields-read.js';
import type { ObjectValue, RecordId } from '../../value/value.js';
import type { DeniedWrite } from '../audit-recorder.js';
import type { Execution } from '../execution.js';

/** @throws TesseraError `write_refused` strictly */
export function denyWrite(execution: Execution, denied: DeniedWrite): undefined {
  skipWrite(execution, denied);
  if (execution.request.strict) throw failure('write_refused', denied);
  return undefined;
}

/** The same for an existing record: throws only if the principal can see it. */
export function denyChange(
  execution: Execution,
  denied: DeniedWrite,
  table: TableEntry,
  before: ObjectValue,
): PromiseOrValue<undefined> {
  if (!execution.request.strict || !execution.checks.view) return denyWrite(execution, denied);
  return andThen(execution.services.reader.present(execution, table, before, 'select', NO_FIELDS), (seen) =>
    seen === undefined ? skipWrite(execution, denied) : denyWrite(execution, denied),
  );
}

/** Records the denial for the audit log and the metrics, without an error. */
export function skipWrite({ request, services }: Execution, denied: DeniedWrite): undefined {
  request.auditRecorder?.recordDenial(denied);
  services.metrics?.deniedWrite(denied.isMissing ? OTHER_LABEL : denied.table, denied.action);
  return undefined;
}

/**
 * Whether a record exists, for statements that create missing ones. In strict mode hidden records count as missing: the
 * attempt to create one is then denied, or fails since its id is taken.
 */
export function recordExists(execution: Execution, id: RecordId): PromiseOrValue<boolean> {
  return hidesExistence(execution) ? canUpdate(execution, id) : execution.services.writer.exists(execution, id);
}

/** The same for a record that an index lists. */
export function listedRecordExists(execution: Execution, id: RecordId): PromiseOrValue<boolean> {
  return hidesExistence(execution) ? canUpdate(execution, id) : true;
}

function hidesExistence({ request: { strict }, checks }: Execution): boolean {
  return strict && checks.edit;
}

function canUpdate(execution: Execution, id: RecordId): PromiseOrValue<boolean> {
  return andThen(execution.services.reader.read(execution, id, 'update', NO_FIELDS), (record) => record !== undefined);
}

/** Whether records are read just as they are stored, or all see the same of them. */
import type { Execution } from '../runtime/execution.js';
import type { ReadPurpose } from '../runtime/record-access.js';
import type { PreparedField, PreparedTable } from './table.js';

/** Whether rules apply to what is read for a purpose. */
export function isChecked(execution: Execution, purpose: ReadPurpose): boolean {
  return purpose === 'select' ? execution.checks.view : execution.checks.edit;
}

/** Whether no rules apply, neither of seeing nor of changing. */
export function isPlain(execution: Execution, purpose: ReadPurpose): boolean {
  return !execution.checks.view && !isChecked(execution, purpose);
}

/** Whether records come out as they are stored, of which some fields are computed. */
export function isAsStored(reading: {
  readonly execution: Execution;
  readonly purpose: ReadPurpose;
  readonly computed: readonly PreparedField[];
}): boolean {
  return reading.computed.length === 0 && isPlain(reading.execution, reading.purpose);
}

/** Whether a table's records look the same to all who are checked alike (`RecordReader.presentsAlike`). */
export function isAlikeForAll(
  execution: Execution,
  { computed, rules: { select }, mask, credentials }: PreparedTable,
): boolean {
  if (computed.all.length > 0) return false;
  if (isPlain(execution, 'select')) return true;
  const isAlike = select.kind !== 'where' || select.isOfRecordAlone;
  return isAlike && mask === undefined && credentials.length === 0;
}

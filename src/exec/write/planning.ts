/** What the planning of UPDATE, UPSERT and DELETE has in common. */
import type { Delete, Update, Upsert } from '../../language/ast.js';
import { type FieldsRead, fieldsRead, unionOfReads } from '../../plan/fields-read.js';
import type { ReadPurpose, WrittenRecord } from '../runtime/record-access.js';
import type { Planning } from '../statement/prepared.js';

/** What a statement says of the records that it is about; `reads` is what it reads of those that are found. */
export function planningOf(
  { targets, where, with: hints }: Update | Upsert | Delete,
  purpose: ReadPurpose,
  reads: FieldsRead,
): Omit<Planning<never>, 'bind' | 'timed' | 'readerOf' | 'compile'> {
  return {
    targets,
    hints: { where, with: hints },
    purpose,
    fields: unionOfReads([fieldsRead([where]), reads]),
    // All records are found before the first is changed.
    writes: false,
  };
}

/** How many records were changed; some may not be. */
export function countWritten(written: readonly (WrittenRecord | undefined)[]): number {
  return written.reduce((count, each) => (each === undefined ? count : count + 1), 0);
}

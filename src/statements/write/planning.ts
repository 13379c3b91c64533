/** The common planning of UPDATE, UPSERT and DELETE. */
import type { Delete, Update, Upsert } from '../../language/ast.js';
import { type FieldsRead, fieldsRead, unionOfReads } from '../../plan/fields-read.js';
import type { Planning } from '../../query/statement/prepared.js';
import type { ReadPurpose, WrittenRecord } from '../../runtime/record-access.js';

/** A statement's targets and condition; `reads` are the fields that it reads of found records. */
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

/** Number of changed records; some may be denied. */
export function countWritten(written: readonly (WrittenRecord | undefined)[]): number {
  return written.reduce((count, each) => (each === undefined ? count : count + 1), 0);
}

/** ONLY: a list of results as one. */
import { failure } from '../../../errors/error.js';
import type { Expression, Select } from '../../../language/ast.js';
import type { Value } from '../../../value/value.js';

/**
 * The result of a statement with one value for each record: a list, or with ONLY the single value (NONE if there
 * is none).
 * @throws TesseraError `only_one` when ONLY meets several
 */
export function applyOnly(values: readonly Value[], only: boolean): Value {
  if (!only) return values;
  if (values.length > 1) throw failure('only_one');
  return values[0];
}

/**
 * The same for SELECT: only a record may be missing; FROM a written list or nothing, ONLY requires
 * exactly one row.
 * @throws TesseraError `only_one`
 */
export function applyOnlyToSelect(values: readonly Value[], { only, from }: Select): Value {
  if (only && values.length === 0 && from.every(isWrittenDown)) throw failure('only_one');
  return applyOnly(values, only);
}

function isWrittenDown(source: Expression): boolean {
  return (
    source.kind === 'array' || (source.kind === 'literal' && (source.value === undefined || source.value === null))
  );
}

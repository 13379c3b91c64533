import { failure } from '../errors/error.js';
import type { Value } from '../value/value.js';

/**
 * The answer of a statement that gives one value for each record: a list, or with ONLY the single value (NONE if there is none).
 * @throws TesseraError `only_one` when ONLY meets several
 */
export function answer(values: readonly Value[], only: boolean): Value {
  if (!only) return values;
  if (values.length > 1) throw failure('only_one');
  return values[0];
}

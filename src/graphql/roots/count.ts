/** How many records there are: `SELECT count() FROM person GROUP ALL`, for which the storage needs to read none. */
import type { Expression, Select } from '../../language/ast.js';
import { isArray, isObject, type Value } from '../../value/value.js';
import { type Clauses, select } from '../execution/select.js';
import { COUNT } from '../schema/aggregate-parts.js';

export function countOf(from: Expression, clauses: Clauses): Select {
  return {
    ...select({ kind: 'fields', items: [{ kind: 'expression', expression: COUNT }] }, from, clauses),
    group: { kind: 'all' },
  };
}

/** What such a statement has found. */
export function countedRows(rows: Value): Value {
  const row = isArray(rows) ? rows[0] : undefined;
  return isObject(row) ? row['count'] : undefined;
}

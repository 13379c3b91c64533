/**
 * Paging by the values that a record has in the order's fields (keyset paging). A place in the order is where a record
 * stands or stood, so that pages don't shift when records come and go.
 */
import type { BinaryOperator, Expression, Param } from '../../language/ast.js';
import { SCORE } from './found-columns.js';
import { join } from './select.js';

export interface KeysetKey {
  readonly column: string;
  readonly descending: boolean;
}

/**
 * An order in which no two records are equal: it ends with the id. The id goes in the direction of the key before it,
 * since that is how an index of the fields lists records; behind a score it ascends, as in what a full-text index
 * finds.
 */
export function keysetOf(given: readonly KeysetKey[]): readonly KeysetKey[] {
  const keys = new Map<string, KeysetKey>();
  for (const key of given) {
    // No two records have the same id: what follows decides nothing.
    if (keys.has('id')) break;
    if (!keys.has(key.column)) keys.set(key.column, key);
  }
  const last = [...keys.values()].at(-1);
  const descending = last?.descending === true && last.column !== SCORE;
  return keys.has('id') ? [...keys.values()] : [...keys.values(), { column: 'id', descending }];
}

/** The same keys in the opposite direction. */
export function reversed(keys: readonly KeysetKey[]): readonly KeysetKey[] {
  return keys.map(({ column, descending }) => ({ column, descending: !descending }));
}

/**
 * Whether a record stands behind a place in the order, which `values` says key by key:
 *
 *     age >= $a AND (age > $a OR (name >= $n AND (name > $n OR id > $i)))
 *
 * `>` and ORDER BY both follow the total order of values, in which NONE and NULL come first. That the first key is
 * bounded by itself lets an index of it be used. `columnValue` gives what the record has in a column.
 */
export function behind(keys: readonly KeysetKey[], values: readonly Param[], columnValue: ColumnValue): Expression {
  return compared(keys, values, columnValue, false);
}

/** Whether a record stands at a place in the order, or behind it. */
export function fromThereOn(
  keys: readonly KeysetKey[],
  values: readonly Param[],
  columnValue: ColumnValue,
): Expression {
  return compared(keys, values, columnValue, true);
}

type ColumnValue = (column: string) => Expression;

function compared(
  keys: readonly KeysetKey[],
  values: readonly Param[],
  columnValue: ColumnValue,
  including: boolean,
): Expression {
  return keys.reduceRight<Expression | undefined>((rest, { column, descending }, at) => {
    const compare = (operator: BinaryOperator): Expression => ({
      kind: 'binary',
      operator,
      left: columnValue(column),
      right: values[at] as Param,
    });
    const strict = compare(descending ? '<' : '>');
    const loose = compare(descending ? '<=' : '>=');
    if (rest === undefined) return including ? loose : strict;
    return join('&&', [loose, join('||', [strict, rest])]);
  }, undefined) as Expression;
}

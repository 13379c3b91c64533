/**
 * `age > $age AND active AND …`: comparisons of a field with a value that is the same for all rows are evaluated first,
 * each such part in a loop over all rows that the ones before it left. Only parts that stand before all others, since
 * those may fail.
 */
import type { BinaryOperator, Expression } from '../../language/ast.js';
import { constantValue } from '../../language/constant-value.js';
import { fieldNameOf } from '../../language/field-name-of.js';
import { ORDERED_OPERATORS, operandsOf } from '../access/comparisons.js';
import { isDocumentFree } from '../dependencies.js';
import type { NodeRule } from './rule.js';

export const batchFilter: NodeRule<'filter'> = {
  name: 'batch-filter',
  kind: 'filter',
  rewrite(filter) {
    const parts = operandsOf(filter.condition, '&&');
    const first = parts.findIndex((part) => !isComparison(part));
    const batched = first < 0 ? parts : parts.slice(0, first);
    return batched.length === 0 ? undefined : { ...filter, batched };
  },
};

/** The operators that compare, which do nothing else and fail for no values but huge ones. */
const COMPARING: ReadonlySet<BinaryOperator> = new Set<BinaryOperator>([...ORDERED_OPERATORS, '!=']);

/** Whether an expression is a field of the row. */
function isComparison(condition: Expression): boolean {
  if (fieldNameOf(condition) !== undefined) return true;
  if (condition.kind !== 'binary' || !COMPARING.has(condition.operator)) return false;
  return fieldNameOf(condition.left) !== undefined && isSame(condition.right);
}

/** Whether it is enough to evaluate an expression once for many rows. */
function isSame(expression: Expression): boolean {
  return constantValue(expression) !== undefined || (expression.kind === 'param' && isDocumentFree(expression));
}

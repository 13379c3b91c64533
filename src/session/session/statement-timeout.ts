import type { Interrupt, Scope } from '../../exec/execution.js';
import type { Expression, Statement } from '../../language/ast.js';
import { constantValue } from '../../language/constant-value.js';
import { Duration, type Value } from '../../value/value.js';

/**
 * The interrupt with the statement's TIMEOUT, if that is a literal or a variable; `undefined` without one. A TIMEOUT that
 * is computed begins with the statement, not with its transaction.
 */
export function timedBy(
  statement: Statement,
  interrupt: Interrupt,
  scope: Scope,
  literals: readonly Value[] | undefined,
): Interrupt | undefined {
  if (!('timeout' in statement) || statement.timeout === undefined) return undefined;
  const value = knownValue(statement.timeout, scope, literals);
  return value instanceof Duration ? interrupt.within(value) : undefined;
}

function knownValue(expression: Expression, scope: Scope, literals: readonly Value[] | undefined): Value {
  if (expression.kind !== 'param') return constantValue(expression)?.value;
  const { name, slot } = expression;
  return slot === undefined ? scope.get(name) : literals?.[slot];
}

/** Statements as values. */
import type { Expression, Statement } from '../../ast.js';

/** A statement as a value. An expression that stood as a statement is itself. */
export function asExpression(statement: Statement): Expression {
  return statement.kind === 'expression' ? statement.expression : { kind: 'subquery', statement };
}

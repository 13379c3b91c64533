/**
 * In the reference engine a LET in the body of a FOR, or in a block that is a statement, reports a failure
 * as THROW does: `An error occurred: …`. Blocks within values, and bodies of functions and closures, don't.
 */
import { otherwise } from '../../base/promise-or-value.js';
import type { ErrorCode } from '../../errors/catalogue.js';
import { failure, TesseraError } from '../../errors/error.js';
import type { Block, Expression, Let, Statement } from '../../language/ast.js';
import { RECORD_CHANGES } from '../../plan/effects.js';
import type { Evaluate } from '../../runtime/frame.js';

/** The blocks that a statement runs itself, not as a part of a value. */
export function ownBlocks(statement: Statement): ReadonlySet<Block> {
  if (statement.kind !== 'expression' && statement.kind !== 'return') return NO_BLOCKS;
  const blocks = new Set<Block>();
  ofStatement(statement, blocks);
  return blocks;
}

export const NO_BLOCKS: ReadonlySet<Block> = new Set();

function ofStatement(statement: Statement, blocks: Set<Block>): void {
  if (statement.kind === 'expression') ofExpression(statement.expression, blocks);
  else if (statement.kind === 'return') ofExpression(statement.value, blocks);
}

function ofExpression(expression: Expression | undefined, blocks: Set<Block>): void {
  if (expression?.kind === 'block') {
    blocks.add(expression);
    for (const statement of expression.statements) ofStatement(statement, blocks);
  } else if (expression?.kind === 'if') {
    for (const { then } of expression.branches) ofExpression(then, blocks);
    ofExpression(expression.otherwise, blocks);
  }
}

/** A LET of such a block. One whose value is a statement that writes reports errors as that does. */
export function withLetErrorText({ value }: Let, evaluate: Evaluate): Evaluate {
  if (value.kind === 'subquery' && RECORD_CHANGES.has(value.statement.kind)) return evaluate;
  return (frame) =>
    otherwise(
      () => evaluate(frame),
      (error) => {
        throw isOfValue(error) ? failure('let_failed', { text: error.message }, { cause: error }) : error;
      },
    );
}

/** Cancellations, conflicts and errors about the name aren't failures of the value. */
function isOfValue(error: unknown): error is TesseraError {
  return error instanceof TesseraError && !error.retryable && !OTHERS.has(error.code);
}

const OTHERS: ReadonlySet<ErrorCode> = new Set(['cancelled', 'reserved_variable', 'timed_out', 'variable_coercion']);

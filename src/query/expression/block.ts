/** Blocks and subqueries: statements as values. */
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import type { Block, Statement, Subquery } from '../../language/ast.js';
import type { Evaluate, Frame } from '../../runtime/frame.js';
import { scoped } from '../../runtime/scoped.js';
import type { Value } from '../../value/value.js';
import type { InlineCompiler } from './inline-compiler.js';
import { withLetErrorText } from './let-error-text.js';

/** Runs statements in order; the value is that of the last one. */
export function compileBlock(block: Block, compiler: InlineCompiler, last = false): Evaluate {
  const run = compileStatements(block.statements, compiler, last, compiler.ownBlocks.has(block));
  // Only LET defines variables, so that other blocks need no scope of their own.
  return block.statements.some((statement) => statement.kind === 'let') ? (frame) => run(frame.block()) : run;
}

/**
 * The statements of a block in the scope of the frame. With `hasLetErrorText`, errors of its LETs are reworded
 * (`let-error-text.ts`).
 */
export function compileStatements(
  statements: readonly Statement[],
  compiler: InlineCompiler,
  last: boolean,
  hasLetErrorText: boolean,
): Evaluate {
  const compiled = statements.map((statement, index) => {
    const isLast = last && index === statements.length - 1;
    const evaluate = isLast ? compiler.lastStatement(statement) : compiler.statement(statement);
    return hasLetErrorText && statement.kind === 'let' ? withLetErrorText(statement, evaluate) : evaluate;
  });
  const [only] = compiled;
  if (only === undefined) return () => undefined;
  if (compiled.length === 1) return only;
  const run = (frame: Frame, from: number): PromiseOrValue<Value> => {
    let value: Value;
    for (let index = from; index < compiled.length; index++) {
      const result = (compiled[index] as Evaluate)(frame);
      if (result instanceof Promise) {
        return index === compiled.length - 1 ? result : result.then(() => run(frame, index + 1));
      }
      value = result;
    }
    return value;
  };
  return (frame) => run(frame, 0);
}

/** A statement as a value, which may be the same for all rows (`InitPlan`). RETURN in one unwinds like any other. */
export function compileSubquery(subquery: Subquery, compiler: InlineCompiler, last = false): Evaluate {
  const { statement } = subquery;
  const evaluate = last ? compiler.lastStatement(statement) : scoped(compiler.statement(statement));
  if (statement.kind !== 'select') return evaluate;
  return (frame) => {
    const shared = frame.scope.sharedFor(subquery);
    return shared === undefined ? evaluate(frame) : shared.get(subquery, () => evaluate(frame));
  };
}

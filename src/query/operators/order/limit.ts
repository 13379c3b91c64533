/** LIMIT and START, cut off as early as the plan allows: by skipped keys, or by a demand for fewer rows. */
import { andThen, type PromiseOrValue } from '../../../base/promise-or-value.js';
import { failure } from '../../../errors/error.js';
import type { Expression } from '../../../language/ast.js';
import type { Limit } from '../../../plan/nodes.js';
import type { Compiler, Frame } from '../../../runtime/frame.js';
import { toNumber } from '../../../value/number.js';
import { toText } from '../../../value/text/text.js';
import { isNumber, type Value } from '../../../value/value.js';
import type { List, OperatorContext } from '../operator.js';

/** LIMIT and START. */
export function compileLimit(node: Limit, context: OperatorContext): List {
  const { limit, start, isPlainScan, skipsKeys, input: below } = node;
  const input = context.list(below);
  const clause = limit !== undefined && isPlainScan ? 'LIMIT/START' : undefined;
  const evaluateLimit = compileCount(clause ?? 'LIMIT', limit, context.compiler);
  const evaluateStart = compileCount(clause ?? 'START', start, context.compiler);
  return (frame, { targets }) =>
    andThen(evaluateLimit(frame), (most) =>
      andThen(evaluateStart(frame), (skip = 0): PromiseOrValue<readonly Value[]> => {
        if (skipsKeys) return input(frame, { rows: most, inOrder: most, skip, targets });
        const end = most === undefined ? undefined : skip + most;
        return andThen(input(frame, { rows: end, targets }), (rows) => rows.slice(skip, end));
      }),
    );
}

// The numbers of LIMIT and START.

/**
 * Whole numbers from zero; fractions are cut, and NONE and NULL are zero. `undefined` if the clause is
 * missing.
 * @throws TesseraError `invalid_count`, when it runs
 */
function compileCount(
  clause: 'LIMIT/START' | 'LIMIT' | 'START',
  expression: Expression | undefined,
  compiler: Compiler,
): (frame: Frame) => PromiseOrValue<number | undefined> {
  if (expression === undefined) return unlimited;
  const evaluate = compiler.expression(expression);
  return (frame) =>
    andThen(evaluate(frame.entering()), (value) => {
      if (value === undefined || value === null) return 0;
      if (!isNumber(value)) throw failure('invalid_count', { clause, value: described(value), isInteger: false });
      const count = Math.trunc(toNumber(value));
      if (count >= 0) return count;
      throw failure('invalid_count', { clause, value: String(count), isInteger: true });
    });
}

const unlimited = (): undefined => undefined;

/** The value as the peer's errors of these clauses show it: with its kind. */
function described(value: Value): string {
  if (typeof value === 'string') return `String(${JSON.stringify(value)})`;
  return typeof value === 'boolean' ? `Bool(${value})` : toText(value);
}

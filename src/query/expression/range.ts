/** `a..b`, whose value is made once where its ends are constant. */
import { andThen } from '../../base/promise-or-value.js';
import type { RangeExpression } from '../../language/ast.js';
import { constantValue } from '../../language/constant-value.js';
import type { Compiler, Evaluate } from '../../runtime/frame.js';
import { type Bound, Range } from '../../value/value.js';

export function compileRange(range: RangeExpression, compiler: Compiler): Evaluate {
  const known = constantValue(range);
  if (known !== undefined) return () => known.value;
  const start = compileBound(range.start, compiler);
  const end = compileBound(range.end, compiler);
  return (frame) => andThen(start(frame), (from) => andThen(end(frame), (to) => new Range(from, to)));
}

function compileBound(bound: RangeExpression['start'], compiler: Compiler) {
  if (bound === undefined) return () => undefined;
  const { inclusive } = bound;
  const evaluate = compiler.expression(bound.value);
  return (frame: Parameters<Evaluate>[0]) => andThen(evaluate(frame), (value): Bound => ({ value, inclusive }));
}

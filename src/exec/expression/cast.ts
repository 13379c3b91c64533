import { andThen } from '../../base/promise-or-value.js';
import type { Cast } from '../../language/ast.js';
import { parseRecordId } from '../../language/parse.js';
import { cast } from '../../value/cast.js';
import type { Compiler, Evaluate } from '../execution.js';

export function compileCast({ type, operand }: Cast, compiler: Compiler): Evaluate {
  const evaluate = compiler.expression(operand);
  return (frame) =>
    andThen(evaluate(frame), (value) => frame.execution.memory.charged(cast(value, type, parseRecordId)));
}

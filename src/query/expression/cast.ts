/** `<type> value`, within the memory of the request, and in steps for values that may be large. */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { castAny } from '../../functions/cast.js';
import type { Cast } from '../../language/ast.js';
import { parseRecordId } from '../../language/parse.js';
import type { Compiler, Evaluate, Frame } from '../../runtime/frame.js';
import { cast } from '../../value/cast.js';
import type { Type } from '../../value/type.js';
import type { Value } from '../../value/value.js';
import { ExecutionFunctionContext } from './function-context.js';

export function compileCast({ type, operand }: Cast, compiler: Compiler): Evaluate {
  const evaluate = compiler.expression(operand);
  return (frame) => {
    const value = evaluate(frame);
    const made =
      value instanceof Promise ? value.then((settled) => castIn(frame, settled, type)) : castIn(frame, value, type);
    return andThen(made, (settled) => frame.execution.request.memory.charged(settled));
  };
}

function castIn({ execution }: Frame, value: Value, type: Type): PromiseOrValue<Value> {
  if (typeof value !== 'object' && typeof value !== 'string') return cast(value, type, parseRecordId);
  return castAny(value, type, new ExecutionFunctionContext(execution));
}

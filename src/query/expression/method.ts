/** `.name(args)`: the function of the receiver's family, or a closure in a field. */
import { andThen } from '../../base/promise-or-value.js';
import { failure, type TesseraError } from '../../errors/error.js';
import { callMethod } from '../../functions/calls/call.js';
import { isMethodName, methodFor } from '../../functions/methods.js';
import type { Expression } from '../../language/ast.js';
import type { Compiler } from '../../runtime/frame.js';
import { typeOf } from '../../value/type-of.js';
import { Closure, isNumber, isObject, kindOf, type Value } from '../../value/value.js';
import { callClosure } from './closure.js';
import { compileList } from './collection.js';
import { ExecutionFunctionContext } from './function-context.js';
import type { PartStep, Step } from './step.js';

/**
 * The step `.name(args)`: a built-in function with the value as its first argument.
 * @throws TesseraError `method_missing`, `method_unknown`, when it runs
 */
export function methodStep(name: string, args: readonly Expression[], compiler: Compiler): PartStep {
  const evaluate = compileList(args, compiler);
  const apply: Step = (value, frame) =>
    andThen(evaluate(frame), (values) => {
      const row = methodFor(value, name);
      const { execution } = frame;
      if (row !== undefined) {
        const made = callMethod(row, name, [value, ...values], new ExecutionFunctionContext(execution));
        return andThen(made, (settled) => execution.request.memory.charged(settled));
      }
      const closure = isObject(value) ? value[name] : undefined;
      if (!(closure instanceof Closure)) throw withoutMethod(value, name);
      return callClosure(execution, closure, values);
    });
  return { apply };
}

/** Its cause is the same in the words of statements that write (`peer-error-wording.ts`). */
function withoutMethod(value: Value, name: string): TesseraError {
  const cause = failure('method_unknown', { name, kind: isNumber(value) ? 'number' : kindOf(value) });
  return failure(isMethodName(name) ? 'method_missing' : 'method_unknown', { name, kind: typeOf(value) }, { cause });
}

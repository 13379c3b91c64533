/** The middleware of DEFINE API and DEFINE CONFIG API, with its arguments computed. */
import { mapInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Call, Handling } from '../../language/ast.js';
import { assertStorable } from '../../records/storable.js';
import type { Compiler, Frame } from '../../runtime/frame.js';

/** The arguments of middleware are computed when it is defined, and stand there as literals from then on. */
export function compileHandling<H extends Handling>(
  handling: H,
  compiler: Compiler,
): (frame: Frame) => PromiseOrValue<H> {
  const calls = handling.middleware.map((call) => compileArguments(call, compiler));
  return async (frame) => {
    const middleware = await mapInOrder(calls, (call) => call(frame));
    return { ...handling, middleware };
  };
}

function compileArguments(call: Call, compiler: Compiler): (frame: Frame) => PromiseOrValue<Call> {
  const args = call.args.map((each) => compiler.expression(each));
  return async (frame) => {
    const values = await mapInOrder(args, (evaluate) => evaluate(frame));
    return {
      ...call,
      args: values.map((value) => {
        assertStorable(value);
        return { kind: 'literal', value } as const;
      }),
    };
  };
}

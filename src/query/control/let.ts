/** LET: a variable from here to the end of its block, checked against its type if it has one. */
import { andThen } from '../../base/promise-or-value.js';
import { failure } from '../../errors/error.js';
import type { Let } from '../../language/ast.js';
import { REQUEST_PARAMS } from '../../language/engine-params.js';
import { VIEW_TOTALS } from '../../plan/effects.js';
import type { Evaluate } from '../../runtime/frame.js';
import { CoercionError, coerce } from '../../value/coerce.js';
import type { Type } from '../../value/type.js';
import type { Value } from '../../value/value.js';
import type { InlineCompiler } from '../expression/inline-compiler.js';
import { restoreTotals } from '../view/totals.js';

/**
 * Defines a variable in the enclosing scope. A RETURN inside the value ends only the value.
 * @throws TesseraError `reserved_variable`, `variable_coercion`, when it runs
 */
export function compileLet({ name, type, value }: Let, compiler: InlineCompiler): Evaluate {
  if (REQUEST_PARAMS.has(name)) {
    return () => {
      throw failure('reserved_variable', { name });
    };
  }
  const evaluate = compiler.outer.expression(value);
  return (frame) =>
    andThen(evaluate(frame), (result) => {
      frame.scope.set(name, type === undefined ? result : coerceVariable(name, type, result));
      const { execution } = frame;
      if (name !== VIEW_TOTALS || !execution.importing) return undefined;
      return andThen(restoreTotals(execution, result, compiler.outer), () => undefined);
    });
}

function coerceVariable(name: string, type: Type, value: Value): Value {
  try {
    return coerce(value, type);
  } catch (error) {
    if (error instanceof CoercionError) throw failure('variable_coercion', { name, reason: error.message });
    throw error;
  }
}

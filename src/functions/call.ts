/** Calls of built-in functions. */
import type { PromiseOrValue } from '../base/promise-or-value.js';
import type { Value } from '../value/value.js';
import { signatureOf } from './arguments.js';
import type { FunctionContext, FunctionRow } from './contract.js';

/** Counts and coerces the arguments, then runs the function. @throws TesseraError `function_denied`, `invalid_arguments` */
export function callFunction(
  row: FunctionRow,
  args: readonly Value[],
  context: FunctionContext,
): PromiseOrValue<Value> {
  context.functions?.check(row.name);
  const signature = signatureOf(row);
  signature.checkCount(args.length);
  return row.run(signature.coerce(args), context);
}

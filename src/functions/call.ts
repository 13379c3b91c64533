/** Calls of built-in functions. */
import { otherwise, type PromiseOrValue } from '../base/promise-or-value.js';
import { failure, TesseraError } from '../errors/error.js';
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

/** The same for a call as a method: whatever arguments turn out to be wrong, even within a closure, the error names the method. */
export function callMethod(
  row: FunctionRow,
  name: string,
  args: readonly Value[],
  context: FunctionContext,
): PromiseOrValue<Value> {
  return otherwise(
    () => callFunction(row, args, context),
    (error) => rethrow(error, name),
  );
}

const BEFORE_REASON = '(). ';

function rethrow(error: unknown, name: string): never {
  if (!(error instanceof TesseraError) || error.code !== 'invalid_arguments') throw error;
  const reason = error.message.slice(error.message.indexOf(BEFORE_REASON) + BEFORE_REASON.length);
  throw failure('invalid_arguments', { name, reason, method: true });
}

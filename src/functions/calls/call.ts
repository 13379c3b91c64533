/** Calls of built-in functions. */
import { otherwise, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { ErrorCode } from '../../errors/catalogue.js';
import { failure, TesseraError } from '../../errors/error.js';
import type { Value } from '../../value/value.js';
import { signatureOf } from './arguments.js';
import type { FunctionContext, FunctionRow } from './contract.js';
import { ANY_INPUT, checkInput, inputSizeOf, MAX_INPUT, SMALL_INPUT } from './input-limit.js';

/**
 * Counts and coerces the arguments, then runs the function. Errors of arguments name it as it was `called`.
 * @throws TesseraError `function_denied`, `invalid_arguments`, `input_too_large`
 */
export function callFunction(
  row: FunctionRow,
  called: string,
  args: readonly Value[],
  context: FunctionContext,
): PromiseOrValue<Value> {
  return functionCaller(row, called)(args, context);
}

/**
 * The same for many calls of one function. One with much to do comes by a checkpoint first.
 * @throws as `callFunction`, when it is called
 */
export function functionCaller(
  row: FunctionRow,
  called: string,
): (args: readonly Value[], context: FunctionContext) => PromiseOrValue<Value> {
  const signature = signatureOf(row);
  const { largest = MAX_INPUT } = row;
  return (args, context) => {
    context.functions?.check(row.name);
    if (largest !== ANY_INPUT) {
      const size = inputSizeOf(args);
      if (size > SMALL_INPUT) {
        checkInput(called, size, largest);
        const turn = context.checkpoint(size);
        if (turn !== undefined) return turn.then(() => row.run(signature.coerce(args, called), context));
      }
    }
    return row.run(signature.coerce(args, called), context);
  };
}

/**
 * The same for a call as a method: whatever arguments turn out to be wrong, even within a closure, the error names the
 * method.
 * @throws as `callFunction`
 */
export function callMethod(
  row: FunctionRow,
  name: string,
  args: readonly Value[],
  context: FunctionContext,
): PromiseOrValue<Value> {
  return otherwise(
    () => callFunction(row, name, args, context),
    (error) => rethrow(error, name),
  );
}

const BEFORE_REASON = '(). ';
const OF_ARGUMENTS: ReadonlySet<ErrorCode> = new Set(['invalid_arguments', 'closure_argument']);

/** The error of the function stays as the cause, for where methods are called functions. */
function rethrow(error: unknown, name: string): never {
  if (!(error instanceof TesseraError) || !OF_ARGUMENTS.has(error.code)) throw error;
  const reason = error.message.slice(error.message.indexOf(BEFORE_REASON) + BEFORE_REASON.length);
  throw failure('invalid_arguments', { name, reason, method: true }, { cause: error });
}

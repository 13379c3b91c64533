/**
 * What the reference engine says of a function or method that isn't there, or whose arguments are wrong, depends on where it is called:
 * statements that write, a LET outside of blocks and closures that functions call say less, make no difference between methods and functions,
 * and tell the kinds of values less closely.
 */
import { otherwise, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { ErrorCode } from '../../errors/catalogue.js';
import { TesseraError } from '../../errors/error.js';
import type { Evaluate } from '../runtime/execution.js';

/** Errors whose causes are the same in plain words. */
const WORDED: ReadonlySet<ErrorCode> = new Set([
  'function_not_defined',
  'invalid_arguments',
  'method_missing',
  'method_unknown',
]);

/** Does the work; errors of methods come in plain words. */
export function rewordErrors<T>(work: () => PromiseOrValue<T>): PromiseOrValue<T> {
  return otherwise(work, (error) => {
    throw peerError(error);
  });
}

/** Evaluates the same, so. */
export function rewordingErrors(evaluate: Evaluate): Evaluate {
  return (frame) => rewordErrors(() => evaluate(frame));
}

/** Compiles statements of a kind to be run so. */
export function withPeerErrorText<S, C>(
  compile: (statement: S, compiler: C) => Evaluate,
): (statement: S, compiler: C) => Evaluate {
  return (statement, compiler) => rewordingErrors(compile(statement, compiler));
}

/** An error of a method in plain words; any other error as it is. */
export function peerError(error: unknown): unknown {
  let found = error;
  while (found instanceof TesseraError && WORDED.has(found.code) && found.cause instanceof TesseraError) {
    found = found.cause;
  }
  return found;
}

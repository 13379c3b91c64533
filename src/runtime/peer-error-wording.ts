/**
 * The reference engine's error text for a missing function or method, or for wrong arguments, depends on the caller:
 * statements that write, a LET outside of blocks and closures that functions call use a shorter wording, which doesn't
 * distinguish methods from functions and names kinds of values less precisely.
 */
import { otherwise, type PromiseOrValue } from '../base/promise-or-value.js';
import type { ErrorCode } from '../errors/catalogue.js';
import { TesseraError } from '../errors/error.js';
import type { Evaluate } from './frame.js';

/** Errors whose causes have the shorter wording. */
const WORDED: ReadonlySet<ErrorCode> = new Set([
  'function_not_defined',
  'invalid_arguments',
  'method_missing',
  'method_unknown',
]);

/** Runs work; errors of methods get the shorter wording. */
export function rewordErrors<T>(work: () => PromiseOrValue<T>): PromiseOrValue<T> {
  return otherwise(work, (error) => {
    throw peerError(error);
  });
}

/** Evaluates the same, with errors reworded. */
export function rewordingErrors(evaluate: Evaluate): Evaluate {
  return (frame) => rewordErrors(() => evaluate(frame));
}

/** Compiles statements of a kind with errors reworded. */
export function withPeerErrorText<S, C>(
  compile: (statement: S, compiler: C) => Evaluate,
): (statement: S, compiler: C) => Evaluate {
  return (statement, compiler) => rewordingErrors(compile(statement, compiler));
}

/** The error with the shorter wording, if there is one; any other error as it is. */
export function peerError(error: unknown): unknown {
  let found = error;
  while (found instanceof TesseraError && WORDED.has(found.code) && found.cause instanceof TesseraError) {
    found = found.cause;
  }
  return found;
}

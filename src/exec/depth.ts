/** How deep functions, closures, events and computed fields may call each other. */
import { otherwise, type PromiseOrValue } from '../base/promise-or-value.js';
import { failure } from '../errors/error.js';
import type { Execution } from './execution.js';

export const MAX_DEPTH = 120;

const inner = new WeakMap<Execution, Execution>();

/**
 * The same execution one level deeper.
 * @throws TesseraError `computation_too_deep`
 */
export function deeper(execution: Execution): Execution {
  let next = inner.get(execution);
  if (next === undefined) {
    if (execution.depth >= MAX_DEPTH) throw failure('computation_too_deep');
    next = { ...execution, depth: execution.depth + 1 };
    inner.set(execution, next);
  }
  return next;
}

/** Runs a body that is called. Bodies may be high trees, so that the stack can end before the levels do; that is the same error. */
export function calling<T>(body: () => PromiseOrValue<T>): PromiseOrValue<T> {
  return otherwise(body, (error) => {
    throw isStackOverflow(error) ? failure('computation_too_deep', undefined, { cause: error }) : error;
  });
}

function isStackOverflow(error: unknown): boolean {
  return error instanceof RangeError && error.message.includes('call stack');
}

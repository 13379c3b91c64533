/** Maximum call depth of functions, closures, events and computed fields. */
import { otherwise, type PromiseOrValue } from '../../base/promise-or-value.js';
import { failure } from '../../errors/error.js';
import type { Execution } from './execution.js';
import { Variants } from './variants.js';

export const MAX_DEPTH = 240;

/** How much deeper an event lies than what raises it, so that those that raise each other soon come to an end. */
const EVENT_DEPTH = 10;

/**
 * The same execution one level deeper.
 * @throws TesseraError `computation_too_deep`
 */
export function deeper(execution: Execution): Execution {
  const variants = Variants.of(execution);
  if (variants.deeper === undefined) {
    if (execution.depth >= MAX_DEPTH) throw failure('computation_too_deep');
    variants.deeper = { ...execution, depth: execution.depth + 1, variants: new Variants() };
  }
  return variants.deeper;
}

/**
 * The execution in which an event runs.
 * @throws TesseraError `computation_too_deep`
 */
export function deeperByEvent(execution: Execution): Execution {
  const depth = execution.depth + EVENT_DEPTH;
  if (depth > MAX_DEPTH) throw failure('computation_too_deep');
  return { ...execution, depth, variants: new Variants() };
}

/**
 * Runs the body of a call. Deep bodies may overflow the stack before the maximum depth; that is the same error.
 * @throws TesseraError `computation_too_deep`, and as the body
 */
export function withStackGuard<T>(body: () => PromiseOrValue<T>): PromiseOrValue<T> {
  return otherwise(body, (error) => {
    throw isStackOverflow(error) ? failure('computation_too_deep', undefined, { cause: error }) : error;
  });
}

function isStackOverflow(error: unknown): boolean {
  return error instanceof RangeError && error.message.includes('call stack');
}

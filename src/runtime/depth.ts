/** Maximum call depth of functions, closures, events, computed fields, and clauses of fields that write. */
import { otherwise, type PromiseOrValue } from '../base/promise-or-value.js';
import { failure, TesseraError } from '../errors/error.js';
import type { Execution } from './execution.js';
import { Variants } from './variants.js';

export const MAX_DEPTH = 240;

/** How much deeper lies what a write causes, so that writes that cause each other soon come to an end. */
const CAUSED_DEPTH = 10;

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
 * The execution of code that a write causes and that may write itself: an event, the clause of a field.
 * @throws TesseraError `computation_too_deep`
 */
export function deeperByWrite(execution: Execution): Execution {
  const variants = Variants.of(execution);
  if (variants.caused === undefined) {
    const depth = execution.depth + CAUSED_DEPTH;
    if (depth > MAX_DEPTH) throw failure('computation_too_deep');
    variants.caused = { ...execution, depth, variants: new Variants() };
  }
  return variants.caused;
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

/** Whether the maximum depth was reached, perhaps within an event or the like, whose error has it as its cause. */
export function isTooDeep(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof TesseraError && at.code === 'computation_too_deep') return true;
  }
  return false;
}

function isStackOverflow(error: unknown): boolean {
  return error instanceof RangeError && error.message.includes('call stack');
}

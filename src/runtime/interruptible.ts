/** Ends a wait for the store by the statement's deadline. */
import type { PromiseOrValue } from '../base/promise-or-value.js';
import { untilInterrupted } from '../storage/interrupted.js';
import type { Execution } from './execution.js';

/**
 * Work that ends at its deadline or cancellation, even if the store never answers: the pending read is abandoned, and
 * its transaction, which the caller cancels, ignores the result.
 */
export function interruptible<T>(
  { context, interrupt }: Pick<Execution, 'context' | 'interrupt'>,
  work: () => PromiseOrValue<T>,
): PromiseOrValue<T> {
  const result = work();
  return context.answersLater ? untilInterrupted(interrupt, result) : result;
}

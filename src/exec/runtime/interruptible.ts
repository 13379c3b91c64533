import type { PromiseOrValue } from '../../base/promise-or-value.js';
import { untilInterrupted } from '../../storage/interrupted.js';
import type { Execution } from './execution.js';

/**
 * Work that ends when it has to, even if the store never answers: what it waits for then is left to itself, and its transaction, which the
 * caller cancels, takes nothing from it any more.
 */
export function interruptible<T>(
  { context, interrupt }: Pick<Execution, 'context' | 'interrupt'>,
  work: () => PromiseOrValue<T>,
): PromiseOrValue<T> {
  const result = work();
  return context.answersLater ? untilInterrupted(interrupt, result) : result;
}

import type { PromiseOrValue } from '../base/promise-or-value.js';
import { sortInSteps } from '../base/sort-in-steps.js';
import { pausingOf } from './cooperative-yielding.js';
import type { Execution } from './execution.js';

/**
 * Stable sort of any number of items, with checkpoints. A few are sorted
 * in place.
 */
export function sortYielding<T>(
  execution: Pick<Execution, 'interrupt'>,
  items: T[],
  compare: (a: T, b: T) => number,
): PromiseOrValue<T[]> {
  return sortInSteps(items, pausingOf(execution), compare);
}

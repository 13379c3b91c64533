import type { PromiseOrValue } from '../../base/promise-or-value.js';
import { sortInSteps } from '../../base/sort-in-steps.js';
import { pausingOf } from './cooperative-yielding.js';
import type { Execution } from './execution.js';

/**
 * Sorts any number of items, giving way on the way. Equal items stay in the order in which they came. A few are sorted
 * in place.
 */
export function sortYielding<T>(
  execution: Pick<Execution, 'interrupt'>,
  items: T[],
  compare: (a: T, b: T) => number,
): PromiseOrValue<T[]> {
  return sortInSteps(items, pausingOf(execution), compare);
}

import { andThen, type PromiseOrValue, untilTrue } from '../base/promise-or-value.js';
import { RUN, StepwiseSort } from '../base/stepwise-sort.js';
import type { Execution } from './execution.js';

/**
 * Sorts any number of items, giving way on the way. Equal items stay in the order in which they came. A few are sorted in place.
 */
export function sortInTurns<T>(
  { interrupt }: Pick<Execution, 'interrupt'>,
  items: T[],
  compare: (a: T, b: T) => number,
): PromiseOrValue<T[]> {
  if (items.length <= RUN) return items.sort(compare);
  const sort = new StepwiseSort(items, compare);
  const done = untilTrue(() => sort.step() || andThen(interrupt.checkpoint(), () => false));
  return andThen(done, () => sort.result);
}

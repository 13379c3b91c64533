import type { PromiseOrValue } from './promise-or-value.js';
import { doInSteps, type Pausing } from './steps.js';
import { RUN, StepwiseSort } from './stepwise-sort.js';

/** Stable sort of any number of items, yielding between steps. Few items are sorted in place. */
export function sortInSteps<T>(items: T[], pausing: Pausing, compare: (a: T, b: T) => number): PromiseOrValue<T[]> {
  return items.length <= RUN ? items.sort(compare) : doInSteps(new StepwiseSort(items, compare), pausing);
}

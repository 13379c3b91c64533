import { andThen, type PromiseOrValue } from '../base/promise-or-value.js';
import { sortInSteps } from '../base/sort-in-steps.js';
import { filterInSteps, type Pausing } from '../base/steps.js';
import { Comparisons } from '../value/order.js';
import type { Value } from '../value/value.js';

/**
 * A sorted copy of any number of values, in their total order. (`Array.prototype.sort` puts `undefined` last whatever
 * the comparator says,
 * and NONE is the lowest.)
 */
export function sortedInSteps(values: readonly Value[], pausing: Pausing): PromiseOrValue<Value[]> {
  return andThen(
    filterInSteps(values, pausing, (value) => value !== undefined),
    (others) => {
      const nones = values.length - others.length;
      return andThen(sortInSteps(others, pausing, new Comparisons().compare), (ascending) =>
        nones === 0 ? ascending : new Array<Value>(nones).fill(undefined).concat(ascending),
      );
    },
  );
}

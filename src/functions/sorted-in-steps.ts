import { andThen, type PromiseOrValue } from '../base/promise-or-value.js';
import { filterItems } from '../base/work/loops.js';
import { sortItems } from '../base/work/sort.js';
import type { Work } from '../base/work/work.js';
import { Comparisons } from '../value/order.js';
import type { Value } from '../value/value.js';

/**
 * A sorted copy of any number of values, in their total order. (`Array.prototype.sort` puts `undefined` last whatever
 * the comparator says,
 * and NONE is the lowest.)
 */
export function sortedInSteps(values: readonly Value[], work: Work): PromiseOrValue<Value[]> {
  return andThen(
    filterItems(values, work, (value) => value !== undefined),
    (others) => {
      const nones = values.length - others.length;
      return andThen(sortItems(others, work, new Comparisons().compare), (ascending) =>
        nones === 0 ? ascending : new Array<Value>(nones).fill(undefined).concat(ascending),
      );
    },
  );
}

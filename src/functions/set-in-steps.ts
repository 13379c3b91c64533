import { andThen, type PromiseOrValue } from '../base/promise-or-value.js';
import { filterItems } from '../base/work/loops.js';
import type { Work } from '../base/work/work.js';
import { Comparisons } from '../value/order.js';
import { SetValue, type Value } from '../value/value.js';
import { sortedInSteps } from './sorted-in-steps.js';

/** A set of any number of items: sorted, of equal ones the first. */
export function setInSteps(items: readonly Value[], work: Work): PromiseOrValue<SetValue> {
  return andThen(sortedInSteps(items, work), (ascending) => {
    const comparisons = new Comparisons();
    let last: { readonly item: Value } | undefined;
    const different = filterItems(ascending, work, (item) => {
      if (last !== undefined && comparisons.equals(last.item, item)) return false;
      last = { item };
      return true;
    });
    return andThen(different, (items) => new SetValue(items));
  });
}

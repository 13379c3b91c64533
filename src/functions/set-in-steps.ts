import { andThen, type PromiseOrValue } from '../base/promise-or-value.js';
import { filterInSteps, type Pausing } from '../base/steps.js';
import { Comparisons } from '../value/order.js';
import { SetValue, type Value } from '../value/value.js';
import { sortedInSteps } from './sorted-in-steps.js';

/** A set of any number of items: sorted, of equal ones the first. */
export function setInSteps(items: readonly Value[], pausing: Pausing): PromiseOrValue<SetValue> {
  return andThen(sortedInSteps(items, pausing), (ascending) => {
    const comparisons = new Comparisons();
    let last: { readonly item: Value } | undefined;
    const different = filterInSteps(ascending, pausing, (item) => {
      if (last !== undefined && comparisons.equals(last.item, item)) return false;
      last = { item };
      return true;
    });
    return andThen(different, (items) => new SetValue(items));
  });
}

/** Any number of values in their total order. */
import { andThen, type PromiseOrValue } from '../base/promise-or-value.js';
import { filterItems } from '../base/work/loops.js';
import { sortItems } from '../base/work/sort.js';
import type { Work } from '../base/work/work.js';
import { Comparisons } from '../value/order.js';
import { SetValue, type Value } from '../value/value.js';

/** A sorted copy. (`Array.prototype.sort` puts `undefined` last always, but NONE is the lowest.) */
export function sortedValues(values: readonly Value[], work: Work): PromiseOrValue<Value[]> {
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

/** A set of any number of items: sorted, of equal ones the first. */
export function setOf(items: readonly Value[], work: Work): PromiseOrValue<SetValue> {
  return andThen(sortedValues(items, work), (ascending) => {
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

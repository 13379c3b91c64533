/** Operators on the items of arrays and sets. */
import { MAX_JOINED_ITEMS, MAX_SORTED_ITEMS } from './limits.js';
import { Comparisons, setFrom, sorted } from './order.js';
import type { ArrayValue, SetValue, Value } from './value.js';
import { tooLarge } from './walk.js';

/** The items of both, one after the other. @throws TesseraError `value_too_large` */
export function concat(left: ArrayValue, right: ArrayValue): ArrayValue {
  const length = left.length + right.length;
  if (length > MAX_JOINED_ITEMS) throw tooLarge(MAX_JOINED_ITEMS);
  return left.concat(right);
}

/** The set of the items of both; of equal ones those on the left stay. @throws TesseraError `value_too_large` */
export function union(left: ArrayValue, right: ArrayValue): SetValue {
  return setFrom(sortable(concat(left, right)));
}

/** The items that equal none of those on the right, in their order. @throws TesseraError `value_too_large` */
export function without(items: ArrayValue, removed: ArrayValue): Value[] {
  const comparisons = new Comparisons();
  const ascending = sorted(sortable(removed), comparisons);
  return items.filter((item) => !isAmong(ascending, item, comparisons));
}

function sortable(items: ArrayValue): ArrayValue {
  if (items.length > MAX_SORTED_ITEMS) throw tooLarge(MAX_SORTED_ITEMS);
  return items;
}

/** Whether an item equals one of a sorted list. */
function isAmong(ascending: ArrayValue, item: Value, comparisons: Comparisons): boolean {
  let [from, to] = [0, ascending.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    const order = comparisons.compare(item, ascending[middle]);
    if (order === 0) return true;
    if (order < 0) to = middle;
    else from = middle + 1;
  }
  return false;
}

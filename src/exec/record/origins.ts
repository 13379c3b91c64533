/**
 * Where the elements of a changed array come from. As long as a record is being changed, elements of an array are taken out and put back, so
 * that the number of one may differ from that which it has in the stored array, by which rules know it.
 */
import type { ArrayValue } from '../../value/value.js';

const origins = new WeakMap<ArrayValue, readonly number[]>();

/** Whether an element has another number than in the stored array. */
export function isMoved(items: ArrayValue): boolean {
  return origins.has(items);
}

/** The place of each element, in ascending order: those of the stored array, and places behind them for what was added. */
export function originsOf(items: ArrayValue): readonly number[] {
  return origins.get(items) ?? items.map((_, index) => index);
}

export interface Placed<T> {
  readonly origin: number;
  readonly value: T;
}

/** The array of elements in the order of their places, which it remembers. */
export function inPlace<T extends ArrayValue[number]>(placed: readonly Placed<T>[]): ArrayValue {
  const ascending = placed.toSorted((a, b) => a.origin - b.origin);
  const items = ascending.map(({ value }) => value);
  if (ascending.some(({ origin }, index) => origin !== index)) {
    origins.set(
      items,
      ascending.map(({ origin }) => origin),
    );
  }
  return items;
}

/** The element that comes from a place. */
export function itemFrom(items: ArrayValue, origin: number): ArrayValue[number] {
  const known = origins.get(items);
  if (known === undefined) return items[origin];
  let [low, high] = [0, known.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((known[middle] as number) < origin) low = middle + 1;
    else high = middle;
  }
  return known[low] === origin ? items[low] : undefined;
}

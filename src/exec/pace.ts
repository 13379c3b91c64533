import { andThen, mapInOrder, type PromiseOrValue, untilTrue } from '../base/promise-or-value.js';
import type { Execution } from './execution.js';

/** How many small pieces of work share one look at the clock. */
const PIECES = 64;

let done = 0;

/**
 * To be called for each small piece of work whose number a query decides: a call, an element of an array. Gives way and stops like
 * `interrupt.checkpoint`, which costs too much to be asked each time.
 */
export function pace({ interrupt }: Execution): PromiseOrValue<void> {
  done = (done + 1) % PIECES;
  if (done === 0) return interrupt.checkpoint();
}

/** How many items are mapped before others may have a turn. */
const ITEMS = 256;

/** `mapInOrder` for any number of items, giving way on the way. */
export function mapInTurns<T, U>(
  { interrupt }: Execution,
  items: readonly T[],
  map: (item: T) => PromiseOrValue<U>,
): PromiseOrValue<U[]> {
  if (items.length <= ITEMS) return mapInOrder(items, map);
  const mapped: U[] = [];
  const done = untilTrue(() => {
    const batch = mapInOrder(items.slice(mapped.length, mapped.length + ITEMS), map);
    return andThen(batch, (results) => {
      for (const result of results) mapped.push(result);
      return mapped.length === items.length || andThen(interrupt.checkpoint(), () => false);
    });
  });
  return andThen(done, () => mapped);
}

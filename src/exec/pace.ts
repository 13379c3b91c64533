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

/** How many items are taken before others may have a turn. */
const ITEMS = 256;

/** Hands on any number of items, some at a time, giving way in between. */
export function inTurns<T>(
  { interrupt }: Pick<Execution, 'interrupt'>,
  items: readonly T[],
  take: (some: readonly T[]) => PromiseOrValue<unknown>,
): PromiseOrValue<void> {
  let at = 0;
  return untilTrue(() => {
    const from = at;
    at += ITEMS;
    return andThen(take(items.slice(from, at)), () =>
      at >= items.length ? true : andThen(interrupt.checkpoint(), () => false),
    );
  });
}

/** `mapInOrder` for any number of items, giving way on the way. `made` is told the results of many, some at a time. */
export function mapInTurns<T, U>(
  execution: Pick<Execution, 'interrupt'>,
  items: readonly T[],
  map: (item: T) => PromiseOrValue<U>,
  made?: (results: readonly U[]) => void,
): PromiseOrValue<U[]> {
  if (items.length <= ITEMS) return mapInOrder(items, map);
  const mapped: U[] = [];
  const done = inTurns(execution, items, (some) =>
    andThen(mapInOrder(some, map), (results) => {
      for (const result of results) mapped.push(result);
      made?.(results);
    }),
  );
  return andThen(done, () => mapped);
}

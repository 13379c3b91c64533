/**
 * Long loops as steps with pauses in between, so that no request holds the event loop for long. A loop over something whose size a query
 * decides is either bounded or taken in steps.
 */
import { andThen, type PromiseOrValue, untilTrue } from './promise-or-value.js';
import type { Stepwise } from './stepwise.js';

/** Whoever can give way to others between two steps. */
export interface Pausing {
  /** Gives way when it is time to. Fails when the work is to end. */
  pause(): PromiseOrValue<void>;
}

/** So many items are taken in one step: of those that are hashed or compared, less than a millisecond's work. */
export const STEP = 1024;

/** Calls `step` with the bounds of one part of `count` items after the other (`to` excluded), and pauses in between. */
export function inSteps(
  count: number,
  pausing: Pausing,
  step: (from: number, to: number) => void,
  size = STEP,
): PromiseOrValue<void> {
  if (count <= size) return step(0, count);
  let from = 0;
  return untilTrue(() => {
    const to = Math.min(from + size, count);
    step(from, to);
    from = to;
    return from === count || andThen(pausing.pause(), () => false);
  });
}

/** The same, item by item. */
export function forEachInSteps<T>(
  items: readonly T[],
  pausing: Pausing,
  visit: (item: T, index: number) => void,
  size = STEP,
): PromiseOrValue<void> {
  return inSteps(
    items.length,
    pausing,
    (from, to) => {
      for (let index = from; index < to; index++) visit(items[index] as T, index);
    },
    size,
  );
}

/** The items that pass a test. */
export function filterInSteps<T>(
  items: readonly T[],
  pausing: Pausing,
  test: (item: T) => boolean,
): PromiseOrValue<T[]> {
  const kept: T[] = [];
  const done = forEachInSteps(items, pausing, (item) => {
    if (test(item)) kept.push(item);
  });
  return andThen(done, () => kept);
}

/** Combines the items, one after the other, into what has come of those before it. */
export function foldInSteps<T, U>(
  items: readonly T[],
  initial: U,
  pausing: Pausing,
  combine: (before: U, item: T) => U,
): PromiseOrValue<U> {
  let folded = initial;
  const done = forEachInSteps(items, pausing, (item) => {
    folded = combine(folded, item);
  });
  return andThen(done, () => folded);
}

/** What `map` makes of each item. */
export function mapInSteps<T, U>(
  items: readonly T[],
  pausing: Pausing,
  map: (item: T, index: number) => U,
): PromiseOrValue<U[]> {
  if (items.length <= STEP) return items.map(map);
  const mapped: U[] = [];
  const done = forEachInSteps(items, pausing, (item, index) => {
    mapped.push(map(item, index));
  });
  return andThen(done, () => mapped);
}

/** All of some work that is done in pieces. */
export function doInSteps<T>(work: Stepwise<T>, pausing: Pausing): PromiseOrValue<T> {
  return andThen(
    untilTrue(() => work.step() || andThen(pausing.pause(), () => false)),
    () => work.result,
  );
}

/**
 * Cooperative loops: long loops run in steps and yield between them, so that no request blocks the event loop. A loop
 * whose length depends on a query is either bounded or run in steps.
 */
import { andThen, type PromiseOrValue, untilTrue } from './promise-or-value.js';
import type { Stepwise } from './stepwise.js';

/** The context of long-running work that yields. */
export interface Pausing {
  /** Yields if due. Throws if the work is cancelled. */
  pause(): PromiseOrValue<void>;
}

/** Items per step: less than a millisecond of hashing or comparing. */
export const STEP = 1024;

/** Calls `step` with consecutive ranges of `count` items (`to` exclusive), yielding in between. */
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

/**
 * `inSteps`, item by item; `size` is the number of items between two pauses.
 *
 *     forEachInSteps(rows, pausingOf(execution), (row) => total.add(row))
 */
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

/** The items that pass a test, in their order; pauses between chunks. */
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

/** Folds the items into an accumulator, from left to right; pauses between chunks. */
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

/** What `map` returns for each item, in their order; pauses between chunks. */
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

/** Completes stepwise work, yielding between its steps. */
export function doInSteps<T>(work: Stepwise<T>, pausing: Pausing): PromiseOrValue<T> {
  return andThen(
    untilTrue(() => work.step() || andThen(pausing.pause(), () => false)),
    () => work.result,
  );
}

/**
 * Loops over any number of items, in steps with checkpoints in between. A loop whose length depends on a query is
 * either bounded or one of these.
 */
import { andThen, mapInOrder, type PromiseOrValue, untilTrue } from '../promise-or-value.js';
import type { Work } from './work.js';

/** Items per step: less than a millisecond of hashing or comparing. */
export const STEP = 256;

/** Calls `step` with consecutive ranges of `size` items (`to` exclusive), with checkpoints in between. */
export function inSteps(
  count: number,
  work: Work,
  step: (from: number, to: number) => PromiseOrValue<unknown>,
  size = STEP,
): PromiseOrValue<void> {
  if (count <= size) return andThen(step(0, count), () => undefined);
  let from = 0;
  const isOver = () => from >= count || andThen(work.checkpoint(), () => false);
  return untilTrue(() => {
    const to = Math.min(from + size, count);
    const taken = step(from, to);
    from = to;
    return taken instanceof Promise ? taken.then(isOver) : isOver();
  });
}

/**
 * Calls `visit` for each item; `size` is the number of items between two checkpoints.
 *
 *     eachItem(rows, execution.interrupt, (row) => total.add(row))
 */
export function eachItem<T>(
  items: readonly T[],
  work: Work,
  visit: (item: T, index: number) => void,
  size = STEP,
): PromiseOrValue<void> {
  return inSteps(
    items.length,
    work,
    (from, to) => {
      for (let index = from; index < to; index++) visit(items[index] as T, index);
    },
    size,
  );
}

/** Calls `take`, which may wait, with some of the items at a time. */
export function eachChunk<T>(
  items: readonly T[],
  work: Work,
  take: (some: readonly T[]) => PromiseOrValue<unknown>,
): PromiseOrValue<void> {
  return inSteps(items.length, work, (from, to) => take(items.slice(from, to)));
}

/**
 * What `map`, which may wait, returns for each item, in their order. `made` gets the results chunk by chunk if there
 * are many.
 */
export function mapItems<T, U>(
  items: readonly T[],
  work: Work,
  map: (item: T, index: number) => PromiseOrValue<U>,
  made?: (results: readonly U[]) => void,
): PromiseOrValue<U[]> {
  if (items.length <= STEP) return mapInOrder(items, map);
  const mapped: U[] = [];
  const done = inSteps(items.length, work, (from, to) => {
    const results = mapInOrder(items.slice(from, to), (item, at) => map(item, from + at));
    return andThen(results, (some) => {
      for (const result of some) mapped.push(result);
      made?.(some);
    });
  });
  return andThen(done, () => mapped);
}

/** The items that pass a test, in their order. */
export function filterItems<T>(items: readonly T[], work: Work, test: (item: T) => boolean): PromiseOrValue<T[]> {
  const kept: T[] = [];
  const done = eachItem(items, work, (item) => {
    if (test(item)) kept.push(item);
  });
  return andThen(done, () => kept);
}

/** Folds the items into an accumulator, from left to right. */
export function foldItems<T, U>(
  items: readonly T[],
  initial: U,
  work: Work,
  combine: (before: U, item: T) => U,
): PromiseOrValue<U> {
  let folded = initial;
  const done = eachItem(items, work, (item) => {
    folded = combine(folded, item);
  });
  return andThen(done, () => folded);
}

import { andThen, mapInOrder, type PromiseOrValue, untilTrue } from '../../base/promise-or-value.js';
import { doInSteps, type Pausing } from '../../base/steps.js';
import type { Stepwise } from '../../base/stepwise.js';
import { takeWalked } from '../../value/walk.js';
import type { Execution } from './execution.js';

/** So much work shares one look at the clock: about half a millisecond. */
const WORK_PER_CHECKPOINT = 8192;
/** What a small piece of work counts for. */
const SMALL_STEP = 128;

let counted = 0;

/**
 * To be called for each piece of work whose number or size a query decides: a call, an element of an array, the comparison of two values.
 * `units` counts what it has to look at. Gives way and stops like `interrupt.checkpoint`, which costs too much to be asked each time. What
 * walks over values have met since the last call counts, too.
 */
export function countWork({ interrupt }: Pick<Execution, 'interrupt'>, units: number): PromiseOrValue<void> {
  counted += units + takeWalked();
  if (counted < WORK_PER_CHECKPOINT) return;
  counted = 0;
  return interrupt.checkpoint();
}

/** The same for a small piece of work. */
export function maybeYield(execution: Pick<Execution, 'interrupt'>): PromiseOrValue<void> {
  return countWork(execution, SMALL_STEP);
}

/** What pauses where an execution does. */
export function pausingOf({ interrupt }: Pick<Execution, 'interrupt'>): Pausing {
  return { pause: () => interrupt.checkpoint() };
}

/** How many items are taken before others may have a turn. */
const CHUNK_LENGTH = 256;

/** Hands on any number of items, some at a time, giving way in between. */
export function forEachChunk<T>(
  { interrupt }: Pick<Execution, 'interrupt'>,
  items: readonly T[],
  take: (some: readonly T[]) => PromiseOrValue<unknown>,
): PromiseOrValue<void> {
  let at = 0;
  return untilTrue(() => {
    const from = at;
    at += CHUNK_LENGTH;
    return andThen(take(items.slice(from, at)), () =>
      at >= items.length ? true : andThen(interrupt.checkpoint(), () => false),
    );
  });
}

/** `mapInOrder` for any number of items, giving way on the way. `made` is told the results of many, some at a time. */
export function mapChunks<T, U>(
  execution: Pick<Execution, 'interrupt'>,
  items: readonly T[],
  map: (item: T) => PromiseOrValue<U>,
  made?: (results: readonly U[]) => void,
): PromiseOrValue<U[]> {
  if (items.length <= CHUNK_LENGTH) return mapInOrder(items, map);
  const mapped: U[] = [];
  const done = forEachChunk(execution, items, (some) =>
    andThen(mapInOrder(some, map), (results) => {
      for (const result of results) mapped.push(result);
      made?.(results);
    }),
  );
  return andThen(done, () => mapped);
}

/** All of some work that is done in pieces, giving way on the way. */
export function runStepwise<T>(execution: Pick<Execution, 'interrupt'>, work: Stepwise<T>): PromiseOrValue<T> {
  return doInSteps(work, pausingOf(execution));
}

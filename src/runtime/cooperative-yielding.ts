import { andThen, mapInOrder, type PromiseOrValue, untilTrue } from '../base/promise-or-value.js';
import { doInSteps, type Pausing } from '../base/steps.js';
import type { Stepwise } from '../base/stepwise.js';
import { takeWalked } from '../value/walk.js';
import type { Execution } from './execution.js';

/** Work units between two readings of the clock: about half a millisecond. */
const WORK_PER_CHECKPOINT = 8192;
/** Units of a small piece of work. */
const SMALL_STEP = 128;

let counted = 0;

/**
 * Call it for each piece of work whose number or size a query decides: a call, an element of an array, the
 * comparison of two values. `units` is the number of elements it visits. Yields and throws like `interrupt.checkpoint`,
 * which is too expensive for each call. Elements visited by walks over values since the last call count, too.
 */
export function countWork({ interrupt }: Pick<Execution, 'interrupt'>, units: number): PromiseOrValue<void> {
  counted += units + takeWalked();
  if (counted < WORK_PER_CHECKPOINT) return;
  counted = 0;
  return interrupt.checkpoint(units);
}

/** The same for a small piece of work. */
export function maybeYield(execution: Pick<Execution, 'interrupt'>): PromiseOrValue<void> {
  return countWork(execution, SMALL_STEP);
}

/** Pauses at the checkpoints of an execution. */
export function pausingOf({ interrupt }: Pick<Execution, 'interrupt'>): Pausing {
  return { pause: () => interrupt.checkpoint() };
}

/** Approximate bytes of a small thing, such as a term or a span of a text. */
const KEPT = 128;

/** A pause for what keeps small things, of which `kept` gives the number: the request is charged for them. */
export function chargingPause(
  { interrupt, request: { memory } }: Execution,
  kept: () => number,
): () => PromiseOrValue<void> {
  let charged = 0;
  return () => {
    const count = kept();
    memory.charge((count - charged) * KEPT);
    charged = count;
    return interrupt.checkpoint();
  };
}

/** Items between two checkpoints. */
const CHUNK_LENGTH = 256;

/** Processes any number of items chunk by chunk, with a checkpoint in between. */
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

/** `mapInOrder` for any number of items, with checkpoints. `made` gets the results chunk by chunk if there are many. */
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

/** Runs stepwise work to its end, with checkpoints. */
export function runStepwise<T>(execution: Pick<Execution, 'interrupt'>, work: Stepwise<T>): PromiseOrValue<T> {
  return doInSteps(work, pausingOf(execution));
}

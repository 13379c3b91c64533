/**
 * Concurrent reads for several rows on asynchronous stores: requests of one turn of the event loop travel together, so
 * that a hundred links take as long as one. Only for work without observable order.
 */
import { andThen, mapTogether, type PromiseOrValue } from '../base/promise-or-value.js';
import { eachChunk, mapItems, STEP } from '../base/work/loops.js';
import type { Execution } from './execution.js';

/** `mapItems` for work that only reads: on asynchronous stores some hundreds at once. */
export function mapReads<T, U>(
  execution: Execution,
  items: readonly T[],
  map: (item: T) => PromiseOrValue<U>,
): PromiseOrValue<U[]> {
  if (!execution.context.answersLater) return mapItems(items, execution.interrupt, map);
  if (items.length <= STEP) return mapTogether(items, map);
  const mapped: U[] = [];
  const done = eachChunk(items, execution.interrupt, (some) =>
    andThen(mapTogether(some, map), (results) => {
      for (const result of results) mapped.push(result);
    }),
  );
  return andThen(done, () => mapped);
}

/** The same where each value is made of several: of what a chunk has charged only what `charge` counts is kept. */
export async function mapRowsTogether<T, U>(
  execution: Execution,
  rows: readonly T[],
  map: (row: T) => PromiseOrValue<U>,
  charge?: (results: readonly U[]) => void,
): Promise<U[]> {
  const {
    interrupt,
    request: { memory },
  } = execution;
  const mapped: U[] = [];
  await eachChunk(rows, interrupt, async (some) => {
    const results = await memory.within(() => mapTogether(some, map));
    for (const result of results) mapped.push(result);
    charge?.(results);
  });
  return mapped;
}

/**
 * Concurrent reads for several rows on asynchronous stores: requests of one turn of the event loop travel together, so
 * that a hundred links take as long as one. Only for work without observable order.
 */
import { mapTogether, type PromiseOrValue } from '../base/promise-or-value.js';
import { forEachChunk, mapChunks } from './cooperative-yielding.js';
import type { Execution } from './execution.js';

/** `mapChunks` for work that only reads: on asynchronous stores some hundreds at once. */
export function mapReads<T, U>(
  execution: Execution,
  items: readonly T[],
  map: (item: T) => PromiseOrValue<U>,
): PromiseOrValue<U[]> {
  if (!execution.context.answersLater) return mapChunks(execution, items, map);
  if (items.length <= MAX_CONCURRENT) return mapTogether(items, map);
  return readBatches(execution, items, map);
}

/** Maximum number of concurrent reads. */
const MAX_CONCURRENT = 256;

async function readBatches<T, U>(
  execution: Execution,
  items: readonly T[],
  map: (item: T) => PromiseOrValue<U>,
): Promise<U[]> {
  const mapped: U[] = [];
  for (let from = 0; from < items.length; from += MAX_CONCURRENT) {
    await execution.interrupt.checkpoint();
    for (const result of await mapTogether(items.slice(from, from + MAX_CONCURRENT), map)) mapped.push(result);
  }
  return mapped;
}

/**
 * Maps in order, a chunk at a time concurrently. Intermediate values are released with each chunk; `made` gets its
 * results.
 */
export async function mapChunksConcurrently<T, U>(
  execution: Execution,
  items: readonly T[],
  map: (item: T) => PromiseOrValue<U>,
  made?: (results: readonly U[]) => void,
): Promise<U[]> {
  const {
    request: { memory },
  } = execution;
  const mapped: U[] = [];
  await forEachChunk(execution, items, async (some) => {
    const mark = memory.used;
    const results = await mapTogether(some, map);
    memory.releaseTo(mark);
    for (const result of results) mapped.push(result);
    made?.(results);
  });
  return mapped;
}

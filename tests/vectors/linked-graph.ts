/** Whether the vectors of an HNSW index are linked by now. */
import { expect, vi } from 'vitest';
import { EMPTY_GRAPH, type GraphState, readGraphState } from '../../src/index/hnsw/graph-state.js';
import { rangeOf, stateKey } from '../../src/index/hnsw/layout.js';
import { isWorn } from '../../src/index/hnsw/sweep.js';
import type { Engine, Transaction } from '../../src/storage/contract.js';

/** Fewer aren't linked until there are more. */
const LEFT = 64;

/** Waits until nearly all is linked, and nothing is left to be mended. */
export async function linkedGraph(engine: Engine, timeout = 60_000): Promise<GraphState> {
  let state = EMPTY_GRAPH;
  await vi.waitFor(
    async () => {
      const [changed, now] = await graphOf(engine);
      expect(changed).toBeLessThan(LEFT);
      // Mending begins with a transaction after the one that has linked the last.
      expect(now.sweep !== undefined || now.waiting > 0 || isWorn(now)).toBe(false);
      state = now;
    },
    { timeout, interval: 20 },
  );
  return state;
}

/** How many vectors aren't linked, and the state of the graph of the only index. */
export async function graphOf(engine: Engine): Promise<readonly [changed: number, state: GraphState]> {
  const transaction = await engine.begin({ writable: false });
  try {
    const index = await indexOf(transaction);
    if (index === undefined) return [Number.POSITIVE_INFINITY, EMPTY_GRAPH];
    const changed = await transaction.count(rangeOf(index, 'changed'));
    return [changed, readGraphState(await transaction.get(stateKey(index)))];
  } finally {
    transaction.cancel();
  }
}

/** `D`, four bytes of the database, `x`, four of the table, four of the index: what its keys begin with. */
const PREFIX = 14;

async function indexOf(transaction: Transaction): Promise<string | undefined> {
  const cursor = transaction.scan({ from: 'D', to: 'E' });
  let found: string | undefined;
  for (let batch = await cursor.next(); batch !== undefined; batch = await cursor.next()) {
    const state = batch.find(
      ([key]) => key[5] === 'x' && key.length === PREFIX + 1 && key === stateKey(key.slice(0, -1)),
    );
    if (state !== undefined) found = state[0].slice(0, PREFIX);
  }
  cursor.close();
  return found;
}

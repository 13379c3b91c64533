import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sortItems } from '../../../src/base/work/sort.js';
import type { Work } from '../../../src/base/work/work.js';

/** Counts the checkpoints, and yields at each `every`th. */
function counting(every: number): Work & { count: number } {
  return {
    count: 0,
    checkpoint() {
      this.count++;
      return this.count % every === 0 ? Promise.resolve() : undefined;
    },
  };
}

const byKey = (a: Item, b: Item): number => a.key - b.key;
interface Item {
  readonly key: number;
  readonly at: number;
}

test('sorts as Array.prototype.sort does, equal items in the order in which they came', async () => {
  const runs = fc.integer({ min: 0, max: 6000 });
  await fc.assert(
    fc.asyncProperty(runs, fc.integer({ min: 1, max: 50 }), fc.integer(), async (length, keys, seed) => {
      const items = Array.from({ length }, (_, at): Item => ({ key: Math.abs((at * 7919 + seed) % keys), at }));
      const sorted = await sortItems(items.slice(), counting(3), byKey);
      expect(sorted).toEqual(items.slice().sort(byKey));
    }),
    { numRuns: 30 },
  );
});

test('comes by a checkpoint for each thousand items that are sorted or merged', async () => {
  const work = counting(Number.POSITIVE_INFINITY);
  const items = Array.from({ length: 64 * 1024 }, (_, at): Item => ({ key: (at * 7919) % 65_536, at }));
  await sortItems(items, work, byKey);
  // 64 runs, then six rounds of merging.
  expect(work.count).toBe(63 + 6 * 64);
});

test('an error at a checkpoint ends it', async () => {
  const work = { ...counting(1), checkpoint: () => Promise.reject(new Error('cancelled')) };
  const items = Array.from({ length: 5000 }, (_, at): Item => ({ key: -at, at }));
  await expect(sortItems(items, work, byKey)).rejects.toThrow('cancelled');
});

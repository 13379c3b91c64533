/** Work that is begun together gives what it gives one after the other. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  filterInOrder,
  filterTogether,
  mapInOrder,
  mapTogether,
  type PromiseOrValue,
} from '../../src/base/promise-or-value.js';

/** What one item makes: a value or an error, at once or after some turns. */
interface Outcome {
  readonly value: number;
  readonly fails: boolean;
  readonly turns: number;
}

const outcomes = fc.array(
  fc.record({ value: fc.integer({ min: 0, max: 9 }), fails: fc.boolean(), turns: fc.integer({ min: 0, max: 3 }) }),
  { maxLength: 8 },
);

function make({ value, fails, turns }: Outcome): PromiseOrValue<number> {
  const finish = () => {
    if (fails) throw new Error(`${value}`);
    return value;
  };
  if (turns === 0) return finish();
  return (async () => {
    for (let turn = 0; turn < turns; turn++) await undefined;
    return finish();
  })();
}

async function settled<T>(work: () => PromiseOrValue<T>): Promise<T | string> {
  try {
    return await work();
  } catch (error) {
    return String(error);
  }
}

test('results and the first error are those of one after the other', async () => {
  await fc.assert(
    fc.asyncProperty(outcomes, async (items) => {
      const together = await settled(() => mapTogether(items, make));
      expect(together).toEqual(await settled(() => mapInOrder(items, make)));
    }),
  );
});

test('the first that pass are the same, and what lies behind them fails nothing', async () => {
  await fc.assert(
    fc.asyncProperty(outcomes, fc.integer({ min: 1, max: 4 }), async (items, most) => {
      const isEven = (item: Outcome): PromiseOrValue<boolean> => {
        const made = make(item);
        return made instanceof Promise ? made.then((value) => value % 2 === 0) : made % 2 === 0;
      };
      const together = await settled(() => filterTogether(items, isEven, most));
      expect(together).toEqual(await settled(() => filterInOrder(items, isEven, most)));
    }),
  );
});

test('all are begun before the first is waited for', async () => {
  const begun: number[] = [];
  const done = mapTogether([1, 2, 3], async (item) => begun.push(item));
  expect(begun).toEqual([1, 2, 3]);
  await done;
});

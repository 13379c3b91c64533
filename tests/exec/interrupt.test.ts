import { expect, it } from 'vitest';
import { realEnvironment } from '../../src/env/real.js';
import { RequestInterrupt } from '../../src/exec/runtime/interrupt.js';

it('yields say how often the request has yielded before, so that short ones go first', async () => {
  let now = 0;
  const turns: (number | undefined)[] = [];
  const environment = {
    ...realEnvironment,
    clock: { ...realEnvironment.clock, monotonic: () => (now += 10) },
    timers: {
      ...realEnvironment.timers,
      yield: async (turn?: number) => {
        turns.push(turn);
      },
    },
  };
  const [first, second] = [RequestInterrupt.begin(environment), RequestInterrupt.begin(environment)];
  for (let n = 0; n < 3; n++) await first.checkpoint();
  await second.yieldIfDue();
  expect(turns).toEqual([0, 1, 2, 0]);
});

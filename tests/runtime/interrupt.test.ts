import { expect, it } from 'vitest';
import { realEnvironment } from '../../src/env/real.js';
import { RequestInterrupt } from '../../src/runtime/interrupt.js';

/** An environment that notes the turns of each yield, and whose clock is moved by `tick` whenever it is read. */
function notingTurns(tick: number) {
  let now = 0;
  const turns: (number | undefined)[] = [];
  const environment = {
    ...realEnvironment,
    clock: { ...realEnvironment.clock, monotonic: () => (now += tick) },
    timers: {
      ...realEnvironment.timers,
      yield: async (turn?: number) => {
        turns.push(turn);
      },
    },
  };
  return { environment, turns };
}

it('yields say how often the request has yielded before, so that short ones go first', async () => {
  const { environment, turns } = notingTurns(10);
  const [first, second] = [RequestInterrupt.begin(environment), RequestInterrupt.begin(environment)];
  for (let n = 0; n < 3; n++) await first.checkpoint();
  await second.unending.checkpoint();
  expect(turns).toEqual([0, 1, 2, 0]);
});

it('takes the turn of a long computation before its first large step, and from then on', async () => {
  const { environment, turns } = notingTurns(0.1);
  const interrupt = RequestInterrupt.begin(environment);
  await interrupt.checkpoint(1_000);
  expect(turns).toEqual([]);
  await interrupt.checkpoint(2 ** 20);
  expect(turns).toEqual([Number.POSITIVE_INFINITY]);
  // What follows yields by its time alone.
  for (let step = 0; step < 20; step++) await interrupt.checkpoint(2 ** 20);
  expect(turns.length).toBeGreaterThan(1);
  expect(turns.length).toBeLessThan(5);
  expect(new Set(turns)).toEqual(new Set([Number.POSITIVE_INFINITY]));
});

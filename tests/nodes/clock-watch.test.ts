/** A server says once that its clock differs from the store's by more than a second. */
import { expect, test } from 'vitest';
import { ClockWatch } from '../../src/session/nodes/store-node.js';
import { StubbedEnvironment } from '../support/environment.js';

const SECOND = 1_000_000_000n;

test('once, and again after it was over', async () => {
  const { clock } = new StubbedEnvironment();
  let difference = 0n;
  const told: string[] = [];
  const shared = { time: async () => clock.now() + difference };
  const watch = new ClockWatch(clock, shared, ({ code, message }) => told.push(`${code}: ${message}`));
  const after = async (next: bigint) => {
    difference = next;
    await watch.compare();
    return told.splice(0);
  };
  expect(await after(SECOND)).toEqual([]);
  expect(await after(SECOND + 100_000_000n)).toEqual([expect.stringMatching(/^clock_differs: .* 1\.1 s behind/)]);
  expect(await after(9n * SECOND)).toEqual([]);
  expect(await after(0n)).toEqual([]);
  expect(await after(-2n * SECOND)).toEqual([expect.stringMatching(/2\.0 s ahead of/)]);
});

test('what the call itself takes is no difference, and neither is a store without a clock', async () => {
  const { clock } = new StubbedEnvironment();
  const told: string[] = [];
  const report = ({ code }: { code: string }) => told.push(code);
  let now = clock.now();
  const slow = { now: () => now };
  const shared = {
    time: async () => {
      const time = now + SECOND;
      now += 5n * SECOND;
      return time;
    },
  };
  await new ClockWatch(slow, shared, report).compare();
  await new ClockWatch(slow, {}, report).compare();
  expect(told).toEqual([]);
});

import { expect, it } from 'vitest';
import { FeedbackQueue, YieldQueue } from '../../src/env/yield-queue.js';

/** A line, and a loop whose rounds are counted. */
function lineInLoop() {
  let next: (() => void)[] = [];
  const line = new YieldQueue((callback) => void next.push(callback));
  const round = async () => {
    const due = next;
    next = [];
    for (const callback of due) callback();
    await Promise.resolve();
  };
  return { line, round, isIdle: () => next.length === 0 };
}

it('lets one go on in each round, in the order they came', async () => {
  const { line, round, isIdle } = lineInLoop();
  const turns: string[] = [];
  const work = async (name: string, steps: number) => {
    for (let step = 0; step < steps; step++) {
      await line.wait();
      turns.push(name);
    }
  };
  void work('a', 3);
  void work('b', 1);
  void work('c', 2);
  const seen: number[] = [];
  while (!isIdle()) {
    await round();
    seen.push(turns.length);
  }
  expect(turns.join('')).toBe('abcaca');
  expect(seen).toEqual([1, 2, 3, 4, 5, 6]);
});

it('goes on as long as a task waits, and begins again after a rest', async () => {
  const { line, round, isIdle } = lineInLoop();
  let steps = 0;
  const work = async (most: number) => {
    while (steps < most) {
      await line.wait();
      steps++;
    }
  };
  // More than are kept behind the one whose turn it is.
  void work(3_000);
  void work(3_000);
  while (!isIdle()) await round();
  expect(steps).toBe(3_001);
  void work(3_010);
  while (!isIdle()) await round();
  expect(steps).toBe(3_010);
});

it('lets those that had few turns go on beside one of the others in each round', async () => {
  let next: (() => void)[] = [];
  const queue = new FeedbackQueue((callback) => void next.push(callback));
  const resumed: string[] = [];
  const work = async (name: string, steps: number) => {
    for (let turn = 0; turn < steps; turn++) {
      await queue.wait(turn);
      resumed.push(name);
    }
  };
  const round = async () => {
    const due = next;
    next = [];
    for (const callback of due) callback();
    await new Promise(setImmediate);
  };
  for (const name of 'abcdefgh') void work(name, 20);
  for (let n = 0; n < 60; n++) await round();
  // All are long by now.
  resumed.length = 0;
  void work('short', 3);
  for (let n = 0; n < 3; n++) await round();
  expect(resumed.filter((name) => name === 'short')).toHaveLength(3);
  expect(resumed.filter((name) => name !== 'short')).toHaveLength(3);
  while (next.length > 0) await round();
  expect(resumed).toHaveLength(96);
});

import { expect, it } from 'vitest';
import { FeedbackQueue, YieldQueue } from '../../src/env/scheduler.js';

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

/** An event loop with a virtual clock, in each round of which other work takes `others` milliseconds. */
function virtualLoop() {
  let next: (() => void)[] = [];
  let now = 0;
  const timers: { at: number; callback: () => void }[] = [];
  const loop = {
    others: 0,
    rests: [] as number[],
    nextRound: (callback: () => void) => void next.push(callback),
    after(milliseconds: number, callback: () => void) {
      loop.rests.push(milliseconds);
      timers.push({ at: now + milliseconds, callback });
    },
    now: () => now,
    compute: (milliseconds: number) => {
      now += milliseconds;
    },
    isIdle: () => next.length === 0 && timers.length === 0,
    async round() {
      now += loop.others;
      const due = next;
      next = [];
      for (const callback of due) {
        callback();
        await new Promise(setImmediate);
      }
      const [timer] = timers;
      if (next.length === 0 && timer !== undefined) now = Math.max(now, timer.at);
      if (timer !== undefined && timer.at <= now) timers.shift()?.callback();
    },
  };
  return loop;
}

/** Queues a computation of `steps` slices of `slice` milliseconds on the loop, and notes its name in `resumed`. */
function computations(loop: ReturnType<typeof virtualLoop>) {
  const queue = new FeedbackQueue(loop);
  const resumed: string[] = [];
  const compute = async (name: string, steps: number, slice = 1, before = 0) => {
    for (let turn = 0; turn < steps; turn++) {
      await queue.wait(before + turn);
      resumed.push(name);
      loop.compute(slice);
    }
  };
  return { resumed, compute };
}

it('lets those that had few turns go on in each round, however many long ones wait', async () => {
  const loop = virtualLoop();
  const { resumed, compute } = computations(loop);
  for (const name of 'abcdefgh') void compute(name, 20, 1, 10);
  for (let n = 0; n < 30; n++) await loop.round();
  resumed.length = 0;
  void compute('short', 3);
  for (let n = 0; n < 3; n++) await loop.round();
  expect(resumed.filter((name) => name === 'short')).toHaveLength(3);
  while (!loop.isIdle()) await loop.round();
  // They took turns to the end.
  expect(resumed.slice(-8).sort().join('')).toBe('abcdefgh');
});

it('lets long ones go on without a rest where no one else works', async () => {
  const loop = virtualLoop();
  const { resumed, compute } = computations(loop);
  void compute('a', 10, 20, 10);
  void compute('b', 10, 20, 10);
  while (!loop.isIdle()) await loop.round();
  expect(resumed.join('')).toBe('abababababababababab');
  expect(loop.now()).toBe(400);
  expect(loop.rests).toEqual([]);
});

it('shares the loop with others by time', async () => {
  const loop = virtualLoop();
  const { resumed, compute } = computations(loop);
  loop.others = 0.25;
  void compute('long', 4, 1, 10);
  // The first has nothing to make up for; each further one lets four rounds go by.
  const rounds: number[] = [];
  for (let n = 1; !loop.isIdle(); n++) {
    const before = resumed.length;
    await loop.round();
    if (resumed.length > before) rounds.push(n);
  }
  expect(rounds).toEqual([2, 7, 12, 17]);
  expect(loop.rests).toEqual([]);
});

it('rests after a slice for which others had to wait, if they need less than their share', async () => {
  const loop = virtualLoop();
  const { resumed, compute } = computations(loop);
  void compute('long', 2, 12, 10);
  await loop.round();
  await loop.round();
  expect(resumed).toHaveLength(1);
  loop.others = 1;
  await loop.round();
  await loop.round();
  loop.others = 0;
  await loop.round();
  // Half of twelve milliseconds, two of which others have used.
  expect(loop.rests).toEqual([4]);
  while (!loop.isIdle()) await loop.round();
  expect(resumed).toHaveLength(2);
  expect(loop.now()).toBe(12 + 2 + 4 + 12);
});

it('rests for twenty milliseconds at most', async () => {
  const loop = virtualLoop();
  const { compute } = computations(loop);
  void compute('long', 2, 1_000, 10);
  await loop.round();
  await loop.round();
  loop.others = 1;
  await loop.round();
  loop.others = 0;
  await loop.round();
  expect(loop.rests).toEqual([19]);
});

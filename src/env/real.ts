import { randomFillSync } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import type { Environment } from './environment.js';
import { realNetwork } from './real-network.js';
import { FeedbackQueue } from './scheduler.js';
import { fineClock } from './wall-clock.js';

/** A pool of random bytes: a system call for the few bytes of an id would dominate its cost. */
const pool = new Uint8Array(4096);
let left = 0;

function drawBytes(length: number): Uint8Array {
  if (length > pool.length / 8) return randomFillSync(new Uint8Array(length));
  if (left < length) {
    randomFillSync(pool);
    left = pool.length;
  }
  const drawn = pool.slice(left - length, left);
  // Erased, since the bytes may become a secret of which only one copy should exist.
  pool.fill(0, left - length, left);
  left -= length;
  return drawn;
}

/** All computations of this process that have yielded. */
const yielded = new FeedbackQueue({
  nextRound: (callback) => void setImmediate(callback),
  after: (milliseconds, callback) => void setTimeout(callback, milliseconds),
  now: () => performance.now(),
});

/** This machine's clock, random source and event loop. */
export const realEnvironment: Environment = {
  clock: {
    now: fineClock(Date.now, () => performance.now()),
    monotonic: () => performance.now(),
  },
  random: {
    bytes: drawBytes,
    float: Math.random,
  },
  timers: {
    after(milliseconds, callback) {
      const timer = setTimeout(callback, milliseconds);
      timer.unref();
      return () => clearTimeout(timer);
    },
    wait: (milliseconds) => sleep(milliseconds),
    yield: (turns = Number.POSITIVE_INFINITY) => yielded.wait(turns),
    nextRound: () => nextTurn(),
  },
  network: realNetwork,
  heap: {
    used: () => getHeapStatistics().used_heap_size,
    limit: getHeapStatistics().heap_size_limit,
  },
};

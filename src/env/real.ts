import { randomFillSync } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from './environment.js';
import { realNetwork } from './real-network.js';

/** The real world: this machine's clock, its random source and its event loop. */
export const realEnvironment: Environment = {
  clock: {
    now: () => BigInt(Date.now()) * 1_000_000n,
    monotonic: () => performance.now(),
  },
  random: {
    bytes: (length) => randomFillSync(new Uint8Array(length)),
    float: Math.random,
  },
  timers: {
    after(milliseconds, callback) {
      const timer = setTimeout(callback, milliseconds);
      timer.unref();
      return () => clearTimeout(timer);
    },
    wait: (milliseconds) => sleep(milliseconds),
    yield: () => nextTurn(),
  },
  network: realNetwork,
};

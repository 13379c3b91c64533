import type { Environment } from '../../src/env/environment.js';
import { realEnvironment } from '../../src/env/real.js';

/** An environment in which each checkpoint yields: each look at the clock finds the time of a turn used up. */
export class YieldingEnvironment implements Environment {
  /** How often work has yielded. */
  yields = 0;
  /** How often of these as a long computation. */
  longYields = 0;
  #time = 0;

  readonly random = realEnvironment.random;
  readonly network = realEnvironment.network;
  readonly mail = realEnvironment.mail;
  readonly heap = realEnvironment.heap;

  readonly clock: Environment['clock'] = {
    ...realEnvironment.clock,
    monotonic: () => {
      this.#time += 2;
      return this.#time;
    },
  };

  readonly timers: Environment['timers'] = {
    ...realEnvironment.timers,
    yield: async (turns) => {
      this.yields++;
      if (turns === Number.POSITIVE_INFINITY) this.longYields++;
    },
  };
}

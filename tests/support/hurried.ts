import type { Environment } from '../../src/env/environment.js';
import { realEnvironment } from '../../src/env/real.js';

/** A turn of the event loop. */
export const turn = (): Promise<void> => new Promise((done) => setImmediate(done));

/** Timers that are due at once, and a clock by which everything takes its time, so that work in the background goes in small steps. */
export function hurried(): Environment {
  let now = 0;
  const { timers, clock } = realEnvironment;
  return {
    ...realEnvironment,
    timers: { ...timers, after: (_, callback) => timers.after(0, callback), yield: turn },
    clock: {
      now: () => clock.now(),
      monotonic: () => {
        now += 5;
        return now;
      },
    },
  };
}

import type { Timers } from '../../src/env/environment.js';
import { realEnvironment } from '../../src/env/real.js';
import { RESERVATION_TIME } from '../../src/storage/contract.js';

const real = realEnvironment.timers;

/**
 * Real timers by which a reservation lasts a minute: on a busy machine none is over before its transaction has
 * committed, and what waits for one that has ended already takes too long for its test.
 */
export const patientTimers: Timers = {
  ...real,
  after: (milliseconds, callback) => real.after(milliseconds === RESERVATION_TIME ? 60_000 : milliseconds, callback),
};

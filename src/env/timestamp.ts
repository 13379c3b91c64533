import type { Clock } from './environment.js';

/** The last timestamp that was given out by each clock. */
const given = new WeakMap<Clock, bigint>();

/** Nanoseconds since 1970 UTC, by the wall clock, but later than every timestamp that was drawn of the clock before. */
export function nextTimestamp(clock: Clock): bigint {
  const now = clock.now();
  const last = given.get(clock);
  const next = last === undefined || now > last ? now : last + 1n;
  given.set(clock, next);
  return next;
}

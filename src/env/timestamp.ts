/** Strictly ascending timestamps: two calls of `time::now()` in a row give different ones. */
import type { Clock } from './environment.js';

/** The last timestamp taken from each clock. */
const given = new WeakMap<Clock, bigint>();

/** Nanoseconds since 1970 UTC by the wall clock, strictly greater than any earlier timestamp of the clock. */
export function nextTimestamp(clock: Clock): bigint {
  const now = clock.now();
  const last = given.get(clock);
  const next = last === undefined || now > last ? now : last + 1n;
  given.set(clock, next);
  return next;
}

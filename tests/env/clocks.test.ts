import { expect, test } from 'vitest';
import { fineClock } from '../../src/env/real.js';
import { nextTimestamp } from '../../src/env/timestamp.js';

/** Milliseconds of the two clocks at each reading, and nanoseconds since the first. */
function readings(...moments: readonly (readonly [wall: number, monotonic: number])[]): number[] {
  let at = 0;
  const clock = fineClock(
    () => moments[at]?.[0] ?? 0,
    () => moments[at]?.[1] ?? 0,
  );
  return moments.map(() => {
    const now = Number(clock() - 1_000_000_000n);
    at++;
    return now;
  });
}

test('the exact clock measures fractions of a millisecond', () => {
  expect(readings([1000, 5], [1000, 5.25], [1000, 5.5], [1001, 6.125])).toEqual([0, 250_000, 500_000, 1_125_000]);
});

test('a wall clock that goes faster is followed', () => {
  expect(readings([1000, 5], [1002, 6], [1002, 6.5])).toEqual([0, 2_000_000, 2_500_000]);
});

test('a wall clock that goes slower is waited for', () => {
  expect(readings([1000, 5], [1000, 6.5], [1000, 6.75], [1001, 7])).toEqual([0, 999_999, 999_999, 1_249_999]);
});

test('a wall clock that is set back goes back', () => {
  expect(readings([1005, 5], [1000, 5.5], [1000, 5.75])).toEqual([5_000_000, 0, 250_000]);
});

test('timestamps go on where a clock stands still or goes back', () => {
  let now = 100n;
  const clock = { now: () => now, monotonic: () => 0 };
  const drawn = [nextTimestamp(clock), nextTimestamp(clock)];
  now = 50n;
  drawn.push(nextTimestamp(clock));
  now = 200n;
  drawn.push(nextTimestamp(clock));
  expect(drawn).toEqual([100n, 101n, 102n, 200n]);
});

test('each clock has its own timestamps', () => {
  const clockAt = (now: bigint) => ({ now: () => now, monotonic: () => 0 });
  expect([nextTimestamp(clockAt(9n)), nextTimestamp(clockAt(3n))]).toEqual([9n, 3n]);
});

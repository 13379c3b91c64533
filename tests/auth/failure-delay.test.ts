import { expect, test } from 'vitest';
import { Pace } from '../../src/auth/failure-delay.js';
import { failure } from '../../src/errors/error.js';
import { StubbedEnvironment } from './environment.js';

/** Runs a try that takes `milliseconds` and fails; gives the moment, counted from the start, at which the failure is told. */
async function toldAfter(environment: StubbedEnvironment, pace: Pace, milliseconds: number): Promise<number> {
  const startedAt = environment.clock.monotonic();
  const told = pace
    .fair(() =>
      pace.timed(async () => {
        environment.advance(milliseconds);
        throw failure('invalid_auth');
      }),
    )
    .catch(() => environment.clock.monotonic() - startedAt);
  await new Promise((resolve) => setImmediate(resolve));
  environment.advance(environment.nextTimer ?? 0);
  return Math.round(await told);
}

test('failures are told at one moment, however long they took', async () => {
  const environment = new StubbedEnvironment();
  const pace = new Pace(environment);
  for (const took of [0, 1, 30, 199, 299]) expect(await toldAfter(environment, pace, took)).toBe(325);
});

test('slower tries, even successful ones, hold back the quick failures after them', async () => {
  const environment = new StubbedEnvironment();
  const pace = new Pace(environment);
  const result = await pace.fair(() =>
    pace.timed(async () => {
      environment.advance(472);
      return 'in';
    }),
  );
  expect(result).toBe('in');
  expect(environment.nextTimer).toBeUndefined();
  for (const took of [0, 30, 460, 471]) expect(await toldAfter(environment, pace, took)).toBe(525);
});

test('what was learned is bounded, and fades', async () => {
  const environment = new StubbedEnvironment();
  const pace = new Pace(environment);
  expect(await toldAfter(environment, pace, 60_000)).toBe(60_025);
  expect(await toldAfter(environment, pace, 1)).toBe(3_025);
  environment.advance(24 * 60 * 60 * 1000);
  expect(await toldAfter(environment, pace, 1)).toBe(325);
});

test.each(['fair', 'holdingRefusals'] as const)('a refusal by the throttle is told soon (%s)', async (way) => {
  const environment = new StubbedEnvironment();
  const refused = new Pace(environment)[way](async () => {
    throw failure('too_many_attempts', { retryAfter: 1 });
  });
  let isTold = false;
  refused.catch(() => {
    isTold = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(environment.nextTimer).toBe(100);
  environment.advance(99);
  await new Promise((resolve) => setImmediate(resolve));
  expect(isTold).toBe(false);
  environment.advance(1);
  await expect(refused).rejects.toMatchObject({ code: 'too_many_attempts' });
});

test('other failures are not held back where only refusals are', async () => {
  const environment = new StubbedEnvironment();
  const failed = new Pace(environment).holdingRefusals(async () => {
    throw failure('invalid_auth');
  });
  await expect(failed).rejects.toMatchObject({ code: 'invalid_auth' });
  expect(environment.nextTimer).toBeUndefined();
});

test('the process lives on until a failure is told', async () => {
  const environment = new StubbedEnvironment();
  // What `after` calls back doesn't keep a process alive, and in process there may be nothing else that does.
  const timers = { ...environment.timers, after: () => expect.unreachable() };
  const pace = new Pace({ ...environment, clock: environment.clock, timers });
  const told = pace.fair(async () => {
    throw failure('invalid_auth');
  });
  await new Promise((resolve) => setImmediate(resolve));
  environment.advance(325);
  await expect(told).rejects.toMatchObject({ code: 'invalid_auth' });
});

import { expect, test } from 'vitest';
import { FailureDelay } from '../../src/auth/attempts/failure-delay.js';
import { failure } from '../../src/errors/error.js';
import { StubbedEnvironment } from '../support/environment.js';

/** Runs a try that takes `milliseconds` and fails; gives the time, counted from the start, at which the failure is answered. */
async function toldAfter(
  environment: StubbedEnvironment,
  failureDelay: FailureDelay,
  milliseconds: number,
): Promise<number> {
  const startedAt = environment.clock.monotonic();
  const told = failureDelay
    .equalize(() =>
      failureDelay.observe(async () => {
        environment.advance(milliseconds);
        throw failure('invalid_auth');
      }),
    )
    .catch(() => environment.clock.monotonic() - startedAt);
  await new Promise((resolve) => setImmediate(resolve));
  environment.advance(environment.nextTimer ?? 0);
  return Math.round(await told);
}

test('failures are answered at one moment, however long they took', async () => {
  const environment = new StubbedEnvironment();
  const failureDelay = new FailureDelay(environment);
  for (const took of [0, 1, 30, 199, 299]) expect(await toldAfter(environment, failureDelay, took)).toBe(325);
});

test('slower tries, even successful ones, hold back the quick failures after them', async () => {
  const environment = new StubbedEnvironment();
  const failureDelay = new FailureDelay(environment);
  const result = await failureDelay.equalize(() =>
    failureDelay.observe(async () => {
      environment.advance(472);
      return 'in';
    }),
  );
  expect(result).toBe('in');
  expect(environment.nextTimer).toBeUndefined();
  for (const took of [0, 30, 460, 471]) expect(await toldAfter(environment, failureDelay, took)).toBe(525);
});

test('what was learned is bounded, and fades', async () => {
  const environment = new StubbedEnvironment();
  const failureDelay = new FailureDelay(environment);
  expect(await toldAfter(environment, failureDelay, 60_000)).toBe(60_025);
  expect(await toldAfter(environment, failureDelay, 1)).toBe(3_025);
  environment.advance(24 * 60 * 60 * 1000);
  expect(await toldAfter(environment, failureDelay, 1)).toBe(325);
});

test.each(['equalize', 'delayThrottled'] as const)('a refusal by the throttle is answered soon (%s)', async (way) => {
  const environment = new StubbedEnvironment();
  const refused = new FailureDelay(environment)[way](async () => {
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
  const failed = new FailureDelay(environment).delayThrottled(async () => {
    throw failure('invalid_auth');
  });
  await expect(failed).rejects.toMatchObject({ code: 'invalid_auth' });
  expect(environment.nextTimer).toBeUndefined();
});

test('the process lives on until a failure is answered', async () => {
  const environment = new StubbedEnvironment();
  // What `after` calls back doesn't keep a process alive, and in process there may be nothing else that does.
  const timers = { ...environment.timers, after: () => expect.unreachable() };
  const failureDelay = new FailureDelay({ ...environment, clock: environment.clock, timers });
  const told = failureDelay.equalize(async () => {
    throw failure('invalid_auth');
  });
  await new Promise((resolve) => setImmediate(resolve));
  environment.advance(325);
  await expect(told).rejects.toMatchObject({ code: 'invalid_auth' });
});

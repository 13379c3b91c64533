/** Sign-in attempts of several workers, which the first process admits. */
import { EventEmitter } from 'node:events';
import { beforeEach, expect, test } from 'vitest';
import type { Attempt } from '../../src/auth/attempts/attempt-keys.js';
import { Throttle } from '../../src/auth/attempts/throttle.js';
import { DEFAULT_RULES } from '../../src/auth/attempts/throttle-rules.js';
import { failure } from '../../src/errors/error.js';
import type { Channel } from '../../src/server/workers/connection-receiver.js';
import { type AdmittedWorker, RemoteAdmission, SharedAdmission } from '../../src/server/workers/sign-in-admission.js';
import { StubbedEnvironment } from '../support/environment.js';

const SECOND = 1_000;
const victim: Attempt = { account: 'victim', source: '10.0.0.1' };
const wrong = async () => {
  throw failure('invalid_auth');
};

interface Worker {
  readonly throttle: Throttle;
  die(): void;
}

let environment: StubbedEnvironment;
let shared: SharedAdmission;
beforeEach(() => {
  environment = new StubbedEnvironment();
  shared = new SharedAdmission(environment);
});

/** A worker whose channel to the first process takes a turn for each message. */
function worker(): Worker {
  const [here, there] = [new EventEmitter(), new EventEmitter()];
  const send = (to: EventEmitter) => (message: unknown) => {
    const sent = JSON.parse(JSON.stringify(message));
    queueMicrotask(() => to.emit('message', sent));
    return true;
  };
  shared.add(Object.assign(there, { send: send(here) }) as unknown as AdmittedWorker);
  const channel = Object.assign(here, { send: send(there) }) as unknown as Channel;
  return {
    throttle: new Throttle(environment, DEFAULT_RULES, undefined, new RemoteAdmission(channel)),
    die: () => void there.emit('exit'),
  };
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 60; turn++) await Promise.resolve();
}

async function pass(seconds: number): Promise<void> {
  for (let left = seconds; left > 0; left--) {
    environment.advance(SECOND);
    await settle();
  }
}

/** How many guesses are judged while time passes, if each worker always has some that wait. */
async function judged(workers: readonly Worker[], seconds: number): Promise<number> {
  let count = 0;
  let isOver = false;
  const guess = async ({ throttle }: Worker): Promise<void> => {
    while (!isOver) {
      const code = await throttle.attempt(victim, wrong).catch((error) => error.code);
      if (code === 'invalid_auth') count++;
      else await new Promise<void>((resolve) => void environment.timers.after(SECOND, resolve));
    }
  };
  for (const each of [...workers, ...workers, ...workers]) void guess(each);
  await settle();
  await pass(seconds);
  isOver = true;
  return count;
}

test('a guesser gains nothing by the number of workers', async () => {
  await judged([worker()], 120);
  const alone = await judged([worker()], 600);
  expect(alone).toBeGreaterThan(20);
  expect(alone).toBeLessThanOrEqual(31);
  shared = new SharedAdmission(environment);
  const workers = [worker(), worker(), worker(), worker()];
  await judged(workers, 120);
  expect(await judged(workers, 600)).toBeLessThanOrEqual(31);
});

test('right credentials are admitted at any worker, and at once where they were before', async () => {
  const [one, other] = [worker(), worker()];
  const right = async () => 'in';
  expect(await one.throttle.attempt({ ...victim, source: '10.0.0.9' }, right)).toBe('in');
  void judged([one, other], 0);
  await pass(60);
  // The owner has signed in from there at another worker.
  expect(await other.throttle.attempt({ ...victim, source: '10.0.0.9' }, right)).toBe('in');
  const waited = other.throttle.attempt({ ...victim, source: '10.0.0.8' }, right);
  await pass(25);
  expect(await waited).toBe('in');
});

test('what is refused says when to come back, and each worker lists what failed at it', async () => {
  const [one, other] = [worker(), worker()];
  const attempts = Array.from({ length: 40 }, () => one.throttle.attempt(victim, wrong).catch((error) => error));
  await pass(60);
  const refused = (await Promise.all(attempts)).find(({ code }) => code === 'too_many_attempts');
  expect(refused).toMatchObject({ details: { details: { retryAfter: expect.any(Number) } } });
  expect([...one.throttle.list()].map(({ of }) => of)).toEqual(['account and address', 'account', 'address']);
  expect([...other.throttle.list()]).toEqual([]);
});

test('attempts of a worker that dies have failed, and hold up no others', async () => {
  const [one, other] = [worker(), worker()];
  for (let at = 0; at < 10; at++) void one.throttle.attempt(victim, () => new Promise(() => {}));
  await settle();
  one.die();
  // Five of them were running, which is as many as are free of delay.
  await expect(other.throttle.attempt(victim, wrong)).rejects.toMatchObject({ code: 'invalid_auth' });
  let isJudged = false;
  const next = other.throttle.attempt(victim, wrong).catch(() => {
    isJudged = true;
  });
  await settle();
  expect(isJudged).toBe(false);
  await pass(25);
  await next;
  expect(isJudged).toBe(true);
});

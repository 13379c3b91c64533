import { beforeEach, expect, test } from 'vitest';
import { Lifetime } from '../../src/session/session/state.js';
import { StubbedEnvironment } from '../support/environment.js';

const MINUTE = 60_000;

let environment: StubbedEnvironment;
let lifetime: Lifetime;
beforeEach(() => {
  environment = new StubbedEnvironment();
  lifetime = new Lifetime(environment.clock);
});

const inMinutes = (count: number): bigint => environment.clock.now() + BigInt(count * MINUTE) * 1_000_000n;

test('is without end by default', () => {
  expect(lifetime.remaining).toBe(Number.POSITIVE_INFINITY);
  lifetime.begin(undefined, undefined);
  environment.advance(1_000 * MINUTE);
  expect(lifetime.isOver).toBe(false);
  lifetime.end();
  expect(lifetime.isOver).toBe(true);
});

test('ends when it expires, however it is used', () => {
  lifetime.begin(inMinutes(3), undefined);
  environment.advance(2 * MINUTE);
  lifetime.use(false, environment.clock.monotonic());
  expect(lifetime.remaining).toBe(MINUTE);
  environment.advance(MINUTE);
  expect(lifetime.isOver).toBe(true);
});

test('ends when it is not used, which what is read on its behalf does not count as', () => {
  lifetime.begin(inMinutes(60), 10 * MINUTE);
  environment.advance(9 * MINUTE);
  lifetime.use(false, environment.clock.monotonic());
  const used = lifetime.usedAt;
  environment.advance(9 * MINUTE);
  lifetime.use(true, environment.clock.monotonic());
  expect(lifetime.usedAt).toBe(used);
  expect(lifetime.askedAt).toBe(environment.clock.monotonic());
  expect(lifetime.remaining).toBe(MINUTE);
  environment.advance(MINUTE);
  expect(lifetime.isOver).toBe(true);
});

test('ends at most a second late by a wall clock that is put forward', () => {
  let [wall, monotonic] = [0n, 0];
  const adjusted = new Lifetime({ now: () => wall, monotonic: () => monotonic });
  adjusted.begin(60_000_000_000n, undefined);
  expect(adjusted.isOver).toBe(false);
  wall = 60_000_000_000n;
  monotonic = 1_000;
  expect(adjusted.isOver).toBe(true);
});

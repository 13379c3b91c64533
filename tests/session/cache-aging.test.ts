import { expect, it } from 'vitest';
import { CacheAging } from '../../src/session/cache/cache-aging.js';
import { StubbedEnvironment } from '../support/environment.js';

it('ages caches again and again until it is stopped', () => {
  const environment = new StubbedEnvironment();
  let aged = 0;
  const aging = new CacheAging([{ age: () => aged++ }, { age: () => aged++ }], environment.timers);
  environment.advance(29_999);
  expect(aged).toBe(0);
  environment.advance(1);
  expect(aged).toBe(2);
  environment.advance(30_000);
  expect(aged).toBe(4);
  aging.stop();
  environment.advance(60_000);
  expect(aged).toBe(4);
});

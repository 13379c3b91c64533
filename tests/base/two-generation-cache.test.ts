import { expect, test } from 'vitest';
import { TwoGenerationCache } from '../../src/base/two-generation-cache.js';

test('keeps what was used last, and never more than twice its capacity', () => {
  const cache = new TwoGenerationCache<number, string>(10);
  cache.set(-1, 'used again and again');
  for (let key = 0; key < 1_000; key++) {
    cache.set(key, `value ${key}`);
    expect(cache.get(-1)).toBe('used again and again');
    for (let recent = Math.max(0, key - 4); recent <= key; recent++) expect(cache.get(recent)).toBe(`value ${recent}`);
    expect(cache.size).toBeLessThanOrEqual(20);
  }
  expect(cache.get(0)).toBeUndefined();
});

test('forgets what is deleted, in whichever generation it is', () => {
  const cache = new TwoGenerationCache<string, number>(2);
  for (const key of ['old', 'older', 'young']) cache.set(key, 1);
  cache.delete('old');
  cache.delete('young');
  expect(['old', 'older', 'young'].map((key) => cache.get(key))).toEqual([undefined, 1, undefined]);
  cache.clear();
  expect(cache.size).toBe(0);
});

test('a new value takes the place of one that has aged', () => {
  const cache = new TwoGenerationCache<string, number>(2);
  for (const [key, value] of [
    ['a', 1],
    ['b', 1],
    ['a', 2],
    ['c', 1],
  ] as const)
    cache.set(key, value);
  expect(cache.get('a')).toBe(2);
});

test('keeps as many entries as weigh no more than its capacity, if they are weighed', () => {
  const cache = new TwoGenerationCache<string, number>(10, (key) => key.length);
  for (const key of ['a'.repeat(4), 'b'.repeat(4), 'b'.repeat(4)]) cache.set(key, 1);
  expect(cache.size).toBe(2);
  for (let count = 0; count < 100; count++) {
    cache.set(`${count}`.padStart(5), count);
    expect(cache.get(`${count}`.padStart(5))).toBe(count);
    expect(cache.size).toBeLessThanOrEqual(4);
  }
  cache.delete('99'.padStart(5));
  expect(cache.get('99'.padStart(5))).toBeUndefined();
  cache.set('far too long a key', 1);
  expect(cache.get('far too long a key')).toBe(1);
});

test('weighs again what takes the place of another', () => {
  const cache = new TwoGenerationCache<string, string>(10, (_, value) => value.length);
  for (let time = 0; time < 100; time++) cache.set('a', 'x'.repeat(5));
  cache.set('b', 'x');
  cache.set('a', 'x');
  for (let time = 0; time < 5; time++) cache.set(`c${time}`, 'x');
  expect([cache.get('a'), cache.get('b')]).toEqual(['x', 'x']);
  cache.set('large', 'x'.repeat(100));
  cache.set('larger', 'x'.repeat(1_000));
  expect(cache.size).toBeLessThanOrEqual(2);
});

test('forgets what was not used from one aging to the next', () => {
  const cache = new TwoGenerationCache<string, number>(10);
  cache.set('used', 1);
  cache.set('left', 1);
  cache.age(0);
  expect(cache.get('used')).toBe(1);
  cache.age(0);
  expect(cache.get('used')).toBe(1);
  expect(cache.get('left')).toBeUndefined();
  cache.age(0);
  cache.age(0);
  expect(cache.size).toBe(0);
});

test('keeps what was used last through any number of agings, as far as it may', () => {
  const cache = new TwoGenerationCache<string, string>(10, (_, value) => value.length);
  for (const key of ['first', 'second', 'third', 'fourth']) cache.set(key, 'xx');
  cache.get('first');
  for (let time = 0; time < 10; time++) cache.age(4);
  expect(cache.entries().map(([key]) => key)).toEqual(['third', 'fourth']);
  cache.get('third');
  cache.set('fifth', 'xx');
  for (let time = 0; time < 10; time++) cache.age(4);
  expect(cache.entries().map(([key]) => key)).toEqual(['third', 'fifth']);
});

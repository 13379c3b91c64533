import { expect, test } from 'vitest';
import { plainKernels } from '../../src/vectors/kernels.js';
import { PackedBlock } from '../../src/vectors/packed-block.js';
import { PackedCache } from '../../src/vectors/packed-cache.js';

const DIMENSION = 8;
const CAPACITY = 16;
/** A source is referred to by 8 bytes, and has 8 for each component. */
const SOURCE = 8 + 8 * DIMENSION;
const SIZE = PackedBlock.sizeOf(1, DIMENSION) + SOURCE;
const siteOf = (name: string) => ({ name, dimension: DIMENSION, capacity: CAPACITY });

test('keeps a block while it is of the same arrays', () => {
  const cache = new PackedCache(2 ** 20);
  const sources = [[1], [2]];
  const packed = (name: string, at: number, from: readonly unknown[]) =>
    cache.block(siteOf(name), at, from, () => undefined);
  const block = packed('t', 0, sources);
  expect(packed('t', 0, [...sources])).toBe(block);
  expect(packed('u', 0, sources)).not.toBe(block);
  expect(packed('t', 1, sources)).not.toBe(block);
  expect(packed('t', 0, [sources[0], [2]])).not.toBe(block);
});

test('stays within its bytes: other tables go first, those searched least recently before all', () => {
  const cache = new PackedCache(4 * SIZE);
  const sources = [[]];
  const kept = (name: string, at: number) => {
    let isKept = true;
    cache.block(siteOf(name), at, sources, () => {
      isKept = false;
    });
    expect(cache.taken).toBeLessThanOrEqual(4 * SIZE);
    return isKept;
  };
  for (const name of ['a', 'b', 'c', 'd']) expect(kept(name, 0)).toBe(false);
  expect(kept('a', 0)).toBe(true);
  expect(kept('e', 0)).toBe(false);
  expect(kept('a', 0)).toBe(true);
  // Of a table that doesn't fit the beginning stays.
  for (const at of [0, 1, 2]) kept('f', at);
  expect([0, 1, 2].map((at) => kept('f', at))).toEqual([true, true, false]);
  expect(cache.taken).toBe(2 * SIZE);
  // A later block takes a place of a memory, which is as large as any.
  expect(kept('g', 0)).toBe(false);
  expect(kept('b', 0)).toBe(false);
});

test('blocks in one memory hold what was packed into each, also when that changes or the memory grows', () => {
  const cache = new PackedCache(2 ** 24);
  const query = new Float32Array(DIMENSION);
  const measured = (at: number, numbers: readonly number[]) => {
    const vectors = numbers.map((number) => new Float64Array(DIMENSION).fill(number));
    const block = cache.block(siteOf('t'), at, numbers, (empty) => {
      for (const [position, vector] of vectors.entries()) empty.add(vector, position);
    });
    return [...block.measure('manhattan', query, plainKernels)];
  };
  const eightTimes = (numbers: readonly number[]) => numbers.map((number) => DIMENSION * number);
  const all = Array.from({ length: 200 }, (_, at) => Array.from({ length: 1 + (at % CAPACITY) }, (_, row) => at + row));
  for (const [at, numbers] of all.entries()) expect(measured(at, numbers)).toEqual(eightTimes(numbers));
  const changed = all.map((numbers, at) => (at % 3 === 0 ? numbers.slice(1) : [...numbers, 7, 8, 9]));
  for (const [at, numbers] of changed.entries()) expect(measured(at, numbers)).toEqual(eightTimes(numbers));
  for (const [at, numbers] of changed.entries()) expect(measured(at, numbers)).toEqual(eightTimes(numbers));
  const { taken } = cache;
  for (const [at, numbers] of all.entries()) expect(measured(at, numbers)).toEqual(eightTimes(numbers));
  expect(cache.taken).toBeLessThanOrEqual(taken);
});

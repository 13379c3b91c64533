import { expect, test } from 'vitest';
import { plainKernels } from '../../src/vectors/kernels.js';
import { PackedCache } from '../../src/vectors/packed-cache.js';

const DIMENSION = 8;
const CAPACITY = 16;
const siteOf = (name: string) => ({ name, dimension: DIMENSION, capacity: CAPACITY });
/** Keys of so many vectors. */
const keysOf = (count: number) => Array.from({ length: count }, (_, at) => `key ${at}`);

/** Packs a range of a table with a number of vectors, all of whose components are the numbers given. */
function pack(cache: PackedCache, name: string, from: string, to: string, numbers: readonly number[], revision = 1) {
  return cache.pack(siteOf(name), { from, to, revision }, keysOf(numbers.length), (block) => {
    for (const number of numbers) block.add(new Float64Array(DIMENSION).fill(number));
  });
}

test('keeps parts where they were packed, and forgets those that overlap a new one', () => {
  const cache = new PackedCache(2 ** 20);
  const [first, second, third] = ['a', 'b', 'c'].map((from) => pack(cache, 't', from, `${from}z`, [1, 2]));
  const table = cache.table(siteOf('t'));
  expect([table.at('a'), table.at('b'), table.at('c')]).toEqual([first, second, third]);
  expect([table.at('aa'), table.behind(''), table.behind('a'), table.behind('ab')]).toEqual([
    undefined,
    first,
    second,
    second,
  ]);
  expect(cache.table(siteOf('u')).at('a')).toBeUndefined();
  const { taken } = cache;
  const fourth = pack(cache, 't', 'az', 'bc', [3, 4]);
  expect([table.at('a'), table.at('az'), table.at('b'), table.at('c')]).toEqual([first, fourth, undefined, third]);
  expect(cache.taken).toBe(taken);
  expect(cache.pack(siteOf('t'), { from: 'a', to: 'd', revision: undefined }, [], () => undefined).keys).toEqual([]);
  expect(table.behind('')).toBeUndefined();
  expect(cache.taken).toBe(0);
});

test('stays within its bytes: other tables go first, those searched least recently before all', () => {
  const one = new PackedCache(2 ** 20);
  pack(one, 't', 'a', 'b', [1]);
  // What a part may take is its vectors and its place, of which one of few vectors needs none.
  const room = 4 * one.taken + 4 * DIMENSION * CAPACITY;
  const cache = new PackedCache(room);
  const keep = (name: string, from = 'a') => {
    pack(cache, name, from, `${from}z`, [1]);
    expect(cache.taken).toBeLessThanOrEqual(room);
  };
  const isKept = (name: string, from = 'a') => cache.table(siteOf(name)).at(from) !== undefined;
  for (const name of ['a', 'b', 'c', 'd']) keep(name);
  expect(isKept('a')).toBe(true);
  keep('e');
  expect(['b', 'c', 'd', 'a', 'e'].map((name) => isKept(name))).toEqual([false, true, true, true, true]);
  // Of a table that doesn't fit the beginning stays.
  for (const from of ['a', 'b', 'c', 'd', 'e', 'f']) keep('f', from);
  expect(['a', 'b', 'c', 'd', 'e', 'f'].map((from) => isKept('f', from))).toEqual([
    true,
    true,
    true,
    true,
    false,
    false,
  ]);
  // Something else is kept instead.
  expect(cache.reserve(room)).toBe(true);
  expect([cache.taken, isKept('f')]).toEqual([room, false]);
  expect(cache.reserve(1)).toBe(false);
  expect(cache.reserve(-room)).toBe(true);
  expect(cache.taken).toBe(0);
});

test('parts in one memory hold what was packed into each, also when that changes or the memory grows', () => {
  const cache = new PackedCache(2 ** 24);
  const query = new Float32Array(DIMENSION);
  const keyOf = (at: number) => `${String(at).padStart(4, '0')}`;
  const put = (at: number, numbers: readonly number[]) => pack(cache, 't', keyOf(at), keyOf(at + 1), numbers);
  const measured = (at: number) => {
    const block = cache.table(siteOf('t')).at(keyOf(at))?.block;
    return [...(block?.measure('manhattan', query, plainKernels) ?? [])];
  };
  const eightTimes = (numbers: readonly number[]) => numbers.map((number) => DIMENSION * number);
  const all = Array.from({ length: 200 }, (_, at) => Array.from({ length: 1 + (at % CAPACITY) }, (_, row) => at + row));
  for (const [at, numbers] of all.entries()) put(at, numbers);
  for (const [at, numbers] of all.entries()) expect(measured(at)).toEqual(eightTimes(numbers));
  const { taken } = cache;
  const changed = all.map((numbers, at) => (at % 3 === 0 ? numbers.slice(1) : [...numbers, 7, 8, 9]));
  for (const [at, numbers] of changed.entries()) put(at, numbers);
  for (const [at, numbers] of changed.entries()) expect(measured(at)).toEqual(eightTimes(numbers));
  for (const [at, numbers] of all.entries()) put(at, numbers);
  for (const [at, numbers] of all.entries()) expect(measured(at)).toEqual(eightTimes(numbers));
  // Places are used again; what is more are some that were taken for other parts.
  expect(cache.taken).toBeLessThanOrEqual(taken * 1.3);
});

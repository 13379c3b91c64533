import { expect, test } from 'vitest';
import { PackedBlock } from '../../src/vectors/packed-block.js';
import { PackedCache } from '../../src/vectors/packed-cache.js';

const packed = () => new PackedBlock(16, 8);

test('keeps a block while it is of the same arrays', () => {
  const cache = new PackedCache(2 ** 20);
  const sources = [[1], [2]];
  const block = cache.block('t', 0, sources, packed);
  expect(cache.block('t', 0, [...sources], packed)).toBe(block);
  expect(cache.block('u', 0, sources, packed)).not.toBe(block);
  expect(cache.block('t', 1, sources, packed)).not.toBe(block);
  expect(cache.block('t', 0, [sources[0], [2]], packed)).not.toBe(block);
});

test('stays within its bytes: other tables go first, those searched least recently before all', () => {
  const size = packed().size + 8;
  const cache = new PackedCache(4 * size);
  const sources = [[]];
  const kept = (name: string, at: number) => {
    let isKept = true;
    cache.block(name, at, sources, () => {
      isKept = false;
      return packed();
    });
    expect(cache.taken).toBeLessThanOrEqual(4 * size);
    return isKept;
  };
  for (const name of ['a', 'b', 'c', 'd']) expect(kept(name, 0)).toBe(false);
  expect(kept('a', 0)).toBe(true);
  expect(kept('e', 0)).toBe(false);
  expect(kept('a', 0)).toBe(true);
  // Of a table that doesn't fit the beginning stays.
  for (let at = 0; at < 10; at++) kept('f', at);
  expect([0, 1, 2, 3].map((at) => kept('f', at))).toEqual([true, true, true, true]);
  expect(kept('f', 4)).toBe(false);
  expect(cache.taken).toBe(4 * size);
  expect(kept('b', 0)).toBe(false);
});

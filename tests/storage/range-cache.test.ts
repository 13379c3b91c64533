import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Key, Stored, Transaction } from '../../src/storage/contract.js';
import { openLmdb } from '../../src/storage/lmdb/engine/lmdb.js';
import { CachedRange, RangeCache } from '../../src/storage/lmdb/engine/range-cache.js';

/** A stretch of one letter each, which is also its value. */
const stretch = (from: Key, to: Key, letters: string, size = 1) =>
  new CachedRange(
    from,
    to,
    [...letters],
    [...letters],
    Array.from(letters, () => size),
  );
const ROOM = 1 << 20;

describe('RangeCache', () => {
  it('serves the snapshots that may see a stretch, and no others', () => {
    const cache = new RangeCache(ROOM, 5);
    cache.keep(stretch('b', 'g', 'bdf'), 5);
    expect(cache.at('b', 5)?.values).toEqual(['b', 'd', 'f']);
    expect(cache.at('fz', 5)?.from).toBe('b');
    expect(cache.at('a', 5)).toBeUndefined();
    expect(cache.at('g', 5)).toBeUndefined();
    expect(cache.below('g', 5)?.from).toBe('b');
    expect(cache.below('b', 5)).toBeUndefined();
    expect(cache.at('b', 4)).toBeUndefined();
    cache.advance(6);
    cache.replace('x', 'x', 1);
    expect(cache.at('b', 5)?.values).toEqual(['b', 'd', 'f']);
    cache.replace('c', 'c', 1);
    cache.replace('d', undefined, 0);
    cache.replace('f', 'F', 1);
    expect(cache.at('b', 5)).toBeUndefined();
    expect(cache.at('b', 6)?.keys).toEqual(['b', 'c', 'f']);
    expect(cache.at('b', 6)?.values).toEqual(['b', 'c', 'F']);
    // Read in an older snapshot: another commit may have changed it since.
    cache.keep(stretch('p', 'q', 'p'), 5);
    expect(cache.at('p', 6)).toBeUndefined();
  });

  it('reports how far a gap goes', () => {
    const cache = new RangeCache(ROOM, 1);
    cache.keep(stretch('d', 'f', 'd'), 1);
    cache.keep(stretch('m', 'p', 'n'), 1);
    expect(cache.gapIn({ from: 'f', to: 'z' }, false, 1)).toEqual({ from: 'f', to: 'm' });
    expect(cache.gapIn({ from: 'a', to: 'c' }, false, 1)).toEqual({ from: 'a', to: 'c' });
    expect(cache.gapIn({ from: 'a', to: 'm' }, true, 1)).toEqual({ from: 'f', to: 'm' });
    expect(cache.gapIn({ from: 'r', to: 'z' }, true, 1)).toEqual({ from: 'r', to: 'z' });
    // What it can't use doesn't stop an older snapshot.
    expect(cache.gapIn({ from: 'd', to: 'z' }, false, 0)).toEqual({ from: 'd', to: 'z' });
  });

  it('notices what comes into a gap that it has looked at before', () => {
    const cache = new RangeCache(ROOM, 1);
    cache.keep(stretch('a', 'b', 'a'), 1);
    cache.replace('m', 'm', 1);
    cache.keep(stretch('k', 'p', 'm'), 1);
    cache.advance(2);
    cache.replace('m', 'new', 1);
    expect(cache.at('m', 2)?.values).toEqual(['new']);
  });

  it('keeps to its room, and what is used stays', () => {
    const cache = new RangeCache(100_000, 1);
    cache.keep(stretch('!', '"', '!'), 1);
    let held = 0;
    const key = (index: number) => `k${String(index).padStart(5, '0')}`;
    for (let index = 0; index < 2_000; index++) {
      cache.keep(new CachedRange(key(index), key(index + 1), [key(index)], [index], [10]), 1);
      expect(cache.at('!', 1)?.values).toEqual(['!']);
    }
    for (let index = 0; index < 2_000; index++) if (cache.at(key(index), 1) !== undefined) held++;
    expect(held).toBeGreaterThan(50);
    expect(held).toBeLessThan(400);
    cache.keep(stretch('x', 'z', 'y', 100_000), 1);
    expect(cache.at('x', 1)).toBeUndefined();
  });

  it('gives up what grows too large', () => {
    const cache = new RangeCache(ROOM, 1);
    cache.keep(stretch('a', 'z', ''), 1);
    const grow = (count: number) => {
      for (let index = 0; index < count; index++) cache.replace(`b${index}`, index, 1);
      return cache.at('b', 1)?.keys.length;
    };
    expect(grow(1_000)).toBe(1_000);
    expect(grow(2_000)).toBeUndefined();
  });
});

describe('scans on disk', () => {
  const LETTERS = 'abcdefghijkl';
  const key = fc.string({ unit: fc.constantFrom(...LETTERS), minLength: 1, maxLength: 2 });
  const bound = fc.oneof(fc.constantFrom('', '\xff'), key);
  const step = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('scan'),
        from: bound,
        to: bound,
        reverse: fc.boolean(),
        limit: fc.integer({ min: 1, max: 9 }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('write'),
        keys: fc.uniqueArray(key, { minLength: 1, maxLength: 6 }),
        value: fc.option(fc.nat(99)),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('begin') }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('end') }) },
  );

  it.each([0, 4_000, 1 << 20])('show what a snapshot holds, with %i bytes for what is kept', async (cacheBytes) => {
    const folder = await mkdtemp(join(tmpdir(), 'tessera-'));
    const engine = openLmdb(folder, { sync: 'never', cacheBytes });
    try {
      const property = fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const clearing = engine.begin({ writable: true });
        await clearing.deleteRange({ from: '', to: '\xff' });
        await clearing.commit();
        let model: ReadonlyMap<Key, Stored> = new Map();
        const open: [Transaction, ReadonlyMap<Key, Stored>][] = [];
        const checkAll = (scan: { from: Key; to: Key; reverse: boolean; limit: number }) => {
          const fresh = engine.begin({ writable: false });
          for (const [transaction, shown] of [...open, [fresh, model] as const]) {
            expect(entriesOf(transaction, scan)).toEqual(expected(shown, scan));
          }
          fresh.cancel();
        };
        for (const each of steps) {
          if (each.kind === 'scan') checkAll(each);
          else if (each.kind === 'begin') open.push([engine.begin({ writable: false }), model]);
          else if (each.kind === 'end') open.shift()?.[0].cancel();
          else {
            const { keys, value } = each;
            const writing = engine.begin({ writable: true });
            const after = new Map(model);
            for (const changed of keys) {
              if (value === null) {
                writing.delete(changed);
                after.delete(changed);
              } else {
                writing.put(changed, value);
                after.set(changed, value);
              }
            }
            await writing.commit();
            model = after;
          }
        }
        for (const [transaction] of open) transaction.cancel();
      });
      await fc.assert(property, { numRuns: 60 });
    } finally {
      await engine.close();
      await rm(folder, { recursive: true });
    }
  });

  type Scan = { readonly from: Key; readonly to: Key; readonly reverse: boolean; readonly limit: number };

  function entriesOf(transaction: Transaction, { from, to, reverse, limit }: Scan) {
    const cursor = transaction.scan({ from, to }, { reverse, batch: limit });
    const found: [Key, Stored][] = [];
    for (let batch = cursor.next(); batch !== undefined; batch = cursor.next()) {
      for (const [at, value] of batch as readonly (readonly [Key, Stored])[]) found.push([at, value]);
    }
    return found;
  }

  function expected(model: ReadonlyMap<Key, Stored>, { from, to, reverse }: Scan) {
    const found = [...model].filter(([at]) => at >= from && at < to).sort(([a], [b]) => (a < b ? -1 : 1));
    return reverse ? found.reverse() : found;
  }
});

/** Scans of large values on disk read few of them at once, and all of them in the end. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ScanOptions, Transaction } from '../../src/storage/contract.js';
import { type LmdbEngine, openLmdb } from '../../src/storage/lmdb/engine/lmdb.js';

const COUNT = 60;
/** Four of these are as much as is decoded at once. */
const LARGE = 2 ** 16;
const keyOf = (at: number) => `k${String(at).padStart(3, '0')}`;
const RANGE = { from: 'k', to: 'l' };

let folder: string;
let engine: LmdbEngine;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tessera-'));
  // Nothing is kept decoded.
  engine = openLmdb(folder, { sync: 'never', cacheBytes: 0 });
  const transaction = engine.begin({ writable: true });
  for (let at = 0; at < COUNT; at++) transaction.put(keyOf(at), new Uint8Array(at % 10 === 9 ? 8 * LARGE : LARGE));
  await transaction.commit();
});
afterAll(async () => {
  await engine.close();
  await rm(folder, { recursive: true });
});

async function batchesOf(transaction: Transaction, options: ScanOptions, next: 'next' | 'nextValues' = 'next') {
  const sizes: number[] = [];
  const keys: string[] = [];
  const cursor = transaction.scan(RANGE, options);
  for (let batch = await cursor[next](); batch !== undefined; batch = await cursor[next]()) {
    sizes.push(batch.length);
    for (const entry of batch) if (Array.isArray(entry)) keys.push(entry[0] as string);
  }
  return { sizes, keys };
}

const all = Array.from({ length: COUNT }, (_, at) => keyOf(at));

test('in either direction, with limits, and past others', async () => {
  const transaction = engine.begin({ writable: false });
  for (const reverse of [false, true]) {
    const expected = reverse ? all.toReversed() : all;
    const { sizes, keys } = await batchesOf(transaction, { reverse });
    expect(keys).toEqual(expected);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(4);
    const limited = await batchesOf(transaction, { reverse, limit: 21 });
    expect(limited.keys).toEqual(expected.slice(0, 21));
    const values = await batchesOf(transaction, { reverse }, 'nextValues');
    expect(values.sizes).toEqual(sizes);
    const cursor = transaction.scan(RANGE, { reverse });
    expect(await cursor.skip(30)).toBe(30);
    expect((await cursor.next())?.[0]?.[0]).toBe(expected[30]);
    cursor.close();
  }
  transaction.cancel();
});

test('with what the transaction has written among them', async () => {
  const transaction = engine.begin({ writable: true });
  const written = [3, 4, 5, 6, 7, 30].map(keyOf);
  for (const key of written) transaction.delete(key);
  for (const key of ['k0005', 'k0311', 'k059x']) transaction.put(key, 1);
  const expected = [...all.filter((key) => !written.includes(key)), 'k0005', 'k0311', 'k059x'].sort();
  for (const reverse of [false, true]) {
    const { sizes, keys } = await batchesOf(transaction, { reverse });
    expect(keys).toEqual(reverse ? expected.toReversed() : expected);
    expect(Math.max(...sizes)).toBeLessThan(10);
    const cursor = transaction.scan(RANGE, { reverse });
    let left = 40;
    while (left > 0) left -= await cursor.skip(left);
    expect((await cursor.next())?.[0]?.[0]).toBe((reverse ? expected.toReversed() : expected)[40]);
    cursor.close();
  }
  transaction.cancel();
});

test('a scan that is cut reads no more than it has handed over', async () => {
  const first = engine.begin({ writable: true });
  const cursor = first.scan(RANGE);
  expect((await cursor.next())?.length).toBeLessThanOrEqual(4);
  cursor.close();
  first.put('z', 1);
  const other = engine.begin({ writable: true });
  other.put(keyOf(20), 1);
  await other.commit();
  await first.commit();
  const restored = engine.begin({ writable: true });
  restored.put(keyOf(20), new Uint8Array(LARGE));
  await restored.commit();
});

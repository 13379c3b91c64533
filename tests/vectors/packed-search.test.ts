/** Searches by vectors that are kept packed, beside a plain loop, while they change. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MemoryScope } from '../../src/base/work/memory-scope.js';
import { searchPacked } from '../../src/query/nearest/packed-search.js';
import type { Execution } from '../../src/runtime/execution.js';
import type { Engine, Transaction } from '../../src/storage/contract.js';
import { openEngine } from '../../src/storage/open/open.js';
import { distanceOf } from '../../src/vectors/distances.js';
import { type Metric, parseMetric } from '../../src/vectors/metric.js';
import { PackedCache } from '../../src/vectors/packed-cache.js';
import { Screen } from '../../src/vectors/screen.js';
import { unpackVector } from '../../src/vectors/vector-type.js';
import { plainLoop, seededRandom, spread } from './measured.js';

const SEED = 19;
/** Long ones, so that a part has 64 of them. */
const DIMENSION = 1_024;
const PART = 64;
const COUNT = 300;
const K = 5;

const keyOf = (at: number) => `v${String(at).padStart(4, '0')}`;
const stored = (vector: readonly number[]) => new Uint8Array(Float64Array.from(vector).buffer);

describe.each(['memory', 'on disk'])('%s (seed 19)', (where) => {
  const random = seededRandom(SEED);
  let folder: string;
  let engine: Engine;
  let cache: PackedCache;
  /** Vectors that were read since they were counted last. */
  let reads = 0;
  let vectors: Map<number, number[]>;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tessera-'));
    engine = await openEngine(where === 'memory' ? 'memory' : folder);
    cache = new PackedCache(2 ** 24);
    vectors = new Map();
    await write((set) => {
      for (const [at, vector] of spread(COUNT, DIMENSION, random).entries()) set(2 * at, vector);
    });
  });
  afterEach(async () => {
    await engine.close();
    await rm(folder, { recursive: true });
  });

  async function write(work: (set: (at: number, vector: number[] | undefined) => void) => void): Promise<void> {
    const transaction = await engine.begin({ writable: true });
    work((at, vector) => {
      if (vector === undefined) {
        vectors.delete(at);
        transaction.delete(keyOf(at));
      } else {
        vectors.set(at, vector);
        transaction.put(keyOf(at), stored(vector));
      }
    });
    await transaction.commit();
  }

  async function search(transaction: Transaction, metric: Metric, point: readonly number[], most = K) {
    const memory = new MemoryScope(Number.POSITIVE_INFINITY, () => new Error('full'));
    const execution = {
      context: { transaction },
      interrupt: { checkpoint: () => undefined },
      request: { memory },
      services: { packedVectors: cache },
    } as unknown as Execution;
    const source = {
      name: 'v',
      dimension: DIMENSION,
      range: { from: 'v', to: 'w' },
      read: (bytes: unknown) => {
        reads++;
        return bytes instanceof Uint8Array ? unpackVector(bytes, 'F64') : undefined;
      },
    };
    return searchPacked(execution, source, new Screen(metric, Float64Array.from(point)), most);
  }

  /** What is found holds the nearest, and little else; answers how many vectors were read. */
  async function check(metric = 'EUCLIDEAN', point = spread(1, DIMENSION, random)[0] as number[]): Promise<number> {
    const parsed = parseMetric(metric);
    const distance = distanceOf(parsed);
    const packed = Float64Array.from(point);
    const all = Array.from({ length: 2 * COUNT }, (_, at) => vectors.get(at));
    const nearest = plainLoop(all, K, (vector) => distance(Float64Array.from(vector), packed));
    const transaction = await engine.begin({ writable: false });
    reads = 0;
    const found = await search(transaction, parsed, point);
    transaction.cancel();
    expect(found).toEqual(expect.arrayContaining(nearest.map(keyOf)));
    expect(found?.length).toBeLessThan(K + 10);
    // Each is looked at, then packed.
    return reads / 2;
  }

  test('reads each vector once, and again only what lies near a change', async () => {
    expect(await check()).toBe(COUNT);
    for (const metric of ['EUCLIDEAN', 'COSINE', 'MANHATTAN']) expect(await check(metric)).toBe(0);
    await write((set) => set(200, spread(1, DIMENSION, random)[0]));
    expect(await check()).toBe(PART);
    await write((set) => set(10, undefined));
    expect(await check()).toBe(PART - 1);
    // More than a part has room for.
    await write((set) => {
      for (let at = 0; at < 40; at++) set(301 + 2 * at, spread(1, DIMENSION, random)[0]);
    });
    expect(await check()).toBeLessThanOrEqual(2 * PART + 40);
    expect(await check()).toBe(0);
    // Few that are left share a part in the end.
    await write((set) => {
      for (const at of vectors.keys()) if (at > 6 && at % 50 > 0) set(at, undefined);
    });
    await check();
    expect(await check()).toBe(0);
    for (let round = 0; round < 12; round++) {
      await write((set) => set(0, spread(1, DIMENSION, random)[0]));
      await check();
    }
    expect(cache.table({ name: `v v ${DIMENSION}`, dimension: DIMENSION, capacity: PART }).at('v')?.to).toBe('w');
  });

  test('finds what a transaction sees, whatever others have written since', async () => {
    const metric = parseMetric('EUCLIDEAN');
    const point = vectors.get(100) as number[];
    const old = await engine.begin({ writable: false });
    const own = await engine.begin({ writable: true });
    own.put(keyOf(7), stored(point));
    expect(await search(own, metric, point)).toEqual(expect.arrayContaining([keyOf(7), keyOf(100)]));
    expect(await search(old, metric, point)).not.toContain(keyOf(7));
    await write((set) => set(100, undefined));
    expect(await search(old, metric, point)).toContain(keyOf(100));
    await check('EUCLIDEAN', point);
    expect(await search(old, metric, point)).toContain(keyOf(100));
    old.cancel();
    own.cancel();
    await check('EUCLIDEAN', point);
  });

  test('vectors that can not be measured in 32 bits are found, and those without a distance come last', async () => {
    const huge = Array.from({ length: DIMENSION }, () => 1e300);
    await write((set) => {
      set(51, huge);
      for (let at = 0; at < 20; at++) set(101 + 2 * at, new Array(DIMENSION).fill(0));
    });
    const transaction = await engine.begin({ writable: false });
    const cosine = parseMetric('COSINE');
    const found = await search(transaction, cosine, vectors.get(0) as number[]);
    expect(found).toContain(keyOf(0));
    const zeros = (keys: readonly string[] = []) => keys.filter((key) => vectors.get(Number(key.slice(1)))?.[0] === 0);
    // Of those in parts that can be measured, the first in the order of keys.
    expect(zeros(found).length).toBeLessThanOrEqual(20);
    const all = await search(transaction, cosine, vectors.get(0) as number[], 2 * COUNT);
    expect(all?.length).toBe(vectors.size);
    const manhattan = await search(transaction, parseMetric('MANHATTAN'), huge, 1);
    expect(manhattan).toContain(keyOf(51));
    transaction.cancel();
  });
});

/** Token buckets: of one process, and of several nodes on one store, which are compared with a model. */
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { LIMITS_RANGE } from '../../src/catalog/keys/node-keys.js';
import { LocalRateLimits } from '../../src/catalog/limits/local-limits.js';
import {
  databaseBucket,
  type RateBucket,
  type RateLimits,
  type RateRule,
  sourceBuckets,
  takeOrRefuse,
} from '../../src/catalog/limits/rate-limits.js';
import { readBucket } from '../../src/catalog/nodes/limit-row.js';
import { SharedLimits } from '../../src/session/nodes/shared-limits.js';
import type { Entry } from '../../src/storage/contract.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { StubbedEnvironment } from '../support/environment.js';
import { LateEngine, Lateness } from '../support/late-engine.js';

const SECOND = 1_000_000_000n;
const FIVE: RateRule = { name: 'five', burst: 5, per: 10n * SECOND };
const LARGE: RateRule = { name: 'large', burst: 160, per: SECOND };

let environment: StubbedEnvironment;
beforeEach(() => {
  environment = new StubbedEnvironment();
});

const SHOP = { namespace: 'shop', database: 'main' };
const of = (rule: RateRule, key = 'somebody'): RateBucket => ({ rule, key });

async function admitted(times: number, ask: () => ReturnType<RateLimits['take']>): Promise<number> {
  const answers = await Promise.all(Array.from({ length: times }, ask));
  return answers.filter((wait) => wait === undefined).length;
}

describe.each(['local', 'shared'] as const)('%s buckets', (kind) => {
  let limits: RateLimits;
  beforeEach(() => {
    limits =
      kind === 'local' ? new LocalRateLimits(environment.clock) : new SharedLimits(new MemoryEngine(), environment);
  });

  test('give a burst, and then a token at a time', async () => {
    expect(await admitted(8, () => limits.take([of(FIVE)]))).toBe(5);
    expect(await limits.take([of(FIVE)])).toBe(10);
    environment.advance(9_500);
    expect(await limits.take([of(FIVE)])).toBe(1);
    environment.advance(500);
    expect(await admitted(3, () => limits.take([of(FIVE)]))).toBe(1);
    environment.advance(1_000_000);
    expect(await admitted(8, () => limits.take([of(FIVE)]))).toBe(5);
  });

  test('differ by their rules and keys', async () => {
    expect(await admitted(8, () => limits.take([of(FIVE)]))).toBe(5);
    expect(await limits.take([of(FIVE, 'another')])).toBe(undefined);
    expect(await limits.take([of({ ...FIVE, name: 'other' })])).toBe(undefined);
  });

  test('give from all of several, or from none', async () => {
    expect(await admitted(5, () => limits.take([of(FIVE, 'empty')]))).toBe(5);
    expect(await admitted(9, () => limits.take([of(FIVE, 'full'), of(FIVE, 'empty')]))).toBe(0);
    expect(await admitted(9, () => limits.take([of(FIVE, 'full')]))).toBe(5);
    // The longer wait decides.
    expect(await limits.take([of(FIVE, 'full'), of(LARGE)])).toBe(10);
    expect(await admitted(200, () => limits.take([of(LARGE)]))).toBe(160);
  });

  test('give one to those who ask for nothing', async () => {
    expect(await limits.take([])).toBe(undefined);
  });
});

test('A refusal is an error with the seconds to wait', async () => {
  const limits = new LocalRateLimits(environment.clock);
  for (let time = 0; time < 5; time++) await takeOrRefuse(limits, [of(FIVE)]);
  await expect(takeOrRefuse(limits, [of(FIVE)])).rejects.toMatchObject({
    code: 'rate_limited',
    httpStatus: 429,
    details: { kind: 'RateLimited', details: { retryAfter: 10 } },
  });
});

test('Sources are IPv4 addresses and IPv6 networks, and none in process', () => {
  const key = (address: string) => sourceBuckets(FIVE, address, SHOP)[0]?.key;
  expect(key('2001:db8:1:2:3::4')).toBe(key('2001:DB8:0001:2:ffff::1'));
  expect(key('2001:db8:1:2:3::4')).not.toBe(key('2001:db8:1:3::4'));
  expect(key('::ffff:192.0.2.1')).toBe(key('192.0.2.1'));
  expect(key('192.0.2.1')).not.toBe(key('192.0.2.2'));
  expect(sourceBuckets(FIVE, undefined, SHOP)).toEqual([]);
  expect(databaseBucket(FIVE, { namespace: 'a', database: 'b' }, 'c').key).not.toBe(
    databaseBucket(FIVE, { namespace: 'a', database: 'b","c' }).key,
  );
});

test('A process that is alone keeps a bounded number of buckets', () => {
  const limits = new LocalRateLimits(environment.clock);
  expect(limits.take([of({ ...FIVE, burst: 1 }, 'the database')])).toBe(undefined);
  for (let source = 0; source < 100_000; source++) {
    limits.take([of(FIVE, `source ${source}`)]);
    // What all take from stays.
    if (source % 1_000 === 0) expect(limits.take([of({ ...FIVE, burst: 1 }, 'the database')])).toBe(10);
  }
  expect(limits.size).toBeLessThanOrEqual(40_000);
});

describe('Nodes of one store', () => {
  const engine = () => new LateEngine(new MemoryEngine(), new Lateness());

  async function rowsIn(store: MemoryEngine | LateEngine): Promise<Entry[]> {
    const transaction = await store.begin({ writable: false });
    const rows = transaction.scan(LIMITS_RANGE);
    const found: Entry[] = [];
    for (let batch = await rows.next(); batch !== undefined; batch = await rows.next()) found.push(...batch);
    rows.close();
    transaction.cancel();
    return found;
  }

  test.each([FIVE, LARGE])('admit together what one would: $name', async (rule) => {
    const store = engine();
    const nodes = [1, 2, 3].map(() => new SharedLimits(store, environment));
    const counts = await Promise.all(nodes.map((node) => admitted(3 * rule.burst, () => node.take([of(rule)]))));
    expect(counts.reduce((sum, each) => sum + each, 0)).toBe(rule.burst);
  });

  test('A node has only a part of a large bucket to itself, and that for a time', async () => {
    const store = engine();
    const [one, two] = [new SharedLimits(store, environment), new SharedLimits(store, environment)];
    expect(await one.take([of(LARGE)])).toBe(undefined);
    expect(await admitted(200, () => two.take([of(LARGE)]))).toBe(150);
    expect(await admitted(200, () => one.take([of(LARGE)]))).toBe(9);
    environment.advance(1_000_000);
    expect(await one.take([of(LARGE)])).toBe(undefined);
    environment.advance(1_000_000);
    expect(await admitted(200, () => two.take([of(LARGE)]))).toBe(160);
  });

  test('A flood of refused requests reads and writes nothing', async () => {
    const store = engine();
    const node = new SharedLimits(store, environment);
    expect(await admitted(6, () => node.take([of(FIVE)]))).toBe(5);
    const [begin] = [store.begin.bind(store)];
    let begun = 0;
    store.begin = ((...options: Parameters<typeof begin>) => {
      begun++;
      return begin(...options);
    }) as typeof begin;
    expect(await admitted(10_000, () => node.take([of(FIVE), of(LARGE)]))).toBe(0);
    expect(begun).toBe(0);
    expect(await rowsIn(store)).toHaveLength(1);
  });

  test('Rows say neither whose buckets they are, nor which', async () => {
    const store = engine();
    const node = new SharedLimits(store, environment);
    await node.take([...sourceBuckets(FIVE, '192.0.2.1', SHOP), databaseBucket(FIVE, SHOP)]);
    const text = JSON.stringify(await rowsIn(store));
    for (const word of ['192', 'shop', 'main', 'five']) expect(text).not.toContain(word);
    for (const [key] of await rowsIn(store)) expect(key).toHaveLength(LIMITS_RANGE.from.length + 16);
  });

  test('A clock that is set back makes no one wait longer than for a full bucket', async () => {
    const store = engine();
    environment.advance(3_600_000);
    expect(await admitted(9, () => new SharedLimits(store, environment).take([of(FIVE)]))).toBe(5);
    const before = new StubbedEnvironment();
    expect(await new SharedLimits(store, before).take([of(FIVE)])).toBe(10);
    before.advance(50_000);
    expect(readBucket((await rowsIn(store))[0]?.[1]).fullAt).toBeGreaterThan(Number(before.clock.now() / 1_000n));
  });

  test('A store that fails refuses, and takes nothing that a node has', async () => {
    const store = engine();
    const node = new SharedLimits(store, environment);
    expect(await node.take([of(LARGE)])).toBe(undefined);
    const begin = store.begin.bind(store);
    store.begin = () => {
      throw new Error('away');
    };
    await expect(node.take([of(LARGE), of(FIVE)])).rejects.toThrow('away');
    store.begin = begin;
    expect(await admitted(200, () => node.take([of(LARGE)]))).toBe(159);
  });

  test('Whatever the order, never more than the rule allows, and all of it to one node that asks in turn', async () => {
    const step = fc.record({
      node: fc.nat(2),
      key: fc.constantFrom('a', 'b'),
      times: fc.integer({ min: 1, max: 4 }),
      wait: fc.integer({ min: 0, max: 12_000 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const world = new StubbedEnvironment();
        const store = engine();
        const nodes = [0, 1, 2].map(() => new SharedLimits(store, world));
        const model = new LocalRateLimits(world.clock);
        for (const { node, key, times, wait } of steps) {
          world.advance(wait);
          const limits = nodes[node] as SharedLimits;
          expect(await admitted(times, () => limits.take([of(FIVE, key)]))).toBe(
            await admitted(times, () => model.take([of(FIVE, key)])),
          );
        }
      }),
      { numRuns: 50 },
    );
  });
});

/** Commits of many changes are made in steps: no reader sees half of one, no commit gets in between, and no step is long. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MemoryScope } from '../../src/base/work/memory-scope.js';
import type { Timers } from '../../src/env/environment.js';
import { realEnvironment } from '../../src/env/real.js';
import { CHANGES_A_STEP } from '../../src/storage/commit/commit-steps.js';
import type { Engine, Transaction } from '../../src/storage/contract.js';
import { openLmdb } from '../../src/storage/lmdb/engine/lmdb.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { withRetries } from '../../src/storage/retry.js';
import { openBuiltLmdb, withBuiltRetries } from './built.js';

const MANY = 10 * CHANGES_A_STEP;
const key = (at: number): string => `r${String(at).padStart(8, '0')}`;
const ALL = { from: 'r', to: 's' };

/** Does something whenever others get a turn. */
let turn: () => void = () => {};
let turns = 0;
const timers: Timers = {
  ...realEnvironment.timers,
  nextRound: () => {
    turns++;
    turn();
    return realEnvironment.timers.nextRound();
  },
};

const BUILT = 'lmdb, built';

let folder: string;
let engine: Engine;
const ENGINES: Readonly<Record<string, () => Engine>> = {
  memory: () => new MemoryEngine({ timers }),
  // Without its thread, of which there is only the source, and with it.
  lmdb: () => openLmdb(folder, { sync: 'never', timers }),
  [BUILT]: () => openBuiltLmdb(folder, { sync: 'never', timers }),
};

async function filled(value: number, from = 0): Promise<Transaction> {
  const transaction = await engine.begin({ writable: true });
  for (let at = from; at < from + MANY; at++) transaction.put(key(at), value);
  return transaction;
}

async function read<T>(ask: (transaction: Transaction) => T | Promise<T>): Promise<T> {
  const transaction = await engine.begin({ writable: false });
  try {
    return await ask(transaction);
  } finally {
    transaction.cancel();
  }
}

describe.each(Object.keys(ENGINES))('%s', (name) => {
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tessera-large-'));
    engine = (ENGINES[name] as () => Engine)();
    turns = 0;
  });
  afterEach(async () => {
    turn = () => {};
    await engine.close();
    await rm(folder, { recursive: true });
  });

  test('others have a turn after each thousand changes, and see all of them or none', async () => {
    const before = await filled(1);
    await before.commit();
    const seen = new Set<string>();
    turn = () => {
      const snapshot = engine.begin({ writable: false }) as Transaction;
      const [first, last] = [snapshot.get(key(0)), snapshot.get(key(MANY - 1))];
      seen.add(`${first} ${last}`);
      snapshot.cancel();
    };
    turns = 0;
    await (await filled(2)).commit();
    expect(turns).toBeGreaterThanOrEqual(MANY / CHANGES_A_STEP);
    turn();
    expect([...seen]).toEqual(['1 1', '2 2']);
  });

  test.skipIf(name === 'memory')('others have a turn while few but large values are encoded', async () => {
    const memory = () => new MemoryScope(2 ** 30, (limit) => new Error(`more than ${limit}`));
    const transaction = await engine.begin({ writable: true, memory });
    for (let at = 0; at < 20; at++) transaction.put(key(at), new Uint8Array(2 ** 18));
    turns = 0;
    await transaction.commit();
    expect(turns).toBeGreaterThanOrEqual(20);
    expect(await read((reader) => reader.count(ALL))).toBe(20);
  });

  test.skipIf(name === 'memory')('others have a turn while few but large values are read by their keys', async () => {
    const memory = () => new MemoryScope(2 ** 30, (limit) => new Error(`more than ${limit}`));
    const writer = await engine.begin({ writable: true, memory });
    for (let at = 0; at < 20; at++) writer.put(key(at), new Uint8Array(2 ** 19 + at));
    await writer.commit();
    const keys = Array.from({ length: 21 }, (_, at) => key(at));
    const ended = await engine.begin({ writable: true });
    const reading = (async () => ended.getMany(keys))();
    ended.cancel();
    await expect(reading).rejects.toMatchObject({ code: 'transaction_finished' });
    const transaction = await engine.begin({ writable: false });
    turns = 0;
    const found = await transaction.getMany(keys);
    expect(turns).toBeGreaterThanOrEqual(17);
    expect(found.map((value) => (value as Uint8Array | undefined)?.length)).toEqual([
      ...Array.from({ length: 20 }, (_, at) => 2 ** 19 + at),
      undefined,
    ]);
    transaction.cancel();
  });

  test('what others commit meanwhile comes behind it, in order', async () => {
    const order: string[] = [];
    let begun = false;
    const others: Promise<void>[] = [];
    turn = () => {
      if (begun) return;
      begun = true;
      const other = engine.begin({ writable: true }) as Transaction;
      other.put(key(5), 'other');
      other.afterCommit(() => order.push('other'));
      others.push(Promise.resolve(other.commit()));
    };
    const large = await filled(2);
    large.afterCommit(() => order.push('large'));
    await large.commit();
    await Promise.all(others);
    expect(order).toEqual(['large', 'other']);
    expect(await read((transaction) => transaction.get(key(5)))).toBe('other');
    expect(await read((transaction) => transaction.count(ALL))).toBe(MANY);
  });

  test('what read before it what it changes conflicts, by keys and by ranges', async () => {
    const byKey = await engine.begin({ writable: true });
    await byKey.get(key(17));
    byKey.put('x1', 1);
    const byRange = await engine.begin({ writable: true });
    await byRange.count({ from: key(100), to: key(101) });
    byRange.put('x2', 1);
    const elsewhere = await engine.begin({ writable: true });
    await elsewhere.get('zz');
    elsewhere.put('x3', 1);
    await (await filled(1)).commit();
    await expect(async () => byKey.commit()).rejects.toMatchObject({ code: 'transaction_conflict' });
    await expect(async () => byRange.commit()).rejects.toMatchObject({ code: 'transaction_conflict' });
    await elsewhere.commit();
    expect(await read((transaction) => transaction.get('x3'))).toBe(1);
  });

  test('it conflicts with what was committed since it began, and changes nothing then', async () => {
    const large = await filled(1);
    await large.get('seen');
    const rival = await engine.begin({ writable: true });
    rival.put('seen', 1);
    await rival.commit();
    await expect(async () => large.commit()).rejects.toMatchObject({ code: 'transaction_conflict' });
    expect(await read((transaction) => transaction.count(ALL))).toBe(0);
    // The gate is open again.
    await (await filled(3)).commit();
    expect(await read((transaction) => transaction.get(key(9)))).toBe(3);
  });

  test('deletions, logs and callbacks of many', async () => {
    await (await filled(1)).commit();
    const large = await engine.begin({ writable: true });
    const stamps: bigint[] = [];
    for (let at = 0; at < MANY; at++) {
      large.delete(key(at));
      large.append('log', at);
      large.afterCommit((stamp) => stamps.push(stamp));
    }
    await large.commit();
    expect(await read((transaction) => transaction.count(ALL))).toBe(0);
    expect(await read((transaction) => transaction.count({ from: 'log', to: 'loh' }))).toBe(MANY);
    expect(stamps).toHaveLength(MANY);
    expect(new Set(stamps).size).toBe(1);
    const next = await engine.begin({ writable: true });
    const later: bigint[] = [];
    next.append('log', 'later');
    next.afterCommit((stamp) => later.push(stamp));
    await next.commit();
    expect((later[0] as bigint) > (stamps[0] as bigint)).toBe(true);
  });

  test('work that conflicts again and again may commit many changes in the end', async () => {
    let attempts = 0;
    const retried = name === BUILT ? withBuiltRetries : withRetries;
    await retried(engine, async (transaction) => {
      attempts++;
      await transaction.get('seen');
      if (attempts < 10) {
        const rival = await engine.begin({ writable: true });
        rival.put('seen', attempts);
        void Promise.resolve(rival.commit());
        await realEnvironment.timers.yield();
      }
      for (let at = 0; at < MANY; at++) transaction.put(key(at), attempts);
    });
    expect(attempts).toBeGreaterThan(1);
    expect(await read((transaction) => transaction.count(ALL))).toBe(MANY);
  });
});

/** Maintenance transactions (`BeginOptions.maintenance`) disturb no reader, and leave all else serializable. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Engine, Transaction } from '../../src/storage/contract.js';
import { forEachBatch } from '../../src/storage/cursor.js';
import { openLmdb } from '../../src/storage/lmdb/engine/lmdb.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { withRetries } from '../../src/storage/retry.js';
import { code } from '../conformance/storage.js';
import { LateEngine, Lateness, seeded } from '../support/late-engine.js';

const newFolder = () => mkdtempSync(join(tmpdir(), 'tessera-maintenance-'));

const ENGINES: Readonly<Record<string, (path: string) => Engine>> = {
  memory: () => new MemoryEngine(),
  lmdb: (path) => openLmdb(path, { sync: 'never' }),
  late: () => new LateEngine(new MemoryEngine(), new Lateness(3, seeded(1))),
};

/** Counters, each stored as a sum and what is to be added to it. */
const sumKey = (counter: string) => `s${counter}`;
const deltas = (counter: string) => ({ from: `d${counter}`, to: `d${counter}\xff` });
let made = 0;
const deltaKey = (counter: string) => `d${counter}${String(made++).padStart(8, '0')}`;

async function counted(transaction: Transaction, counter: string): Promise<number> {
  let value = ((await transaction.get(sumKey(counter))) ?? 0) as number;
  await forEachBatch(transaction.scan(deltas(counter)), (batch) => {
    for (const [, delta] of batch) value += delta as number;
    return false;
  });
  return value;
}

async function replaceBy(transaction: Transaction, counter: string, value: number): Promise<void> {
  await transaction.deleteRange(deltas(counter));
  transaction.put(sumKey(counter), value);
}

async function fold(transaction: Transaction, counter: string): Promise<void> {
  await replaceBy(transaction, counter, await counted(transaction, counter));
}

describe.each(Object.entries(ENGINES))('Maintenance, %s', (_, open) => {
  let path: string;
  let engine: Engine;
  beforeEach(() => {
    path = newFolder();
    engine = open(path);
  });
  afterEach(async () => {
    await engine.close();
    rmSync(path, { recursive: true, force: true });
  });

  const begin = async (maintenance = false) => engine.begin({ writable: true, maintenance });

  async function add(counter: string, delta: number): Promise<void> {
    const transaction = await begin();
    transaction.put(deltaKey(counter), delta);
    await transaction.commit();
  }

  async function folding(counter: string): Promise<Transaction> {
    const transaction = await begin(true);
    await fold(transaction, counter);
    return transaction;
  }

  it('conflicts with no one who has read what it rewrites', async () => {
    await add('a', 1);
    await add('a', 2);
    const reading = await begin();
    expect(await counted(reading, 'a')).toBe(3);
    await (await folding('a')).commit();
    reading.put('other', 1);
    expect(await code(() => reading.commit())).toBeUndefined();
    const after = await begin();
    expect(await counted(after, 'a')).toBe(3);
    expect(await after.count(deltas('a'))).toBe(0);
    after.cancel();
  });

  it('conflicts with those who write what it has written', async () => {
    await add('a', 1);
    const writing = await begin();
    await replaceBy(writing, 'a', 10);
    const blind = await begin();
    blind.put(sumKey('a'), 20);
    await (await folding('a')).commit();
    expect(await code(() => writing.commit())).toBe('transaction_conflict');
    expect(await code(() => blind.commit())).toBe('transaction_conflict');
  });

  it('yields to those who have written what it read, or writes', async () => {
    await add('a', 1);
    const read = await folding('a');
    await add('a', 2);
    expect(await code(() => read.commit())).toBe('transaction_conflict');
    const unread = await begin(true);
    unread.put('k', 1);
    const other = await begin();
    other.put('k', 2);
    await other.commit();
    expect(await code(() => unread.commit())).toBe('transaction_conflict');
  });

  it('yields to other maintenance', async () => {
    await add('a', 1);
    const [first, second] = [await folding('a'), await folding('a')];
    await first.commit();
    expect(await code(() => second.commit())).toBe('transaction_conflict');
  });

  it('is tried again as other work is, and appends to no log', async () => {
    await add('a', 1);
    let attempts = 0;
    const work = async (transaction: Transaction) => {
      await fold(transaction, 'a');
      if (attempts++ === 0) await add('a', 2);
    };
    await withRetries(engine, work, { maintenance: true });
    expect(attempts).toBe(2);
    const transaction = await begin(true);
    expect(() => transaction.append('log', 1)).toThrow('maintenance');
    transaction.cancel();
  });

  it('doesn’t wait for reservations of what it rewrites', async () => {
    await add('a', 1);
    const failing = await begin();
    await counted(failing, 'a');
    failing.put('x', 1);
    await add('a', 1);
    expect(await code(() => failing.commit())).toBe('transaction_conflict');
    const reservation = await failing.reserve();
    await (await folding('a')).commit();
    expect(reservation.isOver).toBe(false);
    reservation.release();
  });

  it('leaves all else serializable in the order of commits', async () => {
    const counter = fc.constantFrom('a', 'a', 'b');
    const step = fc.oneof(
      fc.record({ do: fc.constant('add' as const), counter, value: fc.integer({ min: 1, max: 9 }) }),
      fc.record({ do: fc.constant('read' as const), counter }),
      fc.record({ do: fc.constant('take back' as const), counter }),
      fc.record({ do: fc.constant('replace' as const), counter, value: fc.nat(99) }),
      fc.record({ do: fc.constant('commit' as const) }),
    );
    const folder = fc.oneof(
      fc.record({ do: fc.constant('fold' as const), counter }),
      fc.record({ do: fc.constant('commit' as const) }),
    );
    const turn = fc.oneof(
      fc.tuple(fc.constantFrom('one', 'two'), step),
      fc.tuple(fc.constantFrom('folder', 'other folder'), folder),
    );
    type Client = { transaction: Transaction; did: (() => Promise<void> | void)[]; writes: boolean };
    let folds = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { maxLength: 100, size: 'max' }), async (turns) => {
        const clean = await begin();
        await clean.deleteRange({ from: '', to: '\xff' });
        await clean.commit();
        const model = new Map<string, number>();
        const known = (name: string) => model.get(name) ?? 0;
        const clients = new Map<string, Client>();
        for (const [name, each] of turns) {
          const isFolder = name.endsWith('folder');
          const client = clients.get(name) ?? { transaction: await begin(isFolder), did: [], writes: false };
          clients.set(name, client);
          const { transaction, did } = client;
          if (each.do === 'commit') {
            clients.delete(name);
            const failed = await code(() => transaction.commit());
            if (failed !== undefined) expect(failed).toBe('transaction_conflict');
            else if (isFolder) folds++;
            else if (client.writes) for (const check of did) await check();
          } else if (each.do === 'fold') {
            await fold(transaction, each.counter);
          } else if (each.do === 'read') {
            const value = await counted(transaction, each.counter);
            did.push(() => expect(value).toBe(known(each.counter)));
          } else if (each.do === 'take back') {
            const [delta] = (await transaction.scan(deltas(each.counter), { limit: 1 }).next()) ?? [];
            if (delta === undefined) continue;
            client.writes = true;
            transaction.delete(delta[0]);
            did.push(() => {
              model.set(each.counter, known(each.counter) - (delta[1] as number));
            });
          } else {
            client.writes = true;
            if (each.do === 'add') transaction.put(deltaKey(each.counter), each.value);
            else await replaceBy(transaction, each.counter, each.value);
            did.push(() => {
              model.set(each.counter, each.do === 'add' ? known(each.counter) + each.value : each.value);
            });
          }
        }
        for (const { transaction } of clients.values()) transaction.cancel();
        const after = await begin();
        for (const name of ['a', 'b']) expect(await counted(after, name)).toBe(known(name));
        after.cancel();
      }),
      { numRuns: 150 },
    );
    expect(folds).toBeGreaterThan(0);
  });
});

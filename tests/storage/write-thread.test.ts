/** Writes of many changes leave the event loop alone: a thread of their own makes them. On the built code, as that thread is. */
import { copyFile, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { realEnvironment } from '../../src/env/real.js';
import type { LmdbEngine } from '../../src/storage/lmdb/engine/lmdb.js';
import { heldTimers } from '../support/held-timers.js';
import { openBuiltLmdb } from './built.js';

const LARGE = 20_000;
const ALL = { from: '', to: '\xff' };

const { timers, held } = heldTimers();

let threads: Promise<unknown>[];
const noteThread = (worker: Worker) => {
  threads.push(new Promise((resolve) => worker.once('exit', resolve)));
};

let folder: string;
let engine: LmdbEngine;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tessera-thread-'));
  held.clear();
  threads = [];
  process.on('worker', noteThread);
  engine = openBuiltLmdb(folder, { sync: 'never', timers });
});
afterEach(async () => {
  await engine.close();
  process.off('worker', noteThread);
  await rm(folder, { recursive: true });
});

const key = (at: number): string => `k${String(at).padStart(6, '0')}`;

async function commit(count: number, value: number): Promise<void> {
  const transaction = engine.begin({ writable: true });
  for (let at = 0; at < count; at++) transaction.put(key(at), value);
  await transaction.commit();
}

function read<T>(ask: (transaction: ReturnType<LmdbEngine['begin']>) => T): T {
  const transaction = engine.begin({ writable: false });
  try {
    return ask(transaction);
  } finally {
    transaction.cancel();
  }
}

/** What the library does in the thread of the tests. */
interface Library {
  open(options: object): { openDB(options: object): { put(...given: unknown[]): unknown } };
}

it('has the library take no more changes in one turn of the event loop than small writes have', async () => {
  const library = createRequire(import.meta.url)('lmdb') as Library;
  const { open } = library;
  let puts = 0;
  let most = 0;
  library.open = (options) => {
    const root = open(options);
    const openDB = root.openDB.bind(root);
    root.openDB = (named) => {
      const database = openDB(named);
      const put = database.put.bind(database);
      database.put = (...given) => {
        most = Math.max(most, ++puts);
        return put(...given);
      };
      return database;
    };
    return root;
  };
  const counter = setInterval(() => {
    puts = 0;
  }, 0);
  try {
    await engine.close();
    engine = openBuiltLmdb(folder, { sync: 'never', timers });
    // Those that come at the same time aren't written all together either.
    await Promise.all([...Array.from({ length: 8 }, () => commit(1_000, 0)), commit(LARGE, 1)]);
  } finally {
    library.open = open;
    clearInterval(counter);
  }
  expect(most).toBeGreaterThan(1_000);
  expect(most).toBeLessThan(4_200);
  expect(read((transaction) => transaction.get(key(LARGE - 1)))).toBe(1);
});

it('starts the thread for the first large write, and ends it when none has come for a while', async () => {
  await commit(4_000, 1);
  expect(threads).toHaveLength(0);
  await commit(LARGE, 2);
  await commit(LARGE, 3);
  expect(threads).toHaveLength(1);
  const [idle] = held;
  idle?.();
  await threads[0];
  expect(read((transaction) => transaction.get(key(LARGE - 1)))).toBe(3);
  await commit(LARGE, 4);
  expect(threads).toHaveLength(2);
  await engine.close();
  await threads[1];
  engine = openBuiltLmdb(folder, { timers });
  expect(read((transaction) => transaction.scan(ALL, { limit: 1, reverse: true }).next())).toEqual([
    [key(LARGE - 1), 4],
  ]);
  expect(read((transaction) => transaction.count(ALL))).toBe(LARGE);
});

it('writes values of every size, and removes, in the order of the commits', async () => {
  const sizes = [0, 1, 100, 5_000, 300_000, 1_000_000];
  const first = engine.begin({ writable: true });
  for (let at = 0; at < LARGE; at++) first.put(key(at), 'é'.repeat(sizes[at < sizes.length ? at : 1] as number));
  const second = engine.begin({ writable: true });
  for (let at = sizes.length; at < LARGE; at++) second.delete(key(at));
  second.put('\xff\x80', 'high');
  await Promise.all([first.commit(), second.commit()]);
  expect(read((transaction) => transaction.count({ from: '', to: '\xff\xff' }))).toBe(sizes.length + 1);
  for (const [at, size] of sizes.entries())
    expect(read((transaction) => transaction.get(key(at)))).toBe('é'.repeat(size));
  expect(read((transaction) => transaction.get('\xff\x80'))).toBe('high');
});

it('shows snapshots what they showed, while the thread writes and after', async () => {
  await commit(LARGE, 1);
  const before = engine.begin({ writable: false });
  const written = commit(LARGE, 2);
  let seen = 0;
  let isDone = false;
  void written.then(() => {
    isDone = true;
  });
  while (!isDone) {
    const values = read((transaction) => [transaction.get(key(0)), transaction.get(key(LARGE - 1))]);
    expect(values[0]).toBe(values[1]);
    seen++;
    await realEnvironment.timers.nextRound();
  }
  await written;
  expect(seen).toBeGreaterThan(10);
  expect(before.get(key(LARGE - 2))).toBe(1);
  before.cancel();
  expect(read((transaction) => transaction.get(key(LARGE - 2)))).toBe(2);
});

it.skipIf(process.platform === 'win32')('never writes to another file that has come to where its own was', async () => {
  await commit(10, 1);
  const elsewhere = `${folder}-moved`;
  await rename(folder, elsewhere);
  await mkdir(folder);
  // The same bytes, in another file.
  await copyFile(join(elsewhere, 'data.mdb'), join(folder, 'data.mdb'));
  await commit(LARGE, 2);
  expect(read((transaction) => transaction.get(key(LARGE - 1)))).toBe(2);
  await engine.close();
  await rm(folder, { recursive: true });
  await rename(elsewhere, folder);
  engine = openBuiltLmdb(folder, { timers });
  expect(read((transaction) => transaction.count(ALL))).toBe(LARGE);
});

it('fails the commit and ends the engine when the thread dies, with nothing written', async () => {
  let fatal = 0;
  await engine.close();
  engine = openBuiltLmdb(folder, { timers, fatal: () => fatal++ });
  await commit(LARGE, 1);
  const workers: Worker[] = [];
  const note = (worker: Worker) => workers.push(worker);
  process.on('worker', note);
  // The idle one is replaced by one that is caught.
  for (const idle of held) idle();
  const doomed = commit(LARGE * 4, 2);
  void doomed.catch(() => {});
  while (workers.length === 0) await realEnvironment.timers.nextRound();
  process.off('worker', note);
  await new Promise((resolve) => (workers[0] as Worker).once('message', resolve));
  await (workers[0] as Worker).terminate();
  await expect(doomed).rejects.toMatchObject({ code: 'storage_unavailable' });
  expect(fatal).toBe(1);
  expect(() => engine.begin({ writable: false })).toThrow(expect.objectContaining({ code: 'storage_unavailable' }));
  await engine.close();
  engine = openBuiltLmdb(folder, { timers });
  expect(read((transaction) => transaction.count(ALL))).toBe(LARGE);
  expect(read((transaction) => transaction.get(key(7)))).toBe(1);
  await commit(LARGE, 3);
  expect(read((transaction) => transaction.get(key(7)))).toBe(3);
});

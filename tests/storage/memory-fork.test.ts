/** A fork of the engine in memory begins with what the engine has, and goes on by itself. */
import { expect, test } from 'vitest';
import type { Engine } from '../../src/storage/contract.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';

async function write(engine: Engine, changes: Readonly<Record<string, number | undefined>>): Promise<void> {
  const transaction = await engine.begin({ writable: true });
  for (const [key, value] of Object.entries(changes)) {
    if (value === undefined) transaction.delete(key);
    else transaction.put(key, value);
  }
  transaction.append('log', 0);
  await transaction.commit();
}

const KEYS = ['a', 'b', 'c', 'd'];

async function read(engine: Engine): Promise<unknown[]> {
  const transaction = await engine.begin({ writable: false });
  const values = await Promise.all(KEYS.map((key) => transaction.get(key)));
  transaction.cancel();
  return values;
}

test('neither sees what the other writes, nor what a fork of it writes', async () => {
  const engine = new MemoryEngine();
  await write(engine, Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`key ${at}`, at])));
  await write(engine, { a: 1, b: 1 });
  const fork = engine.fork();
  await write(engine, { a: 2, c: 2 });
  await write(fork, { b: undefined, d: 3 });
  const second = fork.fork();
  await write(second, { a: 4 });
  expect(await Promise.all([engine, fork, second].map(read))).toEqual([
    [2, 1, 2, undefined],
    [1, undefined, undefined, 3],
    [4, undefined, undefined, 3],
  ]);
  await engine.close();
  expect(await read(fork)).toEqual([1, undefined, undefined, 3]);
});

test('versionstamps go on behind those of the engine', async () => {
  const engine = new MemoryEngine({ clock: { now: () => 1_000_000_000n, monotonic: () => 0 } });
  await write(engine, { a: 1 });
  await write(engine, { a: 2 });
  const fork = engine.fork();
  await write(fork, { a: 3 });
  expect(await fork.copying.lastStamp()).toBeGreaterThan(await engine.copying.lastStamp());
});

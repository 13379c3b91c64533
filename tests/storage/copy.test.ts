import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { failure } from '../../src/errors/error.js';
import { openDatabase } from '../../src/session/database/database.js';
import type { BeginOptions, Engine, Entry, Key } from '../../src/storage/contract.js';
import { COPY_MARKER } from '../../src/storage/copy/copy-marker.js';
import { copyStore } from '../../src/storage/copy/copy-store.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { openEngine } from '../../src/storage/open/open.js';
import { stampIn } from '../../src/storage/transaction/append.js';
import { encodeRecord } from '../../src/value/codecs/record-encode.js';
import { objectFrom } from '../../src/value/value.js';
import { storableValue } from '../support/arbitraries.js';
import { PostgresServer, postgresPrograms } from '../support/postgres-server.js';
import { atLeast } from '../support/timeouts.js';

const EVERYTHING = { from: '', to: '\xff'.repeat(2_000) };
const NO_PROGRESS = { copied: () => undefined, verifying: () => undefined, verified: () => undefined };
const folders: string[] = [];
const engines: Engine[] = [];

async function open(address: string): Promise<Engine> {
  const engine = await openEngine(address);
  engines.push(engine);
  return engine;
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-copy-'));
  folders.push(folder);
  return folder;
}

const closeAll = async () => {
  for (const engine of engines.splice(0)) await engine.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
};
afterEach(closeAll);

const copy = (from: Engine, to: Engine, source = 'the source') =>
  copyStore({ from, to, source, isLeftOut: () => false }, NO_PROGRESS);

/** Values as they are encoded, in which nothing that can be stored is the same as anything else. */
async function contents(engine: Engine): Promise<[Key, string][]> {
  const transaction = await engine.begin({ writable: false });
  const cursor = transaction.scan(EVERYTHING);
  const all: [Key, string][] = [];
  for (let batch = await cursor.next(); batch !== undefined; batch = await cursor.next()) {
    for (const [key, value] of batch) all.push([key, Buffer.from(encodeRecord(value)).toString('hex')]);
  }
  transaction.cancel();
  return all;
}

async function write(engine: Engine, entries: readonly Entry[]): Promise<void> {
  const transaction = await engine.begin({ writable: true });
  for (const [key, value] of entries) transaction.put(key, value);
  await transaction.commit();
}

/** Appends to a log, and answers the versionstamp of the entry. */
async function append(engine: Engine, prefix: Key): Promise<bigint> {
  const transaction = await engine.begin({ writable: true });
  transaction.append(prefix, 'appended');
  await transaction.commit();
  const stamps = (await contents(engine))
    .filter(([key]) => key.startsWith(prefix))
    .map(([key]) => stampIn(prefix, key));
  return stamps.reduce((last, stamp) => (stamp > last ? stamp : last), 0n);
}

const MANY = Array.from({ length: 10_000 }, (_, at): Entry => [`R${String(at).padStart(6, '0')}`, objectFrom({ at })]);

/** An engine that fails once so many read-write transactions have begun, as if the process had ended there. */
function endingAfter(engine: Engine, transactions: number): Engine {
  let left = transactions;
  return new Proxy(engine, {
    get(target, name) {
      if (name !== 'begin') return Reflect.get(target, name, target);
      return (options: BeginOptions) => {
        if (options.writable && left-- <= 0) throw failure('storage_unavailable', { reason: 'the process has ended' });
        return target.begin(options);
      };
    },
  });
}

async function interrupted(from: Engine, to: Engine): Promise<void> {
  await expect(copy(from, endingAfter(to, 2))).rejects.toMatchObject({ code: 'storage_unavailable' });
}

async function manyInMemory(): Promise<MemoryEngine> {
  const engine = new MemoryEngine();
  await write(engine, MANY);
  return engine;
}

describe('a copy of a store', () => {
  let server: PostgresServer | undefined;
  let stores = 0;
  beforeAll(async () => {
    // Without PostgreSQL copies go from memory to disk and back; `.ci/run` installs it.
    if (postgresPrograms() !== undefined) server = await PostgresServer.start();
  });
  afterAll(() => server?.remove());

  const key = fc
    .tuple(
      fc.constantFrom('B', 'R', 'D\0\0\0\x01', 'D\0\0\0\xff', 'Q'),
      fc.uint8Array({ maxLength: 30 }),
      fc.constantFrom('', 'x'.repeat(1_940)),
    )
    .map(([area, bytes, end]) => `${area}${Buffer.from(bytes).toString('latin1')}${end}`);
  const entries = fc.uniqueArray(
    fc.tuple(
      key,
      storableValue.filter((value) => value !== undefined),
    ),
    {
      maxLength: 40,
      selector: ([each]) => each,
    },
  );

  test('has every entry of it on each engine, and its versionstamps go on', { timeout: atLeast(60_000) }, async () => {
    await fc.assert(
      fc.asyncProperty(entries, fc.nat(3), async (some, appends) => {
        const memory = new MemoryEngine();
        await write(memory, some as Entry[]);
        for (let at = 0; at < appends; at++) await append(memory, 'D\0\0\0\x01l');
        const expected = await contents(memory);
        const path = [newFolder(), ...(server === undefined ? [] : [server.address(`copy_${stores++}`)]), newFolder()];
        let from: Engine = memory;
        for (const address of path) {
          const to = await open(address);
          const { entries: count } = await copy(from, to);
          expect(count).toBe(expected.length);
          expect(await contents(to)).toEqual(expected);
          from = to;
        }
        const back = new MemoryEngine();
        await copy(from, back);
        expect(await contents(back)).toEqual(expected);
        await closeAll();
      }),
      { numRuns: 12 },
    );
  });

  test('assigns later versionstamps than its source, even if those are ahead of the clock', async () => {
    const ahead = 1n << 61n;
    const addresses = [newFolder(), ...(server === undefined ? [] : [server.address(`copy_${stores++}`)])];
    for (const address of addresses) {
      const from = new MemoryEngine();
      await from.copying.raiseStamp(ahead);
      const last = await append(from, 'D\0\0\0\x01l');
      expect(last).toBeGreaterThan(ahead);
      const to = await open(address);
      await copy(from, to);
      await to.close();
      const again = await open(address);
      expect(await append(again, 'D\0\0\0\x01l')).toBeGreaterThan(last);
    }
  });

  test('goes on where it stopped', async () => {
    const from = await manyInMemory();
    const to = await open(newFolder());
    await interrupted(from, to);
    const before = (await contents(to)).length;
    expect(before).toBeGreaterThan(1);
    expect(before).toBeLessThan(MANY.length);
    await expect(openDatabase(to)).rejects.toMatchObject({ code: 'copy_incomplete' });
    await expect(copy(to, new MemoryEngine())).rejects.toMatchObject({ code: 'copy_incomplete' });
    // The one that begins, those of the rest, the one that ends: what was copied isn't copied again.
    await copy(from, endingAfter(to, 1 + Math.ceil((MANY.length - before + 1) / 4_096) + 1));
    expect(await contents(to)).toEqual(await contents(from));
    await (await openDatabase(to)).close();
  });

  test('is refused where the source has changed, or is another one', async () => {
    const from = await manyInMemory();
    const to = await open(newFolder());
    await interrupted(from, to);
    await expect(copy(from, to, 'another')).rejects.toMatchObject({ code: 'copy_source_changed' });
    await write(from, [['R', 'changed']]);
    await expect(copy(from, to)).rejects.toMatchObject({ code: 'copy_source_changed' });
    await expect(copy(from, to)).rejects.toThrow('has changed since the copy of it was begun');
  });

  test('notices a source on disk and in PostgreSQL that has changed after it was closed', async () => {
    for (const address of [newFolder(), ...(server === undefined ? [] : [server.address(`copy_${stores++}`)])]) {
      const to = await open(newFolder());
      let from = await open(address);
      await write(from, MANY);
      await interrupted(from, to);
      await from.close();
      from = await open(address);
      await interrupted(from, to);
      await write(from, [['R', 'changed']]);
      await from.close();
      await expect(copy(await open(address), to)).rejects.toMatchObject({ code: 'copy_source_changed' });
    }
  });

  test('needs a target that is empty', async () => {
    const to = new MemoryEngine();
    await write(to, [['R', 1]]);
    await expect(copy(await manyInMemory(), to)).rejects.toMatchObject({ code: 'copy_target_not_empty' });
    expect(await contents(to)).toHaveLength(1);
  });

  test('of nothing is nothing', async () => {
    const to = new MemoryEngine();
    expect(await copy(new MemoryEngine(), to)).toMatchObject({ entries: 0, bytes: 0 });
    expect(await contents(to)).toEqual([]);
  });

  test('that is not what was copied can’t be used', async () => {
    const from = await manyInMemory();
    const to = new MemoryEngine();
    await interrupted(from, to);
    await write(to, [['R000000', 'something else']]);
    await expect(copy(from, to)).rejects.toMatchObject({ code: 'copy_differs' });
    expect((await contents(to)).map(([each]) => each)).toContain(COPY_MARKER);
    await expect(openDatabase(to)).rejects.toMatchObject({ code: 'copy_incomplete' });
  });

  test('is made by one process at a time', async () => {
    const from = await manyInMemory();
    const to = new MemoryEngine();
    await interrupted(from, to);
    const outcomes = await Promise.allSettled([copy(from, to), copy(from, to)]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'transaction_conflict' });
    }
  });
});

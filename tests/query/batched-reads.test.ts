/** What reading many records by their ids asks of the storage. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Session } from '../../src/session/contract.js';
import { openDatabase } from '../../src/session/database/database.js';
import type { Transaction } from '../../src/storage/contract.js';
import { openEngine } from '../../src/storage/open/open.js';
import { isArray, isObject, RecordId, type Value } from '../../src/value/value.js';
import { run } from '../support/world.js';
import { type Calls, counting } from './counted-calls.js';

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

async function open(kind: 'memory' | 'lmdb'): Promise<{ session: Session; calls: Calls }> {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-batches-'));
  const calls: Calls = {};
  const engine = await openEngine(kind === 'memory' ? kind : folder, { sync: 'never' });
  const database = await openDatabase(counting(engine, calls));
  cleanups.push(async () => {
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const session = database.ownerSession();
  await session.use('test', 'test');
  await run(
    session,
    `FOR $i IN 0..600 {
      CREATE type::record('person', $i) SET n = $i, friends = [type::record('person', $i - 1), type::record('person', $i + 1)];
      CREATE type::record('pet', $i) SET n = $i, owner = type::record('person', $i);
    }`,
  );
  return { session, calls };
}

async function counted(calls: Calls, work: () => PromiseLike<unknown> | unknown): Promise<Calls> {
  for (const name of Object.keys(calls)) delete calls[name as keyof Transaction];
  await work();
  return { ...calls };
}

async function rows(session: Session, text: string, ids: readonly RecordId[]): Promise<readonly Value[]> {
  const [result] = await session.query(text, { ids });
  const value = result?.outcome.ok ? result.outcome.value : undefined;
  return isArray(value) ? value : [];
}

const numberOf = (row: Value): Value => (isObject(row) ? row['n'] : undefined);
const person = (_: unknown, at: number) => new RecordId('person', at);

describe.each(['memory', 'lmdb'] as const)('%s', (kind) => {
  test('a hundred ids are one question', async () => {
    const { session, calls } = await open(kind);
    const ids = Array.from({ length: 100 }, person).reverse();
    let found: readonly Value[] = [];
    const asked = await counted(calls, async () => {
      found = await rows(session, 'SELECT * FROM $ids', ids);
    });
    expect(found.map(numberOf)).toEqual(ids.map(({ key }) => key));
    // The one key is that of the catalog.
    expect(asked).toEqual({ get: 1, getMany: 1 });
  });

  test('ids of several tables are asked for together, and many in batches', async () => {
    const { session, calls } = await open(kind);
    const ids = Array.from({ length: 600 }, (_, at) => new RecordId(['person', 'pet', 'nowhere'][at % 3] ?? '', at));
    let found: readonly Value[] = [];
    const asked = await counted(calls, async () => {
      found = await rows(session, 'SELECT VALUE n FROM $ids', ids);
    });
    expect(found).toEqual(ids.map(({ table, key }) => (table === 'nowhere' ? undefined : key)));
    expect(asked).toEqual({ get: 1, getMany: 3 });
  });

  test('no more are read than are taken', async () => {
    const { session, calls } = await open(kind);
    const ids = Array.from({ length: 600 }, person);
    const asked = await counted(calls, () => rows(session, 'SELECT * FROM $ids LIMIT 3', ids));
    expect(asked).toEqual({ get: 1, getMany: 1 });
  });

  test('FETCH asks once for each link on its path', async () => {
    const { session, calls } = await open(kind);
    const asked = await counted(calls, () =>
      rows(session, 'SELECT * FROM pet LIMIT 50 FETCH owner.friends.friends', []),
    );
    expect(asked).toEqual({ get: 1, scan: 1, getMany: 3 });
  });
});

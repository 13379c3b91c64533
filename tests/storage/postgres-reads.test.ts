import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Stored, Transaction } from '../../src/storage/contract.js';
import { openPostgres } from '../../src/storage/postgres/open.js';
import type { RemoteEngine } from '../../src/storage/remote/remote-engine.js';
import { PostgresServer, postgresPrograms } from '../support/postgres-server.js';

const AREA = 'D\0\0\0\x01';

// Without PostgreSQL there is nothing to begin on; `.ci/run` installs it.
describe.skipIf(postgresPrograms() === undefined)('Snapshots on PostgreSQL that begin to read together', () => {
  let server: PostgresServer;
  let stores = 0;
  let engine: RemoteEngine;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  beforeEach(async () => {
    // One connection for all snapshots.
    engine = await openPostgres(`${server.address(`reads_${stores++}`)}&connections=1`);
    return () => engine.close();
  });
  afterAll(() => server.remove());

  const reader = () => engine.begin({ writable: false });

  async function put(key: string, value: Stored): Promise<void> {
    const transaction = engine.begin({ writable: true });
    transaction.put(key, value);
    await transaction.commit();
  }

  const get = async (transaction: Transaction, key: string) => transaction.get(key);

  test('share a connection, and what they show, until the last one ends', async () => {
    for (const key of ['a', 'b']) await put(key, 1);
    const [one, two, three] = [reader(), reader(), reader()];
    expect(await Promise.all([get(one, 'a'), get(two, 'a'), get(three, 'none')])).toEqual([1, 1, undefined]);
    await put('b', 2);
    one.cancel();
    expect(await get(two, 'b')).toBe(1);
    two.cancel();
    expect(await get(three, 'b')).toBe(1);
    expect(await three.count({ from: 'a', to: 'z' })).toBe(2);
    three.cancel();
    const later = reader();
    expect(await get(later, 'b')).toBe(2);
    later.cancel();
  });

  test('are judged each by what it has read', async () => {
    await put(`${AREA}x`, 0);
    const writers = ['x', 'y', 'z'].map((name) => ({ name, transaction: engine.begin({ writable: true }) }));
    await Promise.all(writers.map(({ name, transaction }) => get(transaction, AREA + name)));
    await put(`${AREA}y`, 0);
    const outcomes = await Promise.all(
      writers.map(async ({ name, transaction }) => {
        transaction.put(AREA + name, 1);
        return Promise.resolve(transaction.commit()).then(
          () => 'committed',
          ({ code }) => code,
        );
      }),
    );
    expect(outcomes).toEqual(['committed', 'transaction_conflict', 'committed']);
  });

  test('read more keys and larger values than go into one answer', async () => {
    const large = 'x'.repeat(3 * 1024 * 1024);
    for (const key of ['large 1', 'large 2', 'large 3']) await put(key, large);
    const keys = Array.from({ length: 900 }, (_, at) => `key ${at}`);
    const readers = ['large 1', 'large 2', 'large 3'].map((key) => ({ key, transaction: reader() }));
    const found = await Promise.all(
      readers.map(async ({ key, transaction }) => transaction.getMany([...keys.map((each) => key + each), key])),
    );
    for (const values of found) expect(values.filter((value) => value !== undefined)).toEqual([large]);
    for (const { transaction } of readers) transaction.cancel();
  });

  test('end with one that is cancelled before its answer has come', async () => {
    await put('a', 1);
    const [one, two] = [reader(), reader()];
    const answers = [get(one, 'a'), get(two, 'a')];
    one.cancel();
    two.cancel();
    expect(await Promise.all(answers)).toEqual([1, 1]);
    const later = reader();
    expect(await get(later, 'a')).toBe(1);
    later.cancel();
  });

  test('fail together, and only they, where the server cuts their connection', async () => {
    await put('a', 1);
    const [one, two] = [reader(), reader()];
    await Promise.all([get(one, 'a'), get(two, 'a')]);
    await server.stop();
    await server.run();
    for (const each of [one, two]) {
      await expect(get(each, 'b')).rejects.toMatchObject({ code: 'storage_unavailable' });
      each.cancel();
    }
    const later = reader();
    expect(await get(later, 'a')).toBe(1);
    later.cancel();
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { MemoryScope } from '../../src/base/work/memory-scope.js';
import { failure } from '../../src/errors/error.js';
import type { CommitFollower, FollowedCommit, Transaction } from '../../src/storage/contract.js';
import { openPostgres } from '../../src/storage/postgres/open.js';
import type { RemoteEngine } from '../../src/storage/remote/remote-engine.js';
import { CuttingProxy } from '../support/cutting-proxy.js';
import { PostgresServer, postgresPrograms } from '../support/postgres-server.js';
import { postgresNodes, type SharedNodes } from '../support/shared-nodes.js';
import { atLeast } from '../support/timeouts.js';

const AREA = 'D\0\0\0\x01';
const TABLE = { from: `${AREA}t`, to: `${AREA}u` };
/** 20,000 of them are some 10 MB. */
const TEXT = 'x'.repeat(500);
const MANY = 20_000;
const keyOf = (number: number) => `${AREA}t${`${number}`.padStart(6, '0')}`;

describe.skipIf(postgresPrograms() === undefined)('In PostgreSQL, what is large', () => {
  let server: PostgresServer;
  let schemas = 0;
  let shared: SharedNodes;
  let nodes: readonly RemoteEngine[];
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  beforeEach(async () => {
    shared = await postgresNodes(server, `large_${schemas++}`);
    nodes = shared.nodes;
    return () => shared.close();
  });
  afterAll(() => server.remove());

  const begin = (node = 0) => nodes[node]!.begin({ writable: true });
  const outcomeOf = (transaction: Transaction) =>
    Promise.resolve(transaction.commit()).then(
      () => 'committed',
      ({ code }) => code,
    );
  const fill = (transaction: Transaction, count = MANY) => {
    for (let number = 0; number < count; number++) transaction.put(keyOf(number), TEXT);
  };
  async function countOf(range = TABLE): Promise<number> {
    const reader = nodes[1]!.begin({ writable: false });
    try {
      return await reader.count(range);
    } finally {
      reader.cancel();
    }
  }

  test('is committed at once, and followed by ranges', async () => {
    const before = begin();
    before.put(`${AREA}a`, 1);
    await before.commit();
    const commits: FollowedCommit[] = [];
    const follower: CommitFollower = { onCommits: (more) => commits.push(...more), onGap: () => expect.fail('a gap') };
    await nodes[1]!.shared.follow(follower);
    const large = begin();
    fill(large);
    large.delete(`${AREA}a`);
    large.append(`${AREA}L`, 'logged');
    large.put('root', 1);
    await large.commit();
    await nodes[1]!.shared.catchUp();
    expect(await countOf()).toBe(MANY);
    expect(await countOf({ from: `${AREA}L`, to: `${AREA}M` })).toBe(1);
    expect(await countOf({ from: `${AREA}a`, to: `${AREA}b` })).toBe(0);
    expect(commits).toHaveLength(1);
    const { ranges, keys } = commits[0]!;
    expect(keys).toEqual([]);
    const isIn = (key: string) => ranges.some(({ from, to }) => key >= from && key < to);
    for (const key of [keyOf(0), keyOf(MANY - 1), `${AREA}a`, `${AREA}L${'\x7f'.repeat(12)}`, 'root']) {
      expect([key, isIn(key)]).toEqual([key, true]);
    }
    for (const key of [`${AREA}b`, `${AREA}s`, `${AREA}u`, 'rest', 'D\0\0\0\x02x']) {
      expect([key, isIn(key)]).toEqual([key, false]);
    }
  });

  test('conflicts with those who have read in its ranges, and with no others', async () => {
    const [byKey, byRange, elsewhere] = [begin(1), begin(1), begin(1)];
    await byKey.get(keyOf(7));
    await byRange.count({ from: keyOf(70), to: keyOf(71) });
    await elsewhere.get(`${AREA}z`);
    const large = begin();
    fill(large);
    await large.commit();
    for (const [at, transaction] of [byKey, byRange, elsewhere].entries()) transaction.put(`${AREA}y${at}`, 1);
    expect(await Promise.all([byKey, byRange, elsewhere].map(outcomeOf))).toEqual([
      'transaction_conflict',
      'transaction_conflict',
      'committed',
    ]);
  });

  test('leaves nothing behind where it conflicts', async () => {
    const large = begin();
    await large.get(`${AREA}z`);
    fill(large);
    const other = begin(1);
    other.put(`${AREA}z`, 1);
    await other.commit();
    expect(await outcomeOf(large)).toBe('transaction_conflict');
    expect(await countOf()).toBe(0);
    const next = begin();
    fill(next, MANY / 2);
    expect(await outcomeOf(next)).toBe('committed');
    expect(await countOf()).toBe(MANY / 2);
  });

  test('is deleted as one range', async () => {
    const large = begin();
    fill(large);
    await large.commit();
    const deletion = begin(1);
    await deletion.deleteRange(TABLE);
    expect(await outcomeOf(deletion)).toBe('committed');
    expect(await countOf()).toBe(0);
  });

  test('is read in pages, whether by keys or by ranges', async () => {
    const large = begin();
    const value = 'y'.repeat(1_000_000);
    for (let number = 0; number < 12; number++) large.put(keyOf(number), `${number}${value}`);
    await large.commit();
    const reader = begin(1);
    const keys = Array.from({ length: 14 }, (_, number) => keyOf(number));
    const values = await reader.getMany(keys);
    expect(values.map((each) => each?.toString().length)).toEqual([
      ...Array.from({ length: 12 }, (_, number) => value.length + `${number}`.length),
      undefined,
      undefined,
    ]);
    let entries = 0;
    const cursor = reader.scan(TABLE, { reverse: true });
    for (let batch = await cursor.next(); batch !== undefined; batch = await cursor.next()) entries += batch.length;
    expect(entries).toBe(12);
    reader.cancel();
  });

  test('needs room in the memory of its transaction', async () => {
    const limit = 1024 * 1024;
    const budget = new MemoryScope(limit, () => failure('transaction_too_large', { limit }));
    const transaction = nodes[0]!.begin({ writable: true, memory: () => budget });
    expect(() => fill(transaction)).toThrow(expect.objectContaining({ code: 'transaction_too_large' }));
    transaction.cancel();
    expect(await countOf()).toBe(0);
  });

  test('is applied whole or not at all where the connection is cut', { timeout: atLeast(60_000) }, async () => {
    const proxy = await CuttingProxy.start(server.port, 'commit_group');
    const address = server.address(`large_${schemas - 1}`).replace(`${server.port}`, `${proxy.port}`);
    const engine = await openPostgres(address);
    for (const moment of ['before', 'during', 'after'] as const) {
      proxy.cutNext(moment);
      const transaction = engine.begin({ writable: true });
      for (let number = 0; number < MANY; number++) transaction.put(`${AREA}${moment}${number}`, TEXT);
      const outcome = await outcomeOf(transaction);
      const stored = await countOf({ from: `${AREA}${moment}`, to: `${AREA}${moment}~` });
      expect([moment, outcome, stored]).toEqual([
        moment,
        ...(stored === 0 ? ['storage_unavailable', 0] : ['committed', MANY]),
      ]);
    }
    expect(proxy.cuts).toBe(3);
    await engine.close();
    await proxy.close();
  });

  test('or slow to read ends with an error once it has taken too long', async () => {
    const proxy = await CuttingProxy.start(server.port, 'get_many');
    const address = server.address(`large_${schemas - 1}`).replace(`${server.port}`, `${proxy.port}`);
    const engine = await openPostgres(`${address}&read_timeout=1`);
    proxy.cutNext('silent');
    const silent = engine.begin({ writable: false });
    await expect((async () => silent.getMany(['a', 'b']))()).rejects.toMatchObject({ code: 'storage_unavailable' });
    silent.cancel();
    const next = engine.begin({ writable: false });
    expect(await next.getMany(['a', 'b'])).toEqual([undefined, undefined]);
    next.cancel();
    await engine.close();
    await proxy.close();
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { realEnvironment } from '../../src/env/real.js';
import { DEFAULT_MAX_STALENESS } from '../../src/session/nodes/staleness.js';
import type { CommitFollower, FollowedCommit, Key } from '../../src/storage/contract.js';
import { readPostgresAddress } from '../../src/storage/postgres/address.js';
import { PostgresConnection } from '../../src/storage/postgres/connection.js';
import { LOG_TIMEOUT, PostgresLog } from '../../src/storage/postgres/log.js';
import type { ConnectionPool } from '../../src/storage/postgres/pool.js';
import { PostgresStore } from '../../src/storage/postgres/store.js';
import { RemoteEngine } from '../../src/storage/remote/remote-engine.js';
import { CuttingProxy } from '../support/cutting-proxy.js';
import { PostgresServer, postgresPrograms } from '../support/postgres-server.js';

const AREA = 'D\0\0\0\x01';

class Collector implements CommitFollower {
  readonly keys: Key[] = [];
  gaps = 0;

  onCommits(commits: readonly FollowedCommit[]): void {
    this.keys.push(...commits.flatMap(({ keys }) => keys));
  }

  onGap(): void {
    this.gaps++;
  }
}

test('a connection that is silent is given up by the time that work is refused', async () => {
  const timeouts: (number | undefined)[] = [];
  const connection = {
    query: (_: unknown, __: unknown, timeout?: number) => {
      timeouts.push(timeout);
      return Promise.reject(new Error('silent'));
    },
  };
  const pool = { take: () => connection, give: () => undefined } as unknown as ConnectionPool;
  const log = new PostgresLog(pool);
  await expect(log.headsAbove(0n)).rejects.toMatchObject({ code: 'storage_unavailable' });
  await expect(log.page([])).rejects.toMatchObject({ code: 'storage_unavailable' });
  expect(timeouts).toHaveLength(3);
  for (const timeout of [...timeouts, LOG_TIMEOUT]) expect(timeout).toBeLessThanOrEqual(DEFAULT_MAX_STALENESS);
});

describe.skipIf(postgresPrograms() === undefined)('The log of commits in PostgreSQL', () => {
  let server: PostgresServer;
  let proxy: CuttingProxy;
  let schemas = 0;
  let schema: string;
  /** One is connected through the proxy. */
  let near: RemoteEngine;
  let far: RemoteEngine;
  beforeAll(async () => {
    server = await PostgresServer.start();
    proxy = await CuttingProxy.start(server.port, 'commit_group');
  });
  beforeEach(async () => {
    schema = `log_${schemas++}`;
    near = await open(server.port, 1n);
    far = await open(proxy.port, 2n);
    return async () => {
      await near.close();
      await far.close();
    };
  });
  afterAll(async () => {
    await proxy.close();
    await server.remove();
  });

  async function open(port: number, node: bigint): Promise<RemoteEngine> {
    const store = await PostgresStore.open({
      ...readPostgresAddress(server.address(schema)),
      port,
      node,
      // All there is, whatever the clock of the server says.
      logRetention: -60_000,
      timers: realEnvironment.timers,
      describeKey: () => 'An entry',
    });
    return new RemoteEngine(store, realEnvironment);
  }

  async function put(engine: RemoteEngine, ...keys: readonly Key[]): Promise<void> {
    const transaction = engine.begin({ writable: true });
    for (const key of keys) transaction.put(key, 1);
    await transaction.commit();
  }

  async function prune(engine: RemoteEngine): Promise<number> {
    for (let steps = 1; ; steps++) if (!(await engine.shared.prune())) return steps;
  }

  async function rowsOf(table: string): Promise<number> {
    const connection = await PostgresConnection.open(readPostgresAddress(server.address(schema)), {
      onLost: () => undefined,
    });
    const [row] = await connection.query({ name: 'rows', text: `SELECT count(*)::text FROM ${schema}.${table}` });
    await connection.close();
    return Number(row![0]);
  }

  async function followed(engine: RemoteEngine): Promise<Collector> {
    const collector = new Collector();
    await engine.shared.follow(collector);
    return collector;
  }

  const shows = (work: () => unknown, expected: unknown) =>
    expect.poll(work, { timeout: 30_000, interval: 10 }).toEqual(expected);

  test('The server says its time', async () => {
    const { clock } = realEnvironment;
    const before = clock.now() / 1_000_000n;
    const time = (await near.shared.time?.()) ?? 0n;
    // The same machine's, in milliseconds.
    expect(time / 1_000_000n).toBeGreaterThanOrEqual(before);
    expect(time).toBeLessThanOrEqual(clock.now() + 1_000_000n);
  });

  test('is pruned step by step, by several at once', async () => {
    await Promise.all(Array.from({ length: 1_300 }, (_, key) => put(near, `${AREA}${key}`, 'root')));
    expect(await rowsOf('log')).toBe(2_600);
    const steps = await Promise.all([prune(near), prune(far)]);
    expect(steps[0]! + steps[1]!).toBeGreaterThan(3);
    expect(await rowsOf('log')).toBe(0);
    // By node and head, which parts are gone.
    expect(await rowsOf('fence')).toBe(2);
  });

  test('that no longer reaches back makes snapshots conflict, and only old ones', async () => {
    await put(near, `${AREA}x`);
    const [old, other] = [near.begin({ writable: true }), near.begin({ writable: true })];
    expect(await old.get(`${AREA}x`)).toBe(1);
    expect(await other.get('root')).toBeUndefined();
    await put(far, `${AREA}y`);
    await prune(near);
    old.put(`${AREA}old`, 1);
    await expect((async () => old.commit())()).rejects.toMatchObject({ code: 'transaction_conflict' });
    other.put(`${AREA}other`, 1);
    await other.commit();
    const fresh = near.begin({ writable: true });
    expect(await fresh.get(`${AREA}old`)).toBeUndefined();
    fresh.put(`${AREA}fresh`, 1);
    await fresh.commit();
  });

  test('is followed for as long as its server is away, and delivers what was committed meanwhile', async () => {
    const follower = await followed(far);
    await put(near, `${AREA}before`);
    await shows(() => follower.keys, [`${AREA}before`]);
    proxy.refuse();
    const { caughtUpAt } = far.shared;
    await expect(far.shared.catchUp()).rejects.toMatchObject({ code: 'storage_unavailable' });
    await put(near, `${AREA}during`);
    await expect(far.shared.catchUp()).rejects.toMatchObject({ code: 'storage_unavailable' });
    expect(far.shared.caughtUpAt).toBeLessThanOrEqual(caughtUpAt + 1_000);
    proxy.accept();
    await put(near, `${AREA}after`);
    await shows(() => follower.keys, [`${AREA}before`, `${AREA}during`, `${AREA}after`]);
    expect(follower.gaps).toBe(0);
  });

  test('that was pruned while a node was cut off leaves a gap, behind which it goes on', async () => {
    const follower = await followed(far);
    proxy.refuse();
    await put(near, `${AREA}missed`);
    await prune(near);
    proxy.accept();
    await shows(() => follower.gaps, 1);
    await put(near, `${AREA}after`);
    await shows(() => follower.keys, [`${AREA}after`]);
    expect(follower.gaps).toBe(1);
  });

  test('of a store that went back to an earlier state leaves a gap', async () => {
    const follower = await followed(far);
    await put(near, `${AREA}x`);
    await shows(() => follower.keys, [`${AREA}x`]);
    const connection = await PostgresConnection.open(readPostgresAddress(server.address(schema)), {
      onLost: () => undefined,
    });
    await connection.run(`UPDATE ${schema}.head SET stamp = 0; DELETE FROM ${schema}.log`);
    await connection.close();
    await shows(() => follower.gaps, 1);
    await put(near, `${AREA}y`);
    await shows(() => follower.keys, [`${AREA}x`, `${AREA}y`]);
  });

  test('no longer says what became of a commit whose rows are gone', async () => {
    await put(far, `${AREA}first`);
    proxy.cutNext('after', true);
    const outcome = put(far, `${AREA}second`).then(
      () => 'committed',
      (error) => `${error.code}: ${error.message}`,
    );
    await shows(() => rowsOf('log'), 2);
    await prune(near);
    proxy.accept();
    expect(await outcome).toMatch(/^commit_outcome_unknown: .*the log no longer says/);
    await put(far, `${AREA}third`);
  });

  test('no longer says it when what was noted of those rows is gone as well', async () => {
    await put(far, `${AREA}first`);
    proxy.cutNext('after', true);
    const outcome = put(far, `${AREA}second`).then(
      () => 'committed',
      (error) => error.code,
    );
    await shows(() => rowsOf('log'), 2);
    await prune(near);
    const connection = await PostgresConnection.open(readPostgresAddress(server.address(schema)), {
      onLost: () => undefined,
    });
    // As a week later.
    await connection.run(`SET search_path TO ${schema}; SELECT prune_fence_v1(9223372036854775807)`);
    await connection.close();
    expect(await rowsOf('fence')).toBe(0);
    proxy.accept();
    expect(await outcome).toBe('commit_outcome_unknown');
    for (const key of ['third', 'fourth']) await put(far, AREA + key);
    await put(near, `${AREA}fifth`);
    expect(await rowsOf('entry')).toBe(5);
  });

  test('goes on in order where the clock of the server jumps', async () => {
    const follower = await followed(far);
    const connection = await PostgresConnection.open(readPostgresAddress(server.address(schema)), {
      onLost: () => undefined,
    });
    // As after a clock that was a year ahead.
    await connection.run(`UPDATE ${schema}.head SET stamp = stamp + (31536000000::bigint << 16)`);
    await connection.close();
    const keys = Array.from({ length: 10 }, (_, at) => `root ${at}`);
    for (const [at, key] of keys.entries()) await put(at % 2 ? near : far, key);
    await shows(() => follower.keys, keys);
    const reader = near.begin({ writable: true });
    expect(await reader.get(keys[0]!)).toBe(1);
    await put(far, keys[0]!);
    reader.put('late', 1);
    await expect((async () => reader.commit())()).rejects.toMatchObject({ code: 'transaction_conflict' });
  });
});

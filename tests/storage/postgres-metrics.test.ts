import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { realEnvironment } from '../../src/env/real.js';
import { PrometheusText } from '../../src/server/metrics-server.js';
import type { Engine } from '../../src/storage/contract.js';
import { readPostgresAddress } from '../../src/storage/postgres/address.js';
import { openPostgres } from '../../src/storage/postgres/open.js';
import { PostgresStore } from '../../src/storage/postgres/store.js';
import { RemoteEngine } from '../../src/storage/remote/remote-engine.js';
import { CuttingProxy } from '../support/cutting-proxy.js';
import { PostgresServer, postgresPrograms } from '../support/postgres-server.js';
import { ParsedMetrics } from '../support/prometheus.js';

const KEY = 'D\0\0\0\x01a';

describe.skipIf(postgresPrograms() === undefined)('Metrics of a store in PostgreSQL', () => {
  let server: PostgresServer;
  let schemas = 0;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server.remove());

  const address = () => server.address(`metrics_${schemas++}`);

  /** What a scraper reads of an engine. */
  async function read(engine: Engine): Promise<ParsedMetrics> {
    return new ParsedMetrics(await new PrometheusText(engine.metrics ?? []).write());
  }

  test('count commits by outcome, answers and connections', async () => {
    const engine = await openPostgres(address());
    try {
      const [first, second] = [engine.begin({ writable: true }), engine.begin({ writable: true })];
      for (const transaction of [first, second]) {
        await transaction.get(KEY);
        transaction.put(KEY, 1);
      }
      await first.commit();
      await expect(async () => second.commit()).rejects.toMatchObject({ code: 'transaction_conflict' });
      const metrics = await read(engine);
      expect(metrics.sum('tessera_store_commits_total', { outcome: 'applied' })).toBe(1);
      expect(metrics.sum('tessera_store_commits_total', { outcome: 'conflict' })).toBe(1);
      expect(metrics.sum('tessera_store_write_duration_seconds_count')).toBe(2);
      expect(metrics.sum('tessera_store_query_duration_seconds_count', { pool: 'reads' })).toBeGreaterThanOrEqual(2);
      expect(metrics.sum('tessera_store_connects_total', { pool: 'commits', outcome: 'ok' })).toBeGreaterThan(0);
      const open = metrics.sum('tessera_store_connections', { pool: 'commits', state: 'open' });
      expect(open).toBe(metrics.sum('tessera_store_connects_total', { pool: 'commits', outcome: 'ok' }));
      expect(metrics.sum('tessera_store_connections', { pool: 'commits', state: 'idle' })).toBe(open);
      expect(metrics.sum('tessera_store_connections', { pool: 'reads', state: 'waiting' })).toBe(0);
      expect(metrics.sum('tessera_store_staged_bytes_total')).toBe(0);
    } finally {
      await engine.close();
    }
  });

  test('have the size of the store once the server has answered', async () => {
    const engine = await openPostgres(address());
    try {
      expect((await read(engine)).names).toContain('tessera_store_bytes');
      // The tables with their indexes have pages from the beginning.
      await expect.poll(async () => (await read(engine)).sum('tessera_store_bytes')).toBeGreaterThan(8_192);
    } finally {
      await engine.close();
    }
  });

  test('count the bytes of large commits that are sent ahead', async () => {
    const engine = await openPostgres(address());
    try {
      const transaction = engine.begin({ writable: true });
      for (let at = 0; at < 5; at++) transaction.put(`${KEY}${at}`, new Uint8Array(1024 * 1024));
      await transaction.commit();
      expect((await read(engine)).sum('tessera_store_staged_bytes_total')).toBeGreaterThan(5 * 1024 * 1024);
    } finally {
      await engine.close();
    }
  });

  test('count commits whose connection was lost, and the connections that follow', async () => {
    const proxy = await CuttingProxy.start(server.port, 'commit_group');
    const store = await PostgresStore.open({
      ...readPostgresAddress(address()),
      port: proxy.port,
      node: 1n,
      timers: realEnvironment.timers,
      describeKey: () => 'An entry',
    });
    const engine = new RemoteEngine(store, realEnvironment);
    try {
      const transaction = engine.begin({ writable: true });
      transaction.put(KEY, 1);
      proxy.cutNext('before');
      await expect(async () => transaction.commit()).rejects.toMatchObject({ code: 'storage_unavailable' });
      const metrics = await read(engine);
      expect(metrics.sum('tessera_store_commits_total', { outcome: 'unknown' })).toBe(1);
      expect(metrics.sum('tessera_store_connects_total', { pool: 'commits', outcome: 'ok' })).toBeGreaterThan(1);
    } finally {
      await engine.close();
      await proxy.close();
    }
  });
});

/** `GET /metrics`, over a real server. */
import { request } from 'node:http';
import { connect } from 'node:net';
import { createClient } from 'graphql-ws';
import type { Surreal } from 'surrealdb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { RunningServer } from '../../src/server/server.js';
import { newClient } from '../support/official-client.js';
import { ParsedMetrics } from '../support/prometheus.js';
import { ROOT, startTestServer } from '../support/server.js';
import { temporaryFolder } from '../support/server-process.js';

const SELECTION = { 'surreal-ns': 'test', 'surreal-db': 'test' };

/** A root user's client of a server. */
async function connected({ url }: RunningServer): Promise<Surreal> {
  const client = newClient();
  await client.connect(`${url.replace('http', 'ws')}/rpc`);
  await client.signin(ROOT);
  await client.use({ namespace: 'test', database: 'test' });
  return client;
}

describe('GET /metrics', () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.close());

  const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  const AS_ROOT = { authorization: basic(ROOT.username, ROOT.password) };

  async function sql(text: string, headers: Readonly<Record<string, string>> = AS_ROOT): Promise<Response> {
    const accept = { accept: 'application/json' };
    return fetch(`${server.url}/sql`, { method: 'POST', body: text, headers: { ...accept, ...SELECTION, ...headers } });
  }

  async function metrics(): Promise<ParsedMetrics> {
    const answer = await fetch(`${server.url}/metrics`, { headers: AS_ROOT });
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(answer.status).toBe(200);
    return new ParsedMetrics(await answer.text());
  }

  test('is for users of the root level', async () => {
    await sql("DEFINE USER below ON NAMESPACE PASSWORD 'a password' ROLES OWNER");
    expect((await fetch(`${server.url}/metrics`)).status).toBe(403);
    const below = { authorization: basic('below', 'a password'), 'surreal-auth-ns': 'test' };
    expect((await fetch(`${server.url}/metrics`, { headers: below })).status).toBe(403);
    await sql("DEFINE USER viewer ON ROOT PASSWORD 'a password' ROLES VIEWER");
    const viewer = { authorization: basic('viewer', 'a password') };
    expect((await fetch(`${server.url}/metrics`, { headers: viewer })).status).toBe(200);
  });

  test('ends no name of a gauge as only names of counters may end, and says how long the process has run', async () => {
    const text = await (await fetch(`${server.url}/metrics`, { headers: AS_ROOT })).text();
    const gauges = [...text.matchAll(/^# TYPE (\S+) gauge$/gm)].map(([, name]) => name);
    expect(gauges).toEqual(expect.arrayContaining(['nodejs_active_handles', 'nodejs_all_active_handles']));
    expect(gauges.filter((name) => name?.endsWith('_total'))).toEqual([]);
    const before = (await metrics()).sum('tessera_uptime_seconds');
    expect(before).toBeGreaterThan(0);
    expect((await metrics()).sum('tessera_uptime_seconds')).toBeGreaterThan(before);
  });

  test('counts requests and statements with their outcomes', async () => {
    const before = await metrics();
    await sql('CREATE a; SELECT * FROM a; THROW "no"; BEGIN; CREATE a; COMMIT');
    await sql('SELECT * FROM');
    const after = await metrics();
    const grown = (name: string, labels: Readonly<Record<string, string>>) =>
      after.sum(name, labels) - before.sum(name, labels);
    expect(grown('tessera_request_duration_seconds_count', { door: 'sql', method: 'POST', outcome: 'ok' })).toBe(1);
    expect(grown('tessera_request_duration_seconds_count', { door: 'sql', outcome: 'rejected' })).toBe(1);
    expect(grown('tessera_request_errors_total', { code: 'parse_error' })).toBe(1);
    expect(grown('tessera_statement_duration_seconds_count', { kind: 'create', outcome: 'ok' })).toBe(2);
    expect(grown('tessera_statement_duration_seconds_count', { kind: 'select', outcome: 'ok' })).toBe(1);
    expect(grown('tessera_statement_errors_total', { code: 'thrown' })).toBe(1);
  });

  test('counts each answer once, by its own server, also where it comes before the route', async () => {
    const other = await startTestServer({ SVC_ALLOW_ORIGIN: 'https://shop.example' });
    try {
      const countOf = async (labels: Readonly<Record<string, string>>) => {
        const answer = await fetch(`${other.url}/metrics`, { headers: AS_ROOT });
        return new ParsedMetrics(await answer.text()).sum('tessera_request_duration_seconds_count', labels);
      };
      const origin = (name: string) => ({ headers: { origin: `https://${name}.example` } });
      await fetch(`${other.url}/version`);
      await fetch(`${other.url}/version`, origin('other'));
      await fetch(`${other.url}/sql`, { method: 'OPTIONS', ...origin('shop') });
      await fetch(`${other.url}/sql`, { method: 'PUT' });
      await sql('RETURN 1');
      expect(await countOf({ door: 'version', outcome: 'ok' })).toBe(1);
      expect(await countOf({ door: 'version', outcome: 'rejected' })).toBe(1);
      expect(await countOf({ method: 'OPTIONS', outcome: 'ok' })).toBe(1);
      expect(await countOf({ door: 'none', method: 'PUT', outcome: 'rejected' })).toBe(1);
      expect(await countOf({ door: 'sql', method: 'POST' })).toBe(0);
    } finally {
      await other.close();
    }
  });

  test('counts writes that PERMISSIONS deny', async () => {
    await sql(`DEFINE TABLE guarded PERMISSIONS FOR select FULL, FOR create, update, delete NONE; CREATE guarded:1;
      DEFINE ACCESS people ON DATABASE TYPE RECORD SIGNUP (CREATE user)`);
    const signedUp = await fetch(`${server.url}/signup`, {
      method: 'POST',
      body: JSON.stringify({ ns: 'test', db: 'test', ac: 'people' }),
      headers: { accept: 'application/json' },
    });
    const { token } = (await signedUp.json()) as { token: string };
    const before = await metrics();
    await sql('CREATE guarded; DELETE guarded:1', { authorization: `Bearer ${token}` });
    const after = await metrics();
    for (const action of ['create', 'delete']) {
      const labels = { table: 'guarded', action };
      const denied = 'tessera_denied_writes_total';
      expect(after.sum(denied, labels) - before.sum(denied, labels)).toBe(1);
    }
  });

  test('has no names of tables that clients make up', async () => {
    await sql('DEFINE ACCESS anybody ON DATABASE TYPE RECORD SIGNUP (CREATE user)');
    const signedUp = await fetch(`${server.url}/signup`, {
      method: 'POST',
      body: JSON.stringify({ ns: 'test', db: 'test', ac: 'anybody' }),
      headers: { accept: 'application/json' },
    });
    const { token } = (await signedUp.json()) as { token: string };
    const before = await metrics();
    await sql('CREATE made_up; INSERT INTO made_up {}; UPSERT made_up:1', { authorization: `Bearer ${token}` });
    const after = await metrics();
    const denied = 'tessera_denied_writes_total';
    expect(after.sum(denied, { table: 'made_up' })).toBe(0);
    expect(after.sum(denied, { table: 'other' }) - before.sum(denied, { table: 'other' })).toBe(3);
  });

  test('counts sign-ins with their outcomes', async () => {
    const before = await metrics();
    await sql('RETURN 1', { authorization: basic('nobody', 'wrong') });
    const after = await metrics();
    const failed = { action: 'sign-in', method: 'basic', outcome: 'failed' };
    expect(after.sum('tessera_sign_ins_total', failed) - before.sum('tessera_sign_ins_total', failed)).toBe(1);
  });

  test('counts the requests of WebSockets, and shows what they hold', async () => {
    const client = await connected(server);
    await client.query('DEFINE TABLE watched; LIVE SELECT * FROM watched');
    const held = await metrics();
    expect(held.sum('tessera_request_duration_seconds_count', { door: 'websocket', method: 'signin' })).toBe(1);
    expect(held.sum('tessera_request_duration_seconds_count', { door: 'websocket', method: 'query' })).toBeGreaterThan(
      0,
    );
    expect(held.sum('tessera_live_queries')).toBe(1);
    expect(held.sum('tessera_sessions', { state: 'signed_in' })).toBe(1);
    await client.close();
  });

  test('shows the process, and names of clients don’t become labels', async () => {
    await fetch(`${server.url}/no/such/route`);
    await fetch(`${server.url}/rpc`, {
      method: 'POST',
      body: JSON.stringify({ id: 1, method: 'no_such_method' }),
      headers: { ...AS_ROOT, 'content-type': 'application/json' },
    });
    const shown = await metrics();
    expect(shown.names).toContain('process_cpu_seconds_total');
    expect(shown.names).toContain('nodejs_eventloop_lag_seconds');
    expect(shown.sum('tessera_request_duration_seconds_count', { door: 'none', outcome: 'rejected' })).toBe(1);
    expect(JSON.stringify(shown.samples)).not.toContain('no_such');
  });
});

test('An address of its own answers without signing in, and nothing else', async () => {
  const server = await startTestServer({ SVC_METRICS_BIND: '127.0.0.1:0' });
  try {
    expect(server.metricsUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/);
    const answer = await fetch(server.metricsUrl as string);
    expect(new ParsedMetrics(await answer.text()).sum('tessera_build_info')).toBe(1);
    expect((await fetch((server.metricsUrl as string).replace('/metrics', '/sql'))).status).toBe(404);
    expect((await fetch(server.metricsUrl as string, { method: 'POST' })).status).toBe(404);
  } finally {
    await server.close();
  }
});

test('The address of its own on loopback answers under no name of another site', async () => {
  const server = await startTestServer({ SVC_METRICS_BIND: '127.0.0.1:0' });
  const { hostname, port } = new URL(server.metricsUrl as string);
  const status = (host: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const asked = request({ hostname, port, path: '/metrics', headers: { host } }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      asked.on('error', reject).end();
    });
  try {
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, '[::1]:9100']) expect(await status(host)).toBe(200);
    for (const host of [`evil.example:${port}`, '127.0.0.1.evil.example']) expect(await status(host)).toBe(403);
  } finally {
    await server.close();
  }
});

test('A request for metrics that never ends doesn’t hold up the end of the server', async () => {
  const server = await startTestServer({ SVC_METRICS_BIND: '127.0.0.1:0' });
  const { hostname, port } = new URL(server.metricsUrl as string);
  const socket = connect(Number(port), hostname);
  const closed = new Promise((resolve) => socket.on('error', resolve).on('close', resolve));
  await new Promise((resolve) => socket.write('GET /metrics HTTP/1.1\r\nHost: a\r\n', resolve));
  // The server has taken the connection when it answers another one.
  await (await fetch(server.metricsUrl as string)).text();
  await server.close();
  await closed;
});

describe('On disk', () => {
  test('the store, its caches and the work in the background are measured', async () => {
    const settings = { SVC_PATH: temporaryFolder(), SVC_METRICS_BIND: '127.0.0.1:0' };
    const server = await startTestServer(settings);
    const metrics = async () => new ParsedMetrics(await (await fetch(server.metricsUrl as string)).text());
    const client = await connected(server);
    try {
      await client.query('DEFINE TABLE a; DEFINE EVENT made ON a ASYNC WHEN $event = "CREATE" THEN { CREATE b }');
      const before = await metrics();
      await client.query('CREATE a:1; CREATE a:2 SET text = $text', { text: 'x'.repeat(100_000) });
      await client.query('SELECT * FROM a:1; SELECT * FROM a:1');
      await client.query('DELETE a:2; DEFINE INDEX text ON a FIELDS text CONCURRENTLY');
      await expect.poll(async () => (await metrics()).sum('tessera_async_events_total', { outcome: 'ok' })).toBe(3);
      await expect
        .poll(async () => (await metrics()).sum('tessera_index_steps_total', { outcome: 'ok' }))
        .toBeGreaterThan(0);
      await expect.poll(async () => (await metrics()).sum('tessera_index_work')).toBe(0);
      // The tree follows the log.
      await expect.poll(async () => (await metrics()).sum('tessera_store_free_bytes')).toBeGreaterThan(50_000);
      const after = await metrics();
      const grown = (name: string, labels = {}) => after.sum(name, labels) - before.sum(name, labels);
      expect(grown('tessera_store_write_duration_seconds_count')).toBeGreaterThanOrEqual(3);
      expect(grown('tessera_store_entries')).toBeGreaterThanOrEqual(3);
      expect(grown('tessera_cache_hits_total')).toBeGreaterThan(0);
      expect(after.sum('tessera_store_bytes')).toBeGreaterThan(100_000);
      expect(after.sum('tessera_store_free_bytes')).toBeLessThan(after.sum('tessera_store_bytes'));
      expect(after.sum('tessera_store_readers')).toBeGreaterThan(0);
      const rounds = 'tessera_background_round_duration_seconds_count';
      expect(after.sum(rounds, { work: 'events', outcome: 'ok' })).toBeGreaterThan(0);
      expect(after.sum(rounds, { work: 'indexes', outcome: 'ok' })).toBeGreaterThan(0);
    } finally {
      await client.close();
      await server.close();
    }
  });
});

test('The lag of live queries is measured', async () => {
  const server = await startTestServer({ SVC_METRICS_BIND: '127.0.0.1:0' });
  const metrics = async () => new ParsedMetrics(await (await fetch(server.metricsUrl as string)).text());
  const client = await connected(server);
  try {
    await client.query('DEFINE TABLE a; LIVE SELECT * FROM a');
    await client.query('CREATE a; CREATE a; CREATE a');
    await expect.poll(async () => (await metrics()).sum('tessera_live_change_lag_seconds_count')).toBe(3);
  } finally {
    await client.close();
    await server.close();
  }
});

test('Operations of GraphQL over WebSockets are counted as requests', async () => {
  const settings = { SVC_METRICS_BIND: '127.0.0.1:0', SVC_EXPERIMENTAL_GRAPHQL: 'true' };
  const server = await startTestServer(settings);
  const metrics = async () => new ParsedMetrics(await (await fetch(server.metricsUrl as string)).text());
  const authorization = `Basic ${Buffer.from(`${ROOT.username}:${ROOT.password}`).toString('base64')}`;
  const client = createClient({
    url: `${server.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization, 'surreal-ns': 'test', 'surreal-db': 'test' },
  });
  const run = async (query: string) => {
    for await (const _ of client.iterate({ query })) break;
  };
  try {
    const headers = { accept: 'application/json', authorization, ...SELECTION };
    const body = 'DEFINE TABLE a SCHEMAFULL; DEFINE FIELD n ON a TYPE int; DEFINE CONFIG GRAPHQL AUTO';
    await (await fetch(`${server.url}/sql`, { method: 'POST', body, headers })).text();
    await run('{ a { n } }');
    await expect(run('{ no_such_field }')).rejects.toBeDefined();
    const after = await metrics();
    const name = 'tessera_request_duration_seconds_count';
    const labels = { door: 'graphql_websocket', method: 'subscribe' };
    expect(after.sum(name, { ...labels, outcome: 'ok' })).toBe(1);
    expect(after.sum(name, { ...labels, outcome: 'rejected' })).toBe(1);
  } finally {
    await client.dispose();
    await server.close();
  }
});

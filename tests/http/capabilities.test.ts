/** Routes, methods and functions that a server denies to all, on every transport. */
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { nameOfRoute, ROUTES } from '../../src/http/routes/routes.js';
import type { RunningServer } from '../../src/server/server.js';
import { ROUTE_NAMES } from '../../src/server/settings/access.js';
import { ROOT, startTestServer } from '../support/server.js';

let server: RunningServer;
afterEach(() => server.close());

const AS_ROOT = `Basic ${Buffer.from(`${ROOT.username}:${ROOT.password}`).toString('base64')}`;

function ask(path: string, options: { method?: string; body?: string; authorization?: string } = {}) {
  const { body, authorization, method = body === undefined ? 'GET' : 'POST' } = options;
  return fetch(`${server.url}${path}`, {
    method,
    headers: {
      accept: 'application/json',
      'svc-ns': 'test',
      'svc-db': 'test',
      ...(path === '/sql' ? {} : { 'content-type': 'application/json' }),
      ...(authorization === undefined ? {} : { authorization }),
    },
    ...(body === undefined ? {} : { body }),
  });
}

const asRoot = { authorization: AS_ROOT };
const rpc = async (method: string, params: unknown[], authorization?: string) => {
  const body = JSON.stringify({ id: 1, method, params });
  return (await ask('/rpc', { body, ...(authorization !== undefined && { authorization }) })).json();
};

describe('routes', () => {
  it('all have names', async () => {
    server = await startTestServer();
    const names = ROUTES.map(({ path }) => nameOfRoute(path)).filter((name) => name !== '');
    expect(names.filter((name) => !ROUTE_NAMES.includes(name))).toEqual([]);
  });

  it('can be denied by name, however their address is written', async () => {
    server = await startTestServer({ SVC_DENY_HTTP: 'sql,rpc' });
    for (const path of ['/sql', '/sql/', '/%73ql']) {
      const answer = await ask(path, { body: 'RETURN 1', ...asRoot });
      expect([path, answer.status]).toEqual([path, 403]);
      expect(await answer.json()).toMatchObject({ error: 'route_denied' });
    }
    expect((await ask('/health')).status).toBe(200);
    expect((await ask('/nowhere')).status).toBe(404);
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/rpc`, 'json');
    const [error] = await once(socket, 'error');
    expect(String(error)).toContain('403');
  });

  it('and methods that begin to sign in can be denied, too', async () => {
    server = await startTestServer({ SVC_DENY_HTTP: 'auth', SVC_DENY_RPC: 'auth_start' });
    for (const path of ['/auth/test/test/mail/start', '//auth/test/test/mail/start', '/auth/test/test/mail/confirm']) {
      const answer = await ask(path, { body: '{}' });
      expect([path, [403, 404].includes(answer.status)]).toEqual([path, true]);
    }
    expect(await (await ask('/auth/test/test/mail/start', { body: '{}' })).json()).toMatchObject({
      error: 'route_denied',
    });
    expect(await rpc('auth_start', [{}])).toMatchObject({ error: { message: expect.stringMatching(/auth_start/) } });
  });

  it('can all be denied but for some', async () => {
    server = await startTestServer({ SVC_DENY_HTTP: 'true', SVC_ALLOW_HTTP: 'health' });
    expect((await ask('/health')).status).toBe(200);
    expect((await ask('/version')).status).toBe(403);
  });
});

describe('methods', () => {
  it('can be denied', async () => {
    server = await startTestServer({ SURREAL_CAPS_DENY_RPC: 'query' });
    expect(await rpc('query', ['RETURN 1'], AS_ROOT)).toMatchObject({
      error: { code: -32602, kind: 'NotAllowed', details: { kind: 'Method', details: { name: 'query' } } },
    });
    expect(await rpc('ping', [])).not.toHaveProperty('error');
  });

  it('can be the only ones', async () => {
    server = await startTestServer({ SVC_ALLOW_RPC: 'version' });
    expect(await rpc('version', [])).not.toHaveProperty('error');
    expect(await rpc('ping', [])).toHaveProperty('error');
  });
});

describe('queries of one’s own', () => {
  it('can be denied to some, on every transport', async () => {
    server = await startTestServer({
      SVC_ALLOW_GUESTS: 'true',
      SVC_DENY_ARBITRARY_QUERY: 'guest,record',
      SVC_EXPERIMENTAL_GRAPHQL: 'true',
    });
    expect((await ask('/sql', { body: 'RETURN 1' })).status).toBe(403);
    expect((await ask('/sql', { body: 'RETURN 1', ...asRoot })).status).toBe(200);
    expect((await ask('/graphql', { body: '{"query":"{ __typename }"}' })).status).toBe(403);
    for (const [method, params] of [
      ['query', ['RETURN 1']],
      ['select', ['person']],
      ['use', ['a', 'b']],
      ['graphql', [{ query: '{ __typename }' }]],
    ] as const) {
      expect(await rpc(method, [...params])).toMatchObject({ error: { code: -32602, kind: 'NotAllowed' } });
    }
    expect(await rpc('query', ['RETURN 1'], AS_ROOT)).toMatchObject({ result: [{ result: 1 }] });
    expect((await ask('/version')).status).toBe(200);
  });

  it('leave what is defined to be called', async () => {
    server = await startTestServer({ SVC_ALLOW_GUESTS: 'true', SVC_DENY_ARBITRARY_QUERY: 'guest' });
    const body = 'DEFINE API "/hello" FOR get PERMISSIONS FULL THEN { { status: 200, body: "hi" } }';
    expect((await ask('/sql', { body, ...asRoot })).status).toBe(200);
    expect((await ask('/api/test/test/hello')).status).toBe(200);
  });

  it('may be no built-in function either, but a defined one', async () => {
    server = await startTestServer({ SVC_ALLOW_GUESTS: 'true', SVC_DENY_ARBITRARY_QUERY: 'guest,record' });
    const body = `
      DEFINE SEQUENCE s; DEFINE FUNCTION fn::open() { RETURN 'open' }; DEFINE FUNCTION fn::closed() { 1 } PERMISSIONS NONE;
      DEFINE ACCESS people ON DATABASE TYPE RECORD SIGNUP (CREATE person)`;
    expect((await ask('/sql', { body, ...asRoot })).status).toBe(200);
    const credentials = JSON.stringify({ NS: 'test', DB: 'test', AC: 'people' });
    const { token } = (await (await ask('/signup', { body: credentials })).json()) as { token: string };
    for (const who of [undefined, `Bearer ${token}`]) {
      for (const name of [
        'sequence::nextval',
        'http::get',
        'math::abs',
        'schema::table::exists',
        'FN::open',
        'nothing',
      ])
        expect([name, await rpc('run', [name, null, ['s']], who)]).toMatchObject([
          name,
          {
            error: {
              message: `Queries of their own are not allowed to ${who === undefined ? 'guest' : 'record'} users`,
            },
          },
        ]);
      expect(await rpc('run', [7], who)).toMatchObject({ error: { kind: 'NotAllowed' } });
      expect(await rpc('run', ['fn::open'], who)).toMatchObject({ result: 'open' });
      expect(await rpc('run', ['fn::closed'], who)).toHaveProperty('error');
    }
    expect(await rpc('run', ['math::abs', null, [-1]], AS_ROOT)).toMatchObject({ result: 1 });
  });

  it('are denied to those who come in by GraphQL’s WebSocket', async () => {
    server = await startTestServer({
      SVC_ALLOW_GUESTS: 'true',
      SVC_DENY_ARBITRARY_QUERY: 'guest',
      SVC_EXPERIMENTAL_GRAPHQL: 'true',
    });
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    await once(socket, 'open');
    socket.send(JSON.stringify({ type: 'connection_init', payload: { 'svc-ns': 'test', 'svc-db': 'test' } }));
    const [code] = await once(socket, 'close');
    expect(code).toBeGreaterThanOrEqual(4400);
  });
});

import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { encode } from 'cborg';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failure } from '../../src/errors/error.js';
import { createHttpServer, type HttpServerParts } from '../../src/http/server.js';
import { objectFrom } from '../../src/value/value.js';
import { FakeDatabase, succeeded } from '../support/fake-database.js';

let database: FakeDatabase;
let app: FastifyInstance;
let logged: object[];

beforeEach(() => {
  database = new FakeDatabase();
  database.onQuery = () => [succeeded(1)];
  logged = [];
  app = build();
});
afterEach(() => app.close());

function build(parts: Partial<HttpServerParts> = {}): FastifyInstance {
  const log = { debug() {}, info() {}, warn() {}, error: (details: object) => void logged.push(details) };
  return createHttpServer({ database, log, ...parts });
}

const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly json: Record<string, unknown>;
}

async function send(options: InjectOptions): Promise<Reply> {
  const { statusCode, headers, payload } = await app.inject(options);
  return {
    status: statusCode,
    headers,
    text: payload,
    get json() {
      return JSON.parse(payload);
    },
  };
}

const sql = (headers: Record<string, string> = {}, url = '/sql', payload: string | Buffer = 'RETURN 1') =>
  send({ method: 'POST', url, headers, payload });

describe('plain addresses', () => {
  it('are alive, healthy and have a version', async () => {
    expect(await send({ url: '/status' })).toMatchObject({ status: 200, text: '' });
    expect(await send({ url: '/health' })).toMatchObject({ status: 200, text: '' });
    expect(await send({ url: '/ready' })).toMatchObject({ status: 200, text: '' });
    expect(await send({ url: '/version' })).toMatchObject({ status: 200, text: 'surrealdb-3.0.2' });
    expect((await send({ url: '/' })).json).toMatchObject({ name: 'Tessera' });
    expect((await send({ method: 'HEAD', url: '/health' })).status).toBe(200);
  });

  it('say when the storage is away', async () => {
    database.healthy = false;
    expect((await send({ url: '/health' })).status).toBe(503);
    expect((await send({ url: '/ready' })).status).toBe(503);
    database.healthy = true;
    database.current = false;
    expect((await send({ url: '/health' })).status).toBe(200);
    expect((await send({ url: '/ready' })).status).toBe(503);
    expect((await send({ url: '/status' })).status).toBe(200);
  });

  it('answer 404 and 405 with bodies that say so', async () => {
    expect((await send({ url: '/nothing' })).json).toEqual({
      code: 404,
      details: 'Requested resource does not exist',
      description: expect.any(String),
      information: 'There is nothing at this address',
      error: 'route_missing',
    });
    const wrong = await send({ method: 'DELETE', url: '/sql' });
    expect(wrong).toMatchObject({ status: 405, headers: { allow: 'POST, OPTIONS' } });
    expect((await send({ method: 'DELETE', url: '/rpc' })).headers.allow).toBe('POST, GET, HEAD, OPTIONS');
    expect((await send({ url: '/rpc' })).status).toBe(426);
  });

  it('carry who answered and which request it was', async () => {
    const { headers } = await send({ url: '/status', headers: { 'x-request-id': 'mine-1' } });
    expect(headers).toMatchObject({
      server: 'tessera',
      'surreal-version': 'surrealdb-3.0.2',
      'x-request-id': 'mine-1',
    });
    const { headers: other } = await send({ url: '/status', headers: { 'x-request-id': 'no spaces allowed' } });
    expect(other['x-request-id']).toMatch(/^[\w-]+$/);
    app = build({ options: { product: undefined } });
    expect((await send({ url: '/status' })).headers).not.toHaveProperty('server');
  });
});

it('logs each answer at debug level, without the query string', async () => {
  const told: object[] = [];
  const ignore = () => {};
  const log = { debug: (details: object) => void told.push(details), info: ignore, warn: ignore, error: ignore };
  app = build({ log: { ...log, isLevelEnabled: () => true } });
  await sql({ 'x-request-id': 'mine' }, '/sql?password=hidden');
  await expect
    .poll(() => told)
    .toMatchObject([{ request: 'mine', method: 'POST', path: '/sql', status: 200, milliseconds: expect.any(Number) }]);
  expect(JSON.stringify(told)).not.toContain('hidden');
});

describe('/sql', () => {
  it('answers with one entry for each statement, also when one fails', async () => {
    database.onQuery = () => [
      succeeded(1),
      { time: 3n, outcome: { ok: false, error: failure('record_exists', { id: 'p:1' }) } },
    ];
    const { status, headers, json } = await sql();
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json');
    expect(json).toMatchObject([
      { result: 1, status: 'OK', time: '1.5µs' },
      { result: 'Database record `p:1` already exists', status: 'ERR', kind: 'AlreadyExists' },
    ]);
  });

  it('passes the text and the query string on', async () => {
    await sql({}, '/sql?a=1&b=x%20y+z&__proto__=p&c');
    expect(database.queries[0]?.text).toBe('RETURN 1');
    expect(database.queries[0]?.variables).toEqual(
      objectFrom([
        ['a', '1'],
        ['b', 'x y z'],
        ['__proto__', 'p'],
        ['c', ''],
      ]),
    );
  });

  it('ends its session with the request', async () => {
    await sql();
    expect(database.sessions.map(({ closed }) => closed)).toEqual([true]);
  });

  it.each([
    ['application/cbor'],
    ['application/cbor; v=2'],
    ['text/html, application/cbor;q=0.9'],
    ['application/cbor, application/json;q=0.5'],
  ])('speaks CBOR to %s', async (accept) => {
    const { headers } = await sql({ accept });
    expect(headers['content-type']).toBe('application/cbor');
  });

  it.each([
    ['*/*'],
    ['application/json'],
    ['application/*'],
    ['application/cbor;q=0.1, */*'],
    ['application/json;q=0.2'],
  ])('speaks JSON to %s', async (accept) => {
    expect((await sql({ accept })).headers['content-type']).toBe('application/json');
  });

  it.each([['text/html'], ['application/json;q=0'], ['*/*;q=0, text/plain']])('has nothing for %s', async (accept) => {
    expect(await sql({ accept })).toMatchObject({ status: 406, json: { error: 'not_acceptable' } });
    expect(database.queries).toEqual([]);
  });

  it.each([['/sql?a=%zz'], ['/sql?a=%ff'], ['/sql?a=1&a=2'], [`/sql?${'a&'.repeat(300)}`]])(
    'refuses %s',
    async (url) => {
      expect(await sql({}, url)).toMatchObject({ status: 400, json: { error: 'query_parameter_invalid' } });
    },
  );

  it('refuses what is not UTF-8', async () => {
    const reply = await sql({}, '/sql', Buffer.from([0x52, 0xff, 0xfe]));
    expect(reply).toMatchObject({ status: 400, json: { error: 'malformed_request' } });
  });

  it('takes any content type, and none', async () => {
    for (const type of ['text/plain', 'application/json', 'application/x-www-form-urlencoded', 'nonsense']) {
      expect((await sql({ 'content-type': type })).status).toBe(type === 'nonsense' ? 415 : 200);
    }
    expect((await send({ method: 'POST', url: '/sql' })).status).toBe(200);
  });

  it('names the limit that a body exceeds', async () => {
    app = build({ options: { limits: { sqlBody: 10 } } });
    expect(await sql({}, '/sql', 'x'.repeat(11))).toMatchObject({
      status: 413,
      json: { error: 'body_too_large', information: 'The body exceeds the limit of 10 bytes (--max-sql-body)' },
    });
    expect((await sql({}, '/sql', 'x'.repeat(10))).status).toBe(200);
  });

  it('logs a failing request with its status', async () => {
    database.onQuery = () => {
      throw failure('parse_error', { what: 'no' });
    };
    expect(await sql()).toMatchObject({ status: 400, json: { details: 'Request problems detected' } });
    database.onQuery = () => {
      throw failure('too_many_attempts', { retryAfter: 7 });
    };
    expect(await sql()).toMatchObject({ status: 429, headers: { 'retry-after': '7' } });
  });

  it('logs a failure of our own and hides it from the client', async () => {
    database.onQuery = () => {
      throw new TypeError('secret detail');
    };
    const { status, text } = await sql();
    expect(status).toBe(500);
    expect(text).not.toContain('secret detail');
    expect(logged).toMatchObject([{ error: new TypeError('secret detail') }]);
  });
});

describe('selection headers', () => {
  const place = () => ({ ns: database.sessions[0]?.namespace, db: database.sessions[0]?.database });

  it.each([
    [{ 'svc-ns': 'a', 'svc-db': 'b' }],
    [{ 'SURREAL-NS': 'a', 'surreal-db': 'b' }],
    [{ ns: 'a', DB: 'b' }],
    [{ 'svc-ns': 'a', 'surreal-ns': 'a', ns: 'a', db: 'b' }],
  ])('%j selects', async (headers) => {
    expect((await sql(headers as Record<string, string>)).status).toBe(200);
    expect(place()).toEqual({ ns: 'a', db: 'b' });
  });

  it('reads UTF-8', async () => {
    await sql({ 'svc-ns': Buffer.from('tëst').toString('latin1') });
    expect(place().ns).toBe('tëst');
  });

  it('names the session', async () => {
    await sql({ 'svc-id': 'me', origin: 'https://a.example' });
    expect(database.sessions[0]?.origin).toEqual({ id: 'me', origin: 'https://a.example', ip: '127.0.0.1' });
  });

  it.each([
    [{ 'svc-ns': 'a', ns: 'b' }, 'header_conflict'],
    [{ 'svc-id': 'a', 'surreal-id': 'b' }, 'header_conflict'],
    [{ 'svc-ns': '' }, 'header_invalid'],
    [{ 'svc-ns': 'é' }, 'header_invalid'],
    [{ 'svc-ns': 'x'.repeat(2000) }, 'header_invalid'],
    [{ 'svc-ns': 'a\tb' }, 'header_invalid'],
  ])('refuses what is ambiguous or no name (%#)', async (headers, error) => {
    expect(await sql(headers as Record<string, string>)).toMatchObject({ status: 400, json: { error } });
    expect(database.queries).toEqual([]);
  });
});

describe('authorization', () => {
  const principal = () => database.sessions[0]?.principal;

  it('takes a token or a password', async () => {
    expect((await sql({ authorization: 'Bearer a.b.c' })).status).toBe(200);
    expect((await sql({ authorization: basic('root', 'secret') })).status).toBe(200);
    expect(principal()).toMatchObject({ kind: 'system' });
  });

  it('takes the level of a Basic user from the headers', async () => {
    const authorization = basic('root', 'secret');
    await sql({ authorization });
    await sql({ authorization, 'svc-auth-ns': 'a' });
    await sql({ authorization, 'surreal-auth-ns': 'a', 'svc-auth-db': 'b' });
    expect(database.levels).toEqual([{}, { namespace: 'a' }, { namespace: 'a', database: 'b' }]);
    expect((await sql({ authorization, 'svc-auth-db': 'b' })).status).toBe(400);
  });

  it.each([
    ['Bearer'],
    ['Bearer a b'],
    ['Bearer x'],
    ['Digest x'],
    ['Basic !!!'],
    [`Basic ${Buffer.from('nocolon').toString('base64')}`],
    [`Basic ${Buffer.from([0x61, 0x3a, 0xff]).toString('base64')}`],
    [basic('root', 'wrong')],
    [''],
  ])('answers 401 to %j', async (authorization) => {
    const reply = await sql({ authorization });
    expect(reply.status).toBe(401);
    expect(reply.json).toMatchObject({ code: 401, details: 'Authentication failed' });
    expect(reply.headers['www-authenticate']).toContain('Bearer');
    expect(database.queries).toEqual([]);
    expect(database.sessions.every(({ closed }) => closed)).toBe(true);
  });

  it('repeats no secret', async () => {
    const reply = await sql({ authorization: basic('root', 'hunter22') });
    expect(reply.text).not.toContain('hunter22');
  });
});

describe('/signin and /signup', () => {
  const post = (
    payload: string | Buffer,
    headers: Record<string, string> = { 'content-type': 'application/json' },
    url = '/signin',
  ) => send({ method: 'POST', url, headers, payload });
  const good = JSON.stringify({ user: 'root', pass: 'secret' });

  it.each(['/signin', '/signup'])('%s gives a token', async (url) => {
    const reply = await post(good, undefined, url);
    expect(reply).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    });
    expect(reply.json).toEqual({ code: 200, details: 'Authentication succeeded', token: 'a.b.c' });
  });

  it('gives a refresh token where one is issued', async () => {
    expect((await post(JSON.stringify({ pass: 'secret', refreshable: true }))).json).toEqual({
      code: 200,
      details: 'Authentication succeeded',
      token: { access: 'a.b.c', refresh: 'refresh' },
    });
  });

  it('answers 401 to wrong credentials', async () => {
    expect((await post(JSON.stringify({ user: 'root', pass: 'x' }))).json).toMatchObject({
      code: 401,
      information: 'There was a problem with authentication',
      error: 'invalid_auth',
    });
  });

  it.each([['{'], ['[]'], ['5'], ['null'], [''], ['"x"'], [Buffer.from([0xff])], ['['.repeat(2000)]])(
    'answers 400 to what is no object (%#)',
    async (body) => {
      expect((await post(body)).status).toBe(400);
    },
  );

  it('answers 415 to other types, and takes what curl and fetch send', async () => {
    expect((await post(good, { 'content-type': 'text/xml' })).status).toBe(415);
    expect((await post('user=root', { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await post(good, { 'content-type': 'text/plain;charset=UTF-8' })).status).toBe(200);
    expect((await post('user=root', { 'content-type': 'application/x-www-form-urlencoded' })).status).toBe(415);
    expect((await post(good, { 'content-type': 'application/x-www-form-urlencoded' })).status).toBe(200);
    expect((await post(good, { 'content-type': 'application/json; charset=utf-8' })).status).toBe(200);
    expect((await post(good, {})).status).toBe(200);
    expect((await post(good, { 'content-type': 'application/json', accept: 'text/html' })).status).toBe(406);
  });

  it('bounds the body', async () => {
    expect(await post(`{"a":"${'x'.repeat(5000)}"}`)).toMatchObject({ status: 413, json: { error: 'body_too_large' } });
  });
});

describe('/rpc over HTTP', () => {
  const rpc = (payload: string | Buffer, headers: Record<string, string> = {}) =>
    send({ method: 'POST', url: '/rpc', headers: { 'content-type': 'application/json', ...headers }, payload });
  const request = (method: string, ...params: unknown[]) => JSON.stringify({ id: 1, method, params });

  it('answers with the envelope, without an id', async () => {
    expect((await rpc(request('ping'))).json).toEqual({ result: null });
    expect((await rpc(JSON.stringify({ method: 'ping' }))).json).toEqual({ result: null });
    expect((await rpc(request('query', 'RETURN 1'))).json).toEqual({
      result: [{ result: 1, status: 'OK', time: expect.any(String) }],
    });
  });

  it('answers errors of RPC with status 200', async () => {
    const reply = await rpc(request('nope'));
    expect(reply.status).toBe(200);
    expect(reply.json).toEqual({ error: expect.objectContaining({ code: -32601 }) });
  });

  it('speaks the format it is spoken to', async () => {
    const body = Buffer.from(encode({ id: 'x', method: 'version' }));
    const reply = await rpc(body, { 'content-type': 'application/cbor' });
    expect(reply.headers['content-type']).toBe('application/cbor');
    expect((await rpc(body, { 'content-type': 'application/cbor', accept: 'application/json' })).json).toEqual({
      result: 'surrealdb-3.0.2',
    });
    expect((await rpc(request('ping'), { 'content-type': 'text/plain' })).status).toBe(415);
  });

  it('lets an outdated token sign in again, and nothing else', async () => {
    const authorization = 'Bearer outdated';
    expect((await rpc(request('signin', { pass: 'secret' }), { authorization })).json).toEqual({
      result: 'a.b.c',
    });
    expect((await rpc(request('query', 'RETURN 1'), { authorization })).status).toBe(401);
  });

  it.each([['{'], [''], ['{"id":1'], [Buffer.from([0xff])]])('answers 400 to %s', async (body) => {
    expect((await rpc(body)).status).toBe(400);
  });

  it('survives what tries to be a prototype', async () => {
    const reply = await rpc(
      '{"__proto__":{"polluted":1},"id":1,"method":"query","params":["RETURN 1",{"__proto__":{"x":1}}]}',
    );
    expect(reply.status).toBe(200);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it('keeps concurrent requests apart', async () => {
    database.onQuery = async (_text, _variables, session) => {
      await new Promise(setImmediate);
      return [succeeded(session.principal.kind)];
    };
    const replies = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        rpc(request('query', 'RETURN $auth'), index % 2 === 0 ? { authorization: 'Bearer a.b.c' } : {}),
      ),
    );
    replies.forEach((reply, index) => {
      expect(reply.json).toMatchObject({ result: [{ result: index % 2 === 0 ? 'system' : 'guest' }] });
    });
  });
});

describe('/graphql', () => {
  const headers = { 'svc-ns': 'a', 'svc-db': 'b', accept: 'application/json', 'content-type': 'application/json' };

  it('is off unless a handler was given', async () => {
    const reply = await send({ method: 'POST', url: '/graphql', headers, payload: '{}' });
    expect(reply).toMatchObject({ status: 404, json: { error: 'graphql_disabled' } });
    expect(reply.text).toContain('SVC_EXPERIMENTAL_GRAPHQL');
  });

  it('hands over a session that is ready', async () => {
    app = build({
      graphql: async ({ session, ...asked }) => ({
        status: 202,
        contentType: 'application/graphql-response+json',
        body: JSON.stringify({ databasePath: session.identity.databasePath, ...asked }),
      }),
    });
    const reply = await send({ method: 'POST', url: '/graphql', headers, payload: '{"query":"{a}"}' });
    expect(reply.status).toBe(202);
    expect(reply.json).toEqual({
      databasePath: { namespace: 'a', database: 'b' },
      accept: 'application/json',
      contentType: 'application/json',
      body: '{"query":"{a}"}',
      fromPage: false,
    });
    const { 'svc-db': _, ...without } = headers;
    expect((await send({ method: 'POST', url: '/graphql', headers: without, payload: '{}' })).status).toBe(400);
  });
});

describe('CORS', () => {
  it('lets any page call', async () => {
    const reply = await send({
      method: 'OPTIONS',
      url: '/sql',
      headers: { origin: 'https://a.example', 'access-control-request-method': 'POST' },
    });
    expect(reply.status).toBe(204);
    expect(reply.headers).toMatchObject({ 'access-control-allow-origin': '*', 'access-control-max-age': '86400' });
    expect(reply.headers['access-control-allow-headers']).toContain('svc-ns');
  });

  it('lets only listed pages call where there is a list', async () => {
    app = build({ options: { allowedOrigins: ['https://a.example'] } });
    const good = await sql({ origin: 'https://a.example' });
    expect(good.headers).toMatchObject({
      'access-control-allow-origin': 'https://a.example',
      'access-control-expose-headers': expect.stringContaining('x-request-id'),
      vary: 'origin',
    });
    expect((await sql({ origin: 'https://b.example' })).status).toBe(403);
    expect((await sql()).status).toBe(200);
  });
});

describe('raw sockets', () => {
  async function raw(text: string): Promise<string> {
    await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.address() as AddressInfo;
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(text));
      let answer = '';
      socket.on('data', (chunk) => {
        answer += chunk;
        if (answer.includes('}')) socket.end();
      });
      socket.on('close', () => resolve(answer));
      socket.on('error', reject);
    });
  }

  it.each([
    ['GARBAGE\r\n\r\n', 400],
    ['GET / HTTP/1.1\r\nHost: a\r\nsvc-ns: a\u0000b\r\n\r\n', 400],
    [`GET / HTTP/1.1\r\nHost: a\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, 431],
    ['POST /sql HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 400],
    ['GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['GET /graphql HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n', 404],
    ['GET /rpc HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n', 400],
    ['GET /rpc HTTP/1.1\r\nHost: a\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n', 426],
  ])('are answered with a status (%#)', async (text, status) => {
    const answer = await raw(text);
    expect(answer).toContain(`HTTP/1.1 ${status} `);
    expect(answer).toContain('"error":');
    expect((await send({ url: '/status' })).status).toBe(200);
  });

  it('may offer an upgrade that is none of ours', async () => {
    const answer = await raw(
      'POST /sql HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: x\r\nContent-Length: 8\r\n\r\nRETURN 1',
    );
    expect(answer).toContain('HTTP/1.1 200 OK');
    expect(database.queries[0]?.text).toBe('RETURN 1');
  });

  it('distinguishes two headers of one name', async () => {
    const conflict = 'POST /sql HTTP/1.1\r\nHost: a\r\nsvc-ns: a\r\nsvc-ns: b\r\nContent-Length: 0\r\n\r\n';
    expect(await raw(conflict)).toContain('header_conflict');
  });
});

/** Pages of other sites: what they can't do with a password that a browser remembers, and without authentication. */
import { type AddressInfo, connect } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import type { OriginRule } from '../../src/http/base/cors.js';
import { DEFAULT_HTTP_LIMITS, type HttpOptions } from '../../src/http/base/options.js';
import { createHttpServer } from '../../src/http/server.js';
import { FakeDatabase, succeeded } from '../support/fake-database.js';

let app: FastifyInstance;
afterEach(() => app.close());

function build(options: Partial<OriginRule> = {}): FakeDatabase {
  const database = new FakeDatabase();
  database.onQuery = () => [succeeded(1)];
  app = createHttpServer({ database, options });
  return database;
}

async function send(headers: Readonly<Record<string, string>>, method: 'GET' | 'POST' = 'POST', url = '/sql') {
  const request = { method, url, headers, ...(method === 'POST' && { payload: 'RETURN 1' }) };
  const { statusCode, payload, headers: answered } = await app.inject(request);
  return { status: statusCode, text: payload, headers: answered };
}

/** The status of a WebSocket handshake. */
async function handshake(headers: Readonly<Record<string, string>>): Promise<number> {
  if (!app.server.listening) await app.listen({ host: '127.0.0.1', port: 0 });
  const fixed = { upgrade: 'websocket', connection: 'upgrade', 'sec-websocket-version': '13' };
  const all = { host: 'localhost', ...fixed, 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==', ...headers };
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(
    ['GET /rpc HTTP/1.1', ...Object.entries(all).map(([name, value]) => `${name}: ${value}`), '', ''].join('\r\n'),
  );
  const head = await new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))));
  socket.destroy();
  return Number(head.slice(9, 12));
}

const BASIC = `Basic ${Buffer.from('root:secret').toString('base64')}`;
const EVIL = 'http://evil.example';

it('A page of another site has nothing done by a password that the browser remembers', async () => {
  const database = build();
  const remembered = { host: 'localhost:8000', authorization: BASIC, origin: EVIL };
  for (const headers of [
    { ...remembered, 'content-type': 'text/plain' },
    { ...remembered, 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'cross-site' },
    { ...remembered, origin: 'null' },
    { ...remembered, origin: 'http://localhost:3000', 'sec-fetch-site': 'same-site' },
    remembered,
  ]) {
    for (const url of ['/sql', '/import', '/key/person', '/api/a/b/c', '/graphql']) {
      const { status, text } = await send(headers, 'POST', url);
      expect([url, status, JSON.parse(text).kind ?? text]).toEqual([url, 403, expect.anything()]);
      expect(text).toContain('may be one that a browser remembers');
    }
  }
  expect(await handshake({ authorization: BASIC, origin: EVIL })).toBe(403);
  expect(database.sessions).toEqual([]);
});

it('A password that a browser has not added is taken', async () => {
  build({ allowedOrigins: undefined });
  const own = { host: 'localhost:8000', authorization: BASIC };
  for (const headers of [
    own,
    { ...own, origin: 'http://localhost:8000' },
    { ...own, origin: 'https://localhost:8000', 'sec-fetch-site': 'same-origin' },
    { ...own, origin: EVIL, 'svc-ns': 'test' },
    { ...own, origin: EVIL, 'content-type': 'application/json' },
    { host: 'localhost:8000', authorization: 'Bearer a.b.c', origin: EVIL },
  ]) {
    expect([headers, (await send(headers)).status]).toEqual([headers, 200]);
  }
  expect(await handshake({ authorization: BASIC })).toBe(101);
  expect(await handshake({ authorization: 'Bearer a.b.c', origin: EVIL })).toBe(101);
  await app.close();
  // An origin on the list is trusted.
  build({ allowedOrigins: [EVIL] });
  expect((await send({ ...own, origin: EVIL })).status).toBe(200);
  expect(await handshake({ authorization: BASIC, origin: EVIL })).toBe(101);
});

it('Without authentication only pages of this machine are answered', async () => {
  const database = build({ localOnly: true });
  const host = '127.0.0.1:8000';
  for (const origin of [EVIL, 'null', 'http://localhost.evil.example', 'http://192.0.2.1:8000', 'http://evil']) {
    expect([origin, (await send({ host, origin })).status]).toEqual([origin, 403]);
    expect([origin, await handshake({ host, origin })]).toEqual([origin, 403]);
  }
  expect(database.sessions).toEqual([]);
  const local = ['http://localhost:5173', 'http://app.localhost', 'http://127.0.0.1:3000', 'http://[::1]:3000'];
  for (const origin of [...local, `http://${host}`, 'tauri://localhost']) {
    const { status, headers } = await send({ host, origin });
    expect([origin, status, headers['access-control-allow-origin']]).toEqual([origin, 200, origin]);
  }
  expect((await send({ host })).status).toBe(200);
  expect(await handshake({ host, origin: 'http://localhost:5173' })).toBe(101);
});

it('Without authentication a name that another site may have is refused', async () => {
  build({ localOnly: true });
  // DNS rebinding: the page is of the same origin, and a GET says no origin.
  for (const host of ['rebind.example', 'rebind.example:8000', 'rebind.example.', '127.0.0.1.rebind.example', 'a b'])
    for (const origin of [{}, { origin: `http://${host}` }])
      for (const method of ['GET', 'POST'] as const) {
        const url = method === 'GET' ? '/key/person' : '/sql';
        expect([host, (await send({ host, ...origin, 'svc-ns': 'a', 'svc-db': 'b' }, method, url)).status]).toEqual([
          host,
          403,
        ]);
      }
  expect(await handshake({ host: 'rebind.example', origin: 'http://rebind.example' })).toBe(403);
  for (const host of ['localhost', 'localhost:8000', '192.0.2.7:8000', '[::1]:8000', 'tessera:8000']) {
    for (const headers of [{ host }, { host, origin: `http://${host}` }])
      expect([headers, (await send(headers)).status]).toEqual([headers, 200]);
  }
  await app.close();
  build({ localOnly: true, allowedOrigins: ['https://db.example:8000'] });
  expect((await send({ host: 'db.example' })).status).toBe(200);
  expect((await send({ host: 'rebind.example' })).status).toBe(403);
  expect((await send({ host: 'db.example', origin: 'http://localhost:5173' })).status).toBe(403);
});

it('An empty or unknown Authorization is no password that a browser remembers, and is refused as wrong credentials', async () => {
  build();
  for (const authorization of ['Bearer ', 'Bearer', 'Token abc', 'Basically']) {
    const { status, text } = await send({ host: 'localhost:8000', authorization, origin: EVIL });
    expect([authorization, status]).toEqual([authorization, 401]);
    expect(text).not.toContain('remembers');
    expect(await handshake({ authorization, origin: EVIL })).toBe(401);
  }
  // What browsers add is Basic, whatever follows.
  for (const authorization of ['Basic ', 'basic x', 'BASIC'])
    expect((await send({ host: 'localhost:8000', authorization, origin: EVIL })).status).toBe(403);
});

/** What a server answers to bytes, until it closes the connection. */
async function exchange(text: string): Promise<string> {
  if (!app.server.listening) await app.listen({ host: '127.0.0.1', port: 0 });
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(text);
  let answer = '';
  for await (const data of socket) answer += String(data);
  return answer;
}

const POST_HEAD = `POST /sql HTTP/1.1\r\nHost: localhost\r\nOrigin: ${EVIL}\r\nContent-Length: 9`;

describe('A page may read why it was refused, before any route is chosen, too', () => {
  const limits = { httpConnectionsPerAddress: 0 };
  it.each<[string, Partial<HttpOptions>, string, number]>([
    ['a remembered password', {}, `${POST_HEAD}\r\nConnection: close\r\nAuthorization: ${BASIC}\r\n\r\nRETURN 1;`, 403],
    [
      'a malformed address',
      {},
      `GET /key/%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\nOrigin: ${EVIL}\r\n\r\n`,
      400,
    ],
    ['an unknown path', {}, `GET /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\nOrigin: ${EVIL}\r\n\r\n`, 404],
    ['two hosts', {}, `GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\nConnection: close\r\nOrigin: ${EVIL}\r\n\r\n`, 400],
    ['large headers', {}, `GET / HTTP/1.1\r\nHost: x\r\nx: ${'x'.repeat(100_000)}\r\n\r\n`, 431],
    ['too many pipelined', {}, `GET /health HTTP/1.1\r\nHost: x\r\nOrigin: ${EVIL}\r\n\r\n`.repeat(70), 429],
    ['too many connections', { limits: { ...DEFAULT_HTTP_LIMITS, ...limits } }, POST_HEAD, 503],
    ['a slow body', { requestTimeout: 50 }, `${POST_HEAD}\r\n\r\n`, 408],
  ])('%s', async (_what, options, text, status) => {
    const database = new FakeDatabase();
    app = createHttpServer({ database, options });
    const answer = (await exchange(text)).split(/(?=HTTP\/1\.1 \d)/).at(-1) ?? '';
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toContain('access-control-allow-origin: *');
    expect(database.queries).toEqual([]);
  });

  it('where origins are listed, those of the list', async () => {
    build({ allowedOrigins: ['https://app.example'] });
    const refusal = async (origin: string) =>
      (await send({ host: 'x', authorization: 'Nonsense', origin }, 'POST', '/nowhere')).headers;
    expect(await refusal('https://app.example')).toMatchObject({
      'access-control-allow-origin': 'https://app.example',
      vary: 'origin',
    });
    expect(await refusal(EVIL)).not.toHaveProperty('access-control-allow-origin');
    expect(await refusal(EVIL)).toMatchObject({ vary: 'origin' });
  });
});

it('A header that must come once is not taken from two', async () => {
  const database = build();
  const lines = (...headers: string[]) =>
    `POST /sql HTTP/1.1\r\n${headers.join('\r\n')}\r\nConnection: close\r\nContent-Length: 8\r\n\r\nRETURN 1`;
  for (const hosts of [
    ['Host: a', 'Host: b'],
    ['Host: a', 'Host: a'],
    ['host: a', 'X: y', 'HOST: a'],
  ])
    expect(await exchange(lines(...hosts))).toMatch(/^HTTP\/1.1 400 [\s\S]*more than one Host/);
  expect(await exchange(lines('Host: a', 'Authorization: Bearer a', 'Authorization: Bearer b'))).toMatch(
    /^HTTP\/1.1 401 /,
  );
  expect(await handshake({ host: 'a\r\nhost: b' })).toBe(400);
  expect(database.queries).toEqual([]);
  expect(await exchange(lines('Host: a'))).toMatch(/^HTTP\/1.1 200 /);
});

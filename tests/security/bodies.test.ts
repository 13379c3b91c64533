/** Bodies and messages that would delay all other requests (69). Work is counted between the points at which it yields. */

import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { objectFromJavaScript } from '../../src/embedded/from-javascript.js';
import type { Environment } from '../../src/env/environment.js';
import { realEnvironment } from '../../src/env/real.js';
import { GraphqlService } from '../../src/graphql/service.js';
import { createGraphqlHandler } from '../../src/graphql/transports/handler.js';
import { createHttpServer } from '../../src/http/server.js';
import { FLATBUFFERS } from '../../src/value/codecs/formats.js';
import { run, World } from '../support/world.js';
import { attack } from './attack.js';

const MIB = 2 ** 20;
const SELECTED = { 'svc-ns': 'test', 'svc-db': 'test' };

let world: World;
let app: FastifyInstance;
let token: string;
let turns = 0;

/** Every look at the clock finds a slice of time used up, so that each checkpoint is one turn of the others. */
function countingEnvironment(): Environment {
  let now = 0;
  return {
    ...realEnvironment,
    clock: { now: () => realEnvironment.clock.now(), monotonic: () => (now += 10) },
    timers: {
      after: (milliseconds, callback) => realEnvironment.timers.after(milliseconds, callback),
      wait: (milliseconds) => realEnvironment.timers.wait(milliseconds),
      yield: () => {
        turns++;
        return realEnvironment.timers.yield();
      },
      nextRound: () => realEnvironment.timers.nextRound(),
    },
  };
}

beforeEach(async () => {
  turns = 0;
  const environment = countingEnvironment();
  world = await World.open({ environment });
  const graphql = createGraphqlHandler(new GraphqlService(), 'standard');
  app = createHttpServer({ database: world.database, environment, graphql });
  await app.listen({ host: '127.0.0.1', port: 0 });
  token = world.tokenOf(await world.systemUser('DO')) as string;
});
afterEach(async () => {
  await app.close();
  await world.close();
});

const port = () => (app.server.address() as AddressInfo).port;

/** What a server answers to the bytes of a request, up to the end of the answer's head. */
function talk(bytes: readonly (string | Buffer)[], until = '\r\n\r\n'): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port(), '127.0.0.1');
    let told = '';
    socket.on('data', (piece) => {
      told += String(piece);
      if (told.includes(until)) socket.destroy();
    });
    socket.on('close', () => resolve(told));
    socket.on('error', (error) => (told === '' ? reject(error) : resolve(told)));
    for (const each of bytes) socket.write(each);
  });
}

function head(route: string, headers: Readonly<Record<string, string | number>>, method = 'POST'): string {
  const lines = Object.entries({ host: 'x', accept: '*/*', ...headers }).map(([name, value]) => `${name}: ${value}`);
  return `${method} ${route} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}

const ROUTES = ['/sql', '/rpc', '/graphql', '/api/test/test/x', '/import'];
const JSON_TYPE = { 'content-type': 'application/json' };

describe('before a body is read', () => {
  attack(69, 'large bodies of those who have not signed in are refused unread', async () => {
    for (const route of ROUTES) {
      // Not a byte of the body comes.
      const told = await talk(
        [head(route, { ...JSON_TYPE, ...SELECTED, 'content-length': 4 * MIB })],
        '--max-guest-body',
      );
      expect([route, told]).toEqual([route, expect.stringMatching(/^HTTP\/1.1 413 [\s\S]*--max-guest-body/)]);
    }
    // One that doesn't say how long it is.
    const piece = `10000\r\n${'1;'.repeat(2 ** 15)}\r\n`;
    for (const route of ROUTES) {
      const chunked = head(route, { ...JSON_TYPE, ...SELECTED, 'transfer-encoding': 'chunked' });
      // Guests may import nothing, however short.
      expect([route, await talk([chunked, piece, piece])]).toEqual([
        route,
        expect.stringMatching(route === '/import' ? /^HTTP\/1.1 403 / : /^HTTP\/1.1 413 /),
      ]);
    }
    // Nothing was decoded or parsed; an import looks once whether it may go on.
    expect(turns).toBeLessThan(2);
  });

  const TOLD = {
    200: /result/,
    400: /json_invalid/,
    401: /invalid_auth/,
    413: /--max-guest-values/,
  };

  attack(65, 'a small message of many values is decoded no further than a guest may', async () => {
    const message = (count: number) => `{"id":1,"method":"ping","params":[${'{},'.repeat(count)}1]}`;
    const [few, many] = [message(8_000), message(20_000)];
    for (const [text, authorization, told] of [
      [many, undefined, 413],
      [few, undefined, 200],
      // A client counts as a guest until its credentials are verified: the malformed end isn't reached.
      [`${many}}`, 'Bearer none', 401],
      [`${many}}`, 'Basic bm9ib2R5OndpdGg=', 401],
      [many, `Bearer ${token}`, 200],
      [`${many}}`, `Bearer ${token}`, 400],
    ] as const) {
      const headers = { ...JSON_TYPE, ...(authorization !== undefined && { authorization }) };
      const reply = await app.inject({ method: 'POST', url: '/rpc', payload: text, headers });
      expect([authorization, reply.statusCode, reply.body]).toEqual([
        authorization,
        told,
        expect.stringMatching(TOLD[told]),
      ]);
    }
    const socket = new WebSocket(`ws://127.0.0.1:${port()}/rpc`, ['json']);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    const closed = new Promise<[number, string]>((resolve) =>
      socket.once('close', (code, reason) => resolve([code, String(reason)])),
    );
    for (let n = 0; n < 20; n++) socket.send(many);
    expect(await closed).toEqual([1009, expect.stringContaining('--max-guest-values')]);
    // A client that has signed in may send them.
    const user = new WebSocket(`ws://127.0.0.1:${port()}/rpc`, ['json'], {
      headers: { authorization: `Bearer ${token}` },
    });
    await new Promise((resolve, reject) => user.once('open', resolve).once('error', reject));
    const answer = new Promise((resolve) => user.once('message', (data) => resolve(JSON.parse(String(data)))));
    user.send(many);
    expect(await answer).toMatchObject({ id: 1, result: null });
    user.terminate();
  });

  it('refuses those whose credentials are wrong', async () => {
    for (const length of [10, 4 * MIB]) {
      for (const authorization of ['Bearer x.y.z', 'Nonsense']) {
        for (const route of ['/sql', '/graphql', '/api/test/test/x', '/import', '/key/person', '/export']) {
          if (length > 10 && (route === '/key/person' || route === '/export')) continue;
          const told = await talk([
            head(route, { ...JSON_TYPE, ...SELECTED, authorization, 'content-length': length }),
          ]);
          expect([route, authorization, told]).toEqual([
            route,
            authorization,
            expect.stringMatching(/^HTTP\/1.1 401 /),
          ]);
        }
      }
    }
  });

  it('takes a small body of a client that comes to sign in with a token that is past its time, and no large one', async () => {
    const stale = { ...JSON_TYPE, authorization: 'Bearer x.y.z' };
    const signIn = JSON.stringify({
      id: 1,
      method: 'signin',
      params: [{ NS: 'test', DB: 'test', user: 'DO', pass: 'DO has a password' }],
    });
    const chunk = `${signIn.length.toString(16)}\r\n${signIn}\r\n0\r\n\r\n`;
    expect(await talk([head('/rpc', { ...stale, 'content-length': signIn.length }), signIn], 'result')).toContain(
      '"result":"ey',
    );
    expect(await talk([head('/rpc', { ...stale, 'transfer-encoding': 'chunked' }), chunk], 'result')).toContain(
      '"result":"ey',
    );
    const query = JSON.stringify({ id: 1, method: 'query', params: ['RETURN 1'] });
    expect(await talk([head('/rpc', { ...stale, 'content-length': query.length }), query])).toMatch(/^HTTP\/1.1 401 /);
    expect(await talk([head('/rpc', { ...stale, 'content-length': 4 * MIB })])).toMatch(/^HTTP\/1.1 401 /);
    const piece = `10000\r\n${' '.repeat(2 ** 16)}\r\n`;
    expect(await talk([head('/rpc', { ...stale, 'transfer-encoding': 'chunked' }), piece, piece])).toMatch(
      /^HTTP\/1.1 401 /,
    );
  });

  it('asks for a body only those who may send it', async () => {
    const expecting = { ...SELECTED, 'content-length': 8, expect: '100-continue' };
    expect(await talk([head('/sql', { ...expecting, authorization: 'Bearer x.y.z' })])).toMatch(
      /^HTTP\/1.1 401 [\s\S]*connection: close/i,
    );
    expect(await talk([head('/sql', { ...expecting, authorization: `Bearer ${token}` })])).toMatch(/^HTTP\/1.1 100 /);
  });

  it('keeps a connection whose body it has not read, unless more comes than it lets in', async () => {
    const refused = head('/sql', { authorization: 'Bearer x.y.z', 'content-length': 2 ** 17 });
    const told = await talk([refused, Buffer.alloc(2 ** 17, 0x20), head('/health', {}, 'GET')], 'HTTP/1.1 200');
    expect(told).toMatch(/^HTTP\/1.1 401 [\s\S]*HTTP\/1.1 200 /);
    const endless = head('/sql', { authorization: 'Bearer x.y.z', 'transfer-encoding': 'chunked' });
    const piece = `100000\r\n${' '.repeat(MIB)}\r\n`;
    // It is the server that ends the connection.
    expect(await talk([endless, ...Array<string>(8).fill(piece)], 'never')).toMatch(/^HTTP\/1.1 401 /);
  });

  it.each([
    ['GET', '/health'],
    ['GET', '/nowhere'],
    ['OPTIONS', '/sql'],
  ])('cuts a connection that sends a body without an end to %s %s', async (method, route) => {
    const socket = connect(port(), '127.0.0.1');
    let isClosed = false;
    socket.resume().on('error', () => undefined);
    socket.on('close', () => {
      isClosed = true;
    });
    const origin = { origin: 'http://x', 'access-control-request-method': 'POST' };
    socket.write(head(route, { ...origin, 'transfer-encoding': 'chunked' }, method));
    const piece = `10000\r\n${'x'.repeat(65_536)}\r\n`;
    let sent = 0;
    for (; sent < 32 * MIB && !isClosed; sent += 65_536) {
      socket.write(piece);
      await new Promise(setImmediate);
    }
    await expect.poll(() => isClosed).toBe(true);
  });

  it('does not use a session that has ended while the body came in', async () => {
    const body = 'CREATE late';
    const socket = connect(port(), '127.0.0.1');
    const answered = new Promise<string>((resolve) => socket.once('data', (piece) => resolve(String(piece))));
    const { sessions } = world.database;
    socket.write(head('/sql', { ...SELECTED, authorization: `Bearer ${token}`, 'content-length': body.length }));
    while (world.database.sessions === sessions) await new Promise(setImmediate);
    await run(world.owner, 'REMOVE USER DO ON DATABASE');
    socket.write(body);
    expect(await answered).toMatch(/^HTTP\/1.1 401 /);
    socket.destroy();
    expect(world.database.sessions).toBe(sessions);
  });

  it('lets every client send large bodies where no sign-in is needed', async () => {
    const open = await World.open({ unauthenticated: true });
    const server = createHttpServer({ database: open.database });
    const payload = `RETURN 1;${' '.repeat(2 ** 18)}`;
    expect((await server.inject({ method: 'POST', url: '/sql', payload, headers: SELECTED })).statusCode).toBe(200);
    await server.close();
    await open.close();
  });
});

describe('while a large body is read', () => {
  const objects = (count: number) =>
    Buffer.concat([Buffer.from([0x9a, 0, count >>> 16, (count >>> 8) & 255, count & 255]), Buffer.alloc(count, 0xa0)]);
  const ofAnyLength = (count: number) => Buffer.concat([Buffer.from([0x9f]), Buffer.alloc(count, 0xa0)]);
  const keys = (count: number) => `{${Array.from({ length: count }, (_, at) => `"k${at}":1`).join(',')}}`;
  const cbor = { 'content-type': 'application/cbor', accept: 'application/json' };
  const flatBuffers = { 'content-type': FLATBUFFERS.contentType, accept: FLATBUFFERS.contentType };
  const flatObjects = (count: number) =>
    Buffer.from(FLATBUFFERS.encode(objectFromJavaScript({ method: 'ping', params: Array(count).fill({}) })));
  const bodies: readonly (readonly [string, string, string | Buffer, Readonly<Record<string, string>>, number])[] = [
    ['CBOR of empty objects', '/rpc', objects(900_000), cbor, 200],
    ['CBOR of too many of them', '/rpc', ofAnyLength(3 * MIB), cbor, 413],
    ['FlatBuffers of empty objects', '/rpc', flatObjects(100_000), flatBuffers, 200],
    ['JSON of empty objects', '/rpc', `[${'{},'.repeat(300_000)}1]`, JSON_TYPE, 200],
    ['JSON with 300,000 keys', '/rpc', keys(300_000), JSON_TYPE, 413],
    [
      'JSON with many keys',
      '/rpc',
      `{"id":1,"method":"ping","a":[${Array.from({ length: 6 }, () => keys(14_000)).join()}]}`,
      JSON_TYPE,
      200,
    ],
    ['a long text', '/rpc', JSON.stringify('x\n'.repeat(MIB)), JSON_TYPE, 200],
    [
      'variables of GraphQL',
      '/graphql',
      `{"query":"{ x }","variables":{"a":[${'{},'.repeat(300_000)}1]}}`,
      JSON_TYPE,
      400,
    ],
    ['many statements', '/sql', '1;'.repeat(90_000), {}, 200],
    ['empty arrays', '/sql', `RETURN count([${'[],'.repeat(300_000)}])`, {}, 200],
    ['a block of statements', '/sql', `{ ${`${'1'.repeat(12)};`.repeat(8_000)} }`, {}, 200],
  ];

  it.each(bodies)('yields to others: %s', async (_name, url, payload, headers, status) => {
    const authorization = `Bearer ${token}`;
    const reply = await app.inject({
      method: 'POST',
      url,
      payload,
      headers: { ...SELECTED, ...headers, authorization },
    });
    expect(reply.statusCode).toBe(status);
    // At least once for each 16 KiB of what was looked at.
    const read = status === 413 ? Math.min(payload.length, 400_000) : payload.length;
    expect(turns).toBeGreaterThan(read / 16_384);
  });

  it('yields while a large answer in FlatBuffers is written', async () => {
    const payload = 'RETURN (<array> 0..200000).map(|$i| { a: $i })';
    const headers = { ...SELECTED, authorization: `Bearer ${token}`, accept: FLATBUFFERS.contentType };
    const { rawPayload } = await app.inject({ method: 'POST', url: '/sql', payload, headers });
    expect(rawPayload.length).toBeGreaterThan(5 * MIB);
    // At least once for each 64 KiB of it.
    expect(turns).toBeGreaterThan(rawPayload.length / 65_536);
  });

  it('yields over WebSocket, and keeps the order of messages', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${port()}/rpc`, ['json'], {
      headers: { authorization: `Bearer ${token}` },
    });
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    const ids: unknown[] = [];
    const all = new Promise<void>((resolve) => {
      socket.on('message', (data) => {
        if (ids.push((JSON.parse(String(data)) as { id: unknown }).id) === 3) resolve();
      });
    });
    socket.send(`{"id":1,"method":"let","params":["a",[${'{},'.repeat(500_000)}1]]}`);
    socket.send('{"id":2,"method":"query","params":["RETURN count($a)"]}');
    socket.send(JSON.stringify({ id: 3, method: 'query', params: [`RETURN [${'1,'.repeat(200_000)}2]`] }));
    await all;
    socket.terminate();
    expect(ids).toEqual([1, 2, 3]);
    expect(turns).toBeGreaterThan((3 * 500_000 + 2 * 200_000) / 16_384);
  });
});

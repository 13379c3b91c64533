import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { decode, encode } from 'cborg';
import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import type { Environment } from '../../src/env/environment.js';
import { realEnvironment } from '../../src/env/real.js';
import { failure } from '../../src/errors/error.js';
import { createHttpServer, type HttpServerParts } from '../../src/http/server.js';
import { FrameAssembler } from '../../src/http/websocket/frame-assembler.js';
import { newObject, Uuid } from '../../src/value/value.js';
import { FakeDatabase, succeeded } from '../support/fake-database.js';

let database: FakeDatabase;
let app: FastifyInstance;
let sockets: WebSocket[];

beforeEach(() => {
  database = new FakeDatabase();
  database.onQuery = (text) => [succeeded(text)];
  sockets = [];
});
afterEach(async () => {
  vi.restoreAllMocks();
  for (const socket of sockets) socket.terminate();
  await app.close();
});

async function listen(parts: Partial<HttpServerParts> = {}): Promise<void> {
  app = createHttpServer({ database, ...parts });
  await app.listen({ host: '127.0.0.1', port: 0 });
}

const port = () => (app.server.address() as AddressInfo).port;

interface OpenOptions {
  readonly protocols?: string[];
  readonly headers?: Record<string, string>;
  readonly path?: string;
}

function open({ protocols = ['json'], headers = {}, path = '/rpc' }: OpenOptions = {}): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port()}${path}`, protocols, { headers });
  sockets.push(socket);
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve(socket));
    socket.once('error', reject);
  });
}

const nextMessage = (socket: WebSocket): Promise<{ text: string; binary: boolean }> =>
  new Promise((resolve, reject) => {
    const fail = (code: number, reason: Buffer) => reject(new Error(`closed ${code} ${reason}`));
    socket.once('close', fail);
    socket.once('message', (data, binary) => {
      socket.off('close', fail);
      resolve({ text: String(data), binary });
    });
  });

const closed = (socket: WebSocket): Promise<{ code: number; reason: string }> =>
  new Promise((resolve) => socket.once('close', (code, reason) => resolve({ code, reason: String(reason) })));

async function call(socket: WebSocket, method: string, ...params: unknown[]): Promise<Record<string, unknown>> {
  socket.send(JSON.stringify({ id: 1, method, params }));
  return JSON.parse((await nextMessage(socket)).text);
}

describe('handshake', () => {
  it.each([
    [['json'], 'json'],
    [['cbor'], 'cbor'],
    [['flatbuffers'], 'flatbuffers'],
    [['json', 'flatbuffers'], 'json'],
    [['unknown', 'cbor'], 'cbor'],
    [['cbor.2', 'cbor'], 'cbor'],
    [[], ''],
  ] as const)('of %j chooses %j', async (protocols, chosen) => {
    await listen();
    expect((await open({ protocols: [...protocols] })).protocol).toBe(chosen);
  });

  it('selects from headers and from the query string', async () => {
    await listen();
    await open({ headers: { 'svc-ns': 'a', 'surreal-db': 'b' } });
    await open({ path: '/rpc?ns=a&db=b' });
    await open({
      path: '/rpc?ns=a',
      headers: { 'svc-ns': 'a', 'svc-db': 'b', 'svc-id': 'me', origin: 'https://o.example' },
    });
    for (const session of database.sessions) expect([session.namespace, session.database]).toEqual(['a', 'b']);
    expect(database.sessions[2]?.origin).toEqual({ ip: '127.0.0.1', id: 'me', origin: 'https://o.example' });
  });

  it('signs in with the header', async () => {
    await listen();
    await open({ headers: { authorization: 'Bearer a.b.c' } });
    expect(database.sessions[0]?.principal.kind).toBe('system');
  });

  it.each([
    [{ protocols: ['msgpack'] }, 400],
    [{ headers: { authorization: 'Bearer wrong' } }, 401],
    [{ headers: { 'svc-ns': 'a', ns: 'b' } }, 400],
    [{ path: '/rpc?ns=a', headers: { 'svc-ns': 'b' } }, 400],
    [{ path: '/rpc?ns=%00' }, 400],
    [{ path: '/other' }, 404],
    [{ headers: { origin: 'https://evil.example' } }, 403],
  ] satisfies [OpenOptions, number][])('is refused (%#)', async (options, status) => {
    await listen({ options: { allowedOrigins: ['https://good.example'] } });
    await expect(open(options)).rejects.toThrow(String(status));
    expect(database.sessions.every((session) => session.closed)).toBe(true);
  });

  it('bounds connections, all in all and from one address', async () => {
    await listen({ options: { limits: { connectionsPerAddress: 2 } } });
    const first = await open();
    await open();
    await expect(open()).rejects.toThrow('503');
    const gone = closed(first);
    first.close();
    await gone;
    await expect.poll(() => database.sessions[0]?.closed).toBe(true);
    await open();
  });
});

describe('messages', () => {
  it('are answered in the format they come in', async () => {
    await listen();
    const cbor = await open({ protocols: ['cbor'] });
    cbor.send(encode({ id: 'x', method: 'ping' }));
    expect((await nextMessage(cbor)).binary).toBe(true);
    const either = await open({ protocols: [] });
    either.send(encode({ id: 'x', method: 'ping' }));
    expect((await nextMessage(either)).binary).toBe(true);
    expect(await call(either, 'version')).toEqual({ id: 1, result: 'surrealdb-3.0.2' });
  });

  it('are answered in the order they came', async () => {
    await listen();
    const order: string[] = [];
    database.onQuery = async (text) => {
      // Later ones would be done first if they were let.
      for (let round = Number(text); round < 20; round++) await new Promise((resolve) => setImmediate(resolve));
      order.push(text);
      return [succeeded(text)];
    };
    const socket = await open();
    const answers: number[] = [];
    socket.on('message', (data) => answers.push(JSON.parse(String(data)).id));
    for (let id = 0; id < 20; id++) socket.send(JSON.stringify({ id, method: 'query', params: [String(id)] }));
    await expect.poll(() => answers.length).toBe(20);
    expect(answers).toEqual([...answers].sort((a, b) => a - b));
    expect(order).toEqual(answers.map(String));
  });

  it('share one session', async () => {
    await listen();
    const socket = await open();
    await call(socket, 'use', 'a', 'b');
    await call(socket, 'let', 'x', 1);
    await call(socket, 'signin', { user: 'root', pass: 'secret' });
    const [session] = database.sessions;
    expect([session?.namespace, session?.variables.get('x')?.value, session?.principal.kind]).toEqual([
      'a',
      1,
      'system',
    ]);
    socket.close();
    await expect.poll(() => session?.closed).toBe(true);
  });

  it.each([
    ['{', -32700],
    ['[]', -32600],
    ['"x"', -32600],
    ['{"id":5}', -32600],
    [`${'['.repeat(20_000)}`, undefined],
  ])('that are no requests get an answer, and the connection stays (%#)', async (text, code) => {
    await listen();
    const socket = await open();
    socket.send(text);
    const answer = JSON.parse((await nextMessage(socket)).text);
    expect(answer.id ?? null).toBe(text.includes('5') ? 5 : null);
    if (code !== undefined) expect(answer.error.code).toBe(code);
    expect(await call(socket, 'ping')).toEqual({ id: 1, result: null });
  });

  it('that are nested too deep are answered under their id, so that the caller does not wait forever', async () => {
    await listen({ options: { limits: { message: 2 ** 20, guestMessage: 2 ** 20 } } });
    const deep = `${'['.repeat(200)}${']'.repeat(200)}`;
    const json = await open();
    for (const [message, id] of [
      [`{"id":7,"method":"query","params":${deep}}`, 7],
      [`{ "method" : "query", "params": [{"id": 1, "x": "}\\"" }, ${deep}], "id": "last" }`, 'last'],
      [`{"id":"\\u0041","method":"query","params":["\\x"]}`, 'A'],
      // No caller waits for its answer.
      [`{"method":"query","params":${deep}}`, null],
    ] as const) {
      json.send(message);
      expect(JSON.parse((await nextMessage(json)).text)).toMatchObject({ id, error: { code: expect.any(Number) } });
    }
    expect(await call(json, 'ping')).toEqual({ id: 1, result: null });
    const cbor = await open({ protocols: ['cbor'] });
    // An array that is nested 200 times replaces the placeholder.
    const bytes = Buffer.from(encode({ id: 'c', method: 'query', params: 77 }));
    const answer = new Promise<Buffer>((resolve) => cbor.once('message', (data) => resolve(data as Buffer)));
    cbor.send(Buffer.concat([bytes.subarray(0, -2), Buffer.alloc(200, 0x81), Buffer.from([0])]));
    expect(decode(await answer)).toMatchObject({ id: 'c', error: { message: expect.stringContaining('nested') } });

    // An id isn’t looked for so far behind.
    json.send(`{"params":["${'x'.repeat(70_000)}",${deep}],"id":1,"method":"query"}`);
    expect(await closed(json)).toEqual({ code: 1007, reason: expect.stringContaining('nested deeper than the limit') });
  });

  it.each([
    [Buffer.from([0xff])],
    [Buffer.from([0x5f])],
    [Buffer.alloc(30_000, 0x81)],
    [Buffer.from([0xa1, 0x61])],
    [Buffer.alloc(0)],
  ])('of broken CBOR get an answer, and the connection stays (%#)', async (bytes) => {
    await listen();
    const socket = await open({ protocols: ['cbor'] });
    socket.send(bytes);
    expect((await nextMessage(socket)).binary).toBe(true);
    socket.send(encode({ id: 'x', method: 'ping' }));
    await nextMessage(socket);
  });

  it('in the wrong format close the connection', async () => {
    await listen();
    const socket = await open({ protocols: ['cbor'] });
    socket.send('{"id":1,"method":"ping"}');
    expect(await closed(socket)).toEqual({ code: 1003, reason: 'This connection speaks cbor, in binary messages' });
  });

  it('don’t keep other connections waiting, however many there are', async () => {
    await listen();
    const busy = await open();
    const other = await open();
    let done = 0;
    busy.on('message', () => done++);
    for (let id = 0; id < 20_000; id++) busy.send('{"id":1,"method":"ping"}');
    expect(await call(other, 'ping')).toEqual({ id: 1, result: null });
    expect(done).toBeLessThan(20_000);
    await expect.poll(() => done, { timeout: 20_000 }).toBe(20_000);
  });

  it('wait their turn beyond the queue', async () => {
    await listen({ options: { limits: { queuedRequests: 4 } } });
    const socket = await open();
    let answered = 0;
    socket.on('message', () => answered++);
    for (let id = 0; id < 1000; id++) socket.send(`{"id":${id},"method":"query","params":["${'x'.repeat(100)}"]}`);
    await expect.poll(() => answered).toBe(1000);
  });

  it('are not worked on for a client that doesn’t read', async () => {
    await listen({ options: { limits: { sendBuffer: 100_000 } } });
    database.onQuery = () => [succeeded('x'.repeat(1_000_000))];
    const lazy = await open();
    const other = await open();
    lazy.pause();
    for (let id = 0; id < 60; id++) lazy.send('{"id":1,"method":"query","params":["x"]}');
    // What fits into the buffers of both ends is sent; then the work stops, while others are served.
    for (let turn = 0; turn < 200; turn++) await call(other, 'ping');
    expect(database.queries.length).toBeLessThan(50);
    lazy.resume();
    await expect.poll(() => database.queries.length, { timeout: 10_000 }).toBe(60);
  });
});

describe('attached sessions', () => {
  const [A, B] = ['4f1c5b0e-6a3d-4d0c-9d9c-0b8f2b1f7a11', '4f1c5b0e-6a3d-4d0c-9d9c-0b8f2b1f7a22'];
  /** Queries that end when the test says so, by their texts. */
  let finish: Map<string, () => void>;
  let answers: unknown[];
  let socket: WebSocket;
  let last: number;

  async function begin(parts: Partial<HttpServerParts> = {}): Promise<void> {
    finish = new Map();
    answers = [];
    last = 0;
    database.onQuery = (text) =>
      new Promise((resolve) => {
        finish.set(text, () => resolve([succeeded(text)]));
      });
    await listen(parts);
    socket = await open();
    socket.on('message', (data) => answers.push(JSON.parse(String(data)).id));
  }

  const send = (method: string, params: unknown[] = [], session?: string) =>
    socket.send(JSON.stringify({ id: ++last, method, params, session }));

  it('don’t hold each other up', async () => {
    await begin();
    send('attach', [], A);
    send('attach', [], B);
    send('query', ['slow of all']);
    send('query', ['slow of A'], A);
    send('query', ['waits for A'], A);
    send('query', ['of B'], B);
    await expect.poll(() => finish.size).toBe(3);
    finish.get('of B')?.();
    await expect.poll(() => answers).toEqual([1, 2, 6]);
    expect([...finish.keys()]).toEqual(['slow of all', 'slow of A', 'of B']);
    finish.get('slow of A')?.();
    await expect.poll(() => finish.has('waits for A')).toBe(true);
    finish.get('waits for A')?.();
    finish.get('slow of all')?.();
    await expect.poll(() => [...answers].sort()).toEqual([1, 2, 3, 4, 5, 6]);
    expect(answers.indexOf(4)).toBeLessThan(answers.indexOf(5));
  });

  it('are left when what was asked of them before is answered', async () => {
    await begin();
    send('attach', [], A);
    send('query', ['slow'], A);
    send('detach', [], A);
    send('query', ['too late'], A);
    send('ping');
    await expect.poll(() => answers).toEqual([1, 5]);
    expect(database.sessions[1]?.closed).toBe(false);
    finish.get('slow')?.();
    await expect.poll(() => answers).toEqual([1, 5, 2, 3, 4]);
    expect([database.sessions[1]?.closed, finish.has('too late')]).toEqual([true, false]);
  });

  it('answer a ping, and who there is, whatever is under way', async () => {
    await begin();
    send('query', ['slow']);
    send('ping');
    send('version');
    send('sessions');
    await expect.poll(() => answers).toEqual([2, 3, 4]);
    finish.get('slow')?.();
  });

  it('yield to other connections between what waits', async () => {
    await begin();
    const other = await open();
    database.onQuery = async (text) => {
      for (const end = performance.now() + 2; performance.now() < end; );
      return [succeeded(text)];
    };
    for (let number = 0; number < 60; number++) send('query', [`${number}`]);
    expect(await call(other, 'ping')).toEqual({ id: 1, result: null });
    expect(answers.length).toBeLessThan(60);
    await expect.poll(() => answers.length).toBe(60);
  });

  it('have a bound together on what waits', async () => {
    await begin({ options: { limits: { queuedRequests: 4 } } });
    send('query', ['slow']);
    for (let number = 0; number < 1_000; number++) send('query', [`${number}`.padEnd(200)]);
    send('ping');
    // The ping isn't looked at.
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(answers).toEqual([]);
    database.onQuery = (text) => [succeeded(text)];
    finish.get('slow')?.();
    await expect.poll(() => answers.length).toBe(1_002);
  });

  it('begin nothing more when the server stops', async () => {
    await begin();
    send('attach', [], A);
    send('query', ['under way'], A);
    send('query', ['waits'], A);
    await expect.poll(() => finish.size).toBe(1);
    const end = closed(socket);
    const closing = app.close();
    await expect
      .poll(() =>
        open().then(
          () => 'open',
          () => 'closed',
        ),
      )
      .toBe('closed');
    finish.get('under way')?.();
    expect(await end).toMatchObject({ code: 1001 });
    await closing;
    expect([answers, finish.has('waits')]).toEqual([[1, 2], false]);
  });
});

it('cuts off a client that falls behind, and says why', async () => {
  await listen();
  const socket = await open();
  const end = closed(socket);
  const id = new Uuid('4f1c5b0e-6a3d-4d0c-9d9c-0b8f2b1f7a11');
  const reason = failure('live_queries_behind');
  await database.sessions[0]?.sink?.({ id, action: 'KILLED', record: undefined, result: newObject(), reason });
  expect(await end).toEqual({ code: 1013, reason: reason.message });
});

describe('limits', () => {
  it('are small before sign-in and large afterwards', async () => {
    await listen({ options: { limits: { guestMessage: 1_000, message: 100_000 } } });
    const guest = await open();
    guest.send('x'.repeat(1_001));
    const { code, reason } = await closed(guest);
    expect(code).toBe(1009);
    expect(reason).toContain('--max-guest-message');

    const user = await open();
    await call(user, 'signin', { pass: 'secret' });
    expect(await call(user, 'query', 'x'.repeat(50_000))).toMatchObject({ id: 1 });
    await call(user, 'invalidate');
    user.send('x'.repeat(1_001));
    expect((await closed(user)).code).toBe(1009);
  });

  it('leave the mask of large ones to be taken off as they arrive', async () => {
    await listen({ options: { limits: { guestMessage: 200_000 } } });
    const unmask = vi.spyOn(FrameAssembler.prototype, 'take');
    const large = JSON.stringify({ id: 1, method: 'ping', params: ['x'.repeat(66_000)] });
    const socket = await open();
    for (let round = 0; round < 3; round++) {
      socket.send(large);
      expect(JSON.parse((await nextMessage(socket)).text)).toEqual({ id: 1, result: null });
    }
    const lengths = unmask.mock.calls.map(([chunk]) => chunk.length);
    expect(Math.max(...lengths)).toBeLessThan(large.length);
    expect(lengths.reduce((sum, length) => sum + length)).toBeGreaterThan(3 * large.length);

    // One that comes right behind the handshake, so that its beginning is read with that.
    const raw = connect(port(), '127.0.0.1');
    const key =
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: json';
    const head = Buffer.alloc(14, 0x55);
    head.set([0x81, 0xff]);
    head.writeBigUInt64BE(BigInt(large.length), 2);
    const masked = Buffer.from(large).map((byte) => byte ^ 0x55);
    raw.write(`GET /rpc HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${key}\r\n\r\n`);
    raw.write(Buffer.concat([head, masked]));
    let answer = '';
    raw.on('data', (chunk) => {
      answer += chunk.toString('latin1');
    });
    await expect.poll(() => answer).toContain('"result":null');
    raw.destroy();
  });

  it('hold for what comes in fragments', async () => {
    await listen({ options: { limits: { guestMessage: 1_000 } } });
    const long = await open();
    for (let part = 0; part < 20; part++) long.send('x'.repeat(100), { fin: false });
    expect((await closed(long)).code).toBe(1009);
    const many = await open();
    for (let part = 0; part < 2_000; part++) many.send('', { fin: false });
    expect((await closed(many)).code).toBe(1008);
  });

  it('close a connection for text that is not UTF-8', async () => {
    await listen();
    const socket = await open();
    socket.send(Buffer.from([0xff, 0xfe]), { binary: false });
    expect((await closed(socket)).code).toBe(1007);
  });

  it('survive frames that break the protocol', async () => {
    await listen();
    for (const frame of [
      [0x81, 0x01, 0x41],
      [0xf1, 0x80, 0, 0, 0, 0],
      [0x83, 0x80, 0, 0, 0, 0],
      [0x89, 0xfe, 0xff, 0xff, 0, 0, 0, 0],
      [0x82, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0],
    ]) {
      await new Promise<void>((resolve, reject) => {
        const socket = connect(port(), '127.0.0.1', () => {
          socket.write(
            'GET /rpc HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
          );
        });
        socket.once('data', () => socket.write(Buffer.from(frame)));
        socket.on('close', () => resolve());
        socket.on('error', reject);
        socket.on('data', () => socket.end());
      });
    }
    expect(await call(await open(), 'ping')).toEqual({ id: 1, result: null });
  });
});

/** Timers that run when the test says so. */
function manual(): { environment: Environment; advance(milliseconds: number): void } {
  let now = 0;
  let timers: { at: number; callback: () => void }[] = [];
  return {
    environment: {
      ...realEnvironment,
      clock: { now: () => 0n, monotonic: () => now },
      timers: {
        yield: realEnvironment.timers.yield,
        nextRound: realEnvironment.timers.nextRound,
        wait: realEnvironment.timers.wait,
        after(milliseconds, callback) {
          const timer = { at: now + milliseconds, callback };
          timers.push(timer);
          return () => {
            timers = timers.filter((other) => other !== timer);
          };
        },
      },
    },
    advance(milliseconds) {
      now += milliseconds;
      const due = timers.filter(({ at }) => at <= now);
      timers = timers.filter(({ at }) => at > now);
      for (const { callback } of due) callback();
    },
  };
}

describe('time', () => {
  it('closes connections without a sign-in', async () => {
    const { environment, advance } = manual();
    await listen({ environment, options: { signInTimeout: 5_000 } });
    const guest = await open();
    const user = await open();
    await call(user, 'signin', { pass: 'secret' });
    const end = closed(guest);
    advance(5_000);
    expect(await end).toMatchObject({ code: 1008 });
    expect(await call(user, 'ping')).toMatchObject({ id: 1 });
  });

  it('closes idle connections', async () => {
    const { environment, advance } = manual();
    await listen({ environment, options: { idleTimeout: 50_000, pingInterval: 30_000 } });
    const socket = await open();
    const end = closed(socket);
    const pong = new Promise((resolve) => socket.once('ping', resolve));
    advance(30_000);
    await pong;
    await expect
      .poll(() => {
        advance(30_000);
        return socket.readyState;
      })
      .not.toBe(WebSocket.OPEN);
    expect([1008, 1006]).toContain((await end).code);
  });

  it('ends connections that give no sign of life', async () => {
    const { environment, advance } = manual();
    await listen({ environment });
    const socket = await open();
    const end = closed(socket);
    socket.pause();
    advance(30_000);
    advance(30_000);
    socket.resume();
    expect((await end).code).toBe(1006);
  });
});

describe('shutdown', () => {
  it('doesn’t wait for a client that doesn’t read', async () => {
    const { environment, advance } = manual();
    await listen({ environment, options: { limits: { sendBuffer: 100_000 } } });
    database.onQuery = () => [succeeded('x'.repeat(1_000_000))];
    const lazy = await open();
    const other = await open();
    lazy.pause();
    for (let id = 0; id < 60; id++) lazy.send('{"id":1,"method":"query","params":["x"]}');
    for (let turn = 0; turn < 200; turn++) await call(other, 'ping');
    const closing = app.close().then(() => 'closed');
    await expect
      .poll(() =>
        open().then(
          () => 'open',
          () => 'closed',
        ),
      )
      .toBe('closed');
    const waited = await Promise.race([closing, new Promise((resolve) => setImmediate(resolve, 'still open'))]);
    expect(waited).toBe('still open');
    advance(2_000);
    expect(await closing).toBe('closed');
  });

  it('finishes the request under way and says why it closes', async () => {
    await listen();
    let finish: (() => void) | undefined;
    database.onQuery = async () => {
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      return [succeeded('done')];
    };
    const socket = await open();
    const answer = call(socket, 'query', 'x');
    await expect.poll(() => finish).toBeDefined();
    const end = closed(socket);
    const closing = app.close();
    finish?.();
    expect(await answer).toMatchObject({ result: [{ result: 'done' }] });
    expect(await end).toEqual({ code: 1001, reason: 'The server is shutting down' });
    await closing;
  });
});

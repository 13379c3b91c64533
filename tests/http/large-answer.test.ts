import { on, once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { MemoryScope } from '../../src/base/work/memory-scope.js';
import type { Environment } from '../../src/env/environment.js';
import { realEnvironment } from '../../src/env/real.js';
import { encodeAnswer } from '../../src/http/response/large-answer.js';
import { createHttpServer } from '../../src/http/server.js';
import { type BodyFormat, FORMATS, JSON_FORMAT } from '../../src/value/codecs/formats.js';
import { newObject, Uuid, type Value } from '../../src/value/value.js';
import { FakeDatabase, succeeded } from '../support/fake-database.js';

const ROWS = 6_400;
const rows: Value = Array.from({ length: ROWS }, (_, at): Value => Object.assign(newObject(), { at, name: `p ${at}` }));

const tooMuch = () => new Error('too much');
const BOUNDS = { limit: 2 ** 26, budget: new MemoryScope(2 ** 30, tooMuch) };

/** A clock that goes on by a millisecond at each look. */
function ticking(): { environment: Environment; turns: () => number } {
  let now = 0;
  let turns = 0;
  const clock = { ...realEnvironment.clock, monotonic: () => now++ };
  const timers = {
    ...realEnvironment.timers,
    yield: () => {
      turns++;
      return realEnvironment.timers.yield();
    },
  };
  return { environment: { ...realEnvironment, clock, timers }, turns: () => turns };
}

let stop: () => Promise<unknown> = async () => undefined;
afterEach(() => stop());

test.each(FORMATS.map((format) => [format.name, format] as const))(
  'others have turns while many rows are written as %s',
  async (_name, format: BodyFormat) => {
    const { environment, turns } = ticking();
    const answer = Buffer.from(await encodeAnswer(rows, format, environment, BOUNDS));
    if (format.piecesFrom === 'front') expect(answer).toEqual(Buffer.from(format.encode(rows)));
    expect(format.decode(answer)).toEqual(format.decode(Buffer.from(format.encode(rows))));
    // A look for each 128 rows at the least, and a turn for every sixth look.
    expect(turns()).toBeGreaterThan(ROWS / 128 / 7);
  },
);

test.each(FORMATS.map((format) => [format.name, format] as const))(
  'what is too large in %s is not sent',
  async (_name, format) => {
    const limit = format.encode(rows).length;
    const within = (bytes: number) =>
      Promise.resolve(encodeAnswer(rows, format, realEnvironment, { ...BOUNDS, limit: bytes }));
    expect(Buffer.from(await within(limit + 4_096)).length).toBeGreaterThan(0);
    await expect(within(limit - 4_096)).rejects.toMatchObject({ code: 'answer_too_large' });
  },
);

test('few rows are written at once', () => {
  const { environment, turns } = ticking();
  expect(encodeAnswer([1, 2], JSON_FORMAT, environment, BOUNDS)).toBe('[1,2]');
  expect(turns()).toBe(0);
});

test('a large answer comes before the notifications of the live queries that begin with it', async () => {
  const database = new FakeDatabase();
  const { environment } = ticking();
  const app = createHttpServer({ database, environment });
  stop = () => app.close();
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;

  const socket = new WebSocket(`ws://127.0.0.1:${port}/rpc`, ['json']);
  await once(socket, 'open');
  const id = new Uuid('018f0f0f-0f0f-7f0f-8f0f-0f0f0f0f0f0f');
  database.onQuery = () => {
    setImmediate(() => database.sessions[0]?.sink?.({ id, action: 'CREATE', record: undefined, result: 1 }));
    return [succeeded(id), succeeded(rows)];
  };
  socket.send(JSON.stringify({ id: 1, method: 'query', params: ['LIVE SELECT * FROM p; SELECT * FROM p'] }));
  const messages = [];
  for await (const [data] of on(socket, 'message')) if (messages.push(JSON.parse(String(data))) === 2) break;
  socket.terminate();
  expect(messages).toMatchObject([{ id: 1 }, { result: { action: 'CREATE' } }]);
});

test('a large answer in JSON is a text, over WebSockets and HTTP', async () => {
  const database = new FakeDatabase();
  database.onQuery = () => [succeeded(rows)];
  const app = createHttpServer({ database });
  stop = () => app.close();
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;

  const socket = new WebSocket(`ws://127.0.0.1:${port}/rpc`, ['json']);
  await once(socket, 'open');
  socket.send(JSON.stringify({ id: 1, method: 'query', params: ['SELECT * FROM p'] }));
  const [data, isBinary] = await once(socket, 'message');
  socket.terminate();
  expect(isBinary).toBe(false);
  expect(JSON.parse(String(data)).result[0].result).toEqual(rows);

  const request = { method: 'POST', headers: { accept: 'application/json' }, body: 'SELECT * FROM p' };
  const reply = await fetch(`http://127.0.0.1:${port}/sql`, request);
  expect(reply.headers.get('content-type')).toBe('application/json');
  expect(await reply.json()).toMatchObject([{ status: 'OK', result: { length: ROWS } }]);
});

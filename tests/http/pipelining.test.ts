/** Requests that come before earlier ones are answered (RFC 9112, section 9.3.2). */
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { MOST_AT_ONCE } from '../../src/http/base/request-turns.js';
import { MOST_PIPELINED } from '../../src/http/connections/pipelined-requests.js';
import { createHttpServer } from '../../src/http/server.js';
import { FakeDatabase, succeeded } from '../support/fake-database.js';
import { watchRounds } from './most-in-a-round.js';

let database: FakeDatabase;
let app: ReturnType<typeof createHttpServer>;
/** How many requests the routes were given. */
let begun: number;
beforeEach(async () => {
  database = new FakeDatabase();
  database.onQuery = () => [succeeded(1)];
  app = createHttpServer({ database });
  begun = 0;
  app.addHook('onRequest', async () => {
    begun++;
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
});
afterEach(() => app.close());

const HEALTH = 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n';
const SQL = 'POST /sql HTTP/1.1\r\nHost: x\r\nContent-Length: 8\r\n\r\nRETURN 1';

async function client() {
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  let text = '';
  socket.on('error', () => undefined);
  socket.on('data', (data) => {
    text += data;
  });
  await once(socket, 'connect');
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  return {
    socket,
    closed,
    statuses: () => text.match(/(?<=HTTP\/1\.1 )\d+/g) ?? [],
    text: () => text,
  };
}

it('are answered in order up to a limit, again and again', async () => {
  const { socket, statuses } = await client();
  for (let round = 1; round <= 3; round++) {
    socket.write((HEALTH + SQL).repeat(MOST_PIPELINED / 2) + HEALTH);
    await expect.poll(() => statuses().length).toBe(round * (MOST_PIPELINED + 1));
  }
  expect(new Set(statuses())).toEqual(new Set(['200']));
  expect(database.queries.length).toBe(3 * (MOST_PIPELINED / 2));
  socket.destroy();
});

it('the one beyond the limit is refused, and none is begun after it', async () => {
  const { socket, closed, statuses, text } = await client();
  socket.write(HEALTH.repeat(1_500) + SQL);
  await closed;
  expect(statuses()).toEqual([...Array(MOST_PIPELINED + 1).fill('200'), '429']);
  expect(text()).toContain('too_many_pipelined');
  expect(text()).toContain('connection: close');
  expect(begun).toBe(MOST_PIPELINED + 1);
  expect(database.queries).toEqual([]);
});

it('are not taken in without end behind one that takes long', async () => {
  let answer = () => {};
  database.onQuery = () =>
    new Promise((resolve) => {
      answer = () => resolve([succeeded(1)]);
    });
  const { socket, closed } = await client();
  socket.write(SQL);
  await expect.poll(() => database.queries.length).toBe(1);
  // What the machine buffers is taken; then the connection is cut, or nothing more is read of it.
  socket.write(HEALTH.repeat(50_000));
  await expect.poll(() => begun).toBeGreaterThan(1);
  answer();
  await closed;
  expect(begun).toBeLessThanOrEqual(MOST_PIPELINED + 1);
});

it.each([
  ['small ones', HEALTH],
  ['ones with bodies', SQL],
])('of %s, some are begun in each round of the event loop', async (_what, request) => {
  const { socket, statuses } = await client();
  const mostInARound = watchRounds(() => begun);
  socket.write(request.repeat(MOST_PIPELINED));
  await expect.poll(() => statuses().length).toBe(MOST_PIPELINED);
  const most = mostInARound();
  expect(most).toBeGreaterThan(1);
  // Two rounds of requests lie between two callbacks at most.
  expect(most).toBeLessThanOrEqual(2 * MOST_AT_ONCE);
  socket.destroy();
});

it('are over with the connection, also those that wait', async () => {
  database.onQuery = () => new Promise(() => {});
  let closed = 0;
  app.server.on('request', (_request, response) => response.once('close', () => closed++));
  const { socket } = await client();
  // A complete request, and one whose body doesn't come, behind one that is never answered.
  socket.write(SQL + SQL + SQL.replace('Content-Length: 8', 'Content-Length: 99'));
  await expect.poll(() => begun).toBe(3);
  const { incoming } = database.memory;
  socket.write('more of it');
  await expect.poll(() => incoming.used).toBeGreaterThan(0);
  socket.destroy();
  await expect.poll(() => closed).toBe(3);
  expect(incoming.used).toBe(0);
  expect(database.sessions.every((session) => session.closed)).toBe(true);
});

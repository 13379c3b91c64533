/** Answers that a client asks for and doesn't read: they are charged to the memory, and not kept forever. */
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { realEnvironment } from '../../src/env/real.js';
import { MOST_PIPELINED } from '../../src/http/connections/pipelined-requests.js';
import { createHttpServer } from '../../src/http/server.js';
import type { Session } from '../../src/session/contract.js';
import { World } from '../support/world.js';

const PATIENCE = 12_345;
const ANSWER = 200_000;
/** More than the answers that a connection may ask for take, also while they are made. */
const MOST_OF_A_USER = 2 * MOST_PIPELINED * ANSWER;
/** What is called when the client's time is up. */
const waiting = new Set<() => void>();
const timers = {
  ...realEnvironment.timers,
  after: (milliseconds: number, callback: () => void) => {
    if (milliseconds !== PATIENCE) return realEnvironment.timers.after(milliseconds, callback);
    waiting.add(callback);
    return () => void waiting.delete(callback);
  },
};
const timeIsUp = () => {
  for (const callback of [...waiting]) {
    waiting.delete(callback);
    callback();
  }
};

let world: World;
let app: FastifyInstance;
let socket: Socket;
const sockets: Socket[] = [];

async function open(): Promise<Socket> {
  const opened = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  sockets.push(opened);
  await once(opened, 'connect');
  return opened;
}

beforeEach(async () => {
  waiting.clear();
  world = await World.open({ memory: { user: MOST_OF_A_USER } });
  app = createHttpServer({
    database: world.database,
    environment: { ...realEnvironment, timers },
    options: { requestTimeout: PATIENCE },
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  socket = await open();
});
afterEach(async () => {
  for (const each of sockets.splice(0)) each.destroy();
  await app.close();
  await world.close();
});

const QUERY = `RETURN array::repeat('${'x'.repeat(97)}', ${ANSWER / 100})`;
const used = () => world.database.memory.budget.used;

async function ask(times: number): Promise<void> {
  const token = world.tokenOf(await world.person('one')) as string;
  send(socket, token, times);
}

/** Sends the query again and again without reading an answer. */
function send(to: Socket, token: string, times: number): void {
  const head = [
    'host: x',
    'accept: application/json',
    `authorization: Bearer ${token}`,
    'svc-ns: test',
    'svc-db: test',
  ];
  const request = `POST /sql HTTP/1.1\r\n${head.join('\r\n')}\r\ncontent-length: ${QUERY.length}\r\n\r\n${QUERY}`;
  to.pause();
  to.write(request.repeat(times));
}

it('are charged while they wait, and released with the connection', async () => {
  await ask(MOST_PIPELINED);
  // What the system buffers of them counts as sent.
  await expect.poll(used).toBeGreaterThan((MOST_PIPELINED / 2) * ANSWER);
  socket.destroy();
  await expect.poll(used).toBe(0);
});

it('end the connection when nothing of them is read for as long as is allowed', async () => {
  await ask(MOST_PIPELINED);
  await expect.poll(used).toBeGreaterThan((MOST_PIPELINED / 2) * ANSWER);
  const closed = once(socket, 'close');
  // Others may be sent meanwhile; then none is.
  for (let times = 0; times < 3; times++) {
    timeIsUp();
    await new Promise(setImmediate);
  }
  await expect.poll(used).toBe(0);
  socket.resume().on('error', () => undefined);
  await closed;
});

it('are kept for a client that reads slowly', async () => {
  await ask(MOST_PIPELINED);
  await expect.poll(used).toBeGreaterThan((MOST_PIPELINED / 2) * ANSWER);
  let read = 0;
  socket.on('data', (data) => {
    read += data.length;
  });
  let unread = used();
  let times = 0;
  while (read < MOST_PIPELINED * ANSWER) {
    socket.pause();
    const before = read;
    socket.resume();
    await expect.poll(() => read > before, { timeout: 10_000 }).toBe(true);
    // Something of it has left since the last time.
    if (used() < unread) {
      timeIsUp();
      times++;
    }
    unread = used();
  }
  expect(times).toBeGreaterThan(0);
  await expect.poll(used).toBe(0);
  expect(socket.destroyed).toBe(false);
});

it('are charged to their user, so that others get theirs', async () => {
  const [one, other] = [await world.person('one'), await world.person('other')];
  const asked = (user: Session) =>
    app.inject({
      method: 'POST',
      url: '/sql',
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${world.tokenOf(user)}`,
        'svc-ns': 'test',
        'svc-db': 'test',
      },
      payload: QUERY,
    });
  for (const each of [socket, await open(), await open(), await open()])
    send(each, world.tokenOf(one) as string, MOST_PIPELINED);
  await expect.poll(async () => (await asked(one)).json()).toMatchObject({ error: 'user_memory_exceeded' });
  expect(used()).toBeLessThanOrEqual(MOST_OF_A_USER);
  expect((await asked(other)).statusCode).toBe(200);
  for (const each of sockets) each.destroy();
  await expect.poll(used).toBe(0);
  expect((await asked(one)).statusCode).toBe(200);
});

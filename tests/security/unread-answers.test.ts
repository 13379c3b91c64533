/** Answers that a client asks for and doesn't read: they are charged to the memory, and not kept forever. */
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { realEnvironment } from '../../src/env/real.js';
import { createHttpServer } from '../../src/http/create-http-server.js';
import { MOST_PIPELINED } from '../../src/http/pipelined-requests.js';
import { World } from '../support/world.js';

const PATIENCE = 12_345;
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
beforeEach(async () => {
  waiting.clear();
  world = await World.open();
  app = createHttpServer({
    database: world.database,
    environment: { ...realEnvironment, timers },
    options: { requestTimeout: PATIENCE },
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
});
afterEach(async () => {
  socket.destroy();
  await app.close();
  await world.close();
});

const ANSWER = 200_000;
const QUERY = `RETURN array::repeat('${'x'.repeat(97)}', ${ANSWER / 100})`;
const used = () => world.database.memory.budget.used;

async function ask(times: number): Promise<void> {
  const token = world.tokenOf(await world.person('one')) as string;
  const head = [
    'host: x',
    'accept: application/json',
    `authorization: Bearer ${token}`,
    'svc-ns: test',
    'svc-db: test',
  ];
  const request = `POST /sql HTTP/1.1\r\n${head.join('\r\n')}\r\ncontent-length: ${QUERY.length}\r\n\r\n${QUERY}`;
  socket.pause();
  socket.write(request.repeat(times));
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
  for (let rounds = 0; read < MOST_PIPELINED * ANSWER; rounds++) {
    socket.pause();
    const before = read;
    socket.resume();
    await expect.poll(() => read > before).toBe(true);
    if (rounds % 4 === 0) timeIsUp();
  }
  await expect.poll(used).toBe(0);
  expect(socket.destroyed).toBe(false);
});

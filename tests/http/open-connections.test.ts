/** A server that closes waits for the requests that it answers, and for no others. */
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import fastify from 'fastify';
import { afterEach, expect, it } from 'vitest';
import { OpenConnections } from '../../src/http/connections/open-connections.js';
import { createHttpServer } from '../../src/http/server.js';
import { FakeDatabase, succeeded } from '../support/fake-database.js';

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

it.each([
  ['nothing', ''],
  ['half a request', 'POST /sql HTTP/1.1\r\nHost: x\r\n'],
])('not for who has sent %s', async (_what, text) => {
  const app = createHttpServer({ database: new FakeDatabase() });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const accepted = once(app.server, 'connection');
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  sockets.push(socket);
  const ended = once(socket, 'close');
  socket.on('error', () => {});
  await accepted;
  socket.write(text);
  await app.close();
  await ended;
});

it('for the answer that is under way, and not for what may be asked after it', async () => {
  const database = new FakeDatabase();
  let answer = () => {};
  const began = new Promise<void>((begun) => {
    database.onQuery = async () => {
      begun();
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return [succeeded(1)];
    };
  });
  const app = createHttpServer({ database });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const asked = fetch(`http://127.0.0.1:${port}/sql`, { method: 'POST', body: 'RETURN 1' });
  await began;
  const closed = app.close();
  await new Promise((resolve) => setImmediate(resolve));
  answer();
  const { status, headers } = await asked;
  expect([status, headers.get('connection')]).toEqual([200, 'close']);
  await closed;
});

it('for an answer that has begun, whose connection would stay open', async () => {
  const app = fastify();
  const open = new OpenConnections(app.server);
  let goOn = () => {};
  app.get('/', (_request, reply) => {
    reply.hijack();
    reply.raw.write('begun ');
    goOn = () => reply.raw.end('and ended');
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}/`);
  const closed = new Promise((resolve) => app.server.close(resolve));
  open.close();
  goOn();
  expect(await answer.text()).toBe('begun and ended');
  await closed;
  await app.close();
});

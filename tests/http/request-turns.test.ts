import { once } from 'node:events';
import { type AddressInfo, connect, Socket } from 'node:net';
import { expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { MOST_AT_ONCE, RequestTurns } from '../../src/http/base/request-turns.js';
import { createHttpServer } from '../../src/http/server.js';
import { FakeDatabase, succeeded } from '../support/fake-database.js';
import { watchRounds } from './most-in-a-round.js';

/** Turns in a loop that runs round by round, and the names of the requests begun so far. */
function rounds() {
  let due: (() => void)[] = [];
  const begun: string[] = [];
  const turns = new RequestTurns({ nextRound: () => new Promise((resume) => due.push(resume)) });
  const begin = (socket: Socket, name: string) =>
    turns.begin(socket, () => {
      if (socket.destroyed) return false;
      begun.push(name);
      return true;
    });
  const next = async () => {
    const now = due;
    due = [];
    for (const resume of now) resume();
    await new Promise(setImmediate);
    return begun.splice(0);
  };
  return { begin, next, begun };
}

const named = (name: string, from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => `${name}${from + at}`);

it('begins few requests in a round, whatever connections they come from', async () => {
  const { begin, next, begun } = rounds();
  for (const name of named('c', 0, 20)) begin(new Socket(), name);
  expect(begun.splice(0)).toEqual(named('c', 0, MOST_AT_ONCE));
  expect(await next()).toEqual(named('c', MOST_AT_ONCE, 2 * MOST_AT_ONCE));
  expect(await next()).toEqual(named('c', 2 * MOST_AT_ONCE, 20));
  // Nothing waits, and this round has begun some.
  for (const name of named('d', 0, 8)) begin(new Socket(), name);
  expect(begun.splice(0)).toEqual(named('d', 0, 2 * MOST_AT_ONCE + MOST_AT_ONCE - 20));
  expect(await next()).toEqual(named('d', 3 * MOST_AT_ONCE - 20, 8));
});

it('gives connections turns, so that none waits behind all requests of another', async () => {
  const { begin, next, begun } = rounds();
  const [greedy, other, gone] = [new Socket(), new Socket(), new Socket()];
  for (const name of named('g', 0, 40)) begin(greedy, name);
  begin(other, 'o0');
  begin(gone, 'x0');
  begin(other, 'o1');
  gone.destroy();
  begun.splice(0);
  expect(await next()).toEqual(['g8', 'o0', 'g9', 'o1', ...named('g', 10, 14)]);
  expect(await next()).toEqual(named('g', 14, 22));
});

it('serves 512 connections that come at once', async () => {
  const app = createHttpServer({ database: new FakeDatabase() });
  let begun = 0;
  app.addHook('onRequest', async () => {
    begun++;
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const mostInARound = watchRounds(() => begun);
  const sockets = Array.from({ length: 512 }, () => {
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
    socket.write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n');
    return socket;
  });
  const answers = await Promise.all(sockets.map((socket) => once(socket, 'data')));
  const most = mostInARound();
  expect(answers.filter(([data]) => String(data).startsWith('HTTP/1.1 200')).length).toBe(512);
  // Two rounds of requests lie between two callbacks at most.
  expect(most).toBeLessThanOrEqual(2 * MOST_AT_ONCE);
  for (const socket of sockets) socket.destroy();
  await app.close();
});

it('begins few messages of WebSockets in a round, and all of them', async () => {
  const database = new FakeDatabase();
  let begun = 0;
  database.onQuery = () => {
    begun++;
    return [succeeded(1)];
  };
  const app = createHttpServer({ database });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const address = `ws://127.0.0.1:${(app.server.address() as AddressInfo).port}/rpc`;
  const sockets = Array.from({ length: 64 }, () => new WebSocket(address, ['json']));
  await Promise.all(sockets.map((socket) => once(socket, 'open')));
  const mostInARound = watchRounds(() => begun);
  const answers = sockets.map((socket) => once(socket, 'message'));
  for (const socket of sockets) socket.send(JSON.stringify({ id: 1, method: 'query', params: ['RETURN 1'] }));
  await Promise.all(answers);
  const most = mostInARound();
  expect(begun).toBe(64);
  expect(most).toBeLessThanOrEqual(2 * MOST_AT_ONCE);
  // One that waits doesn't keep the server from closing.
  for (const socket of sockets) socket.send(JSON.stringify({ id: 2, method: 'query', params: ['RETURN 1'] }));
  await app.close();
  for (const socket of sockets) socket.terminate();
});

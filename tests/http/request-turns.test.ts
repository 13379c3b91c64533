import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import { expect, it } from 'vitest';
import { MOST_AT_ONCE, RequestTurns } from '../../src/http/connections/pipelined-requests.js';
import { createHttpServer } from '../../src/http/server.js';
import { FakeDatabase } from '../support/fake-database.js';

/** Turns in a loop that runs round by round, and the names of the requests begun so far. */
function rounds() {
  let due: (() => void)[] = [];
  const begun: string[] = [];
  const names = new Map<IncomingMessage, string>();
  const turns = new RequestTurns({ nextRound: () => new Promise((resume) => due.push(resume)) }, (request) => {
    begun.push(names.get(request) as string);
  });
  const begin = (socket: Socket, name: string) => {
    const request = { socket } as IncomingMessage;
    names.set(request, name);
    turns.begin(request, {} as ServerResponse);
  };
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
  let most = 0;
  let before = 0;
  let watches = true;
  const watch = () => {
    most = Math.max(most, begun - before);
    before = begun;
    if (watches) setImmediate(watch);
  };
  watch();
  const sockets = Array.from({ length: 512 }, () => {
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
    socket.write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n');
    return socket;
  });
  const answers = await Promise.all(sockets.map((socket) => once(socket, 'data')));
  watches = false;
  expect(answers.filter(([data]) => String(data).startsWith('HTTP/1.1 200')).length).toBe(512);
  // Two rounds of requests lie between two callbacks at most.
  expect(most).toBeLessThanOrEqual(2 * MOST_AT_ONCE);
  for (const socket of sockets) socket.destroy();
  await app.close();
});

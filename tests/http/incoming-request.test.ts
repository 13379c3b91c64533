import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { incomingRequests, PIECES_PER_TURN } from '../../src/http/request/incoming-request.js';

/** What Node reads of a connection at once. */
const READ = 64 * 1024;
const CHUNK = '1\r\nx\r\n';
const CHUNKS = 100_000;

let server: Server;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.close();
  await once(server, 'close');
});

/** A server whose bodies are read in rounds that the test ends. */
async function listen(handle: (request: IncomingMessage) => void) {
  let due: (() => void)[] = [];
  const parsing = { IncomingMessage: incomingRequests({ nextRound: () => new Promise((resume) => due.push(resume)) }) };
  const accepted: Socket[] = [];
  server = createServer(parsing, (request, response) => {
    handle(request);
    request.once('end', () => response.end());
  });
  server.on('connection', (socket) => accepted.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const begin = (): Socket => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    sockets.push(socket);
    socket.write('POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n');
    return socket;
  };
  const send = (): Socket => {
    const socket = begin();
    socket.write(`${CHUNK.repeat(CHUNKS)}0\r\n\r\n`);
    return socket;
  };
  const round = () => {
    const now = due;
    due = [];
    for (const resume of now) resume();
  };
  const isReading = () => accepted.filter((socket) => !socket.isPaused()).length;
  return { begin, send, round, accepted, isReading };
}

const read = (sockets: readonly Socket[]) => sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0);

it('reads one connection with tiny chunks in each round, and all of its body in the end', async () => {
  const bodies: number[] = [];
  const { send, round, accepted, isReading } = await listen((request) => {
    const at = bodies.push(0) - 1;
    request.on('data', (piece: Buffer) => {
      bodies[at] = (bodies[at] as number) + piece.length;
    });
  });
  const clients = [send(), send(), send(), send()];
  await expect.poll(() => accepted.length === 4 && isReading() === 0).toBe(true);
  const ends = clients.map((client) => once(client.resume(), 'end'));
  let before = read(accepted);
  // The head may come by itself.
  expect(before).toBeLessThanOrEqual(4 * (2 * READ));
  for (let count = 0; count < 3; count++) {
    round();
    await expect.poll(() => read(accepted) > before && isReading() === 0).toBe(true);
    expect(read(accepted) - before).toBeLessThanOrEqual(READ);
    before = read(accepted);
  }
  const rounds = setInterval(round);
  await Promise.all(ends);
  clearInterval(rounds);
  expect(bodies).toEqual(Array(4).fill(CHUNKS));
});

it('waits neither for a reader nor for a turn when the body is complete', async () => {
  let request: IncomingMessage | undefined;
  const { begin, round } = await listen((incoming) => {
    request = incoming;
  });
  begin().write(`${CHUNK.repeat(2 * PIECES_PER_TURN)}0\r\n\r\n`);
  await expect.poll(() => request?.complete).toBe(true);
  round();
  let body = '';
  for await (const piece of request as IncomingMessage) body += String(piece);
  expect(body).toBe('x'.repeat(2 * PIECES_PER_TURN));
});

import { once } from 'node:events';
import { type AddressInfo, BlockList, connect, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterEach, expect, it } from 'vitest';
import { SILENT } from '../../src/http/base/log.js';
import { createHttpServer, type HttpServerParts } from '../../src/http/server.js';
import { socketsWithin } from '../../src/server/server.js';
import { StubbedEnvironment } from '../support/environment.js';
import { FakeDatabase, succeeded } from '../support/fake-database.js';

let app: FastifyInstance;
let database: FakeDatabase;
let sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  await app.close();
});

async function listen(parts: Partial<HttpServerParts>): Promise<void> {
  database = new FakeDatabase();
  database.onQuery = () => [succeeded(1)];
  app = createHttpServer({ database, ...parts });
  await app.listen({ host: '127.0.0.1', port: 0 });
}

const GET = 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n';
const SQL = 'POST /sql HTTP/1.1\r\nHost: x\r\nContent-Length: 8\r\n\r\nRETURN 1';
const UPGRADE = [
  'GET /rpc HTTP/1.1',
  'Host: x',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
].join('\r\n');
const OFFER = 'GET /health HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n';

/** A further connection, and what it is answered; the connection stays open if the server leaves it open. */
async function answered(text: string): Promise<string> {
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => undefined);
  socket.write(text);
  const [data] = (await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => [''])])) as [unknown];
  return String(data);
}

const PER_ADDRESS = { options: { limits: { httpConnectionsPerAddress: 2 } } };

it('refuses more connections of an address than are allowed, and begins nothing of theirs', async () => {
  await listen(PER_ADDRESS);
  for (let count = 0; count < 2; count++) expect(await answered(GET)).toMatch(/^HTTP\/1.1 200 /);
  const refused = await answered(SQL);
  expect(refused).toMatch(/^HTTP\/1.1 503 [\s\S]*--max-http-connections-per-address[\s\S]*too_many_connections/);
  expect(database.queries).toEqual([]);
  sockets[0]?.destroy();
  await expect.poll(() => answered(GET)).toMatch(/^HTTP\/1.1 200 /);
});

it('does not count WebSockets, which have a limit of their own, and counts others once', async () => {
  await listen(PER_ADDRESS);
  for (let count = 0; count < 5; count++) expect(await answered(UPGRADE)).toMatch(/^HTTP\/1.1 101 /);
  expect(await answered(OFFER)).toMatch(/^HTTP\/1.1 200 /);
  expect(await answered(GET)).toMatch(/^HTTP\/1.1 200 /);
  expect(await answered(GET)).toMatch(/^HTTP\/1.1 503 /);
});

it.each([
  ['where a proxy names the clients', { from: 'header', header: 'x-real-ip', trusted: new BlockList() }],
  ['where addresses aren’t looked at', { from: 'none' }],
] as const)('counts no addresses %s', async (_where, clientAddress) => {
  await listen({ options: { ...PER_ADDRESS.options, clientAddress } });
  for (let count = 0; count < 5; count++) expect(await answered(GET)).toMatch(/^HTTP\/1.1 200 /);
});

it('refuses connections beyond what the limit of open files leaves, and warns once a minute', async () => {
  const warnings: string[] = [];
  const environment = new StubbedEnvironment();
  await listen({
    environment,
    options: { sockets: 3 },
    log: { ...SILENT, warn: (_details, text) => void warnings.push(text) },
  });
  for (const text of [GET, UPGRADE, GET]) expect(await answered(text)).toMatch(/^HTTP\/1.1 (200|101) /);
  for (let count = 0; count < 3; count++) expect(await answered(GET)).toMatch(/^HTTP\/1.1 503 [\s\S]*ulimit -n/);
  expect(warnings.length).toBe(1);
  environment.advance(60_000);
  expect(await answered(GET)).toMatch(/^HTTP\/1.1 503 /);
  expect(warnings.length).toBe(2);
  sockets[1]?.destroy();
  await expect.poll(() => answered(GET)).toMatch(/^HTTP\/1.1 200 /);
});

it.each([
  [300, 225],
  [256, 192],
  [100, 50],
  [1_024, 768],
  [1_048_576, 1_047_552],
  [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
])('of %s open files, clients get %s', (files, sockets) => {
  expect(socketsWithin(files)).toBe(sockets);
});

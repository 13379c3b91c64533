/** A refusal has its reason, in JSON, and an id by which the request can be found again. */
import { type AddressInfo, connect } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHttpServer } from '../../src/http/server.js';
import { FakeDatabase } from '../support/fake-database.js';

let app: FastifyInstance;
beforeAll(async () => {
  app = createHttpServer({
    database: new FakeDatabase(),
    options: { allowedOrigins: ['https://good.example'], limits: { credentialsBody: 100 } },
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => app.close());

/** Sends lines as they are, and answers with what comes back until the server closes. */
function exchange(lines: readonly string[]): Promise<string> {
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  return new Promise((resolve, reject) => {
    let text = '';
    socket.on('data', (data) => {
      text += String(data);
    });
    socket.on('end', () => resolve(text));
    socket.on('error', reject);
  });
}

const UPGRADE = [
  'connection: upgrade',
  'upgrade: websocket',
  'sec-websocket-version: 13',
  'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
];
const PLAIN = ['connection: close'];

it.each<[string, string, readonly string[], number, string]>([
  ['an unknown path', 'GET /nowhere', PLAIN, 404, 'route_missing'],
  ['a method that does not fit', 'PUT /sql', PLAIN, 405, 'http_method_unsupported'],
  ['a malformed address', 'GET /key/%zz', PLAIN, 400, 'invalid_request'],
  ['a foreign origin', 'GET /status', [...PLAIN, 'origin: https://evil.example'], 403, 'origin_denied'],
  ['a body that is too large', 'POST /signin', [...PLAIN, 'content-length: 101'], 413, 'body_too_large'],
  ['no upgrade', 'GET /rpc', PLAIN, 426, 'upgrade_required'],
  ['an upgrade elsewhere', 'GET /nowhere', UPGRADE, 404, 'route_missing'],
  ['an upgrade to what is switched off', 'GET /graphql', UPGRADE, 404, 'graphql_disabled'],
  ['an upgrade with a wrong token', 'GET /rpc', [...UPGRADE, 'authorization: Bearer wrong'], 401, 'invalid_auth'],
  ['an upgrade from a foreign origin', 'GET /rpc', [...UPGRADE, 'origin: https://evil.example'], 403, 'origin_denied'],
  [
    'an upgrade to another protocol',
    'GET /rpc',
    [...UPGRADE, 'sec-websocket-protocol: msgpack'],
    400,
    'subprotocol_unsupported',
  ],
  ['an upgrade without a key', 'GET /rpc', UPGRADE.slice(0, 3), 400, 'upgrade_invalid'],
])('%s', async (_what, line, headers, status, error) => {
  const answer = await exchange([`${line} HTTP/1.1`, 'host: x', 'x-request-id: mine-1', ...headers]);
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(head).toContain('x-request-id: mine-1');
  expect(head).toContain('x-content-type-options: nosniff');
  expect(JSON.parse(body)).toMatchObject({ code: status, error, information: expect.any(String) });
});

it.each([
  ['what is no HTTP', ['NONSENSE'], 400, 'invalid_request'],
  ['headers that are too large', ['GET / HTTP/1.1', 'host: x', `x: ${'x'.repeat(100_000)}`], 431, 'headers_too_large'],
])('%s', async (_what, lines, status, error) => {
  const [head = '', body = ''] = (await exchange(lines)).split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(head).toMatch(/x-request-id: [\w-]+\r\n/);
  expect(JSON.parse(body)).toMatchObject({ code: status, error });
});

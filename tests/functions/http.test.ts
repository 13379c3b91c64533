/** `http::*` against a server of this process: what is sent, and how the answer is read. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { realEnvironment } from '../../src/env/real.js';
import { TesseraError } from '../../src/errors/error.js';
import { Fetcher } from '../../src/functions/network/fetcher.js';
import { type NetworkTarget, readTarget } from '../../src/functions/network/targets.js';
import { parseValue } from '../../src/language/parse.js';
import { toText } from '../../src/value/text/text.js';
import type { Value } from '../../src/value/value.js';
import { call, testContext } from './calls.js';

let server: Server;
let base: string;
beforeAll(async () => {
  server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      response.statusCode = Number(searchParams.get('status') ?? 200);
      const type = searchParams.get('type');
      if (type !== null) response.setHeader('content-type', type);
      if (pathname === '/echo') {
        response.setHeader('content-type', 'application/json');
        const { 'content-type': sent = null, 'x-own': own = null } = request.headers;
        response.end(
          JSON.stringify({ method: request.method, type: sent, own, body: Buffer.concat(chunks).toString() }),
        );
      } else response.end(searchParams.get('body') ?? 'body');
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((closed) => server.close(closed)));

async function outcome(name: string, path: string, ...args: readonly string[]): Promise<string> {
  const allow = [readTarget('127.0.0.1') as NetworkTarget];
  const network = new Fetcher(realEnvironment, { allow, deny: [] }, { time: 5_000, response: 1_000 });
  try {
    const values: Value[] = [`${base}${path}`, ...args.map((text) => parseValue(text))];
    return toText(await call(`http::${name}`, values, testContext({ network })));
  } catch (error) {
    if (error instanceof TesseraError) return error.message;
    throw error;
  }
}

const PROBLEM = 'There was an error processing a remote HTTP request:';

describe('what is sent', () => {
  it.each([
    ['get', [], "{ body: '', method: 'GET', own: NULL, type: NULL }"],
    ['delete', ['{ `X-Own`: 1 }'], "{ body: '', method: 'DELETE', own: '1', type: NULL }"],
    [
      'post',
      ['{ a: 1dec, r: p:1 }'],
      '{ body: \'{"a":"1","r":"p:1"}\', method: \'POST\', own: NULL, type: \'application/json\' }',
    ],
    ['put', ["'text'"], "{ body: 'text', method: 'PUT', own: NULL, type: NULL }"],
    ['patch', ['b"4142"', "{ `content-type`: 'x/y' }"], "{ body: 'AB', method: 'PATCH', own: NULL, type: 'x/y' }"],
    ['post', ['NONE'], "{ body: '', method: 'POST', own: NULL, type: NULL }"],
    ['post', ['5'], "{ body: '5', method: 'POST', own: NULL, type: 'application/json' }"],
  ])('%s %j', async (name, args, expected) => {
    expect(await outcome(name, '/echo', ...args)).toBe(expected);
  });
});

describe('the result of a call', () => {
  it.each([
    ['get', 'type=application/json&body={"a":1.0,"b":[null]}', '{ a: 1f, b: [NULL] }'],
    [
      'get',
      'type=application/json&body={bad',
      `${PROBLEM} Failed to parse JSON: Invalid JSON: expected a key in double quotes at character 2`,
    ],
    ['get', 'type=text/plain', "'body'"],
    ['get', 'type=text/html;charset=utf-8', "'body'"],
    ['get', 'type=application/octet-stream&body=AB', 'b"4142"'],
    ['get', 'type=image/png', 'NONE'],
    ['get', '', 'NONE'],
    ['head', 'type=text/plain', 'NONE'],
    ['head', 'status=404', `${PROBLEM} 404 Not Found`],
    ['get', 'status=500&type=text/plain', `${PROBLEM} 500 Internal Server Error`],
    ['get', 'status=201&type=text/plain', "'body'"],
    [
      'get',
      `type=text/plain&body=${'x'.repeat(1001)}`,
      `${PROBLEM} the answer is larger than 1000 bytes (--max-net-response)`,
    ],
  ])('%s %s', async (name, query, expected) => {
    expect(await outcome(name, `/?${query}`)).toBe(expected);
  });
});

describe('what is refused', () => {
  it.each([
    ["{ `bad header`: 'x' }", `${PROBLEM} builder error`],
    ["{ a: 'new\\nline' }", `${PROBLEM} builder error`],
    ["{ Host: 'other' }", `${PROBLEM} the header host can’t be set`],
    ["'x'", 'Incorrect arguments for function http::get(). Options argument should be an object, got: string'],
  ])('%s', async (headers, expected) => {
    expect(await outcome('get', '/', headers)).toBe(expected);
  });
});

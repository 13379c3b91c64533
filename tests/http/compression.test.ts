/** Answers in fewer bytes, where that gives nothing away. */
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { createHttpServer, type HttpServerParts } from '../../src/http/server.js';
import { FakeDatabase, succeeded } from '../support/fake-database.js';

const LONG = 'abcdefgh'.repeat(500);

let app: FastifyInstance;
afterEach(() => app.close());

function build(compress: boolean, parts: Partial<HttpServerParts> = {}): void {
  const database = new FakeDatabase();
  database.onQuery = (text) => [succeeded(text === 'short' ? 'x' : LONG)];
  app = createHttpServer({ database, options: { compress }, ...parts });
}

async function ask(encoding: string | undefined, options: InjectOptions = {}) {
  const headers = { ...options.headers, ...(encoding !== undefined && { 'accept-encoding': encoding }) };
  const reply = await app.inject({ method: 'POST', url: '/sql', payload: 'long', ...options, headers });
  return { headers: reply.headers, body: reply.rawPayload };
}

describe('where it is allowed', () => {
  it.each([
    ['gzip', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['*', 'br'],
    ['BR', 'br'],
    ['deflate', undefined],
    ['identity', undefined],
    ['gzip;q=0', undefined],
    ['*;q=0', undefined],
    [undefined, undefined],
  ])('%s is answered in %s', async (asked, used) => {
    build(true);
    const { headers, body } = await ask(asked);
    expect(headers['content-encoding']).toBe(used);
    expect(headers.vary).toBe('accept-encoding');
    expect(headers['content-length']).toBe(String(body.length));
    const plain = used === 'br' ? brotliDecompressSync(body) : used === 'gzip' ? gunzipSync(body) : body;
    expect(JSON.parse(plain.toString())).toMatchObject([{ result: LONG }]);
    expect(body.length < 1_000).toBe(used !== undefined);
  });

  it('CBOR is, too, and the origin stays in Vary', async () => {
    build(true, { options: { compress: true, allowedOrigins: ['https://a.example'] } });
    const flatBuffers = await ask('br', { headers: { accept: 'application/vnd.surrealdb.flatbuffers' } });
    expect(flatBuffers.headers['content-encoding']).toBe('br');
    const { headers } = await ask('br', { headers: { accept: 'application/cbor', origin: 'https://a.example' } });
    expect(headers).toMatchObject({ 'content-encoding': 'br', vary: 'origin, accept-encoding' });
  });

  it('what is short is left as it is', async () => {
    build(true);
    expect((await ask('br', { payload: 'short' })).headers).not.toHaveProperty('content-encoding');
  });

  it('what hands out tokens is, too', async () => {
    build(true);
    const rpc = { url: '/rpc', payload: '{"id":1,"method":"query","params":["long"]}' };
    const { headers, body } = await ask('br', { ...rpc, headers: { 'content-type': 'application/json' } });
    expect(headers).not.toHaveProperty('content-encoding');
    expect(body.length).toBeGreaterThan(LONG.length);
  });
});

describe('where it is not', () => {
  it('answers are as they are', async () => {
    build(false);
    const { headers } = await ask('br');
    expect(headers).not.toHaveProperty('content-encoding');
    expect(headers).not.toHaveProperty('vary');
  });

  it('what is the same for all clients is compressed, under a tag for both forms', async () => {
    const file = { tag: 'abc', contentType: 'text/javascript; charset=utf-8', body: Buffer.from(LONG) };
    build(false, {
      graphql: async () => ({ status: 200, contentType: 'application/json', body: '{}' }),
      graphqlPage: { html: '', files: { find: async (name) => (name === 'page.js' ? file : undefined) } },
    });
    const url = '/graphql/page.js';
    const { headers, rawPayload: body } = await app.inject({ url, headers: { 'accept-encoding': 'br' } });
    expect(headers).toMatchObject({ 'content-encoding': 'br', etag: 'W/"abc"' });
    expect(brotliDecompressSync(body).toString()).toBe(LONG);
    const again = await app.inject({ url, headers: { 'accept-encoding': 'br', 'if-none-match': 'W/"abc"' } });
    expect(again.statusCode).toBe(304);
  });

  it('what is stored compressed is sent as it is, or unpacked, under a tag for each form', async () => {
    const body = brotliCompressSync(LONG);
    const file = { tag: 'abc', contentType: 'text/javascript; charset=utf-8', body, isCompressed: true };
    build(false, {
      graphql: async () => ({ status: 200, contentType: 'application/json', body: '{}' }),
      graphqlPage: { html: '', files: { find: async () => file } },
    });
    const get = (headers: Record<string, string>) => app.inject({ url: '/graphql/page.js', headers });
    const stored = await get({ 'accept-encoding': 'gzip, br' });
    expect(stored.headers).toMatchObject({ 'content-encoding': 'br', vary: 'accept-encoding', etag: '"abc.br"' });
    expect(stored.rawPayload.equals(body)).toBe(true);
    const again = await get({ 'accept-encoding': 'br', 'if-none-match': '"abc.br"' });
    expect(again.statusCode).toBe(304);
    const plain = await get({});
    expect(plain.headers).toMatchObject({ etag: '"abc"', vary: 'accept-encoding' });
    expect(plain.headers).not.toHaveProperty('content-encoding');
    expect(plain.body).toBe(LONG);
    const zipped = await get({ 'accept-encoding': 'gzip' });
    expect(zipped.headers).toMatchObject({ 'content-encoding': 'gzip', etag: 'W/"abc"' });
    expect(gunzipSync(zipped.rawPayload).toString()).toBe(LONG);
  });
});

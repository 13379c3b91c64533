/** Endpoints of DEFINE API over HTTP. */
import type { FastifyInstance, InjectOptions } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { realEnvironment } from '../../src/env/real.js';
import { createHttpServer } from '../../src/http/server.js';
import { openDatabase } from '../../src/session/database/database.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';

let app: FastifyInstance;
beforeEach(async () => {
  const database = await openDatabase(new MemoryEngine(realEnvironment), { guests: true });
  app = createHttpServer({ database, options: { limits: { apiBody: 50 } } });
  app.addHook('onClose', () => database.close());
  const owner = database.ownerSession();
  await owner.use('my ns', 'db');
  await owner.query(`
    DEFINE API '/asked/:id<int>' FOR any THEN { { body: $request.{ body, method, params, query } } };
    DEFINE API '/heard' FOR get THEN { { body: $request.headers } };
    DEFINE API '/made' FOR post MIDDLEWARE api::req::body('json'), api::res::status(201), api::res::header('x-made', 'yes')
      THEN { { body: $request.body.a + 1 } };
    DEFINE API '/typed' FOR get MIDDLEWARE api::res::body() THEN { { body: { a: 1 } } };
    DEFINE API '/page' FOR get THEN { { headers: { 'content-type': 'text/plain', 'content-length': '1000' }, body: 'text' } };
    DEFINE API '/script' FOR get THEN { { headers: { 'content-type': 'text/html', 'content-security-policy': 'default-src *',
      'service-worker-allowed': '/', 'clear-site-data': '*', 'x-content-type-options': 'no' }, body: '<script>1</script>' } };
    DEFINE API '/shut' FOR get PERMISSIONS NONE THEN { { body: 1 } };
    DEFINE API '/nothing' FOR get THEN { { status: 204 } };
    DEFINE API '/early' FOR get THEN { { status: 101 } };
    DEFINE API '/fails' FOR get THEN { THROW 'no' }`);
});
afterEach(() => app.close());

async function ask(method: InjectOptions['method'], path: string, options: Partial<InjectOptions> = {}) {
  const url = `/api/my%20ns/db${path}`;
  const { statusCode, headers, payload } = await app.inject({ ...options, ...(method && { method }), url });
  return { status: statusCode, headers, payload };
}

test('get the method, the params and the query', async () => {
  expect(await ask('GET', '/asked/12?q=a+b')).toMatchObject({
    status: 200,
    payload: '{"body":null,"method":"get","params":{"id":12},"query":{"q":"a b"}}',
  });
  expect((await ask('DELETE', '/asked/1')).payload).toContain('"method":"delete"');
  expect(await ask('HEAD', '/asked/1')).toMatchObject({ status: 200, payload: '' });
});

test('see the headers, but not what the caller proves itself with', async () => {
  const { payload } = await ask('GET', '/heard', { headers: { 'X-A': 'b', cookie: 'secret=1' } });
  expect(payload).toContain('"x-a":"b"');
  expect(payload).not.toContain('secret');
});

test('take bodies and set headers and status', async () => {
  const headers = { 'content-type': 'application/json' };
  const made = await ask('POST', '/made', { headers, payload: '{"a":1}' });
  expect(made).toMatchObject({ status: 201, payload: '2', headers: { 'x-made': 'yes' } });
  expect(made.headers['x-surreal-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  expect((await ask('POST', '/made', { headers, payload: '{"a":' })).status).toBe(400);
  expect(await ask('POST', '/made', { headers, payload: `"${'x'.repeat(50)}"` })).toMatchObject({
    status: 413,
    payload: expect.stringContaining('--max-api-body'),
  });
});

test('answer in the type that they choose, or that the client takes', async () => {
  expect(await ask('GET', '/typed')).toMatchObject({
    payload: '{"a":1}',
    headers: { 'content-type': 'application/json' },
  });
  const cbor = await ask('GET', '/typed', { headers: { accept: 'application/cbor' } });
  expect(cbor.headers['content-type']).toBe('application/cbor');
  expect(await ask('GET', '/page')).toMatchObject({
    payload: 'text',
    headers: { 'content-type': 'text/plain', 'content-length': '4' },
  });
});

test('share no origin with the Studio, and set no headers that hold for it', async () => {
  expect((await ask('GET', '/page')).headers['content-security-policy']).toMatch(/^sandbox /);
  const { payload, headers } = await ask('GET', '/script');
  expect(payload).toBe('<script>1</script>');
  expect(headers['content-security-policy']).toMatch(/^default-src \*, sandbox (?!.*allow-same-origin)/);
  expect(headers['x-content-type-options']).toBe('nosniff');
  expect(Object.keys(headers)).not.toContain('service-worker-allowed');
  expect(Object.keys(headers)).not.toContain('clear-site-data');
});

test('fail in answers', async () => {
  expect((await ask('GET', '/shut')).status).toBe(403);
  expect((await ask('GET', '/nothing')).status).toBe(204);
  expect((await ask('GET', '/early')).status).toBe(500);
  expect(await ask('GET', '/fails')).toMatchObject({ status: 500, payload: '"An error occurred: no"' });
  expect((await ask('GET', '/nope')).status).toBe(404);
  expect((await ask('GET', '/asked/x')).status).toBe(404);
  expect((await app.inject('/api/my%20ns')).statusCode).toBe(404);
  expect((await ask('GET', '/%zz')).status).toBe(400);
});

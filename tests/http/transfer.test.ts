/** `/export` and `/import` over HTTP. */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { realEnvironment } from '../../src/env/real.js';
import { createHttpServer } from '../../src/http/server.js';
import type { Session } from '../../src/session/contract.js';
import { type OpenDatabase, openDatabase } from '../../src/session/database/database.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { encodeCbor } from '../../src/value/codecs/cbor-encode.js';
import { objectFrom } from '../../src/value/value.js';
import { openOwned } from '../support/owned.js';

let database: OpenDatabase;
let app: FastifyInstance;
let owner: Session;

const AS_OWNER = {
  authorization: `Basic ${Buffer.from('root:root').toString('base64')}`,
  'surreal-ns': 'test',
  'surreal-db': 'test',
};

beforeEach(async () => {
  database = await openDatabase(new MemoryEngine(realEnvironment), { guests: true });
  app = createHttpServer({ database, options: { limits: { importBody: 1000 }, requestTimeout: 10_000 } });
  app.addHook('onClose', () => database.close());
  owner = database.ownerSession();
  await owner.use('test', 'test');
  await owner.query("DEFINE USER root ON ROOT PASSWORD 'root' ROLES OWNER");
});
afterEach(() => app.close());

async function send(options: InjectOptions) {
  const { statusCode, headers, payload } = await app.inject({
    ...options,
    headers: { ...AS_OWNER, ...options.headers },
  });
  return { status: statusCode, headers, payload };
}

describe('/export', () => {
  beforeEach(async () => {
    await owner.query('CREATE a:1, b:1; DEFINE PARAM $p VALUE 1');
  });

  it('gives all of it to GET, and what is asked for to POST', async () => {
    const whole = await send({ url: '/export' });
    expect(whole).toMatchObject({ status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' } });
    expect(whole.payload).toContain('INSERT [ { id: a:1 } ];');
    const json = {
      url: '/export',
      method: 'POST',
      headers: { accept: 'plain/text', 'content-type': 'application/json' },
    } as const;
    expect(await send({ ...json, payload: '{}' })).toMatchObject({ status: 200, payload: whole.payload });
    expect((await send({ ...json, payload: '' })).payload).toBe(whole.payload);
    const part = await send({ ...json, payload: '{"tables": ["b"], "params": false, "buckets": true, "v3": true}' });
    expect(part.payload).toContain('id: b:1');
    expect(part.payload).not.toMatch(/id: a:1|PARAM/);
    const payload = Buffer.from(encodeCbor(objectFrom({ tables: false })));
    const cbor = await send({
      url: '/export',
      method: 'POST',
      headers: { 'content-type': 'application/cbor' },
      payload,
    });
    expect(cbor.payload).not.toContain('TABLE');
  });

  it('refuses what makes no sense, and users who may not see it', async () => {
    const json = { url: '/export', method: 'POST', headers: { 'content-type': 'application/json' } } as const;
    for (const payload of ['{"tables": 1}', '{"tables": [1]}', '{"users": "yes"}', '[]', '{']) {
      expect(await send({ ...json, payload })).toMatchObject({ status: 400 });
    }
    const guest = await app.inject({ url: '/export', headers: { 'surreal-ns': 'test', 'surreal-db': 'test' } });
    expect(guest.statusCode).toBe(403);
    const nowhere = await app.inject({ url: '/export', headers: { authorization: AS_OWNER.authorization } });
    expect(nowhere).toMatchObject({ statusCode: 400, payload: expect.stringContaining('Specify a namespace') });
  });

  it('goes no faster than its reader', async () => {
    await owner.query("FOR $i IN 0..2000 { CREATE big SET text = string::repeat('x', 10000) }");
    const sockets: Socket[] = [];
    app.server.on('connection', (socket) => sockets.push(socket));
    await app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.server.address() as AddressInfo;
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      httpRequest({ port, path: '/export', headers: AS_OWNER }, resolve).on('error', reject).end();
    });
    response.pause();
    // SerialQueue of the event loop enough to send all twenty megabytes.
    for (let turn = 0; turn < 2_000; turn++) await setImmediate();
    expect(sockets[0]?.bytesWritten).toBeGreaterThan(0);
    expect(sockets[0]?.bytesWritten).toBeLessThan(15_000_000);
    expect(sockets[0]?.writableLength).toBeLessThan(3_000_000);
    let received = 0;
    for await (const chunk of response) received += (chunk as Buffer).length;
    expect(received).toBeGreaterThan(20_000_000);
  });
});

describe('/import', () => {
  const load = (payload: string | Buffer, headers: Record<string, string> = {}) =>
    send({ method: 'POST', url: '/import', payload, headers: { 'content-type': 'application/cbor', ...headers } });

  it('runs what comes, whatever type it claims to be', async () => {
    const accept = { accept: 'application/json' };
    expect(await load('OPTION IMPORT; CREATE a:1;', accept)).toMatchObject({
      status: 200,
      payload: '[]',
      headers: { 'content-type': 'application/json' },
    });
    expect(await load('CREATE a:⟨ü⟩', { 'content-type': 'text/plain' })).toMatchObject({ status: 200 });
    expect(await load('')).toMatchObject({ status: 200 });
    const [found] = await owner.query('SELECT VALUE record::id(id) FROM a');
    expect(found?.outcome).toEqual({ ok: true, value: [1, 'ü'] });
  });

  it('reports what is wrong and where', async () => {
    const failed = await load('CREATE a:1;\nCREATE a:1');
    expect(failed.status).toBe(400);
    expect(JSON.parse(failed.payload)).toMatchObject({
      error: 'import_failed',
      information: expect.stringContaining('line 2'),
    });
    expect(JSON.parse((await load('SEL ECT')).payload)).toMatchObject({ error: 'parse_error' });
    expect(JSON.parse((await load(Buffer.from([0xff]))).payload)).toMatchObject({ error: 'malformed_request' });
    expect(await load(`RETURN '${'x'.repeat(1000)}'`)).toMatchObject({
      status: 413,
      payload: expect.stringContaining('--max-import-body'),
    });
    expect((await send({ url: '/import' })).status).toBe(405);
  });

  it('is for editors', async () => {
    await owner.query("DEFINE USER reader ON ROOT PASSWORD 'reader' ROLES VIEWER");
    const authorization = `Basic ${Buffer.from('reader:reader').toString('base64')}`;
    expect((await load('CREATE a:1', { authorization })).status).toBe(403);
    const headers = { 'surreal-ns': 'test', 'surreal-db': 'test' };
    const guest = await app.inject({ method: 'POST', url: '/import', payload: 'CREATE a:1', headers });
    expect(guest.statusCode).toBe(403);
  });
});

it('an import has an hour by default, and the answer names the setting', async () => {
  const owned = await openOwned();
  await owned.value("DEFINE USER root ON ROOT PASSWORD 'root' ROLES OWNER");
  const told: (readonly [number, string])[] = [];
  for (const options of [{}, { importTimeout: 0 }, { importTimeout: 5_000_000 }]) {
    const server = createHttpServer({ database: owned.database, options });
    const payload = Readable.from(
      (async function* () {
        yield 'CREATE a; ';
        await setImmediate();
        owned.environment.advance(4_000_000);
        yield 'CREATE a; CREATE a';
      })(),
    );
    const headers = { ...AS_OWNER, 'content-type': 'text/plain' };
    const answer = await server.inject({ url: '/import', method: 'POST', headers, payload });
    told.push([answer.statusCode, answer.payload]);
    await server.close();
  }
  expect(told).toEqual([
    [408, expect.stringContaining('longer than 1h (--import-timeout)')],
    [200, '[]'],
    [200, '[]'],
  ]);
  await owned.database.close();
});

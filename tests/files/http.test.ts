/** Files over HTTP, with real servers. */
import { createHash } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { realEnvironment } from '../../src/env/real.js';
import type { RunningServer } from '../../src/server/server.js';
import { startDrawnServer } from '../support/drawn-server.js';
import { ParsedMetrics } from '../support/prometheus.js';
import { ROOT } from '../support/server.js';
import { temporaryFolder } from '../support/server-process.js';

const AS_ROOT = `Basic ${Buffer.from(`${ROOT.username}:${ROOT.password}`).toString('base64')}`;
const folder = temporaryFolder();

let server: RunningServer;
const tokens: Record<string, string> = {};
beforeAll(async () => {
  server = await startDrawnServer('files over HTTP', { SVC_ALLOW_BUCKET_FOLDERS: folder });
  await sql(`
    DEFINE TABLE user PERMISSIONS FULL;
    DEFINE ACCESS people ON DATABASE TYPE RECORD
      SIGNUP (CREATE type::record('user', $name) SET name = $name)
      SIGNIN (SELECT * FROM user WHERE name = $name);
    DEFINE BUCKET pictures MAXSIZE 10000000 PERMISSIONS WHERE owner = $auth.id;
    DEFINE BUCKET folder BACKEND 'file:${folder}/files' PERMISSIONS WHERE owner = $auth.id;
    DEFINE BUCKET memory BACKEND 'memory' PERMISSIONS WHERE owner = $auth.id;
    DEFINE BUCKET shared PERMISSIONS FOR get FULL;
    DEFINE BUCKET small MAXSIZE 1000 TYPES 'image/*' PERMISSIONS FULL`);
  for (const name of ['ann', 'bob']) {
    const answer = await fetch(`${server.url}/signup`, {
      method: 'POST',
      body: JSON.stringify({ ns: 'test', db: 'test', ac: 'people', name }),
    });
    tokens[name] = `Bearer ${((await answer.json()) as { token: string }).token}`;
  }
});
afterAll(() => server.close());

async function sql(text: string): Promise<unknown[]> {
  const headers = { authorization: AS_ROOT, 'surreal-ns': 'test', 'surreal-db': 'test', accept: 'application/json' };
  const answer = await fetch(`${server.url}/sql`, { method: 'POST', headers, body: text });
  return ((await answer.json()) as { result: unknown }[]).map(({ result }) => result);
}

function ask(as: string, method: string, path: string, { headers = {}, body }: RequestInit = {}): Promise<Response> {
  const authorization = as === 'root' ? AS_ROOT : (tokens[as] ?? '');
  return fetch(`${server.url}/files/test/test/${path}`, {
    method,
    headers: { ...(authorization !== '' && { authorization }), ...(headers as object) },
    // Of a text, `fetch` says that it is one.
    ...(body !== undefined && { body: typeof body === 'string' ? Buffer.from(body) : body }),
  });
}

const codeOf = async (answer: Response) =>
  answer.ok ? [answer.status] : [answer.status, ((await answer.json()) as { error?: string }).error];

describe.each(['pictures', 'folder', 'memory'])('the bucket %s', (bucket) => {
  const bytes = Buffer.from(realEnvironment.random.bytes(700_001));

  it('keeps what is put, and gives it whole or in parts', async () => {
    const put = await ask('ann', 'PUT', `${bucket}/a/cat.png`, { body: bytes });
    expect(put.status).toBe(201);
    const got = await ask('ann', 'GET', `${bucket}/a/cat.png`);
    expect(Buffer.compare(Buffer.from(await got.arrayBuffer()), bytes)).toBe(0);
    expect(Object.fromEntries(got.headers)).toMatchObject({
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-cache',
      'content-disposition': `inline; filename="cat.png"; filename*=UTF-8''cat.png`,
      'content-length': '700001',
      'content-security-policy': "sandbox; default-src 'none'",
      'content-type': 'image/png',
      etag: put.headers.get('etag'),
      'repr-digest': `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`,
      'x-content-type-options': 'nosniff',
    });
    const head = await ask('ann', 'HEAD', `${bucket}/a/cat.png`);
    expect([head.status, head.headers.get('content-length'), head.headers.get('etag')]).toEqual([
      200,
      '700001',
      put.headers.get('etag'),
    ]);
    const part = await ask('ann', 'GET', `${bucket}/a/cat.png`, { headers: { range: 'bytes=262140-262150' } });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 262140-262150/700001']);
    expect(Buffer.compare(Buffer.from(await part.arrayBuffer()), bytes.subarray(262_140, 262_151))).toBe(0);
    const parts = await ask('ann', 'GET', `${bucket}/a/cat.png`, { headers: { range: 'bytes=0-1,-2' } });
    const text = Buffer.from(await parts.arrayBuffer());
    expect(parts.headers.get('content-length')).toBe(String(text.length));
    const boundary = parts.headers.get('content-type')?.split('boundary=')[1];
    expect(text.toString('latin1')).toBe(
      `\r\n--${boundary}\r\ncontent-type: image/png\r\ncontent-range: bytes 0-1/700001\r\n\r\n${bytes.subarray(0, 2).toString('latin1')}` +
        `\r\n--${boundary}\r\ncontent-type: image/png\r\ncontent-range: bytes 699999-700000/700001\r\n\r\n${bytes.subarray(-2).toString('latin1')}` +
        `\r\n--${boundary}--\r\n`,
    );
    const beyond = await ask('ann', 'GET', `${bucket}/a/cat.png`, { headers: { range: 'bytes=700001-' } });
    expect([beyond.headers.get('content-range'), ...(await codeOf(beyond))]).toEqual([
      'bytes */700001',
      416,
      'range_unsatisfiable',
    ]);
  });

  it('replaces and deletes the version that is meant', async () => {
    const once = { headers: { 'if-none-match': '*' }, body: 'first' };
    const first = await ask('ann', 'PUT', `${bucket}/v.txt`, once);
    expect(first.status).toBe(201);
    expect(await codeOf(await ask('ann', 'PUT', `${bucket}/v.txt`, once))).toEqual([412, 'file_changed']);
    const etag = first.headers.get('etag') as string;
    const second = await ask('ann', 'PUT', `${bucket}/v.txt`, { headers: { 'if-match': etag }, body: 'second' });
    expect([second.status, await second.text()]).toEqual([204, '']);
    expect(await codeOf(await ask('ann', 'DELETE', `${bucket}/v.txt`, { headers: { 'if-match': etag } }))).toEqual([
      412,
      'file_changed',
    ]);
    const known = await ask('ann', 'GET', `${bucket}/v.txt`, {
      headers: { 'if-none-match': second.headers.get('etag') as string },
    });
    expect([known.status, await known.text()]).toEqual([304, '']);
    expect((await ask('ann', 'DELETE', `${bucket}/v.txt`)).status).toBe(204);
    expect(await codeOf(await ask('root', 'GET', `${bucket}/v.txt`))).toEqual([404, 'file_missing']);
  });

  it('lists', async () => {
    for (const name of ['l/1', 'l/2', 'l/3']) await ask('ann', 'PUT', `${bucket}/${name}`, { body: name });
    const listed = await ask('ann', 'GET', `${bucket}?prefix=/l&start=/l/1&limit=1`);
    expect(await listed.json()).toMatchObject([{ file: `f"${bucket}:/l/2"`, size: 3 }]);
    expect(await (await ask('bob', 'GET', `${bucket}?prefix=/l`)).json()).toEqual([]);
  });

  it('says the same of files of others as of none', async () => {
    await ask('ann', 'PUT', `${bucket}/mine`, { body: 'mine' });
    for (const method of ['GET', 'DELETE']) {
      const [others, none] = [await ask('bob', method, `${bucket}/mine`), await ask('bob', method, `${bucket}/none`)];
      expect(await codeOf(others)).toEqual([403, 'file_denied']);
      expect(await codeOf(none)).toEqual([403, 'file_denied']);
    }
    expect(await codeOf(await ask('bob', 'PUT', `${bucket}/mine`, { body: 'bob' }))).toEqual([403, 'file_denied']);
    expect((await ask('', 'GET', `${bucket}/mine`)).status).toBe(403);
  });
});

it('isn’t deleted while a record that rejects it refers to it', async () => {
  await sql(`DEFINE FIELD picture ON album TYPE option<file<pictures>> REFERENCE ON DELETE REJECT`);
  await ask('ann', 'PUT', 'pictures/kept.png', { body: 'kept' });
  await sql('CREATE album:1 SET picture = f"pictures:/kept.png"');
  expect(await codeOf(await ask('ann', 'DELETE', 'pictures/kept.png'))).toEqual([409, 'record_referenced']);
  expect((await ask('ann', 'GET', 'pictures/kept.png')).status).toBe(200);
  await sql('DEFINE FIELD OVERWRITE picture ON album TYPE option<file<pictures>> REFERENCE ON DELETE UNSET');
  expect((await ask('ann', 'DELETE', 'pictures/kept.png')).status).toBe(204);
  expect(await sql('SELECT * FROM album')).toEqual([[{ id: 'album:1' }]]);
});

it('is counted by actions and bytes', async () => {
  const metrics = async () => {
    const answer = await fetch(`${server.url}/metrics`, { headers: { authorization: AS_ROOT } });
    const { samples } = new ParsedMetrics(await answer.text());
    const of = (name: string, labels: object) =>
      samples.find((each) => each.name === name && Object.entries(labels).every(([k, v]) => each.labels[k] === v))
        ?.value ?? 0;
    return {
      put: of('tessera_file_actions_total', { action: 'put', outcome: 'ok' }),
      got: of('tessera_file_actions_total', { action: 'get', outcome: 'ok' }),
      denied: of('tessera_file_actions_total', { action: 'put', outcome: 'denied' }),
      failed: of('tessera_file_actions_total', { action: 'delete', outcome: 'failed' }),
      in: of('tessera_file_bytes_total', { direction: 'in' }),
      out: of('tessera_file_bytes_total', { direction: 'out' }),
    };
  };
  const before = await metrics();
  await ask('ann', 'PUT', 'pictures/counted', { body: Buffer.alloc(300_000) });
  await (await ask('ann', 'GET', 'pictures/counted')).arrayBuffer();
  await (await ask('ann', 'GET', 'pictures/counted', { headers: { range: 'bytes=0-9' } })).arrayBuffer();
  await ask('ann', 'HEAD', 'pictures/counted');
  await ask('bob', 'PUT', 'pictures/counted', { body: 'x' });
  await ask('ann', 'DELETE', 'pictures/counted', { headers: { 'if-match': '"other"' } });
  const after = await metrics();
  const grown = Object.entries(after).map(([name, value]) => [name, value - before[name as keyof typeof before]]);
  expect(Object.fromEntries(grown)).toEqual({ put: 1, got: 3, denied: 1, failed: 1, in: 300_000, out: 300_010 });
});

describe('a link', () => {
  it('needs no credentials', async () => {
    await ask('ann', 'PUT', 'pictures/linked.png', { body: 'linked' });
    const [address] = await sql('file::url(f"pictures:/linked.png")');
    const got = await fetch(server.url + String(address));
    expect([got.status, await got.text(), got.headers.get('cache-control')]).toEqual([
      200,
      'linked',
      'private, no-cache',
    ]);
    const part = await fetch(server.url + String(address), { headers: { range: 'bytes=1-2' } });
    expect([part.status, await part.text()]).toEqual([206, 'in']);
    const other = await fetch(server.url + String(address).replace('linked', 'other'));
    expect(await codeOf(other)).toEqual([403, 'file_link']);
    expect((await fetch(server.url + String(address), { method: 'DELETE' })).status).toBe(403);
    expect((await fetch(server.url + String(address), { method: 'PUT', body: 'x' })).status).toBe(403);
  });
});

describe('a link to put', () => {
  const anyone = (path: string, method: string, init: RequestInit = {}) =>
    fetch(server.url + path, { method, ...init });
  const link = async (options: string) => String((await sql(`file::url(f"pictures:/by/link.png", ${options})`))[0]);

  it('needs no credentials, and is no smaller than the file may be', async () => {
    const path = await link('{ method: "PUT", type: "image/png", size: 200000 }');
    const put = await anyone(path, 'PUT', { body: Buffer.alloc(150_000), headers: { 'content-type': 'image/png' } });
    expect([put.status, put.headers.get('etag')]).toEqual([201, expect.any(String)]);
    // Again, with the credentials of another; and streamed, without a length.
    const body = new Blob([Buffer.alloc(100_000)]).stream();
    const authorization = tokens['bob'] ?? '';
    const again = await anyone(path, 'PUT', { body, headers: { authorization }, duplex: 'half' } as RequestInit);
    expect(again.status).toBe(204);
    const [head] = await sql('f"pictures:/by/link.png".head().{ size, owner, type }');
    expect(head).toEqual({ owner: null, size: 100_000, type: 'image/png' });
  });

  it('puts nothing that it doesn’t allow', async () => {
    const path = await link('{ method: "PUT", type: "image/*", size: 1000 }');
    const put = async (to: string, init: RequestInit) => codeOf(await anyone(to, 'PUT', init));
    expect(await put(path, { body: Buffer.alloc(1001) })).toEqual([413, 'file_too_large']);
    const stream = new Blob([Buffer.alloc(100_000)]).stream();
    expect(await put(path, { body: stream, duplex: 'half' } as RequestInit)).toEqual([413, 'file_too_large']);
    expect(await put(path, { body: 'x', headers: { 'content-type': 'text/html' } })).toEqual([415, 'file_type']);
    expect(await put(path.replace('link.png', 'other.png'), { body: 'x' })).toEqual([403, 'file_link']);
    expect(await put(path.replace('size=1000', 'size=9000'), { body: 'x' })).toEqual([403, 'file_link']);
    expect(await put(path.replace('image%2F*', '*%2F*'), { body: 'x' })).toEqual([403, 'file_link']);
    expect(await put(path.replace('method=PUT&', ''), { body: 'x' })).toEqual([403, 'file_link']);
    const toGet = await link('{}');
    expect(await put(toGet, { body: Buffer.from('x') })).toEqual([403, 'file_link']);
    expect(await put(`${toGet}&method=PUT`, { body: Buffer.from('x') })).toEqual([403, 'file_link']);
    await sql('ALTER BUCKET pictures ROTATE KEY');
    expect(await put(path, { body: Buffer.alloc(1) })).toEqual([403, 'file_link']);
  });

  it('is of no other method', async () => {
    const path = await link('{ method: "PUT" }');
    for (const method of ['GET', 'DELETE']) expect((await anyone(path, method)).status, method).toBe(403);
    const headers = { 'tus-resumable': '1.0.0', 'upload-length': '1' };
    expect((await anyone(path, 'POST', { headers })).status).toBe(403);
    expect((await anyone(path, 'PATCH', { headers, body: 'x' })).status).toBe(404);
    const list = path.replace('/by/link.png', '');
    expect((await anyone(list, 'GET')).status).toBe(403);
    expect((await anyone(list, 'PUT', { body: 'x' })).status).toBe(404);
  });

  it('holds to conditions', async () => {
    const path = await link('{ method: "PUT" }');
    const put = (headers: Record<string, string>) => anyone(path, 'PUT', { body: Buffer.from('x'), headers });
    await ask('root', 'DELETE', 'pictures/by/link.png');
    const first = await put({ 'if-none-match': '*' });
    expect(first.status).toBe(201);
    expect((await put({ 'if-none-match': '*' })).status).toBe(412);
    expect((await put({ 'if-match': '"another"' })).status).toBe(412);
    expect((await put({ 'if-match': first.headers.get('etag') ?? '' })).status).toBe(204);
  });
});

describe('what is put', () => {
  it('is refused before it is sent where it may not be put', async () => {
    const text = [
      'PUT /files/test/test/shared/x HTTP/1.1',
      'host: localhost',
      `authorization: ${tokens['ann']}`,
      'content-length: 5000000',
      'expect: 100-continue',
      '',
      '',
    ].join('\r\n');
    expect(await firstAnswer(text)).toMatch(/^HTTP\/1\.1 403 /);
    expect(await firstAnswer(text.replace('/shared/', '/pictures/'))).toMatch(/^HTTP\/1\.1 100 /);
  });

  it('is checked by size, type and digest, and leaves nothing behind when it is refused', async () => {
    const put = (name: string, init: RequestInit) => ask('ann', 'PUT', `small/${name}`, init);
    expect(await codeOf(await put('a.png', { body: 'x'.repeat(1001) }))).toEqual([413, 'file_too_large']);
    expect(await codeOf(await put('a.txt', { body: 'x' }))).toEqual([415, 'file_type']);
    expect(await codeOf(await put('a.png', { headers: { 'content-type': 'text/html' }, body: 'x' }))).toEqual([
      415,
      'file_type',
    ]);
    const digest = (text: string) => `sha-256=:${createHash('sha256').update(text).digest('base64')}:`;
    const wrong = await put('a.png', { headers: { 'repr-digest': digest('y') }, body: 'x' });
    expect(await codeOf(wrong)).toEqual([400, 'file_digest']);
    expect((await put('a.png', { headers: { 'repr-digest': digest('x') }, body: 'x' })).status).toBe(201);
    const range = await put('a.png', { headers: { 'content-range': 'bytes 0-0/5' }, body: 'x' });
    expect(await codeOf(range)).toEqual([400, 'invalid_request']);
    expect(await sql('RETURN file::list("small").size')).toEqual([[1]]);
  });

  it('isn’t there when the client goes away', async () => {
    const socket = await opened();
    socket.write(
      `PUT /files/test/test/pictures/cut HTTP/1.1\r\nhost: localhost\r\nauthorization: ${tokens['ann']}\r\ncontent-length: 900000\r\n\r\n`,
    );
    socket.write('x'.repeat(600_000));
    await new Promise((resolve) => setImmediate(resolve));
    socket.destroy();
    expect((await ask('ann', 'PUT', 'pictures/after', { body: 'x' })).status).toBe(201);
    expect(await codeOf(await ask('root', 'GET', 'pictures/cut'))).toEqual([404, 'file_missing']);
  });

  it('waits where a user has too many uploads', async () => {
    const sockets = await Promise.all(Array.from({ length: 8 }, opened));
    const begun = sockets.map(async (socket, at) => {
      const head = `PUT /files/test/test/memory/u${at} HTTP/1.1\r\nhost: localhost\r\nauthorization: ${tokens['ann']}`;
      const answered = new Promise<string>((resolve) => socket.once('data', (chunk) => resolve(String(chunk))));
      socket.write(`${head}\r\ncontent-length: 10\r\nexpect: 100-continue\r\n\r\n`);
      const answer = await answered;
      socket.write('12345');
      return answer;
    });
    for (const answer of await Promise.all(begun)) expect(answer).toMatch(/^HTTP\/1\.1 100/);
    const again = () => ask('ann', 'PUT', 'memory/u', { body: 'x' });
    await expect.poll(async () => codeOf(await again())).toEqual([429, 'too_many_uploads']);
    expect((await ask('bob', 'PUT', 'memory/bob', { body: 'x' })).status).toBe(201);
    for (const socket of sockets) socket.destroy();
    await expect.poll(async () => (await again()).ok).toBe(true);
  });

  it('acts as nothing but a file', async () => {
    const page = '<script>fetch("/sql")</script>';
    const put = { headers: { 'content-type': 'text/html; charset=utf-8' }, body: page };
    await ask('ann', 'PUT', `pictures/${encodeURIComponent('a"b;\\c é.html')}`, put);
    const got = await ask('ann', 'GET', `pictures/${encodeURIComponent('a"b;\\c é.html')}`);
    expect([await got.text(), got.headers.get('content-type')]).toEqual([page, 'text/html; charset=utf-8']);
    expect(got.headers.get('content-disposition')).toBe(
      `attachment; filename="a_b;_c _.html"; filename*=UTF-8''a%22b%3B%5Cc%20%C3%A9.html`,
    );
    const svg = { headers: { 'content-type': 'image/svg+xml' }, body: '<svg/>' };
    await ask('ann', 'PUT', 'pictures/a.svg', svg);
    expect((await ask('ann', 'GET', 'pictures/a.svg')).headers.get('content-disposition')).toMatch(/^attachment/);
    for (const path of ['pictures/%2e%2e/x', 'pictures/a/..%2f..%2fx', 'pictures/a%0d%0ab', 'pictures/a%00']) {
      expect([400, 404]).toContain((await ask('ann', 'PUT', path, { body: 'x' })).status);
    }
  });
});

function opened(): Promise<Socket> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => resolve(socket));
  });
}

/** The first line that the server answers to the head of a request. */
async function firstAnswer(head: string): Promise<string> {
  const socket = await opened();
  socket.write(head);
  const line = await new Promise<string>((resolve) => socket.once('data', (chunk: Buffer) => resolve(String(chunk))));
  socket.destroy();
  return line;
}

/** Uploads that can be resumed (tus 1.0), by hand: every request of the protocol, with real servers. */
import { createHash } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { realEnvironment } from '../../src/env/real.js';
import type { RunningServer } from '../../src/server/server.js';
import { startDrawnServer } from '../support/drawn-server.js';
import { ROOT } from '../support/server.js';
import { temporaryFolder } from '../support/server-process.js';

const AS_ROOT = `Basic ${Buffer.from(`${ROOT.username}:${ROOT.password}`).toString('base64')}`;
const folder = temporaryFolder();

let server: RunningServer;
const tokens: Record<string, string> = {};
beforeAll(async () => {
  server = await startDrawnServer('uploads by tus', { SVC_ALLOW_BUCKET_FOLDERS: folder, SVC_MAX_FILE_BODY: '5000000' });
  await sql(`
    DEFINE TABLE user PERMISSIONS FULL;
    DEFINE ACCESS people ON DATABASE TYPE RECORD
      SIGNUP (CREATE type::record('user', $name) SET name = $name, may = true)
      SIGNIN (SELECT * FROM user WHERE name = $name);
    DEFINE BUCKET store PERMISSIONS WHERE owner = $auth.id AND $auth.may;
    DEFINE BUCKET folder BACKEND 'file:${folder}/files' PERMISSIONS WHERE owner = $auth.id AND $auth.may;
    DEFINE BUCKET memory BACKEND 'memory' PERMISSIONS WHERE owner = $auth.id AND $auth.may;
    DEFINE BUCKET small MAXSIZE 1000 TYPES 'image/*' PERMISSIONS FULL`);
  for (const name of ['ann', 'bob']) {
    const body = JSON.stringify({ ns: 'test', db: 'test', ac: 'people', name });
    const answer = await fetch(`${server.url}/signup`, { method: 'POST', body });
    tokens[name] = `Bearer ${((await answer.json()) as { token: string }).token}`;
  }
});
afterAll(() => server.close());

async function sql(text: string): Promise<unknown[]> {
  const headers = { authorization: AS_ROOT, 'surreal-ns': 'test', 'surreal-db': 'test', accept: 'application/json' };
  const answer = await fetch(`${server.url}/sql`, { method: 'POST', headers, body: text });
  return ((await answer.json()) as { result: unknown }[]).map(({ result }) => result);
}

interface Sent {
  readonly as?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
}

function ask(method: string, path: string, { as = 'ann', headers = {}, body }: Sent = {}): Promise<Response> {
  return fetch(new URL(path, server.url), {
    method,
    headers: { authorization: as === 'root' ? AS_ROOT : (tokens[as] ?? ''), 'tus-resumable': '1.0.0', ...headers },
    ...(body !== undefined && { body: new Uint8Array(Buffer.from(body)) }),
  });
}

const file = (bucket: string, key: string) => `/files/test/test/${bucket}/${key}`;
const BYTES = { 'content-type': 'application/offset+octet-stream' };
const metadata = (type: string) => `filename ${btoa('a.bin')},filetype ${btoa(type)},private`;
const codeOf = async (answer: Response) => [answer.status, ((await answer.json()) as { error?: string }).error];

/** Begins an upload; returns its address. */
async function begun(bucket: string, key: string, length: number, headers: Sent['headers'] = {}): Promise<string> {
  const answer = await ask('POST', file(bucket, key), { headers: { 'upload-length': String(length), ...headers } });
  expect([answer.status, answer.headers.get('tus-resumable')]).toEqual([201, '1.0.0']);
  return answer.headers.get('location') as string;
}

function patch(address: string, offset: number, body: string | Buffer, headers: Sent['headers'] = {}, as = 'ann') {
  return ask('PATCH', address, { as, headers: { ...BYTES, 'upload-offset': String(offset), ...headers }, body });
}

async function offsetOf(address: string): Promise<string | null> {
  return (await ask('HEAD', address)).headers.get('upload-offset');
}

describe.each(['store', 'folder', 'memory'])('in the bucket %s', (bucket) => {
  it('comes in parts, and is there when it is whole', async () => {
    const bytes = Buffer.from(realEnvironment.random.bytes(900_001));
    const said = metadata('image/png');
    const address = await begun(bucket, 'a/parts', bytes.length, { 'upload-metadata': said });
    const first = await patch(address, 0, bytes.subarray(0, 300_000));
    expect([first.status, first.headers.get('upload-offset')]).toEqual([204, '300000']);
    expect(Date.parse(first.headers.get('upload-expires') ?? '')).toBeGreaterThan(0);
    const head = await ask('HEAD', address);
    expect([head.status, head.headers.get('upload-offset'), head.headers.get('upload-length')]).toEqual([
      200,
      '300000',
      '900001',
    ]);
    expect([head.headers.get('upload-metadata'), head.headers.get('cache-control')]).toEqual([said, 'no-store']);
    expect((await patch(address, 300_000, bytes.subarray(300_000, 300_001))).status).toBe(204);
    expect((await ask('GET', file(bucket, 'a/parts'))).status).toBe(403);
    expect((await patch(address, 300_001, bytes.subarray(300_001))).headers.get('upload-offset')).toBe('900001');
    const got = await ask('GET', file(bucket, 'a/parts'));
    expect(Buffer.compare(Buffer.from(await got.arrayBuffer()), bytes)).toBe(0);
    expect([got.headers.get('content-type'), got.headers.get('repr-digest')]).toEqual([
      'image/png',
      `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`,
    ]);
    // Who has missed the last answer learns that all has come.
    expect(await offsetOf(address)).toBe('900001');
    expect(await sql(`f"${bucket}:/a/parts".head().owner`)).toEqual(['user:ann']);
  });

  it('comes with its beginning, or is empty', async () => {
    const headers = { ...BYTES, 'upload-length': '4' };
    const whole = await ask('POST', file(bucket, 'whole'), { headers, body: 'abcd' });
    expect([whole.status, whole.headers.get('upload-offset')]).toEqual([201, '4']);
    expect(await (await ask('GET', file(bucket, 'whole'))).text()).toBe('abcd');
    const half = await ask('POST', file(bucket, 'half'), { headers, body: 'ab' });
    expect([half.status, half.headers.get('upload-offset')]).toEqual([201, '2']);
    expect((await patch(half.headers.get('location') as string, 2, 'cd')).status).toBe(204);
    expect(await (await ask('GET', file(bucket, 'half'))).text()).toBe('abcd');
    await begun(bucket, 'empty', 0);
    expect(await (await ask('GET', file(bucket, 'empty'))).text()).toBe('');
  });

  it('goes on where it was cut', async () => {
    const bytes = Buffer.from(realEnvironment.random.bytes(1_000_000));
    const address = await begun(bucket, 'cut', bytes.length);
    const socket = await opened();
    socket.write(patchHead(address, 0, bytes.length));
    socket.write(bytes.subarray(0, 600_000), () => socket.destroy());
    await expect.poll(async () => Number(await offsetOf(address))).toBeGreaterThan(0);
    const offset = Number(await offsetOf(address));
    expect((await patch(address, offset, bytes.subarray(offset))).status).toBe(204);
    const got = await ask('GET', file(bucket, 'cut'));
    expect(Buffer.compare(Buffer.from(await got.arrayBuffer()), bytes)).toBe(0);
  });

  it('is deleted', async () => {
    const address = await begun(bucket, 'deleted', 10);
    await patch(address, 0, 'abc');
    expect((await ask('DELETE', address)).status).toBe(204);
    expect((await ask('HEAD', address)).status).toBe(410);
    expect(await codeOf(await patch(address, 3, 'def'))).toEqual([410, 'file_upload_over']);
  });
});

describe('what is sent', () => {
  it('must follow what is kept, and be no more than was said', async () => {
    const address = await begun('store', 'offsets', 6);
    await patch(address, 0, 'abc');
    expect(await codeOf(await patch(address, 0, 'abc'))).toEqual([409, 'file_upload_offset']);
    expect(await codeOf(await patch(address, 4, 'ab'))).toEqual([409, 'file_upload_offset']);
    expect(await codeOf(await patch(address, 3, 'def!'))).toEqual([413, 'file_too_large']);
    const typed = await patch(address, 3, 'def', { 'content-type': 'text/plain' });
    expect(await codeOf(typed)).toEqual([415, 'unsupported_media_type']);
    const unversioned = await patch(address, 3, 'def', { 'tus-resumable': '0.2.2' });
    expect([unversioned.headers.get('tus-resumable'), ...(await codeOf(unversioned))]).toEqual([
      '1.0.0',
      412,
      'tus_version',
    ]);
    expect(await offsetOf(address)).toBe('3');
  });

  it('counts only with its checksum', async () => {
    const address = await begun('store', 'sums', 6);
    const sum = (name: string, text: string) => ({
      'upload-checksum': `${name} ${createHash(name).update(text).digest('base64')}`,
    });
    expect(await codeOf(await patch(address, 0, 'abc', sum('sha256', 'abd')))).toEqual([460, 'file_checksum']);
    expect(await offsetOf(address)).toBe('0');
    expect((await patch(address, 0, 'abc', sum('sha256', 'abc'))).status).toBe(204);
    expect(await codeOf(await patch(address, 3, 'def', sum('md5', 'def')))).toEqual([400, 'invalid_request']);
    expect(await codeOf(await patch(address, 3, 'def', sum('sha1', 'deg')))).toEqual([460, 'file_checksum']);
    expect((await patch(address, 3, 'def', sum('sha1', 'def'))).status).toBe(204);
    expect(await (await ask('GET', file('store', 'sums'))).text()).toBe('abcdef');
  });

  it('comes by one request at a time: a second one ends the first', async () => {
    const address = await begun('store', 'twice', 6);
    const socket = await opened();
    socket.write(`${patchHead(address, 0, 6)}12`);
    const answered = new Promise<string>((resolve) => {
      let text = '';
      socket.on('data', (chunk: Buffer) => (text += chunk)).on('close', () => resolve(text));
    });
    // Once its bytes have come, another request finds them.
    await expect.poll(() => offsetOf(address)).toBe('2');
    expect(await answered).toMatch(/^HTTP\/1\.1 409 [\s\S]*file_upload_busy/);
    const [left, right] = await Promise.all([patch(address, 2, '3456'), patch(address, 2, '3456')]);
    expect([left.status, right.status].toSorted()).toContain(204);
    expect([left.status, right.status].filter((status) => status === 409 || status === 410)).toHaveLength(1);
    expect(await (await ask('GET', file('store', 'twice'))).text()).toBe('123456');
  });

  it('comes by POST from clients that have no other methods', async () => {
    const address = await begun('store', 'override', 3);
    const headers = { ...BYTES, 'upload-offset': '0', 'x-http-method-override': 'PATCH' };
    expect((await ask('POST', address, { headers, body: 'abc' })).status).toBe(204);
    expect(await (await ask('GET', file('store', 'override'))).text()).toBe('abc');
    expect(await codeOf(await ask('POST', address, { headers: BYTES, body: 'abc' }))).toEqual([404, 'route_missing']);
  });
});

describe('who may', () => {
  it('is judged when it begins, and again when it is whole', async () => {
    const denied = await ask('POST', file('store', 'x'), { as: 'none', headers: { 'upload-length': '3' } });
    expect([401, 403]).toContain(denied.status);
    const address = await begun('store', 'judged', 6);
    await patch(address, 0, 'abc');
    await sql('UPDATE user:ann SET may = false');
    expect(await codeOf(await patch(address, 3, 'def'))).toEqual([403, 'file_denied']);
    expect(await codeOf(await ask('POST', file('store', 'y'), { headers: { 'upload-length': '3' } }))).toEqual([
      403,
      'file_denied',
    ]);
    expect((await ask('HEAD', address)).status).toBe(403);
    await sql('UPDATE user:ann SET may = true');
    expect((await ask('GET', file('store', 'judged'))).status).toBe(403);
    expect(await offsetOf(address)).toBe('6');
    expect(await (await ask('GET', file('store', 'judged'))).text()).toBe('abcdef');
  });

  it('is who has begun it', async () => {
    const address = await begun('store', 'mine', 6);
    expect(await codeOf(await patch(address, 0, 'abc', {}, 'bob'))).toEqual([410, 'file_upload_over']);
    expect((await ask('HEAD', address, { as: 'root' })).status).toBe(410);
    expect((await ask('DELETE', address, { as: 'bob' })).status).toBe(410);
    expect(await offsetOf(address)).toBe('0');
    expect((await ask('HEAD', `${address.slice(0, -4)}none`)).status).toBe(410);
  });

  it('meets what the bucket takes', async () => {
    const create = (headers: Record<string, string>) => ask('POST', file('small', 'a'), { headers });
    const type = metadata('image/png');
    expect(await codeOf(await create({ 'upload-length': '1001', 'upload-metadata': type }))).toEqual([
      413,
      'file_too_large',
    ]);
    expect(await codeOf(await create({ 'upload-length': '10' }))).toEqual([415, 'file_type']);
    expect(await codeOf(await create({ 'upload-length': '10', 'upload-metadata': '=,=' }))).toEqual([
      400,
      'invalid_request',
    ]);
    expect(await codeOf(await create({ 'upload-defer-length': '1' }))).toEqual([400, 'invalid_request']);
    const large = await ask('POST', file('store', 'a'), { headers: { 'upload-length': '5000001' } });
    expect(await codeOf(large)).toEqual([413, 'body_too_large']);
    expect((await create({ 'upload-length': '10', 'upload-metadata': type, 'if-none-match': '*' })).status).toBe(201);
  });

  it('keeps the version that is meant', async () => {
    const address = await begun('store', 'version', 3, { 'if-none-match': '*' });
    await ask('PUT', file('store', 'version'), { body: 'other' });
    expect(await codeOf(await patch(address, 0, 'abc'))).toEqual([412, 'file_changed']);
    expect(await (await ask('GET', file('store', 'version'))).text()).toBe('other');
  });
});

describe('OPTIONS', () => {
  it('says what there is, also to pages', async () => {
    const headers = { origin: 'https://app.example', 'access-control-request-method': 'PATCH' };
    const answer = await fetch(`${server.url}/files/test/test/store/a`, { method: 'OPTIONS', headers });
    expect(answer.status).toBe(204);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'tus-resumable': '1.0.0',
      'tus-version': '1.0.0',
      'tus-extension': 'creation,creation-with-upload,expiration,checksum,termination',
      'tus-checksum-algorithm': 'sha1,sha256',
      'tus-max-size': '5000000',
    });
    const allowed = answer.headers.get('access-control-allow-headers')?.split(', ');
    expect(allowed).toEqual(expect.arrayContaining(['tus-resumable', 'upload-length', 'upload-offset']));
    const created = await ask('POST', file('store', 'page'), { headers: { 'upload-length': '3', ...headers } });
    const exposed = created.headers.get('access-control-expose-headers')?.split(', ');
    expect(exposed).toEqual(expect.arrayContaining(['location', 'upload-offset', 'tus-resumable']));
  });
});

function patchHead(address: string, offset: number, length: number): string {
  const headers = [
    `PATCH ${address} HTTP/1.1`,
    'host: localhost',
    `authorization: ${tokens['ann']}`,
    'tus-resumable: 1.0.0',
    'content-type: application/offset+octet-stream',
    `upload-offset: ${offset}`,
    `content-length: ${length}`,
  ];
  return `${headers.join('\r\n')}\r\n\r\n`;
}

function opened(): Promise<Socket> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => resolve(socket));
  });
}

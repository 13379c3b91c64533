/** Files of forms, with a real server. */
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { realEnvironment } from '../../src/env/real.js';
import type { RunningServer } from '../../src/server/server.js';
import { ROOT, startTestServer } from '../support/server.js';

const AS_ROOT = `Basic ${Buffer.from(`${ROOT.username}:${ROOT.password}`).toString('base64')}`;

let server: RunningServer;
let asUser: string;
beforeAll(async () => {
  server = await startTestServer({ SVC_MAX_FILE_BODY: '3000000' });
  await sql(`DEFINE ACCESS people ON DATABASE TYPE RECORD SIGNUP (CREATE user)`);
  const body = JSON.stringify({ ns: 'test', db: 'test', ac: 'people' });
  const answer = await fetch(`${server.url}/signup`, { method: 'POST', body });
  asUser = `Bearer ${((await answer.json()) as { token: string }).token}`;
});
afterAll(() => server.close());
beforeEach(() =>
  sql(`
    REMOVE BUCKET IF EXISTS open; REMOVE BUCKET IF EXISTS guarded;
    DEFINE BUCKET open;
    DEFINE BUCKET guarded MAXSIZE 1000 PERMISSIONS FOR put WHERE $file.key().starts_with('/mine/')`),
);

async function sql(text: string): Promise<unknown[]> {
  const headers = { authorization: AS_ROOT, 'surreal-ns': 'test', 'surreal-db': 'test', accept: 'application/json' };
  const answer = await fetch(`${server.url}/sql`, { method: 'POST', headers, body: text });
  return ((await answer.json()) as { result: unknown }[]).map(({ result }) => result);
}

type Part = readonly [name: string, content: string | Buffer, type?: string];

function post(path: string, parts: readonly Part[], authorization = AS_ROOT): Promise<Response> {
  const form = new FormData();
  form.append('title', 'no file');
  for (const [name, content, type] of parts) {
    form.append('file', new Blob([new Uint8Array(Buffer.from(content))], { type: type ?? '' }), name);
  }
  const headers = { ...(authorization !== '' && { authorization }), accept: 'application/json' };
  return fetch(`${server.url}/files/test/test/${path}`, { method: 'POST', headers, body: form });
}

const codeOf = async (answer: Response) => [answer.status, ((await answer.json()) as { error?: string }).error];
const keys = async (bucket: string) => (await sql(`file::list('${bucket}').map(|$f| $f.file.key())`))[0];

it('are put under the prefix and their names', async () => {
  const large = Buffer.from(realEnvironment.random.bytes(900_001));
  const answer = await post('open?prefix=/a/', [
    ['large.png', large, 'image/png'],
    ['é ü.txt', 'text', 'text/plain'],
    ['by-ending.webp', 'x'],
    ['empty', ''],
  ]);
  expect(answer.status).toBe(201);
  expect(await answer.json()).toMatchObject([
    { file: 'f"open:/a/large.png"', size: 900_001, version: expect.stringMatching(/^[0-9a-f]{32}$/) },
    { file: expect.stringContaining('é'), size: 4 },
    { file: 'f"open:/a/by-ending.webp"', size: 1 },
    { file: 'f"open:/a/empty"', size: 0 },
  ]);
  expect(await sql(`file::list('open').map(|$f| [$f.file.key(), $f.type, $f.size])`)).toEqual([
    [
      ['/a/by-ending.webp', 'image/webp', 1],
      ['/a/empty', 'application/octet-stream', 0],
      ['/a/large.png', 'image/png', 900_001],
      ['/a/é ü.txt', 'text/plain', 4],
    ],
  ]);
  const got = await fetch(`${server.url}/files/test/test/open/a/large.png`, { headers: { authorization: AS_ROOT } });
  expect(Buffer.compare(Buffer.from(await got.arrayBuffer()), large)).toBe(0);
});

it('are put all or none', async () => {
  const mine = await post('guarded?prefix=/mine/', [['a', 'x']], asUser);
  expect(mine.status).toBe(201);
  expect(await codeOf(await post('guarded?prefix=/other/', [['a', 'x']], asUser))).toEqual([403, 'file_denied']);
  const large: Part = ['c', 'x'.repeat(1001)];
  expect(await codeOf(await post('guarded?prefix=/mine/', [['b', 'x'], large], asUser))).toEqual([
    413,
    'file_too_large',
  ]);
  const twice = await post('open', [
    ['a', 'x'],
    ['a', 'y'],
  ]);
  expect(await codeOf(twice)).toEqual([400, 'invalid_request']);
  await sql('ALTER BUCKET guarded MAXCOUNT 2');
  const full = await post(
    'guarded?prefix=/mine/',
    [
      ['b', 'x'],
      ['c', 'x'],
    ],
    asUser,
  );
  expect(await codeOf(full)).toEqual([507, 'bucket_full']);
  expect([await keys('guarded'), await keys('open')]).toEqual([['/mine/a'], []]);
});

it('have keys like any others', async () => {
  // Paths of clients aren't part of a name.
  expect((await post('open', [['../../b', 'x']])).status).toBe(201);
  expect(await keys('open')).toEqual(['/b']);
  expect(await codeOf(await post('open?prefix=/../', [['a', 'x']]))).toEqual([400, 'file_key']);
  expect(await codeOf(await post('open', [['..', 'x']]))).toEqual([400, 'invalid_request']);
});

it('are bounded in bytes and in number', async () => {
  const most = await post('open', [['a', Buffer.alloc(3_000_001)]]);
  expect(await codeOf(most)).toEqual([413, 'body_too_large']);
  const many = Array.from({ length: 101 }, (_, index): Part => [`f${index}`, 'x']);
  expect(await codeOf(await post('open', many))).toEqual([400, 'invalid_request']);
  expect((await post('open', many.slice(0, 100))).status).toBe(201);
});

it('aren’t put when the form ends early, or isn’t one', async () => {
  const head = '--b\r\ncontent-disposition: form-data; name="f"; filename="cut"\r\n\r\nabc';
  const typed = (type: string) => ({ authorization: AS_ROOT, 'content-type': type });
  for (const body of [head, `${head}\r\n--b`, `${head}\r\n--b\r\n`, 'nothing', '']) {
    const headers = typed('multipart/form-data; boundary=b');
    const answer = await fetch(`${server.url}/files/test/test/open`, { method: 'POST', headers, body });
    expect(await codeOf(answer)).toEqual([400, 'invalid_request']);
  }
  const headers = typed('multipart/form-data');
  const unbounded = await fetch(`${server.url}/files/test/test/open`, { method: 'POST', headers, body: head });
  expect(await codeOf(unbounded)).toEqual([400, 'invalid_request']);
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST /files/test/test/open HTTP/1.1\r\nhost: localhost\r\nauthorization: ${AS_ROOT}\r\n` +
      `content-type: multipart/form-data; boundary=b\r\ncontent-length: 1000\r\n\r\n${head}`,
    () => socket.destroy(),
  );
  expect((await post('open', [['after', 'x']])).status).toBe(201);
  expect(await keys('open')).toEqual(['/after']);
});

/** `GET /log` and `GET /settings`: for owners of the root alone, bounded, and without secrets. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RecentLines } from '../../src/server/recent-lines.js';
import { cleanUp, ROOT, type ServerProcess, startServer } from '../support/server-process.js';

let server: ServerProcess;
const basic = (user: string, pass: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${pass}`).toString('base64')}`,
});
const AS_ROOT = basic(ROOT.user, ROOT.pass);
const SECRET = 'a secret of the test';

const get = (path: string, headers: Readonly<Record<string, string>> = AS_ROOT) =>
  fetch(`${server.url}${path}`, { headers });

async function sql(text: string): Promise<void> {
  const headers = { ...AS_ROOT, accept: 'application/json', 'svc-ns': 'test', 'svc-db': 'test' };
  expect((await fetch(`${server.url}/sql`, { method: 'POST', headers, body: text })).ok).toBe(true);
}

beforeAll(async () => {
  server = await startServer('memory', {
    SVC_SLOW_LOG_THRESHOLD: '1ms',
    SVC_DENY_HTTP: 'key',
    SVC_LOG: 'debug',
  });
  await sql(`DEFINE USER owen ON ROOT PASSWORD '${SECRET}' ROLES OWNER; DEFINE USER vera ON ROOT PASSWORD '${SECRET}' ROLES VIEWER;
    DEFINE USER below ON NAMESPACE PASSWORD '${SECRET}' ROLES OWNER; SLEEP 2ms`);
});
afterAll(cleanUp);

describe.each(['/log', '/settings'])('%s', (path) => {
  it('is for owners of the root alone', async () => {
    expect((await get(path)).status).toBe(200);
    expect((await get(path, basic('owen', SECRET))).status).toBe(200);
    expect((await get(path, basic('vera', SECRET))).status).toBe(403);
    expect((await get(path, { ...basic('below', SECRET), 'svc-auth-ns': 'test' })).status).toBe(403);
    expect((await get(path, {})).status).toBe(403);
    expect((await get(path)).headers.get('cache-control')).toBe('no-store');
  });

  it('has no secret', async () => {
    const text = await (await get(path)).text();
    expect(text.length).toBeGreaterThan(100);
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain(ROOT.pass);
    expect(text).not.toMatch(/eyJ|\$argon2/);
  });
});

it('has lines of the log as they were written', async () => {
  const lines = (await (await get('/log')).text()).trim().split('\n');
  const parsed = lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  expect(parsed.find(({ msg }) => msg === 'Listening')).toMatchObject({ level: 'info', url: server.url });
  expect(parsed.find(({ kind }) => kind === 'sleep')).toMatchObject({ msg: 'Slow statement', user: ROOT.user });
  await expect.poll(() => server.log()).toContain(lines[0]);
});

it('says where each setting comes from', async () => {
  type Listed = { readonly name: string; readonly value?: string; readonly source?: string };
  const settings = (await (await get('/settings')).json()) as readonly Listed[];
  const of = (wanted: string) => settings.find(({ name }) => name === wanted);
  expect(of('--deny-http')).toMatchObject({ value: 'key', source: 'SVC_DENY_HTTP' });
  expect(of('--user')).toMatchObject({ value: ROOT.user, source: '--user' });
  expect(of('--pass')).toMatchObject({ source: '--pass' });
  expect(of('--pass')).not.toHaveProperty('value');
  expect(of('--drain-time')).not.toHaveProperty('source');
});

describe('the lines that are kept', () => {
  it('are the last thousand', () => {
    const lines = new RecentLines();
    for (let at = 0; at < 1_500; at++) lines.add(`${at}\n`);
    const kept = lines.text().trim().split('\n');
    expect([kept.length, kept[0], kept.at(-1)]).toEqual([1_000, '500', '1499']);
  });

  it('take a mebibyte at most, whatever their length', () => {
    const lines = new RecentLines();
    for (let at = 0; at < 100; at++) lines.add(`${at} ${'é'.repeat(20_000)}\n`);
    expect(Buffer.byteLength(lines.text())).toBeLessThanOrEqual(1024 * 1024);
    expect(lines.text()).toContain('99 ');
    lines.add('x'.repeat(2 * 1024 * 1024));
    expect(lines.text()).not.toContain('x');
    lines.add('after\n');
    expect(lines.text()).toMatch(/after\n$/);
  });
});

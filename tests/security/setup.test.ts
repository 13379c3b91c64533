/** Attacks on making the first root user: `POST /setup`, which works without signing in. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { Log } from '../../src/http/base/log.js';
import { isFromOwnPage, isLocal } from '../../src/http/request/own-page.js';
import { readConfiguration } from '../../src/server/configuration.js';
import { hasRootUser, makeRootUser } from '../../src/server/first-user.js';
import { openConfigured, prepareDatabase } from '../../src/server/open.js';
import { type RunningServer, startServer } from '../../src/server/server.js';
import { FirstUserSetup, offersSetup } from '../../src/server/setup.js';
import type { OpenDatabase } from '../../src/session/database/database.js';
import { StubbedEnvironment } from '../support/environment.js';
import { openOwned } from '../support/owned.js';

const HOUR = 60 * 60 * 1000;
const PASSWORD = 'the password of the first';

interface Fresh extends RunningServer {
  readonly database: OpenDatabase;
  readonly setup: FirstUserSetup;
  readonly environment: StubbedEnvironment;
  readonly code: string;
  /** What the server has logged. */
  logged(): string;
}

const opened: { close(): Promise<unknown> }[] = [];
const folder = mkdtempSync(join(tmpdir(), 'tessera-setup-'));
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A server without a root user, whose code has been issued. The clock of the code stands still. */
async function fresh(variables: Readonly<Record<string, string>> = {}): Promise<Fresh> {
  const configuration = configured(variables);
  const lines: string[] = [];
  const note = (...line: unknown[]) => void lines.push(JSON.stringify(line));
  const log: Log = { error: note, warn: note, info: note, debug: note };
  const database = await openConfigured(configuration, log);
  const environment = new StubbedEnvironment();
  const setup = new FirstUserSetup(database, environment);
  const prepared = prepareDatabase(database, configuration);
  const server = await startServer(configuration, { database, log, prepared, setup });
  opened.push(server);
  const code = setup.open();
  return { ...server, database, setup, environment, code, logged: () => lines.join('\n') };
}

function configured(variables: Readonly<Record<string, string>> = {}) {
  return readConfiguration(() => undefined, { SVC_PATH: 'memory', SVC_BIND: '127.0.0.1:0', ...variables });
}

interface Attempt {
  readonly code?: string;
  readonly user?: string;
  readonly pass?: string;
  readonly path?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Answer {
  readonly status: number;
  readonly error: string | undefined;
  readonly text: string;
}

/** Sends what the page sends, but for what `attempt` says. A header that is empty isn't sent. */
function setUp(server: Fresh, attempt: Attempt = {}): Promise<Answer> {
  const { code = server.code, user = 'ann', pass = PASSWORD, path = '/setup', headers } = attempt;
  const url = new URL(server.url);
  const sent = { origin: server.url, host: url.host, 'content-type': 'application/json', ...headers };
  const given = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== ''));
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port: url.port, path, method: 'POST', headers: given }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      answer.on('end', () => {
        const error = text.startsWith('{') ? (JSON.parse(text) as { readonly error?: string }).error : undefined;
        resolve({ status: answer.statusCode ?? 0, error, text });
      });
    });
    outgoing.on('error', reject).end(attempt.body ?? JSON.stringify({ user, pass, code }));
  });
}

async function rootUsers(database: OpenDatabase): Promise<string[]> {
  const session = database.ownerSession();
  const [info] = await session.query('(INFO FOR ROOT).users.keys()');
  session.close();
  return info?.outcome.ok === true ? (info.outcome.value as string[]) : [];
}

const MISSING = { status: 404, error: 'route_missing' };

describe('the first root user', () => {
  it('is an owner, made once with the code', async () => {
    const server = await fresh();
    expect(server.code).toMatch(/^[0-9a-f]{32}$/);
    expect(await setUp(server)).toMatchObject({ status: 200 });
    const credentials = JSON.stringify({ user: 'ann', pass: PASSWORD });
    expect((await fetch(`${server.url}/signin`, { method: 'POST', body: credentials })).status).toBe(200);
    expect(server.setup.isOpen).toBe(false);
    expect(await setUp(server, { user: 'eve' })).toMatchObject({ status: 403, error: 'setup_closed' });
    expect(await rootUsers(server.database)).toEqual(['ann']);
  });

  it('is one, when two are asked for at the same time', async () => {
    const server = await fresh();
    const answers = await Promise.all(['ann', 'bob', 'eve'].map((user) => setUp(server, { user })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 403]);
    expect(await rootUsers(server.database)).toHaveLength(1);
  });

  it('is one, even of two transactions without a code', async () => {
    const { database } = await openOwned();
    opened.push(database);
    const made = await Promise.all(
      ['ann', 'eve'].map((name) => makeRootUser(database.ownerSession(), { name, password: PASSWORD }, '')),
    );
    expect(made.sort()).toEqual([false, true]);
    expect(await rootUsers(database)).toHaveLength(1);
  });

  it('is not made where there is one already', async () => {
    const server = await fresh({ SVC_USER: 'root', SVC_PASS: 'a root password' });
    expect(await setUp(server)).toMatchObject({ status: 403, error: 'setup_closed' });
    expect(await rootUsers(server.database)).toEqual(['root']);
    expect(server.setup.isOpen).toBe(false);
  });

  it('is not made with a wrong code, and many tries wait ever longer', async () => {
    const server = await fresh();
    const wrong = ['0'.repeat(32), `${server.code} `, server.code.toUpperCase().replace(/^./, 'x'), 'ü', '__proto__'];
    for (const code of wrong) {
      expect(await setUp(server, { code })).toMatchObject({ status: 403, error: 'setup_code_wrong' });
    }
    expect(await setUp(server, { code: '0' })).toMatchObject({ error: 'setup_code_wrong' });
    // From here on each try is delayed before the code is looked at; too many that wait are refused.
    const waiting = Array.from({ length: 9 }, () => setUp(server, { code: '1' }));
    expect(await Promise.any(waiting.map(async (each) => (await each).status))).toBe(429);
    server.environment.advance(30_000);
    expect((await Promise.all(waiting)).map(({ status }) => status)).toContain(429);
    expect(await rootUsers(server.database)).toEqual([]);
    expect(await setUp(server)).toMatchObject({ status: 200 });
  });

  it('is not made when the time of the code is over, nor by the code of another start', async () => {
    const server = await fresh();
    const code = server.setup.open();
    expect(await setUp(server)).toMatchObject({ error: 'setup_code_wrong' });
    server.environment.advance(HOUR);
    expect(server.setup.isOpen).toBe(false);
    expect(await setUp(server, { code })).toMatchObject({ status: 403, error: 'setup_closed' });
  });

  it('is asked for again when what was asked for could not be made', async () => {
    const server = await fresh();
    const long = { pass: 'x'.repeat(3_000) };
    expect((await setUp(server, long)).error).toBe('password_too_long');
    for (const [attempt, error] of [
      [{ pass: 'shorter' }, 'password_too_short'],
      [{ user: 'x'.repeat(513) }, 'malformed_request'],
      [{ user: '' }, 'malformed_request'],
      [{ body: '{"user": {}, "pass": 1, "code": []}' }, 'malformed_request'],
      [{ body: '[]' }, 'malformed_request'],
      [{ body: '{' }, 'json_invalid'],
      [{ body: 'x'.repeat(5_000) }, 'body_too_large'],
    ] as const) {
      expect((await setUp(server, attempt)).error).toBe(error);
    }
    expect(await setUp(server)).toMatchObject({ status: 200 });
  });
});

describe('a page of another site', () => {
  it('makes no user: neither by a request across sites, nor under a name that resolves to this machine', async () => {
    const server = await fresh();
    const { port } = new URL(server.url);
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: '' },
      { origin: `https://127.0.0.1:${port}` },
      { origin: `http://localhost:${port}` },
      { origin: `http://127.0.0.1:${Number(port) - 1}` },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { host: `evil.example:${port}`, origin: `http://evil.example:${port}` },
      { host: `127.0.0.1.evil.example:${port}`, origin: `http://127.0.0.1.evil.example:${port}` },
      { host: '127.0.0.1', origin: 'http://127.0.0.1' },
      { host: `127.0.0.2:${port}`, origin: `http://127.0.0.2:${port}` },
    ]) {
      expect(await setUp(server, { headers }), JSON.stringify(headers)).toMatchObject(MISSING);
    }
    expect(await rootUsers(server.database)).toEqual([]);
    const headers = { host: `localhost:${port}`, origin: `http://localhost:${port}`, 'sec-fetch-site': 'same-origin' };
    expect(await setUp(server, { headers })).toMatchObject({ status: 200 });
  });

  it('makes none by a form, whose content is never JSON', async () => {
    const server = await fresh();
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/cbor', '']) {
      expect((await setUp(server, { headers: { 'content-type': type } })).status, type).toBe(415);
    }
    expect(await rootUsers(server.database)).toEqual([]);
  });

  it('makes none by a code in the URL', async () => {
    const server = await fresh();
    const path = `/setup?user=ann&pass=${PASSWORD.replaceAll(' ', '+')}&code=${server.code}`;
    expect((await setUp(server, { path, body: '' })).status).toBe(400);
    expect((await fetch(`${server.url}${path}`)).status).toBe(405);
    expect(await rootUsers(server.database)).toEqual([]);
  });
});

describe('who is elsewhere', () => {
  it('makes no user behind a proxy on this machine, whatever address it gives', async () => {
    const server = await fresh();
    for (const headers of [
      { 'x-forwarded-for': '127.0.0.1' },
      { 'x-forwarded-host': 'db.example' },
      { forwarded: 'for=127.0.0.1' },
      { 'x-real-ip': '127.0.0.1' },
      { via: '1.1 proxy' },
    ]) {
      expect(await setUp(server, { headers }), JSON.stringify(headers)).toMatchObject(MISSING);
    }
    expect(await rootUsers(server.database)).toEqual([]);
  });

  it.each([
    ['127.0.0.1', '127.0.0.1', true],
    ['::1', '::1', true],
    ['::ffff:127.0.0.1', '::ffff:127.0.0.1', true],
    ['192.0.2.7', '127.0.0.1', false],
    ['::ffff:192.0.2.7', '::ffff:127.0.0.1', false],
    ['127.0.0.1', '192.0.2.1', false],
    ['', '', false],
  ])('is known by the connection: from %s to %s', (remoteAddress, localAddress, isAllowed) => {
    const host = localAddress === '::1' ? '[::1]:8000' : `${localAddress.replace('::ffff:', '')}:8000`;
    const incoming = {
      socket: { remoteAddress, localAddress, localPort: 8000 } as Socket,
      headers: { host, origin: `http://${host}` },
    } as IncomingMessage;
    expect([isLocal(incoming), isFromOwnPage(incoming)]).toEqual([isAllowed, isAllowed]);
  });

  it.each([
    [{}, true],
    [{ SVC_BIND: 'localhost:8000' }, true],
    [{ SVC_BIND: '[::1]:8000' }, true],
    [{ SVC_BIND: '0.0.0.0:8000' }, false],
    [{ SVC_BIND: '[::]:8000' }, false],
    [{ SVC_BIND: '192.0.2.1:8000' }, false],
    [{ SVC_BIND: '127.evil.example:8000' }, false],
    [{ SVC_CLIENT_IP: 'X-Forwarded-For', SVC_TRUSTED_PROXY: '127.0.0.1' }, false],
    [{ SVC_WORKERS: '2', SVC_PATH: './data' }, false],
    [{ SVC_PATH: 'postgres://127.0.0.1/tessera' }, false],
    [{ SVC_UNAUTHENTICATED: 'true' }, false],
    [{ SVC_NO_BANNER: 'true' }, false],
    [{ SVC_AUDIT_LOG: 'stdout' }, false],
    [{ SVC_DENY_HTTP: 'studio' }, false],
    [{ SVC_DENY_HTTP: 'setup' }, false],
  ])('is offered nothing unless the server is for this machine alone: %o', (variables, isOffered) => {
    expect(offersSetup(configured(variables))).toBe(isOffered);
  });

  it('does not learn from the page that there is anything to set up', async () => {
    const server = await fresh();
    const state = async (headers: Readonly<Record<string, string>> = {}) => {
      const page = await new Promise<string>((resolve) => {
        const { hostname: host, port } = new URL(server.url);
        request({ host, port, path: '/studio', headers }, (answer) => {
          let text = '';
          answer.on('data', (chunk: Buffer) => {
            text += chunk;
          });
          answer.on('end', () => resolve(text));
        }).end();
      });
      return /name="tessera-setup" content="([^"]*)"/.exec(page)?.[1];
    };
    expect(await state()).toBe('open');
    expect(await state({ host: 'evil.example' })).toBe('closed');
    expect(await state({ 'x-forwarded-for': '192.0.2.7' })).toBe('closed');
    await setUp(server);
    expect(await state()).toBe('closed');
  });
});

it('is audited with who asked, and neither code nor password is in any log', async () => {
  const auditLog = join(folder, 'audit.log');
  const server = await fresh({ SVC_AUDIT_LOG: auditLog, SVC_LOG: 'full' });
  await setUp(server, { code: 'a wrong code' });
  await setUp(server);
  await setUp(server, { user: 'eve' });
  expect(await hasRootUser(server.database)).toBe(true);
  for (const each of opened.splice(0)) await each.close();
  const text = readFileSync(auditLog, 'utf8');
  const client = { ip: '127.0.0.1', origin: server.url };
  const records = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  const made = records.filter(({ action }) => action === 'define' || action === 'refuse');
  expect(made).toMatchObject([
    { action: 'refuse', outcome: 'denied', error: 'setup_code_wrong', who: { kind: 'guest' }, client },
    { action: 'define', outcome: 'ok', what: { kind: 'user', name: 'ann' }, client },
    { action: 'refuse', outcome: 'denied', error: 'setup_closed', client },
  ]);
  for (const secret of [server.code, PASSWORD, 'a wrong code']) {
    expect(text).not.toContain(secret);
    expect(server.logged()).not.toContain(secret);
  }
});

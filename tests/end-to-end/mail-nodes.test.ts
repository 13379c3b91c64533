/**
 * A57: three servers, processes of their own, on one store in PostgreSQL. A mail is asked for at one, its link is opened
 * at another and redeemed at the third, and each of them may be killed in between. What ends sessions at one ends the
 * WebSockets of all. Each attack by itself: `tests/security/identity/mail-nodes.test.ts`.
 */

import { createHash } from 'node:crypto';
import type { Surreal } from 'surrealdb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startMailServer, type TestMailServer } from '../support/mail-server.js';
import { newClient } from '../support/official-client.js';
import { PostgresServer, postgresPrograms } from '../support/postgres-server.js';
import { isInTurn } from '../support/runs-all.js';
import { cleanUp, ROOT, type ServerProcess, startServerWith } from '../support/server-process.js';
import { atLeast } from '../support/timeouts.js';

const VERIFIER = 'v'.repeat(43);
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');
const REDIRECT = 'https://shop.example/in';
const PLACE = { NS: 'test', DB: 'test', AC: 'mail' };
const DEADLINE = { timeout: atLeast(240_000) };
/** The servers that are left send the mails of one that was killed once its lease is over. */
const PATIENCE = { timeout: 120_000, interval: 50 };

const SCHEMA = (port: number) => `
  DEFINE CONFIG MAIL FROM 'no-reply@shop.example' SMTP 'smtp://127.0.0.1:${port}';
  DEFINE CONFIG AUTH REDIRECT '${REDIRECT}';
  DEFINE TABLE user; DEFINE INDEX email ON user FIELDS email UNIQUE;
  DEFINE ACCESS mail ON DATABASE TYPE RECORD SIGNUP (CREATE user SET email = $identity.email)
    SIGNIN (SELECT * FROM user WHERE email = $email) WITH MAIL CODE, LINK`;

// Without PostgreSQL there is no store that several servers share; `.ci/run` installs it. In turns with other long tests.
describe.skipIf(postgresPrograms() === undefined || !isInTurn(4))('A57: of three servers on PostgreSQL', () => {
  let postgres: PostgresServer;
  let mail: TestMailServer;
  let servers: ServerProcess[];
  let clients: Surreal[];
  let schemas = 0;

  beforeAll(async () => {
    postgres = await PostgresServer.start({ settings: { synchronous_commit: 'on' } });
  });
  afterAll(() => postgres?.remove());

  beforeEach(async () => {
    mail = await startMailServer();
    clients = [];
    const address = postgres.address(`mail_${++schemas}`);
    const settings = ['--user', ROOT.user, '--pass', ROOT.pass, '--allow-net', '127.0.0.1', '--allow-guests'];
    servers = [];
    for (let at = 0; at < 3; at++)
      servers.push(await startServerWith([address, ...settings, '--public-url', 'https://db.example']));
    await owned(0, SCHEMA(mail.port));
  });
  afterEach(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await cleanUp();
    await mail.close();
  });

  async function owned(at: number, text: string): Promise<unknown> {
    const answer = await fetch(`${servers[at]?.url}/sql`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${ROOT.user}:${ROOT.pass}`).toString('base64')}`,
        accept: 'application/json',
        'surreal-ns': 'test',
        'surreal-db': 'test',
      },
      body: text,
    });
    const results = (await answer.json()) as { status: string; result: unknown }[];
    for (const { status, result } of results) expect([status, result]).toEqual(['OK', result]);
    return results.at(-1)?.result;
  }

  const post = (at: number, path: string, body: object): Promise<Response> =>
    fetch(`${servers[at]?.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(body),
    });

  async function start(at: number, body: object): Promise<string> {
    const answer = await post(at, '/auth/test/test/mail/start', { challenge: CHALLENGE, ...body });
    const { request } = (await answer.json()) as { request: string };
    expect([answer.status, request]).toEqual([200, expect.any(String)]);
    return request;
  }

  /** The mail to an address, when it has come. */
  async function mailTo(to: string): Promise<{ code: string; link: string }> {
    const texts = () => mail.received.filter((each) => each.to[0] === to).map(({ parsed }) => parsed.text ?? '');
    await expect.poll(() => texts().length, PATIENCE).toBeGreaterThan(0);
    const text = texts().at(-1) ?? '';
    return { code: /\b\d{8}\b/.exec(text)?.[0] ?? '', link: /confirm#([\w-]+)/.exec(text)?.[1] ?? '' };
  }

  /** The code to which the button of the confirm page leads. */
  async function confirm(at: number, link: string): Promise<string> {
    const answer = await fetch(`${servers[at]?.url}/auth/test/test/mail/confirm`, {
      method: 'POST',
      body: new URLSearchParams({ link }),
      redirect: 'manual',
    });
    expect(answer.status).toBe(303);
    return new URL(answer.headers.get('location') ?? '').searchParams.get('code') ?? '';
  }

  const signIn = (at: number, body: object) => post(at, '/signin', { ...PLACE, ...body });

  async function tokenOf(answer: Response): Promise<string> {
    const { token } = (await answer.json()) as { token: string };
    expect([answer.status, token]).toEqual([200, expect.any(String)]);
    return token;
  }

  /** The token that a code gets: asked for at a server, and redeemed at the next one. */
  async function signedIn(at: number, email: string): Promise<string> {
    const request = await start(at, { email });
    const { code } = await mailTo(email);
    return tokenOf(await signIn((at + 1) % 3, { request, code }));
  }

  /** A client with an open WebSocket. */
  async function connected(at: number, token: string): Promise<Surreal> {
    const client = newClient();
    await client.connect(servers[at]?.rpcUrl ?? '', { reconnect: false });
    clients.push(client);
    await client.authenticate(token);
    return client;
  }

  const isOpen = (client: Surreal) =>
    client.query<[boolean]>('RETURN $auth != NONE').then(
      ([isSignedIn]) => isSignedIn,
      () => false,
    );

  test('each does one step, and is killed after it', DEADLINE, async () => {
    const request = await start(0, { email: 'ann@example.com', redirect: REDIRECT });
    await servers[0]?.stop('SIGKILL');
    const { code, link } = await mailTo('ann@example.com');
    const proved = await confirm(1, link);
    await servers[1]?.stop('SIGKILL');
    const token = await tokenOf(await signIn(2, { code: proved, verifier: VERIFIER }));
    expect((await signIn(2, { code: proved, verifier: VERIFIER })).status).toBe(401);
    expect((await signIn(2, { request, code })).status).toBe(401);
    expect(await isOpen(await connected(2, token))).toBe(true);
    expect(await owned(2, 'RETURN count(SELECT * FROM user)')).toBe(1);
  });

  test('of nine who redeem a code at once one gets in', DEADLINE, async () => {
    const request = await start(0, { email: 'ann@example.com' });
    const { code } = await mailTo('ann@example.com');
    const answers = await Promise.all(Array.from({ length: 9 }, (_, at) => signIn(at % 3, { request, code })));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    // Refused, or asked to come again.
    expect(statuses.filter((status) => status === 401 || status === 409)).toHaveLength(8);
    expect(await owned(1, 'RETURN count(SELECT * FROM user)')).toBe(1);
  });

  test('all end the WebSockets of a user whose sessions one of them ends', DEADLINE, async () => {
    await owned(0, "CREATE user:bob SET email = 'bob@example.com'");
    const bob = await connected(1, await signedIn(1, 'bob@example.com'));
    const endings = [
      ['ann@example.com', 'KILL SESSIONS FOR RECORD (SELECT VALUE id FROM ONLY user WHERE email = $email LIMIT 1)'],
      ['eve@example.com', 'ACCESS mail REVOKE WHERE subject.record.email = $email'],
      ['kim@example.com', 'DELETE user WHERE email = $email'],
    ] as const;
    for (const [email, text] of endings) {
      const token = await signedIn(0, email);
      const all = await Promise.all([0, 1, 2].map((at) => connected(at, token)));
      expect(await Promise.all(all.map(isOpen))).toEqual([true, true, true]);
      await owned(2, `LET $email = '${email}'; ${text}`);
      await expect.poll(() => Promise.all(all.map(isOpen)), PATIENCE).toEqual([false, false, false]);
      expect(await isOpen(bob)).toBe(true);
    }
  });
});

/**
 * A57: each step of a sign-in at another server, a process of its own on one store in PostgreSQL, and the one before is
 * killed. By mail: `mail-nodes.test.ts`; all ways against a model: `tests/properties/identities.property.test.ts`.
 */
import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Options, SoftAuthenticator } from '../support/authenticator.js';
import { TOTP_STEP, totpCode } from '../support/authenticator-app.js';
import { type CertifiedProvider, startCertifiedProvider } from '../support/certified-provider.js';
import { PostgresServer, postgresPrograms } from '../support/postgres-server.js';
import { isInTurn } from '../support/runs-all.js';
import { cleanUp, ROOT, type ServerProcess, startServerWith } from '../support/server-process.js';
import { atLeast } from '../support/timeouts.js';

const VERIFIER = 'v'.repeat(43);
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');
const PUBLIC_URL = 'https://db.example';
const CALLBACK = `${PUBLIC_URL}/auth/test/test/id/callback`;
const SECRET = 'a secret of the shop';
const DEADLINE = { timeout: atLeast(240_000) };

const schema = (issuer: string) => `
  DEFINE CONFIG AUTH REDIRECT 'https://shop.example/in';
  DEFINE TABLE user; CREATE user:ann;
  DEFINE ACCESS password ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM user:ann) WITH REFRESH;
  DEFINE ACCESS id ON DATABASE TYPE RECORD SIGNUP (CREATE user SET email = $identity.email)
    WITH OIDC ISSUER '${issuer}' CLIENT 'shop' SECRET '${SECRET}';
  DEFINE ACCESS passkey ON DATABASE TYPE RECORD SIGNUP (CREATE user)
    WITH PASSKEY DOMAIN 'shop.example' ORIGIN 'https://shop.example';
  DEFINE ACCESS totp ON DATABASE TYPE RECORD WITH TOTP;
  DEFINE ACCESS recovery ON DATABASE TYPE RECORD WITH RECOVERY CODES 3`;

interface Answer {
  readonly status: number;
  readonly token?: string | { readonly access: string; readonly refresh: string };
  /** Of a start, or of a second factor that is due. */
  readonly request?: string;
  readonly options?: Options;
  readonly secret?: string;
  readonly codes?: readonly string[];
  readonly url?: string;
}

// Without PostgreSQL there is no store that several servers share; `.ci/run` installs it. In turns with other long tests.
describe.skipIf(postgresPrograms() === undefined || !isInTurn(7))('A57: with a server killed after each step', () => {
  let postgres: PostgresServer;
  let provider: CertifiedProvider;
  /** The one that is asked, and those that follow; the next is ready before the one before is killed. */
  let servers: Promise<ServerProcess>[];
  let schemas = 0;

  beforeAll(async () => {
    postgres = await PostgresServer.start({ settings: { synchronous_commit: 'on' } });
    provider = await startCertifiedProvider(SECRET, CALLBACK);
  });
  afterAll(async () => {
    await postgres?.remove();
    await provider?.close();
  });

  beforeEach(async () => {
    schemas++;
    servers = [start(), start(), start()];
    await Promise.all(servers);
    await owned(schema(provider.issuer));
  });
  afterEach(async () => {
    await Promise.all(servers);
    await cleanUp();
  });

  function start(): Promise<ServerProcess> {
    const { host } = new URL(provider.issuer);
    const settings = ['--user', ROOT.user, '--pass', ROOT.pass, '--public-url', PUBLIC_URL, '--allow-net', host];
    return startServerWith([postgres.address(`identities_${schemas}`), ...settings]);
  }

  /** The server that was asked last is killed, and the next one answers from now on. */
  async function kill(): Promise<void> {
    servers.push(start());
    const former = await servers.shift();
    await former?.stop('SIGKILL');
  }

  async function ask(path: string, init: RequestInit): Promise<Response> {
    const server = await servers[0];
    return fetch(`${server?.url}${path}`, { redirect: 'manual', ...init });
  }

  async function post(path: string, body: object, token?: string): Promise<Answer> {
    const bearer = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const headers = { 'content-type': 'application/json', accept: 'application/json', ...bearer };
    const answer = await ask(path, { method: 'POST', headers, body: JSON.stringify(body) });
    return { ...((await answer.json()) as object), status: answer.status };
  }

  const begin = (access: string, body: object = {}, token?: string) =>
    post(`/auth/test/test/${access}/start`, { challenge: CHALLENGE, ...body }, token);
  const signIn = (access: string, body: object = {}) =>
    post('/signin', { NS: 'test', DB: 'test', AC: access, ...body });

  async function owned(text: string): Promise<void> {
    const authorization = `Basic ${Buffer.from(`${ROOT.user}:${ROOT.pass}`).toString('base64')}`;
    const headers = { authorization, accept: 'application/json', 'surreal-ns': 'test', 'surreal-db': 'test' };
    const answer = await ask('/sql', { method: 'POST', headers, body: text });
    for (const { status, result } of (await answer.json()) as { status: string; result: unknown }[])
      expect([status, result]).toEqual(['OK', result]);
  }

  const accessOf = ({ token }: Answer): string => (typeof token === 'object' ? token.access : (token ?? ''));
  const claimsOf = (answer: Answer) =>
    JSON.parse(Buffer.from(accessOf(answer).split('.')[1] ?? '', 'base64url').toString());
  const stepNow = () => Math.floor(Date.now() / TOTP_STEP);

  test('a password, an app that is added, and its code as the second proof', DEADLINE, async () => {
    const first = await signIn('password');
    await kill();
    const { request, secret = '' } = await begin('totp', { link: true }, accessOf(first));
    await kill();
    const step = stepNow();
    const added = await signIn('totp', { request, code: totpCode(secret, step) });
    expect(claimsOf(added)).toMatchObject({ amr: ['pwd', 'otp'], acr: 'aal2', AC: 'password', ID: 'user:ann' });
    await kill();
    const half = await signIn('password');
    expect([half.status, half.token]).toEqual([401, undefined]);
    await kill();
    expect((await signIn('totp', { request: half.request, code: totpCode(secret, step) })).status).toBe(401);
    // An app may be a step ahead.
    const code = totpCode(secret, Math.max(stepNow(), step + 1));
    expect(claimsOf(await signIn('totp', { request: half.request, code }))).toMatchObject({ acr: 'aal2' });
    await kill();
    const again = await signIn('password');
    expect((await signIn('totp', { request: again.request, code })).status).toBe(401);
  });

  test('recovery codes as a step, each once', DEADLINE, async () => {
    const first = await signIn('password');
    const { request, codes = [] } = await begin('recovery', { link: true }, accessOf(first));
    await kill();
    const added = await signIn('recovery', { request, code: codes[0] });
    expect(claimsOf(added)).toMatchObject({ amr: ['pwd', 'recovery'], acr: 'aal2' });
    for (const status of [200, 401]) {
      const step = await begin('recovery', { step: true }, accessOf(added));
      await kill();
      expect((await signIn('recovery', { request: step.request, code: codes[1] })).status).toBe(status);
    }
  });

  test('a passkey that signs up, and signs in', DEADLINE, async () => {
    const authenticator = new SoftAuthenticator('https://shop.example');
    const made = await begin('passkey', { signup: true });
    await kill();
    const { passkey, credential } = authenticator.create(made.options as Options);
    const first = await signIn('passkey', { request: made.request, credential });
    await kill();
    const { request, options } = await begin('passkey');
    await kill();
    const signed = authenticator.get(passkey, options as Options);
    const second = await signIn('passkey', { request, credential: signed });
    expect(claimsOf(second)).toMatchObject({ acr: 'aal2', AC: 'passkey', ID: claimsOf(first).ID });
    await kill();
    expect((await signIn('passkey', { request, credential: signed })).status).toBe(401);
  });

  test('a provider', DEADLINE, async () => {
    const { url = '' } = await begin('id');
    await kill();
    const back = (await provider.signIn(url, 'ann')).replace(PUBLIC_URL, '');
    const to = new URL((await ask(back, {})).headers.get('location') ?? '');
    await kill();
    expect((await ask(back, {})).headers.get('location')).toBeNull();
    const body = { code: to.searchParams.get('code'), verifier: VERIFIER };
    expect(claimsOf(await signIn('id', body))).toMatchObject({ amr: ['fed'], acr: 'aal1', idp: { sub: 'ann' } });
    await kill();
    expect((await signIn('id', body)).status).toBe(401);
  });

  test('refresh tokens: one whose answer was lost gives the same pair', DEADLINE, async () => {
    const { token } = await signIn('password');
    const { refresh } = token as { refresh: string };
    await kill();
    const next = await signIn('password', { refresh });
    await kill();
    const again = await signIn('password', { refresh });
    expect(again.token).toMatchObject({ refresh: (next.token as { refresh: string }).refresh });
    expect(claimsOf(again)).toMatchObject({ amr: ['pwd'], jti: claimsOf(next).jti });
  });
});

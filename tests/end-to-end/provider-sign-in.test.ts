/**
 * Signing in at a certified identity provider, with the built server and the official client, as
 * `docs/guides/sign-in/google.md` describes it. What the provider sees as the server's address leads here.
 */
import { createHash } from 'node:crypto';
import { Surreal } from 'surrealdb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CertifiedProvider, startCertifiedProvider } from '../support/certified-provider.js';
import { cleanUp, ROOT, type ServerProcess, startServerWith } from '../support/server-process.js';
import { asRoot, SHOP } from './clients.js';

const PUBLIC_URL = 'https://db.example';
const PLACE = `${SHOP.namespace}/${SHOP.database}/google`;
const SECRET = 'a secret of the shop: %+&';
const VERIFIER = 'v'.repeat(43);
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

/** Access methods of system users, of each level: their routes, and how clients name them. */
const STAFF = {
  ROOT: { path: '/auth-system/root/staff', named: {} },
  NAMESPACE: { path: `/auth-system/namespace/${SHOP.namespace}/staff`, named: { namespace: SHOP.namespace } },
  DATABASE: { path: `/auth/${SHOP.namespace}/${SHOP.database}/staff`, named: SHOP },
} as const;

let provider: CertifiedProvider;
let server: ServerProcess;
beforeAll(async () => {
  const paths = [`/auth/${PLACE}`, ...Object.values(STAFF).map(({ path }) => path)];
  provider = await startCertifiedProvider(SECRET, ...paths.map((path) => `${PUBLIC_URL}${path}/callback`));
  const { port } = new URL(provider.issuer);
  server = await startServerWith([
    'memory',
    ...['--user', ROOT.user, '--pass', ROOT.pass, '--public-url', PUBLIC_URL],
    ...['--allow-net', `127.0.0.1:${port}`],
  ]);
  await asRoot(
    server.url,
    `DEFINE CONFIG AUTH NAME 'The Shop' REDIRECT 'https://shop.example/signed-in';
     DEFINE TABLE user PERMISSIONS FOR select WHERE id = $auth;
     DEFINE ACCESS google ON DATABASE TYPE RECORD
       SIGNUP (CREATE user SET email = $identity.email, name = $identity.name)
       WITH OIDC ISSUER '${provider.issuer}' CLIENT 'shop' SECRET '${SECRET}' WITH REFRESH`,
    ROOT,
  );
  for (const level of Object.keys(STAFF))
    await asRoot(
      server.url,
      `DEFINE ACCESS staff ON ${level} TYPE JWT WITH OIDC ISSUER '${provider.issuer}' CLIENT 'shop' SECRET '${SECRET}'
         ROLES (IF 'db-admins' IN <array>$identity.claims.groups { ['OWNER'] })`,
      ROOT,
    );
}, 60_000);
afterAll(async () => {
  await cleanUp();
  await provider.close();
});

/** A browser follows a plain link, and comes to the app with a code. */
async function codeFor(account: string): Promise<string> {
  const link = `${server.url}/auth/${PLACE}/start?challenge=${CHALLENGE}`;
  const started = await fetch(link, { redirect: 'manual' });
  const back = await provider.signIn(String(started.headers.get('location')), account);
  expect(back).toContain(`${PUBLIC_URL}/auth/${PLACE}/callback?code=`);
  const came = await fetch(back.replace(PUBLIC_URL, server.url), { redirect: 'manual' });
  const app = new URL(String(came.headers.get('location')));
  expect(app.href).toContain('https://shop.example/signed-in?code=');
  return String(app.searchParams.get('code'));
}

describe('a sign-in at a certified provider', () => {
  test('makes a record, and finds it the next time', async () => {
    const ids: string[] = [];
    for (const _ of ['first', 'second']) {
      const db = new Surreal();
      await db.connect(`${server.url}/rpc`);
      const variables = { code: await codeFor('ann'), verifier: VERIFIER };
      await db.signin({ ...SHOP, access: 'google', variables });
      const [people] = await db.query<[{ id: unknown; email: string; name: string }[]]>('SELECT * FROM user');
      expect(people).toMatchObject([{ email: 'ann@example.com', name: 'The person ann' }]);
      ids.push(String(people[0]?.id));
      await db.close();
    }
    expect(ids[0]).toBe(ids[1]);
  });

  test('of another account is another record', async () => {
    const db = new Surreal();
    await db.connect(`${server.url}/rpc`);
    await db.signin({ ...SHOP, access: 'google', variables: { code: await codeFor('bob'), verifier: VERIFIER } });
    const [people] = await db.query<[{ email: string }[]]>('SELECT * FROM user');
    expect(people).toMatchObject([{ email: 'bob@example.com' }]);
    await db.close();
  });

  test('leaves nothing secret in the log', async () => {
    const code = await codeFor('ann');
    for (const secret of [SECRET, code]) expect(server.log()).not.toContain(secret);
  });
});

async function rpc<T>(method: string, parameter: object): Promise<T> {
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  const body = JSON.stringify({ id: 1, method, params: [parameter] });
  const answer = await fetch(`${server.url}/rpc`, { method: 'POST', headers, body });
  const { result, error } = (await answer.json()) as { result: T; error?: { message: string } };
  if (error !== undefined) throw new Error(error.message);
  return result;
}

describe('a sign-in of a system user', () => {
  /** The token. The official client signs in at access methods of databases alone. */
  async function signIn(level: keyof typeof STAFF, account: string): Promise<string> {
    const { path, named } = STAFF[level];
    const began = await rpc<{ url: string }>('auth_start', { ...named, access: 'staff', challenge: CHALLENGE });
    const back = await provider.signIn(began.url, account);
    expect(back).toContain(`${PUBLIC_URL}${path}/callback?code=`);
    const came = await fetch(back.replace(PUBLIC_URL, server.url), { redirect: 'manual' });
    const studio = new URL(String(came.headers.get('location')));
    expect(studio.origin + studio.pathname).toBe(`${PUBLIC_URL}/studio`);
    return rpc('signin', { ...named, access: 'staff', code: studio.searchParams.get('code'), verifier: VERIFIER });
  }

  test.each(Object.keys(STAFF) as (keyof typeof STAFF)[])('of the %s has the rights of the role', async (level) => {
    await expect(signIn(level, 'bob')).rejects.toThrow('There was a problem with authentication');
    const db = new Surreal();
    await db.connect(`${server.url}/rpc`, SHOP);
    await db.authenticate(await signIn(level, 'ann'));
    const [who] = await db.query<[string]>('RETURN $token.ID');
    expect(who).toBe('ann@example.com');
    await db.query(`DEFINE USER other ON ${level} PASSWORD 'a long password'`);
    await db.close();
  });
});

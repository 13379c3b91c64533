/**
 * A5: a provider that lies. Nothing is written, the app gets one word, and the log one line with the reason.
 *
 * Times are those of the database's clock, which stands still.
 */

import { exportJWK, exportSPKI, generateKeyPair, importJWK, SignJWT } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { CLIENT, json, type Lies, type StubProvider } from '../../support/identity-provider.js';
import { ProviderWorld, VERIFIER } from './provider-world.js';

type Members = Record<string, unknown>;

const ANN = { sub: 'ann-1', email: 'ann@example.com', email_verified: true, name: 'Ann' };
/** Then it is asked for what the ID token doesn't say. */
const BARE = { sub: 'ann-1', user: ANN };

let world: ProviderWorld;
beforeAll(async () => {
  world = await ProviderWorld.open();
});
afterAll(() => world.close());
afterEach(async () => {
  world.id.lies = {};
  world.log.length = 0;
  await world.value('DELETE user');
  // Key sets and metadata are fetched again.
  world.pass(2 * 60 * 60 * 1000);
});

const signedBy = (secret: Uint8Array) => (claims: Members) =>
  new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'one' }).sign(secret);
const withHeader = (header: Members) => (claims: Members, provider: StubProvider) => provider.sign(claims, header);
const claiming = (changed: Members): Lies => ({ claims: (claims) => ({ ...claims, ...changed }) });
const lacking = (name: string): Lies => ({
  claims: ({ [name]: _, ...claims }) => claims,
});
const page = { status: 200, headers: { 'content-type': 'text/html' }, body: Buffer.from('<h1>Welcome</h1>') };
const elsewhere = { status: 307, headers: { location: 'https://corp.example/token' }, body: new Uint8Array(0) };
const broken = { status: 500, ...pick(json({ error: 'server_error' })) };
const later = () => world.owned.environment.seconds;

function pick({ headers, body }: ReturnType<typeof json>) {
  return { headers, body };
}

async function foreign(claims: Members, header: Members = {}): Promise<string> {
  const { privateKey } = await generateKeyPair('RS256');
  return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'one', ...header }).sign(privateKey);
}

/** Where it lies in what it says about a user. */
const DENIED: Readonly<Record<string, Lies>> = {
  'alg none': {
    sign: async (claims) =>
      `${[{ alg: 'none' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.`,
  },
  'HS256 by the secret of the client': { sign: signedBy(Buffer.from(CLIENT.secret)) },
  'HS256 by the public key': {
    sign: async (claims, provider) => {
      const key = await importJWK(provider.publicJwk, 'RS256', { extractable: true });
      return signedBy(Buffer.from(await exportSPKI(key as never)))(claims);
    },
  },
  'HS256 that the metadata offer': {
    metadata: (metadata) => ({ ...metadata, id_token_signing_alg_values_supported: ['HS256', 'RS256'] }),
    sign: signedBy(Buffer.from(CLIENT.secret)),
  },
  'a foreign key': { sign: (claims) => foreign(claims) },
  'a key in the header': {
    sign: async (claims) => {
      const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
      const jwk = await exportJWK(publicKey);
      return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', jwk }).sign(privateKey);
    },
  },
  'a key set in the header': { sign: (claims) => foreign(claims, { jku: 'https://corp.example/keys' }) },
  'an unknown kid': { sign: withHeader({ kid: 'two' }) },
  'an algorithm that its metadata doesn’t have': {
    sign: async (claims, provider) => {
      const key = await importJWK(await exportJWK(provider.privateKey), 'PS256');
      return new SignJWT(claims).setProtectedHeader({ alg: 'PS256', kid: 'one' }).sign(key);
    },
  },
  'a critical header': {
    sign: (claims, { privateKey }) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'RS256', kid: 'one', crit: ['shop'], shop: true })
        .sign(privateKey, { crit: { shop: true } }),
  },
  'another issuer': claiming({ iss: 'https://corp.example' }),
  'its issuer with a slash': claiming({ iss: 'https://id.example/' }),
  'no issuer': lacking('iss'),
  'another audience': claiming({ aud: 'another-shop' }),
  'no audience': lacking('aud'),
  'several audiences without azp': claiming({ aud: [CLIENT.id, 'another-shop'] }),
  'several audiences, for another party': claiming({ aud: [CLIENT.id, 'another-shop'], azp: 'another-shop' }),
  'another nonce': claiming({ nonce: 'n'.repeat(43) }),
  'no nonce': lacking('nonce'),
  'an ID token of an hour ago': { claims: (claims) => ({ ...claims, iat: later() - 3_600, exp: later() - 3_000 }) },
  'no expiry': lacking('exp'),
  'no time of issue': lacking('iat'),
  'one that isn’t valid yet': { claims: (claims) => ({ ...claims, nbf: later() + 3_600 }) },
  'no subject': lacking('sub'),
  'a number as subject': claiming({ sub: 7 }),
  'an empty subject': claiming({ sub: '' }),
  'a subject of 100 kB': claiming({ sub: 'x'.repeat(100_000) }),
  'a subject with a line break': claiming({ sub: 'ann\r\n1' }),
  'no ID token': { token: ({ id_token: _, ...answer }) => answer },
  'user information of another subject': { user: (person) => ({ ...person, sub: 'bob-1' }) },
  'user information without subject': { user: ({ sub: _, ...person }) => person },
  'claims too deep': claiming({ deep: JSON.parse(`${'['.repeat(40)}${']'.repeat(40)}`) }),
  'an answer that is a page': { token: () => page },
  'an answer that leads elsewhere': { token: () => elsewhere },
  'user information that leads elsewhere': { user: () => elsewhere },
  'a key set that leads elsewhere': { keys: () => elsewhere },
  'a key set that is a page': { keys: () => page },
  'its name in the answer wrong': { returns: (parameters) => parameters.set('iss', 'https://corp.example') },
  'its name in the answer missing': { returns: (parameters) => parameters.delete('iss') },
};

/** Where it is no longer a provider. */
const UNAVAILABLE: Readonly<Record<string, Lies>> = {
  'a token endpoint that is broken': { token: () => broken },
  'a key set that is broken': { keys: () => broken },
  'user information that is broken': { user: () => broken },
  'an unknown client': { token: () => ({ status: 400, ...pick(json({ error: 'invalid_client' })) }) },
};

async function attempt(lies: Lies): Promise<string> {
  world.id.lies = lies;
  const bare = lies.user !== undefined;
  return world.code(bare ? BARE : ANN);
}

async function nothingIsWritten(): Promise<void> {
  expect(await world.value('SELECT VALUE id FROM user')).toEqual([]);
  expect(world.log).toHaveLength(1);
  expect(world.log[0]?.length).toBeLessThan(400);
  expect(world.log[0]).not.toContain(CLIENT.secret);
}

test('the same provider, when it doesn’t lie, signs people in', async () => {
  expect(await attempt({})).toMatch(/^[\w-]{22}$/);
  expect(await attempt({ user: (person) => person })).toMatch(/^[\w-]{22}$/);
  expect(world.log).toEqual([]);
});

describe('is denied:', () => {
  test.each(Object.entries(DENIED))('%s', async (_, lies) => {
    expect(await attempt(lies)).toBe('error=access_denied');
    await nothingIsWritten();
  });
});

describe('can’t be used:', () => {
  test.each(Object.entries(UNAVAILABLE))('%s', async (_, lies) => {
    expect(await attempt(lies)).toBe('error=provider_unavailable');
    await nothingIsWritten();
  });

  test.each<[string, Lies['metadata']]>([
    ['metadata of another issuer', (metadata) => ({ ...metadata, issuer: 'https://corp.example' })],
    ['metadata with a slash', (metadata) => ({ ...metadata, issuer: 'https://id.example/' })],
    ['metadata that lead elsewhere', () => elsewhere],
    ['metadata that are a page', () => page],
    ['metadata without a key set', ({ jwks_uri: _, ...metadata }) => metadata],
    [
      'an authorization endpoint that is a script',
      (metadata) => ({ ...metadata, authorization_endpoint: 'javascript:alert(1)' }),
    ],
    ['a token endpoint that is no text', (metadata) => ({ ...metadata, token_endpoint: 7 })],
    ['user information at no address', (metadata) => ({ ...metadata, userinfo_endpoint: 'user' })],
    ['a token endpoint without TLS', (metadata) => ({ ...metadata, token_endpoint: 'http://id.example/token' })],
    ['broken metadata', () => broken],
  ])('%s', async (_, metadata) => {
    world.id.lies = { ...(metadata !== undefined && { metadata }) };
    const answer = await world.start();
    expect([answer.statusCode, answer.json().error]).toEqual([503, 'provider_unavailable']);
    await nothingIsWritten();
  });
});

describe('is harmless:', () => {
  test('claims with names of objects', async () => {
    world.id.lies = {
      claims: (claims) =>
        JSON.parse(JSON.stringify(claims).replace('{', '{"__proto__":{"admin":true},"constructor":{"a":1},')),
    };
    const { claims } = await world.signIn(ANN);
    expect(Object.getPrototypeOf(claims['idp'])).toBe(Object.prototype);
    expect(({} as Members)['admin']).toBeUndefined();
  });

  test('several audiences for this party', async () => {
    world.id.lies = claiming({ aud: [CLIENT.id, 'another-shop'], azp: CLIENT.id });
    expect((await world.signIn(ANN)).id).toMatch(/^user:/);
  });

  test('claims that mean something in tokens of this server (A11)', async () => {
    const names = {
      ID: 'user:admin',
      NS: 'other',
      DB: 'other',
      AC: 'account',
      RL: ['Owner'],
      INC: 'x',
      GR: 'x',
      IDN: 'x',
    };
    const { claims } = await world.signIn({
      ...ANN,
      ...names,
      amr: ['hwk', 'mfa'],
      acr: 'aal2',
      auth_time: 5_000_000_000,
    });
    expect(claims).toMatchObject({ NS: 'test', DB: 'test', AC: 'id', amr: ['fed'], acr: 'aal1', idp: names });
    expect(claims['ID']).toMatch(/^user:(?!admin)/);
    expect(claims).not.toHaveProperty('RL');
    expect(claims['auth_time']).toBe(later());
  });

  test('a subject that is a record id (A11)', async () => {
    await world.value("CREATE user:ann SET name = 'ann'");
    expect((await world.signIn({ sub: 'user:ann', name: 'Eve', email: 'eve@example.com' })).id).not.toBe('user:ann');
  });

  test('claims of 40 kB: the token has what they say of the sign-in alone', async () => {
    const groups = Array.from({ length: 4_000 }, (_, at) => `group ${at}`);
    const { claims } = await world.signIn({ ...ANN, groups, acr: 'gold' });
    expect(claims['idp']).toEqual({ iss: 'https://id.example', sub: 'ann-1', acr: 'gold' });
    // Unless that is long, too.
    const long = await world.signIn({ ...ANN, groups, acr: 'g'.repeat(3_000) });
    expect(long.claims['idp']).toEqual({ iss: 'https://id.example', sub: 'ann-1' });
  });

  test.each([[['plain']], [[]], [undefined]])(
    'metadata that offer %j: S256 and a nonce are sent (A7)',
    async (methods) => {
      world.id.lies = { metadata: (metadata) => ({ ...metadata, code_challenge_methods_supported: methods }) };
      const url = new URL(await world.began());
      expect(url.searchParams.get('code_challenge_method')).toBe('S256');
      expect(url.searchParams.get('code_challenge')).toMatch(/^[\w-]{43}$/);
      expect(url.searchParams.get('nonce')).toMatch(/^[\w-]{43}$/);
      expect(await world.back(world.id.signIn(url.href, ANN))).toBeInstanceOf(URL);
      // It is shown the verifier, which it may compare or not.
      const [asked] = world.id.asked.filter(({ url: { pathname } }) => pathname === '/token').slice(-1);
      expect(Buffer.from(asked?.body ?? []).toString()).toMatch(/code_verifier=[\w-]{43}/);
    },
  );
});

test('a code is shown once, and never without its verifier', async () => {
  const code = await attempt({});
  expect((await world.redeem({ code })).statusCode).toBe(401);
  expect((await world.redeem({ code, verifier: 'w'.repeat(43) })).statusCode).toBe(401);
  const all = await Promise.all(Array.from({ length: 20 }, () => world.redeem({ code, verifier: VERIFIER })));
  expect(all.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
});

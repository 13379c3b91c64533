import { generateKeyPairSync } from 'node:crypto';
import { CompactSign } from 'jose';
import { beforeEach, expect, test } from 'vitest';
import { type KeySetSource, KeySets } from '../../src/auth/tokens/key-sets.js';
import { Tokens } from '../../src/auth/tokens/tokens.js';
import { failure, TesseraError } from '../../src/errors/error.js';
import { StubbedEnvironment } from '../support/environment.js';

const one = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const two = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const jwk = (pair: typeof one, kid: string) => ({ ...pair.publicKey.export({ format: 'jwk' }), kid });
const rsaJwk = {
  ...generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' }),
  kid: 'rsa',
};
const AWAY = failure('http_failed', { reason: 'away' });
const INVALID = { code: 'invalid_auth', message: 'There was a problem with authentication' };
const verification = { kind: 'url', url: 'https://issuer.example/jwks.json' } as const;
const minutes = (count: number) => count * 60_000;

let environment: StubbedEnvironment;
let set: unknown;
let fetches: number;
let reported: string[];
let tokens: Tokens;
beforeEach(() => {
  environment = new StubbedEnvironment();
  set = { keys: [jwk(one, 'one')] };
  fetches = 0;
  reported = [];
  const fetcher: KeySetSource['fetcher'] = {
    async fetch({ url, secure }) {
      fetches++;
      expect({ url, secure }).toEqual({ url: verification.url, secure: true });
      if (set instanceof TesseraError) throw set;
      const [status, body] = typeof set === 'number' ? [set, '{}'] : [200, JSON.stringify(set)];
      return { status, headers: {}, body: Buffer.from(body) };
    },
  };
  tokens = new Tokens(environment, { keySets: { fetcher, report: ({ message }) => reported.push(message) } });
});

const signed = (pair: typeof one, header: object = { kid: 'one' }) =>
  new CompactSign(Buffer.from('{"exp":9999999999}'))
    .setProtectedHeader({ alg: 'ES256', ...header })
    .sign(pair.privateKey);
const verify = async (text: string) => tokens.verify(tokens.read(text), verification);

test('a set is fetched once in twelve hours, however many tokens come', async () => {
  const text = await signed(one);
  await Promise.all(Array.from({ length: 10 }, () => verify(text)));
  environment.advance(minutes(12 * 60 - 1));
  await verify(text);
  expect(fetches).toBe(1);
  environment.advance(minutes(1));
  await verify(text);
  expect(fetches).toBe(2);
});

test('an unknown key has the set fetched again, but not more than once in five minutes', async () => {
  await verify(await signed(one));
  set = { keys: [jwk(one, 'one'), jwk(two, 'two')] };
  const rotated = await signed(two, { kid: 'two' });
  await expect(verify(rotated)).rejects.toMatchObject({ code: 'invalid_auth' });
  expect(fetches).toBe(1);
  environment.advance(minutes(5));
  await verify(rotated);
  for (let time = 0; time < 20; time++) {
    await expect(verify(await signed(two, { kid: `unknown ${time}` }))).rejects.toMatchObject({ code: 'invalid_auth' });
  }
  expect(fetches).toBe(2);
});

test('of a set that holds other things as well, keys are taken', async () => {
  set = { keys: ['one', null, [jwk(two, 'two')], 7, jwk(one, 'one')] };
  await verify(await signed(one));
  await expect(verify(await signed(two, { kid: 'two' }))).rejects.toMatchObject(INVALID);
});

test('a foreign key under a known name, a secret in the set, and an HMAC under a public key don’t verify', async () => {
  await expect(verify(await signed(two))).rejects.toMatchObject({ code: 'invalid_auth' });
  environment.advance(minutes(60 * 24));
  set = { keys: [{ kty: 'oct', k: 'c2VjcmV0', kid: 'one', alg: 'HS256' }] };
  const hmac = await new CompactSign(Buffer.from('{"exp":9999999999}'))
    .setProtectedHeader({ alg: 'HS256', kid: 'one' })
    .sign(Buffer.from('secret'));
  await expect(verify(hmac)).rejects.toMatchObject({ code: 'invalid_auth' });
});

test('a set that can’t be fetched admits no token, is reported in the log alone, and isn’t fetched again at once', async () => {
  const text = await signed(one);
  const many = Array.from({ length: 101 }, (_, at) => jwk(one, `${at}`));
  for (const broken of [AWAY, 404, 'nonsense', null, [], { keys: 'none' }, { keys: [] }, { keys: many }]) {
    set = broken;
    const before = fetches;
    for (let time = 0; time < 3; time++) await expect(verify(text)).rejects.toMatchObject(INVALID);
    expect(fetches).toBe(before + 1);
    expect(reported).toHaveLength(fetches);
    environment.advance(minutes(5));
  }
  expect(reported[0]).toBe(
    'The key set at issuer.example is not available: There was an error processing a remote HTTP request: away',
  );
  set = { keys: [jwk(one, 'one')] };
  await verify(text);
});

test('a set that can’t be renewed serves the keys it has, up to their end', async () => {
  const text = await signed(one);
  await verify(text);
  set = AWAY;
  environment.advance(minutes(10));
  await expect(verify(await signed(two, { kid: 'two' }))).rejects.toMatchObject(INVALID);
  expect(fetches).toBe(2);
  await verify(text);
  environment.advance(minutes(12 * 60));
  await expect(verify(text)).rejects.toMatchObject(INVALID);
});

test.each<[string, () => object]>([
  ['a private key', () => one.privateKey.export({ format: 'jwk' })],
  ['a key to encrypt with', () => ({ use: 'enc' })],
  ['a key for other operations', () => ({ key_ops: ['encrypt'] })],
  ['a key of another algorithm', () => ({ alg: 'ES384' })],
  ['a key of a secret algorithm', () => ({ alg: 'HS256' })],
  ['a key of no algorithm', () => ({ alg: 'none' })],
  ['a name that is no text', () => ({ kid: 1 })],
  ['a kind that doesn’t exist', () => ({ kty: 'XX' })],
  ['a point that isn’t on the curve', () => ({ x: 'AAAA' })],
  ['short RSA', () => generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' })],
])('%s in a set verifies nothing', async (_, change) => {
  set = { keys: [{ ...jwk(one, 'one'), ...change() }] };
  await expect(verify(await signed(one))).rejects.toMatchObject(INVALID);
  expect(reported[0]).toContain('no key in it can verify tokens');
});

test('a set with a member given twice is none', async () => {
  const text = await signed(one);
  const keys = JSON.stringify([jwk(one, 'one')]);
  const body = Buffer.from(`{"keys":[],"keys":${keys}}`);
  const fetcher = { fetch: async () => ({ status: 200, headers: {}, body }) };
  tokens = new Tokens(environment, { keySets: { fetcher, report: ({ message }) => reported.push(message) } });
  await expect(verify(text)).rejects.toMatchObject(INVALID);
  expect(reported[0]).toContain('it is not a key set');
});

test('without a name only the one key that fits is taken', async () => {
  set = { keys: [jwk(one, 'one'), rsaJwk] };
  await verify(await signed(one, {}));
  environment.advance(minutes(24 * 60));
  set = { keys: [jwk(one, 'one'), jwk(two, 'two')] };
  await expect(verify(await signed(one, {}))).rejects.toMatchObject(INVALID);
});

test('of a set only what verifying needs is kept', async () => {
  const key = { ...jwk(one, 'one'), alg: 'ES256', use: 'sig', key_ops: ['verify'], x5c: ['MII'], more: [[], {}] };
  const body = Buffer.from(JSON.stringify({ keys: [key, { kty: 'RSA', n: [1], e: 'AQAB' }], more: [] }));
  const fetcher = { fetch: async () => ({ status: 200, headers: {}, body }) };
  const sets = new KeySets(environment.clock, { fetcher, report: () => undefined });
  expect(await sets.use(verification.url, async (keys) => keys.jwks())).toEqual({
    keys: [{ ...jwk(one, 'one'), alg: 'ES256' }],
  });
});

test('without a source no token is accepted', async () => {
  tokens = new Tokens(environment);
  await expect(verify(await signed(one))).rejects.toMatchObject(INVALID);
});

import { generateKeyPairSync } from 'node:crypto';
import { CompactSign } from 'jose';
import { beforeEach, expect, test } from 'vitest';
import { Tokens } from '../../src/auth/tokens.js';
import { StubbedEnvironment } from './environment.js';

const one = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const two = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const jwk = (pair: typeof one, kid: string) => ({ ...pair.publicKey.export({ format: 'jwk' }), kid });
const verification = { kind: 'url', url: 'https://issuer.example/jwks.json' } as const;
const minutes = (count: number) => count * 60_000;

let environment: StubbedEnvironment;
let set: unknown;
let fetches: number;
let tokens: Tokens;
beforeEach(() => {
  environment = new StubbedEnvironment();
  set = { keys: [jwk(one, 'one')] };
  fetches = 0;
  const fetchKeySet = async (url: string) => {
    fetches++;
    expect(url).toBe(verification.url);
    if (set instanceof Error) throw set;
    return set;
  };
  tokens = new Tokens(environment, { fetchKeySet });
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

test('an unknown key has the set fetched anew, but not more than once in five minutes', async () => {
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

test('a foreign key under a known name, a secret in the set, and an HMAC under a public key don’t verify', async () => {
  await expect(verify(await signed(two))).rejects.toMatchObject({ code: 'invalid_auth' });
  environment.advance(minutes(60 * 24));
  set = { keys: [{ kty: 'oct', k: 'c2VjcmV0', kid: 'one', alg: 'HS256' }] };
  const hmac = await new CompactSign(Buffer.from('{"exp":9999999999}'))
    .setProtectedHeader({ alg: 'HS256', kid: 'one' })
    .sign(Buffer.from('secret'));
  await expect(verify(hmac)).rejects.toMatchObject({ code: 'invalid_auth' });
});

test('a set that can’t be had is an error of its own, and isn’t asked for again at once', async () => {
  const text = await signed(one);
  for (const broken of [new Error('away'), 'nonsense', null, { keys: 'none' }]) {
    set = broken;
    const before = fetches;
    await expect(verify(text)).rejects.toMatchObject({ code: 'key_set_unavailable', httpStatus: 503, retryable: true });
    await expect(verify(text)).rejects.toMatchObject({ code: 'key_set_unavailable' });
    expect(fetches).toBe(before + 1);
    environment.advance(minutes(5));
  }
  set = { keys: [jwk(one, 'one')] };
  await verify(text);
});

test('without a fetcher nobody gets in', async () => {
  tokens = new Tokens(environment);
  await expect(verify(await signed(one))).rejects.toMatchObject({ code: 'key_set_unavailable' });
});

/** Keys of access methods that follow one another, and those that are published. */
import { generateKeyPairSync } from 'node:crypto';
import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { beforeEach, describe, expect, test } from 'vitest';
import { createHttpServer } from '../../src/http/server.js';
import { toText } from '../../src/value/text/text.js';
import { objectFrom } from '../../src/value/value.js';
import { type Owned, openOwned } from '../support/owned.js';

const INVALID = { code: 'invalid_auth' };
const pair = () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
};
const [first, second, third] = [pair(), pair(), pair()];
const minutes = (count: number) => count * 60_000;

let environment: Owned['environment'];
let database: Owned['database'];
let value: Owned['value'];
beforeEach(async () => {
  ({ environment, database, value } = await openOwned());
  await value(`
    CREATE user:ann;
    DEFINE ACCESS people ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM user:ann) DURATION FOR TOKEN 1h;
    DEFINE ACCESS pairs ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM user:ann)
      WITH JWT ALGORITHM ES256 KEY '${first.publicKey}' REQUIRE ISSUER 'https://db.example' AUDIENCE 'shop'
      WITH ISSUER KEY '${first.privateKey}';
    DEFINE ACCESS outside ON DATABASE TYPE JWT ALGORITHM HS256 KEY 'a secret that somebody else has, too';
    DEFINE ACCESS bearer ON DATABASE TYPE BEARER FOR USER;
  `);
});

const tokenOf = async (access: string) =>
  (await database.session({}).signIn(objectFrom({ NS: 'test', DB: 'test', AC: access }))).access;
const authenticate = async (token: string) => database.session({}).authenticate(token);
const headerOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[0] as string, 'base64url').toString());
const shown = async (access: string) => toText(await value(`RETURN (INFO FOR DB).accesses.${access}`));

describe('rotating', () => {
  test('a new secret is drawn, and the former one verifies as long as its tokens live', async () => {
    const before = await tokenOf('people');
    await value('ACCESS people ROTATE');
    const after = await tokenOf('people');
    environment.advance(minutes(59));
    await authenticate(before);
    await authenticate(after);
    expect(await shown('people')).toMatch(/KEY '\[REDACTED\]' FORMER KEY '\[REDACTED\]' UNTIL d'20/);
    environment.advance(minutes(1));
    await expect(authenticate(before)).rejects.toMatchObject(INVALID);
    await value('ACCESS people ROTATE KEEP 0s');
    expect(await shown('people')).not.toContain(' FORMER KEY ');
    await expect(authenticate(after)).rejects.toMatchObject(INVALID);
  });

  test('KEEP says for how long', async () => {
    const before = await tokenOf('people');
    await value('ACCESS people ON DATABASE ROTATE KEEP 5m');
    environment.advance(minutes(5) - 1);
    await authenticate(before);
    environment.advance(1);
    await expect(authenticate(before)).rejects.toMatchObject(INVALID);
  });

  test('a pair of keys is given, and the one that signs', async () => {
    const before = await tokenOf('pairs');
    await value(`ACCESS pairs ROTATE KEY '${second.publicKey}' WITH ISSUER KEY '${second.privateKey}'`);
    const after = await tokenOf('pairs');
    expect(headerOf(after).kid).not.toBe(headerOf(before).kid);
    await authenticate(before);
    await authenticate(after);
    expect(await shown('pairs')).not.toContain('PRIVATE');
  });

  test.each([
    ['no new pair', 'ACCESS pairs ROTATE', 'rotation_key_missing'],
    ['half a pair', `ACCESS pairs ROTATE KEY '${second.publicKey}'`, 'rotation_key_missing'],
    ['no new secret for others', 'ACCESS outside ROTATE', 'rotation_key_missing'],
    ['a short secret', "ACCESS outside ROTATE KEY 'short'", 'invalid_key'],
    [
      'halves of two pairs',
      `ACCESS pairs ROTATE KEY '${second.publicKey}' WITH ISSUER KEY '${third.privateKey}'`,
      'invalid_key',
    ],
    ['a bearer access', 'ACCESS bearer ROTATE', 'access_method_mismatch'],
    ['an access that isn’t there', 'ACCESS nothing ROTATE', 'access_missing'],
  ])('%s changes nothing', async (_, text, code) => {
    const before = await shown('pairs');
    await expect(value(text)).rejects.toMatchObject({ code });
    expect(await shown('pairs')).toBe(before);
  });

  test('no more than a few former keys are kept, and those that are over are dropped', async () => {
    for (let time = 0; time < 4; time++) await value('ACCESS people ROTATE KEEP 1h');
    await expect(value('ACCESS people ROTATE KEEP 1h')).rejects.toMatchObject({ code: 'too_many_retired_keys' });
    environment.advance(minutes(60));
    await value('ACCESS people ROTATE KEEP 1h');
    expect((await shown('people')).match(/ FORMER KEY /g)).toHaveLength(1);
  });

  test('only owners may', async () => {
    await value("DEFINE USER editor ON DATABASE PASSWORD 'a password' ROLES EDITOR");
    const editor = database.session({});
    await editor.signIn(objectFrom({ NS: 'test', DB: 'test', user: 'editor', pass: 'a password' }));
    const [result] = await editor.query('ACCESS people ROTATE');
    expect(result?.outcome).toMatchObject({ ok: false, error: { code: 'not_allowed' } });
  });
});

describe('published keys', () => {
  const fetchKeys = async (query: string) => {
    const app = createHttpServer({ database });
    const answer = await app.inject(`/.well-known/jwks.json${query}`);
    await app.close();
    return answer;
  };
  const keysOf = async (access: string) => (await fetchKeys(`?ns=test&db=test&ac=${access}`)).json<JSONWebKeySet>();

  test('verify what was issued before and after a rotation, by their names', async () => {
    const before = await tokenOf('pairs');
    await value(`ACCESS pairs ROTATE KEY '${second.publicKey}' WITH ISSUER KEY '${second.privateKey}' KEEP 1h`);
    const tokens = [await tokenOf('pairs'), before];
    const set = await keysOf('pairs');
    expect(set.keys.map(({ kid }) => kid)).toEqual(tokens.map((token) => headerOf(token).kid));
    for (const token of tokens) {
      const { payload } = await compactVerify(token, createLocalJWKSet(set));
      expect(JSON.parse(Buffer.from(payload).toString())).toMatchObject({ iss: 'https://db.example', aud: 'shop' });
    }
    environment.advance(minutes(60));
    expect((await keysOf('pairs')).keys).toHaveLength(1);
  });

  test('are public, and nothing else', async () => {
    const { headers } = await fetchKeys('?ns=test&db=test&ac=pairs');
    expect(headers).toMatchObject({
      'content-type': 'application/jwk-set+json',
      'cache-control': 'public, max-age=300',
    });
    const [key] = (await keysOf('pairs')).keys;
    expect(Object.keys(key ?? {}).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
  });

  test('are those of the private key where a key set elsewhere verifies', async () => {
    await value(`DEFINE ACCESS elsewhere ON DATABASE TYPE RECORD WITH JWT URL 'https://id.example/keys'
      WITH ISSUER ALGORITHM ES256 KEY '${third.privateKey}'`);
    const { keys } = await keysOf('elsewhere');
    expect(keys).toHaveLength(1);
    expect(keys[0]).not.toHaveProperty('d');
  });

  test.each([
    '?ns=test&db=test&ac=people',
    '?ns=test&db=test&ac=outside',
    '?ns=test&db=test&ac=bearer',
    '?ns=test&db=test&ac=nothing',
    '?ns=test&db=nowhere&ac=pairs',
    '?ns=nowhere&db=test&ac=pairs',
    '?ns=test&ac=pairs',
    '?ac=pairs',
    `?ns=test&db=test&ac=${'x'.repeat(2000)}`,
  ])('%s has none, and doesn’t tell why', async (query) => {
    const { statusCode, payload } = await fetchKeys(query);
    expect({ statusCode, payload }).toEqual({ statusCode: 200, payload: '{"keys":[]}' });
  });

  test.each(['', '?ns=test&db=test', '?db=test&ac=pairs'])('%s names no access method', async (query) => {
    expect((await fetchKeys(query)).statusCode).toBe(400);
  });
});

import { createHmac, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { CompactSign } from 'jose';
import { beforeEach, describe, expect, test } from 'vitest';
import { claimedRoles, claimsValue } from '../../src/auth/tokens/claims.js';
import { type TokenContent, Tokens } from '../../src/auth/tokens/tokens.js';
import { headerName, type SigningKey, validateKey, validateKeys } from '../../src/catalog/credentials/signing-key.js';
import { ALGORITHMS, type Algorithm } from '../../src/language/ast.js';
import { datetimeFromNanoseconds, MAX_DATETIME } from '../../src/value/time/datetime.js';
import { type Datetime, RecordId } from '../../src/value/value.js';
import { StubbedEnvironment } from '../support/environment.js';

const HOUR = 3_600_000_000_000n;
const secret = 's'.repeat(64);

let environment: StubbedEnvironment;
let tokens: Tokens;
beforeEach(() => {
  environment = new StubbedEnvironment();
  tokens = new Tokens(environment);
});

const content: TokenContent = { namespace: 'n', database: 'd', access: 'a', id: 'user:1', lifetime: HOUR };

interface PemPair {
  readonly publicKey: string;
  readonly privateKey: string;
}
const pem = ({ publicKey, privateKey }: { publicKey: KeyObject; privateKey: KeyObject }): PemPair => ({
  publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
});
const rsa = pem(generateKeyPairSync('rsa', { modulusLength: 2048 }));
const ec = (namedCurve: string) => pem(generateKeyPairSync('ec', { namedCurve }));
const [p256, p384, p521] = [ec('P-256'), ec('P-384'), ec('P-521')];
const ed25519 = pem(generateKeyPairSync('ed25519'));

function keyPair(algorithm: Algorithm): { sign: SigningKey; verify: SigningKey } {
  const pairs = { ES256: p256, ES384: p384, ES512: p521, EDDSA: ed25519 } as Record<string, PemPair>;
  const pair = algorithm.startsWith('HS') ? { publicKey: secret, privateKey: secret } : (pairs[algorithm] ?? rsa);
  return { sign: { algorithm, key: pair.privateKey }, verify: { algorithm, key: pair.publicKey } };
}

async function issued(key: SigningKey, wanted: Partial<TokenContent> = {}): Promise<string> {
  return tokens.sign(tokens.claims({ ...content, ...wanted }), key);
}

const encode = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** A token with any header and payload, signed by HMAC. */
function forged(header: unknown, payload: unknown, key = secret, hash = 'sha512'): string {
  const input = `${encode(header)}.${encode(payload)}`;
  return `${input}.${createHmac(hash, key).update(input).digest('base64url')}`;
}

const verify = async (text: string, key: SigningKey = { algorithm: 'HS512', key: secret }) => {
  const token = tokens.read(text);
  await tokens.verify(token, { kind: 'key', ...key });
  return token.claims;
};

describe('issued tokens', () => {
  test.each(ALGORITHMS)('%s: what is signed verifies, and nothing else does', async (algorithm) => {
    const { sign, verify: verifying } = keyPair(algorithm);
    const text = await issued(sign);
    const claims = await verify(text, verifying);
    expect(claims).toMatchObject({ namespace: 'n', database: 'd', access: 'a', id: 'user:1' });
    // A verifier with a public key finds it by its thumbprint; the header of the others is the peer's to the letter.
    expect(JSON.parse(Buffer.from(text.split('.')[0]!, 'base64url').toString())).toEqual({
      typ: 'JWT',
      alg: headerName(algorithm),
      ...(!algorithm.startsWith('HS') && { kid: expect.stringMatching(/^[\w-]{43}$/) }),
    });

    const [header, , signature] = text.split('.');
    const changed = `${header}.${encode({ ...claims.all, ID: 'user:2' })}.${signature}`;
    await expect(verify(changed, verifying)).rejects.toMatchObject({ code: 'invalid_auth' });
    for (const other of ALGORITHMS) {
      if (other === algorithm) continue;
      await expect(verify(text, keyPair(other).verify)).rejects.toMatchObject({ code: 'invalid_auth' });
    }
  });

  test('ES512 is ES512: a signature over P-521', async () => {
    const text = await issued(keyPair('ES512').sign);
    expect(Buffer.from(text.split('.')[2]!, 'base64url')).toHaveLength(132);
  });

  test('header and claims stand in the order of the peer, and ours is the name in them', async () => {
    const text = await issued({ algorithm: 'HS512', key: secret }, { roles: ['EDITOR'] });
    const [header, payload] = text.split('.').map((part) => Buffer.from(part, 'base64url').toString());
    expect(header).toBe('{"typ":"JWT","alg":"HS512"}');
    const claims = JSON.parse(payload!);
    expect(Object.keys(claims)).toEqual(['iat', 'nbf', 'exp', 'iss', 'jti', 'NS', 'DB', 'AC', 'ID', 'RL']);
    expect(claims).toMatchObject({
      iat: environment.seconds,
      nbf: environment.seconds,
      exp: environment.seconds + 3600,
      iss: 'Tessera',
      RL: ['EDITOR'],
    });
    expect(claims.jti).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  test('two tokens of the same second differ', async () => {
    const key: SigningKey = { algorithm: 'HS512', key: secret };
    expect(await issued(key)).not.toBe(await issued(key));
  });

  test('atob reads the payload, whatever is in the names', async () => {
    const text = await issued(
      { algorithm: 'HS512', key: secret },
      { namespace: '>>>???~~~\u007fäöü€😀"\\', id: 'ü:⟨x?⟩' },
    );
    const payload = text.split('.')[1]!;
    expect(payload).not.toMatch(/[-_]/);
    expect(JSON.parse(atob(payload)).NS).toBe('>>>???~~~\u007fäöü€😀"\\');
    expect((await verify(text)).id).toBe('ü:⟨x?⟩');
  });

  test('a lifetime of NONE leaves exp out, and the token opens nothing', async () => {
    const text = await issued({ algorithm: 'HS512', key: secret }, { lifetime: undefined });
    expect(tokens.read(text).claims.all).not.toHaveProperty('exp');
    await expect(verify(text)).rejects.toMatchObject({ code: 'invalid_auth' });
  });
});

describe('time', () => {
  test('a token is good up to its last moment and expired from then on', async () => {
    const text = await issued({ algorithm: 'HS512', key: secret }, { lifetime: 2_000_000_000n });
    environment.advance(1999);
    await verify(text);
    environment.advance(1);
    await expect(verify(text)).rejects.toMatchObject({
      code: 'token_expired',
      message: 'The token has expired',
      httpStatus: 401,
      rpcCode: -32002,
    });
  });

  test('an expired token with a wrong signature is only wrong', async () => {
    const text = forged({ alg: 'HS512' }, { exp: 1, ID: 'x' }, 'another key');
    await expect(verify(text)).rejects.toMatchObject({ code: 'invalid_auth' });
  });

  test.each([
    ['no exp', {}],
    ['an exp that is text', { exp: '9999999999' }],
    ['an exp beyond numbers', '{"exp":1e999}'],
    ['an exp of null', { exp: null }],
    ['nbf in the future', { exp: 9_999_999_999, nbf: 9_999_999_998 }],
    ['an nbf that is text', { exp: 9_999_999_999, nbf: 'now' }],
  ])('%s is refused', async (_, payload) => {
    await expect(verify(forged({ alg: 'HS512' }, payload))).rejects.toMatchObject({ code: 'invalid_auth' });
  });

  const from = (claims: object) => forged({ alg: 'HS512' }, { exp: 9_999_999_999, ...claims });

  test('a token may have been issued a minute ahead, and no more', async () => {
    await verify(from({ iat: environment.seconds + 60 }));
    for (const iat of [environment.seconds + 61, 9_999_999_998, 'now', '1e999']) {
      await expect(verify(from({ iat }))).rejects.toMatchObject({ code: 'invalid_auth' });
    }
    await expect(verify(forged({ alg: 'HS512' }, '{"exp":9999999999,"iat":1e999}'))).rejects.toMatchObject({
      code: 'invalid_auth',
    });
  });

  test('a token may begin to be valid ten seconds ahead, or as far as is set, a minute at most', async () => {
    const nbf = (seconds: number) => verify(from({ nbf: environment.seconds + seconds }));
    await nbf(10);
    await expect(nbf(11)).rejects.toMatchObject({ code: 'invalid_auth' });
    tokens = new Tokens(environment, { tolerance: 0 });
    await nbf(0);
    await expect(nbf(1)).rejects.toMatchObject({ code: 'invalid_auth' });
    tokens = new Tokens(environment, { tolerance: 3_600_000 });
    await nbf(60);
    await expect(nbf(61)).rejects.toMatchObject({ code: 'invalid_auth' });
    // It is no longer valid than it says.
    await expect(verify(forged({ alg: 'HS512' }, { exp: environment.seconds - 1 }))).rejects.toMatchObject({
      code: 'token_expired',
    });
  });

  test.each([1, 9, 10])('own tokens are valid where the clock is %i s behind, or was set back', async (seconds) => {
    const text = await issued({ algorithm: 'HS512', key: secret });
    environment.advance(-1_000 * seconds);
    await verify(text);
    environment.advance(-61_000);
    await expect(verify(text)).rejects.toMatchObject({ code: 'invalid_auth' });
  });
});

test('a former key verifies up to its end', async () => {
  const until = datetimeFromNanoseconds(environment.clock.now() + 60_000_000_000n) as Datetime;
  const retired = [{ key: 'f'.repeat(64), until }];
  const trusted = { kind: 'key', algorithm: 'HS512', key: secret, retired } as const;
  const present = forged({ alg: 'HS512' }, { exp: 9_999_999_999 });
  const former = forged({ alg: 'HS512' }, { exp: 9_999_999_999 }, 'f'.repeat(64));
  const stranger = forged({ alg: 'HS512' }, { exp: 9_999_999_999 }, 'x'.repeat(64));
  const check = async (text: string) => tokens.verify(tokens.read(text), trusted);
  await check(present);
  await check(former);
  await check(former);
  await expect(check(stranger)).rejects.toMatchObject({ code: 'invalid_auth' });
  environment.advance(60_000);
  await check(present);
  await expect(check(former)).rejects.toMatchObject({ code: 'invalid_auth' });
});

describe('attacks', () => {
  const exp = 9_999_999_999;

  test('none, in every spelling', async () => {
    for (const alg of ['none', 'None', 'NONE', '', undefined, null, 0, ['HS512']]) {
      for (const signature of ['', 'AAAA']) {
        await expect(verify(`${encode({ alg })}.${encode({ exp })}.${signature}`)).rejects.toMatchObject({
          code: 'invalid_auth',
        });
      }
    }
  });

  test('a public key as HMAC secret', async () => {
    for (const [algorithm, pair] of [
      ['RS256', rsa],
      ['ES512', p521],
      ['EDDSA', ed25519],
    ] as const) {
      const text = forged({ alg: 'HS256' }, { exp }, pair.publicKey, 'sha256');
      await expect(verify(text, { algorithm, key: pair.publicKey })).rejects.toMatchObject({ code: 'invalid_auth' });
      // Not even where it is defined so.
      await expect(verify(text, { algorithm: 'HS256', key: pair.publicKey })).rejects.toMatchObject({
        code: 'invalid_auth',
      });
    }
  });

  test('a weaker algorithm of the same key', async () => {
    const text = forged({ alg: 'HS256' }, { exp }, secret, 'sha256');
    await expect(verify(text)).rejects.toMatchObject({ code: 'invalid_auth' });
    await verify(text, { algorithm: 'HS256', key: secret });
  });

  test('keys that the header brings along are ignored', async () => {
    const jwk = { kty: 'oct', k: Buffer.from('mine').toString('base64url') };
    const header = {
      alg: 'HS512',
      jwk,
      jku: 'https://evil.example/',
      x5u: 'https://evil.example/',
      kid: '../../etc/passwd',
    };
    await expect(verify(forged(header, { exp }, 'mine'))).rejects.toMatchObject({ code: 'invalid_auth' });
    await verify(forged(header, { exp }));
  });

  test('what must be understood isn’t', async () => {
    for (const extra of [{ crit: ['exp'] }, { crit: [] }, { b64: false, crit: ['b64'] }, { b64: true }]) {
      await expect(verify(forged({ alg: 'HS512', ...extra }, { exp }))).rejects.toMatchObject({ code: 'invalid_auth' });
    }
  });

  test('a key given twice, at any depth, in header or payload', async () => {
    for (const payload of [
      `{"exp":${exp},"ID":"a","ID":"b"}`,
      `{"exp":${exp},"\\u0049D":"a","ID":"b"}`,
      `{"exp":${exp},"x":[{"y":1,"z":{},"y" : 2}]}`,
    ]) {
      await expect(verify(forged({ alg: 'HS512' }, payload))).rejects.toMatchObject({ code: 'invalid_auth' });
    }
    await expect(verify(forged('{"alg":"HS512","alg":"HS512"}', { exp }))).rejects.toMatchObject({
      code: 'invalid_auth',
    });
    await verify(forged({ alg: 'HS512' }, `{"exp":${exp},"x":{"y":1},"y":"\\"x\\":,{","z":[{"y":1},{"y":2}]}`));
  });

  test('one claim in two spellings', async () => {
    for (const claims of [
      { ns: 'a', NS: 'b' },
      { id: 'a', 'https://surrealdb.com/record': 'b' },
    ]) {
      await expect(verify(forged({ alg: 'HS512' }, { exp, ...claims }))).rejects.toMatchObject({
        code: 'invalid_auth',
      });
    }
  });

  test('base64url that isn’t canonical', async () => {
    const text = forged({ alg: 'HS512' }, { exp });
    const [header, payload, signature] = text.split('.') as [string, string, string];
    // 64 bytes leave four stray bits in the last character.
    const stray = `${signature.slice(0, -1)}${String.fromCharCode(signature.charCodeAt(signature.length - 1) + 1)}`;
    const variants = [
      `${header}.${payload}.${stray}`,
      `${header}.${payload}.${signature}==`,
      `${header}.${payload}.${signature}\n`,
      ` ${header}.${payload}.${signature}`,
      `${header}.${payload}..${signature}`,
      `${header}.${payload}.${signature}.`,
      `${header}.${payload}.`,
      `.${payload}.${signature}`,
      `${header}..${signature}`,
    ];
    for (const variant of variants) await expect(verify(variant)).rejects.toMatchObject({ code: 'invalid_auth' });
    await verify(text);
  });

  test.each([
    ['', 'nothing'],
    ['garbage', 'garbage'],
    ['a.b.c', 'no JSON'],
    [`${encode('[]')}.${encode('{}')}.AAAA`, 'an array as header'],
    [`${encode({ alg: 'HS512' })}.${encode('"x"')}.AAAA`, 'a text as payload'],
    [`${encode({ alg: 'HS512' })}.${encode('null')}.AAAA`, 'null as payload'],
    [`${encode({ alg: 'HS512' })}.${Buffer.from([0x7b, 0xff, 0x7d]).toString('base64url')}.AAAA`, 'broken UTF-8'],
    [`${encode({ alg: 'HS512' })}.${encode(`{"x":${'['.repeat(3000)}${']'.repeat(3000)}}`)}.AAAA`, 'deep nesting'],
    ['x'.repeat(10_000_000), 'ten megabytes'],
    ['.'.repeat(8000), 'dots'],
  ])('%.20s (%s) is refused at once', (text) => {
    expect(() => tokens.read(text)).toThrowError(expect.objectContaining({ code: 'invalid_auth' }));
  });

  test('a token of more than 8 KiB, though genuine', async () => {
    const text = forged({ alg: 'HS512' }, { exp, x: 'y'.repeat(8000) });
    await expect(verify(text)).rejects.toMatchObject({ code: 'invalid_auth' });
  });

  test('members named like the machinery of JavaScript are members', async () => {
    const claims = await verify(forged({ alg: 'HS512' }, `{"exp":${exp},"__proto__":{"NS":"x"},"constructor":1}`));
    expect(claims.namespace).toBeUndefined();
    expect(Object.keys(claimsValue(claims))).toEqual(['exp', '__proto__', 'constructor']);
  });
});

describe('keys', () => {
  const refused = (use: 'sign' | 'verify', algorithm: Algorithm, key: string) =>
    expect(() => validateKey(use, { algorithm, key })).toThrowError(expect.objectContaining({ code: 'invalid_key' }));

  test.each(ALGORITHMS)('%s takes keys of its own kind', (algorithm) => {
    const { sign, verify: verifying } = keyPair(algorithm);
    validateKey('sign', sign);
    validateKey('verify', verifying);
  });

  test('short, foreign, weak, broken and private keys are refused', () => {
    refused('verify', 'HS512', 's'.repeat(63));
    refused('verify', 'HS256', 's'.repeat(31));
    refused('verify', 'HS256', '');
    refused('verify', 'HS256', rsa.publicKey);
    refused('verify', 'RS256', secret);
    refused('verify', 'RS256', p256.publicKey);
    refused('verify', 'ES256', p384.publicKey);
    refused('verify', 'ES512', p384.publicKey);
    refused('verify', 'EDDSA', pem(generateKeyPairSync('ed448')).publicKey);
    refused('verify', 'RS256', pem(generateKeyPairSync('rsa', { modulusLength: 1024 })).publicKey);
    refused('verify', 'RS256', rsa.privateKey);
    refused('sign', 'RS256', rsa.publicKey);
    refused('verify', 'RS256', '-----BEGIN PUBLIC KEY-----\nnonsense\n-----END PUBLIC KEY-----');
  });

  test('no error quotes a key', () => {
    let told = '';
    try {
      validateKey('sign', { algorithm: 'RS256', key: rsa.privateKey.slice(0, 300) });
    } catch (error) {
      const { message, cause } = error as Error;
      told = `${message}${cause}`;
    }
    expect(told).toContain('cannot be read');
    expect(told).not.toContain(rsa.privateKey.slice(60, 80));
  });

  test('a private key belongs to the public one, and there are no more than a few former ones', () => {
    const verify = { kind: 'key', algorithm: 'ES256', key: p256.publicKey } as const;
    validateKeys({ verify, issuer: { key: p256.privateKey } });
    const other = ec('P-256');
    expect(() => validateKeys({ verify, issuer: { key: other.privateKey } })).toThrowError(
      'The key cannot be used with the algorithm ES256: the private key belongs to another public key',
    );
    const until = MAX_DATETIME;
    const former = (count: number) => Array.from({ length: count }, () => ({ key: other.publicKey, until }));
    validateKeys({ verify: { ...verify, retired: former(4) } });
    expect(() => validateKeys({ verify: { ...verify, retired: former(5) } })).toThrowError(
      'An access method keeps no more than 4 former keys',
    );
    expect(() => validateKeys({ verify: { ...verify, retired: [{ key: p384.publicKey, until }] } })).toThrowError(
      'curve',
    );
  });

  test('a short HMAC key of an existing definition still verifies', async () => {
    await verify(forged({ alg: 'HS512' }, { exp: 9_999_999_999 }, 'short'), { algorithm: 'HS512', key: 'short' });
  });
});

describe('claims from outside', () => {
  const prefix = 'https://surrealdb.com/';
  const read = (claims: object) => tokens.read(forged({ alg: 'HS512' }, claims)).claims;
  const expected = { namespace: 'n', database: 'd', access: 'a', id: 'i', roles: ['owner'] };

  test.each([
    ['plain', { ns: 'n', db: 'd', ac: 'a', id: 'i', rl: ['owner'] }],
    ['upper case', { NS: 'n', DB: 'd', AC: 'a', ID: 'i', RL: ['owner'] }],
    [
      'short and namespaced',
      {
        [`${prefix}ns`]: 'n',
        [`${prefix}db`]: 'd',
        [`${prefix}ac`]: 'a',
        [`${prefix}id`]: 'i',
        [`${prefix}rl`]: ['owner'],
      },
    ],
    [
      'long and namespaced',
      {
        [`${prefix}namespace`]: 'n',
        [`${prefix}database`]: 'd',
        [`${prefix}access`]: 'a',
        [`${prefix}record`]: 'i',
        [`${prefix}roles`]: ['owner'],
      },
    ],
  ])('%s', (_, claims) => {
    const found = read(claims);
    expect(found).toMatchObject(expected);
    expect(Object.keys(claimsValue(found))).toEqual(['NS', 'DB', 'AC', 'ID', 'RL']);
  });

  test('other names are only shown', () => {
    const found = read({ namespace: 'n', [`${prefix}AC`]: 'a', [`${prefix}foo`]: { x: [1, null, 1.5] } });
    expect(found.namespace).toBeUndefined();
    expect(found.access).toBeUndefined();
    expect(claimsValue(found)[`${prefix}foo`]).toMatchObject({ x: [1, null, 1.5] });
  });

  test('the ID of a record user is the record id', () => {
    const id = new RecordId('user', 1);
    expect(claimsValue(read({ id: 'user:1' }), id)['ID']).toBe(id);
  });

  test('a name that isn’t text is refused', () => {
    for (const claims of [{ ns: 1 }, { db: null }, { ac: ['a'] }, { id: {} }]) {
      expect(() => read(claims)).toThrowError(expect.objectContaining({ code: 'invalid_auth' }));
    }
  });

  test('roles', () => {
    expect(claimedRoles(read({}))).toEqual(['viewer']);
    expect(claimedRoles(read({ rl: ['Owner', 'EDITOR'] }))).toEqual(['owner', 'editor']);
    expect(claimedRoles(read({ rl: [] }))).toEqual([]);
    for (const rl of ['owner', null, 1, {}, [1]]) {
      expect(() => claimedRoles(read({ rl }))).toThrowError(expect.objectContaining({ code: 'invalid_auth' }));
    }
    for (const name of ['Bogus', 'constructor', '__proto__']) {
      expect(() => claimedRoles(read({ rl: [name] }))).toThrowError(
        expect.objectContaining({ code: 'invalid_role', message: `IAM error: Invalid role '${name}'` }),
      );
    }
  });
});

test('tokens of other libraries verify', async () => {
  const text = await new CompactSign(Buffer.from('{"exp":9999999999,"ac":"a"}'))
    .setProtectedHeader({ alg: 'HS512', kid: 'k', typ: 'at+jwt' })
    .sign(Buffer.from(secret));
  expect((await verify(text)).access).toBe('a');
});

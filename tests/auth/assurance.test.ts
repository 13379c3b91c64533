import { createHmac, createSign, generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { calculateJwkThumbprint, type JWK } from 'jose';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  type Assurance,
  assertRecentSignIn,
  assuranceClaims,
  assuranceOf,
  type Proof,
  withProof,
} from '../../src/auth/assurance.js';
import { type Authenticator, createAuthenticator } from '../../src/auth/authenticator.js';
import { readSignIn, readSignUp } from '../../src/auth/credentials.js';
import type { Client, SessionIdentity } from '../../src/auth/identity.js';
import { createPasswordHasher } from '../../src/auth/passwords/passwords.js';
import type { AccessDefinition } from '../../src/catalog/definitions/definition.js';
import type { AccessKind } from '../../src/language/ast.js';
import { objectFrom, RecordId, type Value } from '../../src/value/value.js';
import { StubbedEnvironment } from '../support/environment.js';
import { noProviders } from '../support/no-providers.js';
import { FakeDirectory } from './fake-directory.js';

const PROOFS: readonly Proof[] = ['pwd', 'mail', 'fed', 'otp', 'recovery', 'swk', 'hwk'];
const SECOND = 1_000_000_000n;

describe('what proofs are worth', () => {
  test.each<[readonly Proof[], readonly string[], Assurance['acr']]>([
    [['pwd'], ['pwd'], 'aal1'],
    [['mail'], ['mail'], 'aal1'],
    [['fed'], ['fed'], 'aal1'],
    [['otp'], ['otp'], 'aal1'],
    [['recovery'], ['recovery'], 'aal1'],
    [['swk'], ['swk', 'user', 'mfa'], 'aal2'],
    [['hwk'], ['hwk', 'user', 'mfa'], 'aal2'],
    [['pwd', 'otp'], ['pwd', 'otp'], 'aal2'],
    [['fed', 'recovery'], ['fed', 'recovery'], 'aal2'],
    [['mail', 'otp'], ['mail', 'otp'], 'aal2'],
    // Mail never raises it, and one factor twice is one.
    [['pwd', 'mail'], ['pwd', 'mail'], 'aal1'],
    [['mail', 'mail'], ['mail'], 'aal1'],
    [['fed', 'mail', 'pwd'], ['fed', 'mail', 'pwd'], 'aal1'],
    [['otp', 'recovery'], ['otp', 'recovery'], 'aal1'],
  ])('%j', (proofs, amr, acr) => {
    expect(assuranceOf(proofs, 5n * SECOND)).toEqual({ amr, acr, at: 5n * SECOND });
  });

  test('one after the other they are worth what they are together, whatever their order', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...PROOFS), { minLength: 1, maxLength: 5 }), (proofs) => {
        const together = assuranceOf(proofs, BigInt(proofs.length));
        const [first, ...others] = proofs as [Proof, ...Proof[]];
        const stepped = others.reduce(
          (so, proof, at) => withProof(so, proof, BigInt(at) + 2n),
          assuranceOf([first], 1n),
        );
        expect(stepped).toEqual(together);
        expect(assuranceOf([...proofs].reverse(), 0n).acr).toBe(together.acr);
      }),
    );
  });

  test('claims have whole seconds', () => {
    expect(assuranceClaims(assuranceOf(['pwd'], 1_700_000_000_999_999_999n))).toEqual({
      amr: ['pwd'],
      acr: 'aal1',
      auth_time: 1_700_000_000,
    });
  });
});

const PLACE = { namespace: 'n', database: 'd' } as const;
const CLIENT: Client = { origin: { ip: '10.0.0.1' }, databasePath: {} };
const KEY = 'k'.repeat(64);
const ALICE = new RecordId('user', 'alice');
const BODY = { NS: 'n', DB: 'd', AC: 'account' };
const OWN = { kind: 'record', jwt: { verify: { kind: 'key', algorithm: 'HS512', key: KEY } }, refresh: true } as const;

let environment: StubbedEnvironment;
let directory: FakeDirectory;
let authenticator: Authenticator;
beforeEach(() => {
  environment = new StubbedEnvironment();
  directory = new FakeDirectory();
  authenticator = createAuthenticator(
    environment,
    directory,
    createPasswordHasher(environment),
    noProviders(environment),
  );
  directory.records.add('n d user:alice');
});

function account(accessKind: AccessKind): void {
  const entered = directory.clause(() => ALICE);
  const clauses = accessKind.kind === 'record' ? { signup: entered, signin: entered } : {};
  directory.defineAccess(
    {
      kind: 'define-access',
      name: 'account',
      level: 'database',
      accessKind: { ...accessKind, ...clauses },
      durations: { token: 3600n * SECOND, grant: 86_400n * SECOND },
    } as AccessDefinition,
    PLACE,
  );
}

const now = () => Number(environment.clock.now() / SECOND);
const signIn = (body: Record<string, Value> = BODY) => authenticator.signIn(readSignIn(objectFrom(body)), CLIENT);
const authenticate = async (token: string): Promise<SessionIdentity> =>
  (await authenticator.authenticate(token, CLIENT)).identity;
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const PAYLOAD = { ns: 'n', db: 'd', ac: 'account', id: 'user:alice', exp: 9_999_999_999 };
const RAISED = { amr: ['hwk', 'mfa'], acr: 'aal2', auth_time: 9_999_999_000 };
function hmacToken(claims: object): string {
  const input = `${encode({ typ: 'JWT', alg: 'HS512' })}.${encode({ ...PAYLOAD, ...claims })}`;
  return `${input}.${createHmac('sha512', KEY).update(input).digest('base64url')}`;
}

describe('tokens of record users', () => {
  test('say how and when they signed in or up, in the token, its session and each later one', async () => {
    account(OWN);
    const proved = { amr: ['pwd'], acr: 'aal1', auth_time: now() };
    const up = await authenticator.signUp(readSignUp(objectFrom(BODY)), CLIENT);
    const { identity, tokens } = await signIn();
    environment.advance(20_000);
    const later = await authenticate(tokens.access);
    for (const { token } of [up.identity, identity, later]) expect(token).toMatchObject(proved);
  });

  test('refresh leaves it as it was, however often, and in a lost race', async () => {
    account(OWN);
    const proved = { amr: ['pwd'], acr: 'aal1', auth_time: now() };
    const first = (await signIn()).tokens;
    environment.advance(900_000);
    const second = await authenticator.refresh(first as Required<typeof first>, CLIENT);
    expect(second.identity.token).toMatchObject({ ...proved, iat: now() });
    const raced = await signIn({ ...BODY, refresh: first.refresh as string });
    expect(raced.identity.token).toMatchObject(proved);
    environment.advance(900_000);
    const third = await signIn({ ...BODY, refresh: second.tokens.refresh as string });
    expect(third.identity.token).toMatchObject({ ...proved, iat: now() });
  });

  test('a refresh token of an older release says nothing, as its tokens did', async () => {
    account(OWN);
    const { tokens } = await signIn();
    await directory.grants(PLACE, 'account', async (grants) => {
      for (const grant of await grants.list()) grants.put({ ...grant, proved: undefined });
    });
    const { identity } = await authenticator.refresh(tokens as Required<typeof tokens>, CLIENT);
    for (const claim of ['amr', 'acr', 'auth_time']) expect(identity.token).not.toHaveProperty(claim);
    expect(identity.token).not.toHaveProperty('idp');
  });

  test('are issued at the time at which the sign-in began: what is revoked meanwhile ends it', async () => {
    const began = now();
    account(OWN);
    const slow = directory.clause(() => {
      environment.advance(5_000);
      return ALICE;
    });
    directory.defineAccess(
      {
        kind: 'define-access',
        name: 'account',
        level: 'database',
        accessKind: { ...OWN, signin: slow },
        durations: { grant: 86_400n * SECOND },
      },
      PLACE,
    );
    const { identity } = await signIn();
    expect(identity.token).toMatchObject({ iat: began, auth_time: began });
    const [grant] = (await directory.grants(PLACE, 'account', (grants) => grants.list())) ?? [];
    expect(grant?.proved?.at).toEqual(grant?.creation);
    expect(now()).toBe(began + 5);
  });
});

describe('what another issuer says', () => {
  const none = ({ token }: SessionIdentity) => {
    for (const claim of ['amr', 'acr', 'auth_time']) expect(token).not.toHaveProperty(claim);
  };

  test('with a secret that it shares with this server is its own, by its name', async () => {
    account(OWN);
    const theirs = await authenticate(hmacToken({ ...RAISED, iss: 'https://partner.example' }));
    none(theirs);
    expect(theirs.token).toMatchObject({ idp: RAISED });
    none(await authenticate(hmacToken({ acr: 'aal2' })));
  });

  test('with the key of an access method that issues nothing', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const key = publicKey.export({ type: 'spki', format: 'pem' }) as string;
    account({ kind: 'record', jwt: { verify: { kind: 'key', algorithm: 'ES256', key } } } as AccessKind);
    const input = `${encode({ typ: 'JWT', alg: 'ES256' })}.${encode({ ...PAYLOAD, ...RAISED, iss: 'Tessera' })}`;
    const signature = createSign('sha256').update(input).sign({ key: privateKey, dsaEncoding: 'ieee-p1363' });
    const theirs = await authenticate(`${input}.${signature.toString('base64url')}`);
    none(theirs);
    expect(theirs.token).toMatchObject({ idp: RAISED });
  });

  test('with a key of a set in which one key is this server’s', async () => {
    const [ours, theirs] = [0, 1].map(() => generateKeyPairSync('ec', { namedCurve: 'P-256' }));
    if (ours === undefined || theirs === undefined) throw new Error('no keys');
    const keys = await Promise.all(
      [ours, theirs].map(async ({ publicKey }) => {
        const jwk = publicKey.export({ format: 'jwk' }) as JWK;
        return { ...jwk, kid: await calculateJwkThumbprint(jwk) };
      }),
    );
    const fetch = async () => ({ status: 200, headers: {}, body: Buffer.from(JSON.stringify({ keys })) });
    authenticator = createAuthenticator(
      environment,
      directory,
      createPasswordHasher(environment),
      noProviders(environment),
      {
        tokens: { keySets: { fetcher: { fetch }, report: () => undefined } },
      },
    );
    const key = ours.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
    const jwt = {
      verify: { kind: 'url', url: 'https://issuer.example/jwks.json' },
      issuer: { algorithm: 'ES256', key },
    } as const;
    account({ kind: 'record', jwt, refresh: false } as AccessKind);
    const { tokens } = await signIn();
    const own = await authenticate(tokens.access);
    expect(own.token).toMatchObject({ amr: ['pwd'], acr: 'aal1', auth_time: now() });
    const input = `${encode({ alg: 'ES256', kid: keys[1]?.kid })}.${encode({ ...PAYLOAD, ...RAISED, iss: 'Tessera' })}`;
    const signature = createSign('sha256').update(input).sign({ key: theirs.privateKey, dsaEncoding: 'ieee-p1363' });
    const foreign = await authenticate(`${input}.${signature.toString('base64url')}`);
    none(foreign);
    expect(foreign.token).toMatchObject({ idp: RAISED });
  });

  test('to a JWT access, and stays beside what it says in idp itself', async () => {
    account({ kind: 'jwt', jwt: { verify: { kind: 'key', algorithm: 'HS512', key: KEY } } });
    const { id, ...system } = PAYLOAD;
    const input = (claims: object) => hmacToken({ ...system, id: undefined, ...claims });
    const plain = await authenticate(input({ idp: 'google' }));
    expect(plain.token).toMatchObject({ idp: 'google' });
    const text = await authenticate(input({ ...RAISED, iss: 'Tessera', idp: 'google' }));
    none(text);
    expect(text.token).toMatchObject({ idp: { ...RAISED, idp: 'google' } });
    const object = await authenticate(input({ acr: 'aal2', idp: { acr: 'aal9', name: 'google' } }));
    none(object);
    expect(object.token).toMatchObject({ idp: { acr: 'aal2', name: 'google' } });
    expect(id).toBe('user:alice');
  });
});

describe('a recent sign-in', () => {
  const identity = (claims: Record<string, Value>, viewer?: SessionIdentity['principal']) => ({
    token: objectFrom(claims),
    viewer,
  });

  test('is at most ten minutes old', () => {
    const at = now();
    const checked = () => assertRecentSignIn(identity({ auth_time: at }), environment.clock);
    checked();
    environment.advance(600_000);
    checked();
    environment.advance(1_000);
    expect(checked).toThrow(expect.objectContaining({ code: 'recent_sign_in_required', httpStatus: 401 }));
  });

  test.each<[string, Record<string, Value>]>([
    ['tokens of older releases', {}],
    ['another issuer’s claims', { idp: objectFrom({ auth_time: 9_999_999_999 }) }],
    ['texts', { auth_time: '9999999999' }],
    ['fractions', { auth_time: 9_999_999_999.5 }],
  ])('has a time: %s have none', (_, claims) => {
    expect(() => assertRecentSignIn(identity(claims), environment.clock)).toThrow(
      expect.objectContaining({ code: 'recent_sign_in_required' }),
    );
  });

  test('is missing without a token, and in a view', () => {
    const recent = { auth_time: now() };
    expect(() => assertRecentSignIn({ token: undefined, viewer: undefined }, environment.clock)).toThrow();
    expect(() => assertRecentSignIn(identity(recent, { kind: 'guest' }), environment.clock)).toThrow(
      expect.objectContaining({ code: 'recent_sign_in_required' }),
    );
  });
});

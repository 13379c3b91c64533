import { createHmac, generateKeyPairSync } from 'node:crypto';
import { hash as hashWith } from '@node-rs/argon2';
import { calculateJwkThumbprint, type JWK } from 'jose';
import { beforeEach, describe, expect, test } from 'vitest';
import { DEFAULT_RULES } from '../../src/auth/attempts/throttle-rules.js';
import { type Authenticator, createAuthenticator } from '../../src/auth/authenticator.js';
import { readSignIn, readSignUp } from '../../src/auth/credentials.js';
import { type Client, guestIdentity, withDatabasePath } from '../../src/auth/identity.js';
import { type CredentialHasher, createPasswordHasher } from '../../src/auth/passwords/passwords.js';
import type { AccessDefinition, UserDefinition } from '../../src/catalog/definitions/definition.js';
import type { DatabasePath } from '../../src/catalog/principal.js';
import { realEnvironment } from '../../src/env/real.js';
import { failure } from '../../src/errors/error.js';
import type { AccessKind, Algorithm, Expression } from '../../src/language/ast.js';
import { objectFrom, Range, RecordId, type Value } from '../../src/value/value.js';
import { StubbedEnvironment } from '../support/environment.js';
import { noProviders } from '../support/no-providers.js';
import { type Clause, FakeDirectory } from './fake-directory.js';

const PLACE = { namespace: 'n', database: 'd' } as const;
const CLIENT: Client = { origin: { ip: '10.0.0.1', origin: 'https://app.example', id: 'c1' }, databasePath: {} };
const SECOND = 1_000_000_000n;
const password = 'correct horse';
const hash = await createPasswordHasher(realEnvironment).hash('argon2', password);
const INVALID = {
  code: 'invalid_auth',
  message: 'There was a problem with authentication',
  httpStatus: 401,
  rpcCode: -32002,
  details: { kind: 'Auth', details: { kind: 'InvalidAuth' } },
};

let environment: StubbedEnvironment;
let directory: FakeDirectory;
let authenticator: Authenticator;
let hashes: number;
let busy: boolean;
beforeEach(() => {
  environment = new StubbedEnvironment();
  directory = new FakeDirectory();
  hashes = 0;
  busy = false;
  const real = createPasswordHasher(realEnvironment);
  const hasher: CredentialHasher = {
    ...real,
    get busy() {
      return busy;
    },
    verifyCredential(stored, given) {
      hashes++;
      return real.verifyCredential(stored, given);
    },
  };
  // After too many failures an attempt is refused at once.
  authenticator = createAuthenticator(environment, directory, hasher, noProviders(environment), {
    throttle: { ...DEFAULT_RULES, longestWait: 0 },
  });
});

/** Lets whatever is held back go on until the work is done. */
async function settled<T>(work: Promise<T>): Promise<T> {
  let done = false;
  const watched = work.finally(() => {
    done = true;
  });
  watched.catch(() => {});
  while (!done) {
    await new Promise((resolve) => setImmediate(resolve));
    const wait = environment.nextTimer;
    if (wait !== undefined) environment.advance(wait);
  }
  return watched;
}

const signIn = (body: Record<string, Value>, client = CLIENT) =>
  settled((async () => authenticator.signIn(readSignIn(objectFrom(body)), client))());
const signUp = (body: Record<string, Value>, client = CLIENT) =>
  settled((async () => authenticator.signUp(readSignUp(objectFrom(body)), client))());
const authenticate = (token: string, client = CLIENT) =>
  settled((async () => authenticator.authenticate(token, client))());

function user(fields: Partial<UserDefinition> = {}): UserDefinition {
  return {
    kind: 'define-user',
    name: 'root',
    level: 'root',
    passhash: hash,
    secret: 'a secret of this user',
    roles: ['owner'],
    durations: {},
    ...fields,
  };
}

const payloadOf = (token: string) => JSON.parse(atob(token.split('.')[1] as string));
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
function jwt(claims: object, key: string, alg: Algorithm = 'HS512'): string {
  const input = `${encode({ typ: 'JWT', alg })}.${encode({ exp: 9_999_999_999, ...claims })}`;
  return `${input}.${createHmac('sha512', key).update(input).digest('base64url')}`;
}

describe('system users', () => {
  test('a root user gets a token, a session and its roles', async () => {
    directory.defineUser(user({ durations: { session: 60n * SECOND } }));
    const { identity, expiresAt, tokens } = await signIn(
      { user: 'root', pass: password },
      { ...CLIENT, databasePath: { namespace: 'chosen', database: 'before' } },
    );
    expect(identity.principal).toEqual({ kind: 'system', level: 'root', name: 'root', roles: ['owner'] });
    expect(identity.databasePath).toEqual({ namespace: 'chosen', database: 'before' });
    expect(expiresAt).toBe(environment.clock.now() + 60n * SECOND);
    const claims = payloadOf(tokens.access);
    expect(Object.keys(claims)).toEqual(['iat', 'nbf', 'exp', 'iss', 'jti', 'ID']);
    expect(claims).toMatchObject({ iss: 'Tessera', ID: 'root' });
    expect(claims.exp - claims.iat).toBe(3600);
    expect(tokens).not.toHaveProperty('refresh');
    expect({ ...(identity.token as object) }).toEqual(claims);
    expect(identity.auth).toBeUndefined();
    expect(identity.access).toBeUndefined();
  });

  test.each<[string, DatabasePath, Record<string, Value>]>([
    ['namespace', { namespace: 'n' }, { NS: 'n' }],
    ['database', PLACE, { ns: 'n', database: 'd' }],
  ])('a %s user is found at its level only', async (level, databasePath, fields) => {
    directory.defineUser(
      user({ name: 'u', level: level as 'namespace' | 'database', roles: ['viewer'] }),
      databasePath,
    );
    const { identity, tokens } = await signIn({ ...fields, user: 'u', pass: password });
    expect(identity.principal).toEqual({ kind: 'system', level, ...databasePath, name: 'u', roles: ['viewer'] });
    expect(identity.databasePath).toEqual(databasePath);
    expect(payloadOf(tokens.access)).toMatchObject({ NS: 'n' });
    await expect(signIn({ user: 'u', pass: password })).rejects.toMatchObject(INVALID);
    await expect(signIn({ NS: 'other', user: 'u', pass: password })).rejects.toMatchObject(INVALID);
  });

  test('the durations of the definition hold', async () => {
    directory.defineUser(user({ durations: { token: 2n * SECOND } }));
    const { tokens, expiresAt } = await signIn({ user: 'root', pass: password });
    const claims = payloadOf(tokens.access);
    expect(claims.exp - claims.iat).toBe(2);
    expect(expiresAt).toBeUndefined();
    directory.defineUser(user({ durations: { token: undefined } }));
    expect(payloadOf((await signIn({ user: 'root', pass: password })).tokens.access)).not.toHaveProperty('exp');
  });

  test('whatever is wrong, it costs one hash and says the same', async () => {
    directory.defineUser(user());
    directory.defineUser(user({ name: 'nohash', passhash: '' }));
    const wrong: Record<string, Value>[] = [
      { user: 'root', pass: 'wrong' },
      { user: 'nobody', pass: password },
      { user: 'nohash', pass: password },
      { user: 'nohash', pass: 'x' },
      { NS: 'nowhere', user: 'root', pass: password },
      { NS: 'nowhere', DB: 'neither', user: 'root', pass: password },
    ];
    for (const body of wrong) {
      hashes = 0;
      await expect(signIn(body)).rejects.toMatchObject(INVALID);
      expect(hashes).toBe(1);
    }
  });

  test('clones that sign in at once are all let in, by one hash', async () => {
    directory.defineUser(user());
    // Here attempts don't wait for others of their account to end: five are let in beside each other.
    const outcomes = await Promise.allSettled(
      Array.from({ length: 5 }, () => signIn({ user: 'root', pass: password })),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => 'fulfilled'));
    expect(hashes).toBe(1);
  });

  test('attempts at once cost as many hashes for a user that there isn’t', async () => {
    directory.defineUser(user());
    const counts: number[] = [];
    for (const name of ['root', 'nobody']) {
      hashes = 0;
      await Promise.allSettled([1, 2].map(() => signIn({ user: name, pass: 'wrong' })));
      counts.push(hashes);
    }
    expect(counts[0]).toBe(counts[1]);
  });

  test('a weak hash is replaced at the next sign-in, or at a later one while that isn’t possible', async () => {
    const weak = await hashWith(password, { memoryCost: 8, timeCost: 1, parallelism: 1 });
    directory.defineUser(user({ passhash: weak }));
    const replace = directory.replaceHash.bind(directory);
    const fails = (code: 'transaction_conflict' | 'value_too_large') => () => {
      throw code === 'transaction_conflict' ? failure(code) : failure(code, { limit: 1 });
    };
    directory.replaceHash = fails('transaction_conflict');
    await signIn({ user: 'root', pass: password });
    expect(directory.user({}, 'root')?.passhash).toBe(weak);
    environment.advance(5 * 60_000);
    directory.replaceHash = fails('value_too_large');
    await expect(signIn({ user: 'root', pass: password })).rejects.toMatchObject({ code: 'value_too_large' });
    environment.advance(5 * 60_000);
    directory.replaceHash = replace;
    await signIn({ user: 'root', pass: password });
    expect(directory.user({}, 'root')?.passhash).toMatch(/^\$argon2id\$v=19\$m=(?!8,)/);
  });

  test('failures are listed until time has forgiven them, with no name of a path that can’t exist', async () => {
    await expect(signIn({ NS: 'n', user: 'root', pass: 'wrong' })).rejects.toMatchObject(INVALID);
    const far = { namespace: 'n'.repeat(600) };
    await expect(settled(authenticator.authenticateBasic('root', 'wrong', far, CLIENT))).rejects.toMatchObject(INVALID);
    const named = [...authenticator.failures.list()].filter(({ of }) => of === 'account');
    expect(named.map(({ account }) => account)).toEqual([
      { databasePath: { namespace: 'n' }, name: 'root' },
      undefined,
    ]);
    environment.advance(24 * 3_600_000);
    expect([...authenticator.failures.list()]).toEqual([]);
  });

  test('too many failures are refused before any hash', async () => {
    directory.defineUser(user());
    for (let time = 0; time < 6; time++) {
      await expect(signIn({ user: 'root', pass: 'wrong' })).rejects.toMatchObject(INVALID);
    }
    hashes = 0;
    await expect(signIn({ user: 'root', pass: password })).rejects.toMatchObject({
      code: 'too_many_attempts',
      httpStatus: 429,
    });
    expect(hashes).toBe(0);
    environment.advance(1000);
    await signIn({ user: 'root', pass: password });
  });

  test('a password found good before clears no failures for a guesser', async () => {
    directory.defineUser(user());
    const basic = () => settled(authenticator.authenticateBasic('root', password, {}, CLIENT));
    await basic();
    for (let time = 0; time < 5; time++) {
      await expect(signIn({ user: 'root', pass: 'wrong' })).rejects.toMatchObject(INVALID);
      await basic();
    }
    await expect(signIn({ user: 'root', pass: 'wrong' })).rejects.toMatchObject(INVALID);
    await expect(basic()).rejects.toMatchObject({ code: 'too_many_attempts' });
    environment.advance(1000);
    await basic();
  });

  test('basic authentication issues no token and hashes a good password once', async () => {
    directory.defineUser(user());
    for (let time = 0; time < 5; time++) {
      const { identity } = await authenticator.authenticateBasic('root', password, {}, CLIENT);
      expect(identity.principal).toMatchObject({ kind: 'system', name: 'root' });
    }
    expect(hashes).toBe(1);
    await expect(authenticator.authenticateBasic('root', 'wrong', {}, CLIENT)).rejects.toMatchObject(INVALID);
    await expect(authenticator.authenticateBasic('root', 'wrong', {}, CLIENT)).rejects.toMatchObject(INVALID);
    expect(hashes).toBe(3);
    environment.advance(5 * 60_000);
    await authenticator.authenticateBasic('root', password, {}, CLIENT);
    expect(hashes).toBe(4);
    directory.defineUser(
      user({ passhash: await createPasswordHasher(realEnvironment).hash('argon2', 'another password') }),
    );
    await expect(authenticator.authenticateBasic('root', password, {}, CLIENT)).rejects.toMatchObject(INVALID);
  });
});

test('a record user’s session ends with the server’s limit, or before; those of system users don’t', async () => {
  const limited = createAuthenticator(
    environment,
    directory,
    createPasswordHasher(realEnvironment),
    noProviders(environment),
    {
      sessionLifetime: 60_000,
    },
  );
  directory.records.add('n d user:alice');
  const expires = async (session: bigint | undefined) => {
    directory.defineAccess(
      {
        kind: 'define-access',
        name: 'account',
        level: 'database',
        accessKind: {
          kind: 'record',
          signin: directory.clause(() => new RecordId('user', 'alice')),
          jwt: { verify: { kind: 'key', algorithm: 'HS512', key: 'k'.repeat(128) } },
          refresh: false,
        },
        durations: session === undefined ? {} : { session },
      },
      PLACE,
    );
    const { expiresAt = 0n } = await limited.signIn(
      readSignIn(objectFrom({ NS: 'n', DB: 'd', AC: 'account' })),
      CLIENT,
    );
    return expiresAt - environment.clock.now();
  };
  expect(await expires(undefined)).toBe(60n * SECOND);
  expect(await expires(3_600n * SECOND)).toBe(60n * SECOND);
  expect(await expires(10n * SECOND)).toBe(10n * SECOND);
  directory.defineUser(user());
  const { expiresAt } = await limited.signIn(readSignIn(objectFrom({ user: 'root', pass: password })), CLIENT);
  expect(expiresAt).toBeUndefined();
});

describe('tokens of system users', () => {
  test('open a session with the present roles, until the user is removed or made again', async () => {
    directory.defineUser(user({ name: 'u', level: 'namespace' }), { namespace: 'n' });
    const { tokens } = await signIn({ NS: 'n', user: 'u', pass: password });
    directory.defineUser(user({ name: 'u', level: 'namespace', roles: ['viewer'] }), { namespace: 'n' });
    const { identity } = await authenticate(tokens.access, {
      ...CLIENT,
      databasePath: { namespace: 'x', database: 'y' },
    });
    expect(identity.principal).toEqual({
      kind: 'system',
      level: 'namespace',
      namespace: 'n',
      name: 'u',
      roles: ['viewer'],
    });
    expect(identity.databasePath).toEqual({ namespace: 'n', database: 'y' });
    expect(identity.token).toMatchObject({ NS: 'n', ID: 'u' });

    directory.defineUser(user({ name: 'u', level: 'namespace', secret: 'another' }), { namespace: 'n' });
    await expect(authenticate(tokens.access)).rejects.toMatchObject(INVALID);
    directory.removeUser('u', { namespace: 'n' });
    await expect(authenticate(tokens.access)).rejects.toMatchObject(INVALID);
  });

  test('are refused for another user, another level, and without a user name', async () => {
    directory.defineUser(user({ secret: 'one' }));
    directory.defineUser(user({ name: 'u', level: 'database', secret: 'two' }), PLACE);
    for (const claims of [
      { ID: 'root' },
      { NS: 'n', ID: 'u' },
      { NS: 'n', DB: 'd', ID: 'root' },
      { DB: 'd', ID: 'u' },
      { NS: 'n', DB: 'd' },
      { NS: 'n', DB: 'd', ID: 'x'.repeat(5000) },
      { NS: 'x'.repeat(5000), ID: 'u' },
      {},
    ]) {
      await expect(authenticate(jwt(claims, 'two'))).rejects.toMatchObject(INVALID);
    }
    await authenticate(jwt({ NS: 'n', DB: 'd', ID: 'u' }, 'two'));
    await expect(authenticate(jwt({ ID: 'nobody' }, 'nobody signs with this key'))).rejects.toMatchObject(INVALID);
  });

  test('expire', async () => {
    directory.defineUser(user());
    const { tokens } = await signIn({ user: 'root', pass: password });
    environment.advance(3600_000);
    await expect(authenticate(tokens.access)).rejects.toMatchObject({ code: 'token_expired' });
  });
});

describe('record users', () => {
  const KEY = 'k'.repeat(128);
  const alice = new RecordId('user', 'alice');
  type RecordClauses = { signin?: Clause; signup?: Clause; authenticate?: Clause };

  function record({ signin, signup, authenticate }: RecordClauses, fields: Partial<AccessDefinition> = {}): void {
    const accessKind: AccessKind = {
      kind: 'record',
      ...(signin && { signin: directory.clause(signin) }),
      ...(signup && { signup: directory.clause(signup) }),
      jwt: { verify: { kind: 'key', algorithm: 'HS512', key: KEY } },
      refresh: false,
    };
    directory.defineAccess(
      {
        kind: 'define-access',
        name: 'account',
        level: 'database',
        accessKind,
        ...(authenticate && { authenticate: directory.clause(authenticate) }),
        durations: {},
        ...fields,
      },
      PLACE,
    );
  }
  const body = { NS: 'n', DB: 'd', AC: 'account' };
  const exists = (id: string) => directory.records.add(`n d ${id}`);

  test('sign up, sign in and come back with the token', async () => {
    record(
      {
        signup: ({ variables }) => {
          exists(`user:${variables['name']}`);
          return [objectFrom({ id: new RecordId('user', variables['name'] as string) })];
        },
        signin: ({ variables }) => (variables['pass'] === password ? [objectFrom({ id: alice })] : []),
      },
      { durations: { token: 60n * SECOND, session: 90n * SECOND } },
    );
    const first = await signUp({ ...body, name: 'alice' });
    const second = await signIn({ ...body, name: 'alice', pass: password });
    const third = await authenticate(second.tokens.access);
    const incarnation = 'the first user:alice';
    const principal = { kind: 'record', namespace: 'n', database: 'd', access: 'account', id: alice, incarnation };
    for (const { identity, expiresAt } of [first, second, third]) {
      expect(identity.principal).toEqual(principal);
      expect(identity.databasePath).toEqual(PLACE);
      expect(identity.auth).toEqual(alice);
      expect(identity.access).toBe('account');
      expect(identity.token).toMatchObject({ NS: 'n', DB: 'd', AC: 'account', ID: alice });
      expect(expiresAt).toBe(environment.clock.now() + 90n * SECOND);
    }
    const claims = payloadOf(second.tokens.access);
    const names = ['iat', 'nbf', 'exp', 'iss', 'jti', 'NS', 'DB', 'AC', 'ID', 'INC', 'amr', 'acr', 'auth_time'];
    expect(Object.keys(claims)).toEqual(names);
    expect(claims).toMatchObject({ ID: 'user:alice', exp: claims.iat + 60 });
  });

  test('the clauses see the variables, the database and the client’s address, and no signed-in user', async () => {
    record({ signin: () => alice });
    exists('user:alice');
    await signIn({ ...body, name: 'alice', variables: objectFrom({ pass: 'p' }) });
    const [run] = directory.runs;
    expect({ ...run?.variables }).toEqual({ NS: 'n', DB: 'd', AC: 'account', name: 'alice', pass: 'p' });
    expect(run?.databasePath).toEqual(PLACE);
    expect(run?.identity).toMatchObject({ principal: { kind: 'guest' }, databasePath: PLACE, auth: undefined });
    expect({ ...run?.identity.session }).toEqual({
      ip: '10.0.0.1',
      exp: undefined,
      ns: 'n',
      db: 'd',
      rd: undefined,
      ac: undefined,
      or: 'https://app.example',
      id: 'c1',
      tk: undefined,
    });
  });

  test.each<[string, Value]>([
    ['a record id', alice],
    ['an object', objectFrom({ id: alice })],
    ['an array of ids', [alice]],
    ['the first of many rows', [objectFrom({ id: alice }), objectFrom({ id: new RecordId('user', 'bob') })]],
    ['a text', 'user:alice'],
    ['an object whose id is a text', [objectFrom({ id: 'user:alice' })]],
  ])('the record may come as %s', async (_, value) => {
    record({ signin: () => value, signup: () => value });
    exists('user:alice');
    expect((await signIn(body)).identity.auth).toEqual(alice);
    expect((await signUp(body)).identity.auth).toEqual(alice);
  });

  test.each<[string, Value]>([
    ['nothing', undefined],
    ['NULL', null],
    ['an empty array', []],
    ['an array of nothing', [undefined]],
    ['a number', 1],
    ['a text that is no record id', 'alice'],
    ['an object without an id', objectFrom({ name: 'alice' })],
    ['nested arrays', [[alice]]],
    ['a range of records', new RecordId('user', new Range(undefined, undefined))],
    ['the text of a range of records', 'user:a..z'],
  ])('%s is nobody', async (_, value) => {
    record({ signin: () => value, signup: () => value });
    exists('user:alice');
    await expect(signIn(body)).rejects.toMatchObject(INVALID);
    await expect(signUp(body)).rejects.toMatchObject({ code: 'no_record_returned', message: 'No record was returned' });
  });

  test('a record that doesn’t exist, or no longer does, can’t sign in', async () => {
    record({ signin: () => alice });
    await expect(signIn(body)).rejects.toMatchObject(INVALID);
    exists('user:alice');
    const { tokens } = await signIn(body);
    directory.records.clear();
    await expect(authenticate(tokens.access)).rejects.toMatchObject(INVALID);
  });

  test('what a clause throws reaches the caller; other failures stay inside', async () => {
    const thrown = () => {
      throw failure('thrown', { text: 'closed on Sundays' });
    };
    const bug = failure('table_missing', { name: 'secret' });
    const broken = () => {
      throw bug;
    };
    record({ signin: thrown, signup: thrown });
    for (const call of [signIn, signUp]) {
      await expect(call(body)).rejects.toMatchObject({
        code: 'thrown',
        message: 'An error occurred: closed on Sundays',
        httpStatus: 400,
      });
    }
    record({ signin: broken, signup: broken });
    await expect(signIn(body)).rejects.toMatchObject({
      code: 'invalid_auth',
      message: 'There was a problem with authentication',
      cause: bug,
    });
    await expect(signUp(body)).rejects.toMatchObject({
      code: 'record_access_signup_query_failed',
      message: 'The record access signup query failed',
      cause: bug,
    });
    record({
      signin: () => {
        throw failure('transaction_conflict');
      },
      signup: () => {
        throw failure('hashing_busy', { retryAfter: 1 });
      },
    });
    await expect(signIn(body)).rejects.toMatchObject({ code: 'unexpected_auth', retryable: true, httpStatus: 503 });
    await expect(signUp(body)).rejects.toMatchObject({ code: 'hashing_busy', httpStatus: 429 });
  });

  test('an unknown access, database or namespace and no record all look alike, and take as long', async () => {
    record({ signin: () => [] });
    const durations = new Set<number>();
    for (const fields of [{}, { AC: 'x' }, { DB: 'x' }, { NS: 'x' }]) {
      const startedAt = environment.clock.monotonic();
      await expect(signIn({ ...body, ...fields })).rejects.toMatchObject(INVALID);
      durations.add(Math.round(environment.clock.monotonic() - startedAt));
    }
    expect([...durations]).toEqual([325]);
    await expect(signUp({ ...body, AC: 'x' })).rejects.toMatchObject(INVALID);
  });

  test('a missing clause, another type of access and keys of others are reported', async () => {
    record({});
    await expect(signIn(body)).rejects.toMatchObject({ message: 'This record access method does not allow signin' });
    await expect(signUp(body)).rejects.toMatchObject({ message: 'This record access method does not allow signup' });
    const kinds: AccessKind[] = [
      { kind: 'jwt', jwt: { verify: { kind: 'key', algorithm: 'HS512', key: KEY } } },
      { kind: 'bearer', subject: 'user' },
      { kind: 'record', jwt: { verify: { kind: 'url', url: 'https://x.example/' } }, refresh: false },
      { kind: 'record', jwt: { verify: { kind: 'key', algorithm: 'RS256', key: 'public' } }, refresh: false },
    ];
    for (const accessKind of kinds) {
      record({}, { accessKind });
      await expect(signUp(body)).rejects.toMatchObject({
        code: 'access_method_mismatch',
        message: 'The access method cannot be used in the requested operation',
      });
    }
    // The pause that failures of one account bring would hide the message.
    await expect(signIn({ ...body, name: 'another' })).rejects.toMatchObject({ code: 'access_method_mismatch' });
  });

  test('an asymmetric issuer signs with its own key', async () => {
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-521' });
    const key = pair.publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const issuer = { key: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
    record(
      {},
      {
        accessKind: {
          kind: 'record',
          signin: directory.clause(() => alice),
          jwt: { verify: { kind: 'key', algorithm: 'ES512', key }, issuer },
          refresh: false,
        },
      },
    );
    exists('user:alice');
    const { tokens } = await signIn(body);
    expect(JSON.parse(atob(tokens.access.split('.')[0] as string))).toEqual({
      typ: 'JWT',
      alg: 'ES512',
      kid: await calculateJwkThumbprint(pair.publicKey.export({ format: 'jwk' }) as JWK),
    });
    expect((await authenticate(tokens.access)).identity.auth).toEqual(alice);
  });

  test('WITH REFRESH: a refresh token comes along, and one of another form is refused', async () => {
    record(
      {},
      {
        accessKind: {
          kind: 'record',
          signin: directory.clause(() => alice),
          jwt: { verify: { kind: 'key', algorithm: 'HS512', key: KEY } },
          refresh: true,
        },
      },
    );
    exists('user:alice');
    expect(Object.keys((await signIn(body)).tokens)).toEqual(['access', 'refresh']);
    await expect(signIn({ ...body, refresh: 'surreal-refresh-aaaaaaaaaaaa-x' })).rejects.toMatchObject(INVALID);
  });

  test('guesses are slowed down for each account, in whatever case it is written and whatever is added', async () => {
    const clause = directory.clause(() => []);
    const email: Expression = { kind: 'param', name: 'email' };
    const accessKind: AccessKind = {
      kind: 'record',
      signin: { kind: 'idiom', start: clause, parts: [{ kind: 'method', name: 'chain', args: [email] }] },
      jwt: { verify: { kind: 'key', algorithm: 'HS512', key: KEY } },
      refresh: false,
    };
    record({}, { accessKind });
    for (let time = 0; time < 6; time++) {
      const email = time % 2 === 0 ? 'Alice@Example.org' : ' alice@example.ORG';
      const guess = { ...body, email, pass: `guess ${time}`, padding: `${time}` };
      await expect(signIn(guess)).rejects.toMatchObject({ code: 'invalid_auth' });
    }
    directory.runs.length = 0;
    const sixth = signIn({ ...body, email: 'alice@example.org', pass: 'x' });
    await expect(sixth).rejects.toMatchObject({ code: 'too_many_attempts' });
    expect(directory.runs).toHaveLength(0);
    const another = signIn({ ...body, email: 'bob@example.org', pass: 'x' });
    await expect(another).rejects.toMatchObject({ code: 'invalid_auth' });
  });

  test('while no password can be hashed, all failures look alike', async () => {
    record({ signin: () => [] });
    busy = true;
    await expect(signIn(body)).rejects.toMatchObject({ code: 'hashing_busy', httpStatus: 429 });
  });

  describe('AUTHENTICATE', () => {
    const bob = new RecordId('user', 'bob');

    test('runs at sign-up, sign-in and with the token, and may put another record in place', async () => {
      record({ signin: () => alice, signup: () => alice, authenticate: () => bob });
      exists('user:alice');
      exists('user:bob');
      const { tokens } = await signIn(body);
      await signUp(body);
      const { identity } = await authenticate(tokens.access);
      expect(identity.auth).toEqual(bob);
      expect(identity.principal).toMatchObject({ id: bob });
      const seen = directory.runs.filter(({ identity }) => identity.principal.kind === 'record');
      expect(seen).toHaveLength(3);
      for (const { identity } of seen) {
        expect(identity.auth).toEqual(alice);
        expect(identity.access).toBeUndefined();
        expect(identity.session).toMatchObject({ rd: alice, ac: undefined, tk: { AC: 'account', ID: alice } });
        expect(identity.token).toMatchObject({ AC: 'account', ID: alice });
      }
    });

    test('may refuse, by returning nothing or by throwing', async () => {
      record({ signin: () => alice, authenticate: () => undefined });
      exists('user:alice');
      await expect(signIn(body)).rejects.toMatchObject(INVALID);
      record({
        signin: () => alice,
        authenticate: () => {
          throw failure('thrown', { text: 'not today' });
        },
      });
      await expect(signIn(body)).rejects.toMatchObject({ code: 'thrown' });
      record({
        signin: () => alice,
        authenticate: () => {
          throw failure('table_missing', { name: 'x' });
        },
      });
      await expect(signIn(body)).rejects.toMatchObject(INVALID);
    });

    test('sees no record that doesn’t exist, and may put one that does in its place', async () => {
      const bob = new RecordId('user', 'bob');
      let seen: Value;
      record({
        signin: () => alice,
        authenticate: ({ identity }) => {
          seen = identity.auth;
          return bob;
        },
      });
      await expect(signIn(body)).rejects.toMatchObject(INVALID);
      expect(seen).toEqual(alice);
      exists('user:bob');
      expect((await signIn(body)).identity.auth).toEqual(bob);
    });

    test('finds the record of a token from outside that names none', async () => {
      record({
        authenticate: ({ identity }) => [objectFrom({ id: `user:${(identity.token as { name: string }).name}` })],
      });
      exists('user:alice');
      const token = jwt({ ns: 'n', db: 'd', ac: 'account', name: 'alice' }, KEY);
      expect((await authenticate(token)).identity.auth).toEqual(alice);
      expect(directory.runs[0]?.identity).toMatchObject({ principal: { kind: 'guest' }, auth: undefined });
    });
  });

  test('tokens from outside need what the level demands', async () => {
    record({});
    exists('user:alice');
    await authenticate(jwt({ ns: 'n', db: 'd', ac: 'account', id: 'user:alice' }, KEY));
    for (const claims of [
      { ns: 'n', db: 'd', ac: 'account' },
      { ns: 'n', db: 'd', ac: 'account', id: 'alice' },
      { ns: 'n', db: 'd', ac: 'account', id: 'user:a..z' },
      { ns: 'n', db: 'd', ac: 'account', id: 'user:nobody' },
      { ns: 'n', db: 'd', ac: 'nope', id: 'user:alice' },
      { ns: 'n', ac: 'account', id: 'user:alice' },
      { ac: 'account', id: 'user:alice' },
      { db: 'd', ac: 'account', id: 'user:alice' },
      { ns: 'x', db: 'd', ac: 'account', id: 'user:alice' },
    ]) {
      await expect(authenticate(jwt(claims, KEY))).rejects.toMatchObject(INVALID);
    }
    directory.removeAccess('account', PLACE);
    await expect(authenticate(jwt({ ns: 'n', db: 'd', ac: 'account', id: 'user:alice' }, KEY))).rejects.toMatchObject(
      INVALID,
    );
  });
});

describe('bearers of a JWT access', () => {
  const KEY = 'k'.repeat(64);
  function trust(
    databasePath: DatabasePath,
    level: 'root' | 'namespace' | 'database',
    fields: Partial<AccessDefinition> = {},
  ): void {
    directory.defineAccess(
      {
        kind: 'define-access',
        name: 'j',
        level,
        accessKind: { kind: 'jwt', jwt: { verify: { kind: 'key', algorithm: 'HS512', key: KEY } } },
        durations: { session: 10n * SECOND },
        ...fields,
      },
      databasePath,
    );
  }

  test('act at the level of the access, with the roles they claim', async () => {
    trust({}, 'root');
    trust({ namespace: 'n' }, 'namespace');
    trust(PLACE, 'database');
    const root = await authenticate(jwt({ ac: 'j', rl: ['Owner'] }, KEY));
    expect(root.identity).toMatchObject({
      principal: { kind: 'system', level: 'root', name: 'j', roles: ['owner'] },
      access: 'j',
      auth: undefined,
    });
    expect(root.expiresAt).toBe(environment.clock.now() + 10n * SECOND);
    const namespace = await authenticate(jwt({ NS: 'n', AC: 'j', ID: 'jane' }, KEY));
    expect(namespace.identity.principal).toEqual({
      kind: 'system',
      level: 'namespace',
      namespace: 'n',
      name: 'jane',
      roles: ['viewer'],
    });
    const database = await authenticate(
      jwt({ 'https://surrealdb.com/ns': 'n', 'https://surrealdb.com/db': 'd', 'https://surrealdb.com/ac': 'j' }, KEY),
    );
    expect(database.identity.principal).toMatchObject({ level: 'database', ...PLACE });
    expect(database.identity.token).toMatchObject({ NS: 'n', DB: 'd', AC: 'j' });
  });

  test('name no record, and no role that doesn’t exist', async () => {
    trust(PLACE, 'database');
    await expect(authenticate(jwt({ ns: 'n', db: 'd', ac: 'j', id: 'user:1' }, KEY))).rejects.toMatchObject({
      code: 'access_method_mismatch',
    });
    await expect(authenticate(jwt({ ns: 'n', db: 'd', ac: 'j', rl: ['Bogus'] }, KEY))).rejects.toMatchObject({
      message: "IAM error: Invalid role 'Bogus'",
    });
    await expect(authenticate(jwt({ ns: 'n', db: 'd', ac: 'j', rl: 'owner' }, KEY))).rejects.toMatchObject(INVALID);
  });

  test('must pass AUTHENTICATE, which returns nothing', async () => {
    trust({}, 'root', { authenticate: directory.clause(() => undefined) });
    await authenticate(jwt({ ac: 'j' }, KEY));
    trust({}, 'root', { authenticate: directory.clause(() => true) });
    await expect(authenticate(jwt({ ac: 'j' }, KEY))).rejects.toMatchObject(INVALID);
  });

  test('can’t be verified by URL without a source, nor by a bearer access', async () => {
    trust({}, 'root', { accessKind: { kind: 'jwt', jwt: { verify: { kind: 'url', url: 'https://x.example/' } } } });
    await expect(authenticate(jwt({ ac: 'j' }, KEY))).rejects.toMatchObject(INVALID);
    trust({}, 'root', { accessKind: { kind: 'bearer', subject: 'user' } });
    await expect(authenticate(jwt({ ac: 'j' }, 'nobody signs with this key'))).rejects.toMatchObject(INVALID);
  });
});

describe('$session', () => {
  const keys = ['ip', 'exp', 'ns', 'db', 'rd', 'ac', 'or', 'id', 'tk'];

  test('holds exactly nine fields, for every user', async () => {
    directory.defineUser(user({ durations: { session: 1_500_000_000n } }));
    const guest = guestIdentity({ origin: {}, databasePath: {} });
    expect(Object.keys(guest.session)).toEqual(keys);
    expect(Object.values(guest.session)).toEqual(new Array(9).fill(undefined));
    expect(guest.token).toBeUndefined();

    const { identity } = await signIn({ user: 'root', pass: password });
    expect(Object.keys(identity.session)).toEqual(keys);
    expect(identity.session).toMatchObject({
      ip: '10.0.0.1',
      exp: environment.seconds + 1,
      ns: undefined,
      or: 'https://app.example',
      id: 'c1',
      tk: { ID: 'root' },
    });
  });

  test('follows the selection', () => {
    const before = guestIdentity(CLIENT);
    const after = withDatabasePath(before, PLACE);
    expect(Object.keys(after.session)).toEqual(keys);
    expect(after.session).toMatchObject({ ns: 'n', db: 'd', ip: '10.0.0.1' });
    expect(after.databasePath).toEqual(PLACE);
    expect(before.session).toMatchObject({ ns: undefined });
  });
});

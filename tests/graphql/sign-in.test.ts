import { beforeEach, describe, expect, it } from 'vitest';
import type { Session } from '../../src/session/contract.js';
import { openOwned } from '../support/owned.js';
import { type Answer, openStack, type Stack } from './stack.js';

const SETUP = `
  DEFINE CONFIG GRAPHQL AUTO;
  DEFINE TABLE user PERMISSIONS FOR select WHERE id = $auth.id, FOR update WHERE id = $auth.id;
  DEFINE FIELD email ON user TYPE string;
  DEFINE FIELD pass ON user TYPE string PERMISSIONS FOR select NONE;
  DEFINE ACCESS account ON DATABASE TYPE RECORD
    SIGNUP (CREATE user SET email = $email, pass = crypto::argon2::generate($pass))
    SIGNIN (SELECT * FROM user WHERE email = $email AND crypto::argon2::compare(pass, $pass)) WITH REFRESH;
  DEFINE ACCESS robots ON DATABASE TYPE BEARER FOR USER;
  DEFINE USER editor ON DATABASE PASSWORD 'editor editor' ROLES EDITOR;`;
const ANN = { email: 'ann@x', pass: 'trees and books' };
const SIGN_UP = 'mutation ($v: object) { signUp(access: "account", variables: $v) { token refresh } }';

let stack: Stack;
let guest: Session;
beforeEach(async () => {
  stack = await openStack(SETUP);
  guest = await open();
});

async function open(token?: string): Promise<Session> {
  const session = stack.database.session({ ip: '10.0.0.1' });
  await session.use('test', 'test');
  if (token !== undefined) await session.authenticate(token);
  return session;
}

interface Tokens {
  readonly token: string;
  readonly refresh: string;
}

const only = ({ data, errors }: Answer): unknown => {
  expect(errors).toBeUndefined();
  return Object.values(data ?? {})[0];
};
const code = ({ errors }: Answer) => errors?.[0]?.extensions.code;
const signUp = async () => only(await stack.ask(SIGN_UP, { v: ANN }, guest)) as Tokens;

describe('signUp and signIn', () => {
  it('give tokens, and make the session that of the user', async () => {
    const { token, refresh } = await signUp();
    expect(refresh).toMatch(/^[a-z]+-refresh-/);
    const mine = { data: { user: [{ email: 'ann@x', pass: null }] } };
    expect(await stack.ask('{ user { email pass } }', undefined, guest)).toEqual(mine);
    expect(await stack.ask('{ user { email pass } }', undefined, await open(token))).toEqual(mine);
    const another = await open();
    const signedIn = await stack.ask(
      `mutation ($v: object) { signIn(access: "account", variables: $v) { token }
        updateManyUser(filter: {}, data: {email: "ann@y"}) { email } }`,
      { v: ANN },
      another,
    );
    expect(signedIn.data).toMatchObject({ updateManyUser: [{ email: 'ann@y' }] });
  });

  it('know users of the database and bearers, and none of elsewhere', async () => {
    const signIn = (args: string, session: Session) =>
      stack.ask(`mutation { signIn(${args}) { token refresh } }`, {}, session);
    expect(only(await signIn('user: "editor", pass: "editor editor"', guest))).toMatchObject({ refresh: null });
    expect(guest.identity.principal).toMatchObject({ kind: 'system', name: 'editor', level: 'database' });
    const [grant] = await stack.owner.query('ACCESS robots GRANT FOR USER editor');
    const { key } = (grant?.outcome.ok === true ? JSON.parse(JSON.stringify(grant.outcome.value)) : {}).grant;
    const robot = await open();
    only(await signIn(`access: "robots", key: ${JSON.stringify(key)}`, robot));
    expect(robot.identity.principal).toMatchObject({ kind: 'system', name: 'editor' });
    await stack.owner.query("DEFINE USER root ON ROOT PASSWORD 'root root root' ROLES OWNER");
    expect(code(await signIn('user: "root", pass: "root root root"', await open()))).toBe('invalid_auth');
    expect(code(await signIn('user: "editor"', await open()))).toBe('missing_user_or_pass');
  });

  it('reveal no secrets when they fail, and count one attempt each', async () => {
    await signUp();
    const tries = Array.from({ length: 8 }, (_, at) => {
      return `a${at}: signIn(access: "account", variables: {email: "ann@x", pass: "hush hush ${at}"}) { token }`;
    });
    const answer = await stack.ask(`mutation { ${tries.join('\n')} }`, {}, await open());
    const codes = answer.errors?.map(({ extensions }) => extensions.code);
    expect(codes).toHaveLength(8);
    expect(codes?.[0]).toBe('invalid_auth');
    expect(codes?.[7]).toBe('too_many_attempts');
    expect(JSON.stringify(answer)).not.toContain('hush');
    expect(answer.errors?.[7]?.path).toEqual(['a7']);
    const users = Array.from(
      { length: 8 },
      (_, at) => `b${at}: signIn(user: "editor", pass: "hush hush ${at}") { token }`,
    );
    const denied = await stack.ask(`mutation { ${users.join('\n')} }`, {}, await open());
    expect(denied.errors?.at(-1)?.extensions.code).toBe('too_many_attempts');
    expect(JSON.stringify(denied)).not.toContain('hush');
  });

  it('take no variables that only the engine binds', async () => {
    const variables = { v: { ...ANN, auth: 'user:ann' } };
    expect(code(await stack.ask(SIGN_UP, variables, guest))).toBe('reserved_variable');
    expect(code(await stack.ask(SIGN_UP, { v: { ...ANN, namespace: 'other' } }, guest))).toBeUndefined();
  });
});

describe('a client that has not signed in, where guests may run nothing,', () => {
  it('may sign in and up, and learns nothing else', async () => {
    const { database } = await openOwned({});
    const owner = database.ownerSession();
    await owner.use('test', 'test');
    for (const { outcome } of await owner.query(SETUP)) if (!outcome.ok) throw outcome.error;
    const session = database.session({});
    await session.use('test', 'test');
    const ask = (query: string, variables?: object) => stack.ask(query, variables, session);
    for (const query of [
      '{ user { email } }',
      '{ __schema { types { name } } }',
      'mutation { createUser(data: {email: "x"}) { id } }',
      'mutation { signOut nothing }',
      'mutation { signIn(acces: "account") { token } }',
      'subscription { user { action } }',
      'mutation {',
    ]) {
      expect([query, code(await ask(query))]).toEqual([query, 'not_allowed']);
    }
    expect(
      code(await ask('mutation { signIn(access: "account", variables: {email: "x", pass: "y"}) { token } }')),
    ).toBe('invalid_auth');
    only(await ask(SIGN_UP, { v: ANN }));
    expect(await ask('{ user { email } }')).toEqual({ data: { user: [{ email: 'ann@x' }] } });
    only(await ask('mutation { signOut }'));
    expect(code(await ask('{ user { email } }'))).toBe('not_allowed');
    only(await ask('mutation ($v: object) { signIn(access: "account", variables: $v) { token } }', { v: ANN }));
    expect((await ask('{ user { email } }')).errors).toBeUndefined();
    await database.close();
  });
});

describe('refresh', () => {
  it('gives a new pair once', async () => {
    const pair = await signUp();
    const refresh = (session: Session) =>
      stack.ask(
        'mutation ($token: String!, $refresh: String!) { refresh(token: $token, refresh: $refresh) { token refresh } }',
        pair,
        session,
      );
    const session = await open();
    const next = only(await refresh(session)) as Tokens;
    expect(next.refresh).not.toBe(pair.refresh);
    expect(session.identity.principal).toMatchObject({ kind: 'record' });
    const stranger = await open();
    const wrong = await stack.ask(
      'mutation { refresh(token: "a.b.c", refresh: "secret-no-no") { token } }',
      {},
      stranger,
    );
    expect(code(wrong)).toBe('invalid_auth');
    expect(JSON.stringify(wrong)).not.toContain('secret-no');
  });
});

describe('signOut', () => {
  it('makes the token worthless that the request came with', async () => {
    const { token } = await signUp();
    const session = await open(token);
    expect(only(await stack.ask('mutation { signOut }', {}, session))).toBe(true);
    expect(session.identity.principal.kind).toBe('guest');
    await expect(open(token)).rejects.toMatchObject({ code: 'invalid_auth' });
  });

  it('takes a refresh token back with the token that came with it', async () => {
    const pair = await signUp();
    const both = 'mutation ($token: String, $refresh: String) { signOut(token: $token, refresh: $refresh) }';
    expect(code(await stack.ask(both, { refresh: pair.refresh }, guest))).toBe('graphql_argument');
    expect(code(await stack.ask(both, { ...pair, refresh: 'svc-refresh-x-y' }, guest))).toBe('invalid_auth');
    expect(guest.identity.principal.kind).toBe('record');
    expect(only(await stack.ask(both, pair, guest))).toBe(true);
    await expect((await open()).refresh({ access: pair.token, refresh: pair.refresh })).rejects.toMatchObject({
      code: 'invalid_auth',
    });
  });

  it('ends other sessions on demand, but nothing of others', async () => {
    const { token } = await signUp();
    const other = only(await stack.ask(SIGN_UP, { v: { ...ANN, email: 'bob@x' } }, await open())) as Tokens;
    const second = only(
      await stack.ask(
        'mutation ($v: object) { signIn(access: "account", variables: $v) { token } }',
        { v: ANN },
        await open(),
      ),
    ) as Tokens;
    only(await stack.ask('mutation { signOut(everywhere: true) }', {}, await open(token)));
    await expect(open(second.token)).rejects.toMatchObject({ code: 'invalid_auth' });
    expect((await open(other.token)).identity.principal.kind).toBe('record');
    expect(code(await stack.ask('mutation { signOut(everywhere: true) }', {}, await open()))).toBe('not_allowed');
  });
});

/** What a session may do when its time is over, and what is left of it when it becomes another. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Session } from '../../src/session/contract.js';
import { objectFrom } from '../../src/value/value.js';
import { StubbedEnvironment } from '../support/environment.js';
import { answer, run, World } from '../support/world.js';

let world: World;
let environment: StubbedEnvironment;
let session: Session;
let token: string;

const CREDENTIALS = objectFrom({ NS: 'test', DB: 'test', AC: 'brief', name: 'ann' });

beforeEach(async () => {
  environment = new StubbedEnvironment();
  world = await World.open({ environment, guests: false });
  await run(
    world.owner,
    `DEFINE ACCESS brief ON DATABASE TYPE RECORD SIGNUP (CREATE type::record('user', $name) SET name = $name)
     SIGNIN (SELECT * FROM user WHERE name = $name) DURATION FOR TOKEN 1h, FOR SESSION 10m`,
  );
  session = world.guest();
  token = (await session.signUp(CREDENTIALS)).access;
});
afterEach(() => world.close());

const pass = (minutes: number) => environment.advance(minutes * 60_000);

/** Lets time pass, in the world of this test and no other, until something has come to its end. */
async function whileTimePasses<T>(awaited: Promise<T>): Promise<T> {
  const world = environment;
  let isOver = false;
  const over = awaited.finally(() => {
    isOver = true;
  });
  for (let turn = 0; turn < 1_000 && !isOver; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    world.advance(1);
  }
  return over;
}

describe('an expired session', () => {
  beforeEach(() => pass(10));

  const REFUSED: Record<string, (expired: Session) => unknown> = {
    query: (expired) => expired.query('RETURN 1'),
    execute: (expired) => expired.execute([]),
    begin: (expired) => expired.begin(),
    'setting a variable': async (expired) => expired.setVariable('a', 1),
    'unsetting a variable': async (expired) => expired.unsetVariable('a'),
    catalogSnapshot: (expired) => expired.catalogSnapshot(),
  };

  it.each(Object.entries(REFUSED))('refuses %s', async (_, act) => {
    await expect((async () => act(session))()).rejects.toMatchObject({
      code: 'session_expired',
      message: 'The session has expired',
      httpStatus: 401,
    });
  });

  it('selects another place nevertheless', async () => {
    expect(await session.use('test', 'other')).toEqual({ namespace: 'test', database: 'other' });
    expect(await answer(session, 'RETURN 1')).toMatch(/^session_expired/);
  });

  it.each([
    ['signIn', (expired: Session) => expired.signIn(CREDENTIALS)],
    ['authenticate', (expired: Session) => expired.authenticate(token)],
    ['signUp', (expired: Session) => expired.signUp(objectFrom({ NS: 'test', DB: 'test', AC: 'brief', name: 'bob' }))],
  ])('becomes a fresh one by %s', async (_, renew) => {
    await renew(session);
    expect(await answer(session, 'RETURN 1')).toBe('1');
    pass(10);
    expect(await answer(session, 'RETURN 1')).toMatch(/^session_expired/);
  });

  it('stays expired when a sign-in fails', async () => {
    const failed = session
      .signIn(objectFrom({ NS: 'test', DB: 'test', AC: 'brief', name: 'nobody' }))
      .catch((error) => error);
    // The failure is answered at a fixed time, and here time stands still.
    expect(await whileTimePasses(failed)).toMatchObject({ code: 'invalid_auth' });
    expect(await answer(session, 'RETURN 1')).toMatch(/^session_expired/);
  });

  it('is a guest after invalidate, and has no state after reset', async () => {
    session.invalidate();
    expect(await answer(session, 'RETURN 1')).toMatch(/^not_allowed/);
    session.reset();
    expect(session.identity).toMatchObject({ principal: { kind: 'guest' }, databasePath: {}, auth: undefined });
  });
});

it('goes on past the end of the token it was opened with, until its own', async () => {
  await run(world.owner, "DEFINE USER u ON DATABASE PASSWORD 'a password' DURATION FOR TOKEN 1s");
  const user = world.guest();
  const { access } = await user.signIn(objectFrom({ NS: 'test', DB: 'test', user: 'u', pass: 'a password' }));
  pass(60);
  expect(await answer(user, 'RETURN 1')).toBe('1');
  await expect(world.guest().authenticate(access)).rejects.toMatchObject({ code: 'token_expired' });
});

it('is expired at its very end, and not before', async () => {
  environment.advance(10 * 60_000 - 1);
  expect(await answer(session, 'RETURN 1')).toBe('1');
  environment.advance(1);
  expect(await answer(session, 'RETURN 1')).toMatch(/^session_expired/);
});

it('keeps nothing of a transaction when another user signs in or it expires', async () => {
  const held = await session.begin();
  pass(10);
  expect(() => session.transaction(held.id)).toThrow('The session has expired');
  await expect((async () => held.query('RETURN 1'))()).rejects.toMatchObject({ code: 'session_expired' });
  await session.signIn(CREDENTIALS);
  expect(() => session.transaction(held.id)).toThrow();
});

it('never lets a client bind what says who it is', async () => {
  for (const name of ['auth', 'session', 'token', 'access']) {
    expect(() => session.setVariable(name, 1)).toThrow(`Cannot set protected variable: ${name}`);
    expect(await answer(session, 'RETURN 1', objectFrom({ [name]: 1 }))).toMatch(/^reserved_variable/);
    expect(await answer(session, `LET $${name} = 1`)).toMatch(/^reserved_variable/);
    expect(await answer(session, `FOR $${name} IN [1] { RETURN $auth }`)).not.toContain('1');
    expect(await answer(session, `(|$${name}| $auth)(1)`)).not.toBe('1');
    expect(await answer(world.owner, `DEFINE PARAM $${name} VALUE 1`)).toMatch(/^reserved_variable/);
    await run(world.owner, `DEFINE FUNCTION OVERWRITE fn::f($${name}: any) { RETURN $auth }`).catch(() => undefined);
    expect(await answer(session, 'fn::f(1)')).not.toBe('1');
  }
  const body = objectFrom({ NS: 'test', DB: 'test', AC: 'brief', name: 'ann', auth: 'user:bob' });
  const other = world.guest();
  await other.signIn(body).catch(() => undefined);
  expect(await answer(other, 'RETURN $auth')).not.toContain('bob');
});

it('keeps no more variables than it may', async () => {
  for (let at = 0; at < 1_000; at++) void session.setVariable(`v${at}`, at);
  void session.setVariable('v0', 'again');
  expect(() => session.setVariable('more', 1)).toThrow('A session keeps no more than 1000 variables');
  session.unsetVariable('v0');
  void session.setVariable('more', 1);
});

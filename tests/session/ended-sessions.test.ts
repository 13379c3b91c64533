/** Sessions that a user or stored code ends: KILL OTHER SESSIONS, KILL SESSIONS FOR RECORD, fields that are CREDENTIAL. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { IssuedTokens, Session } from '../../src/session/contract.js';
import { objectFrom, Uuid } from '../../src/value/value.js';
import { type Owned, openOwned } from '../support/owned.js';
import { answer, run } from '../support/world.js';

let owned: Owned;
beforeEach(async () => {
  owned = await openOwned({ guests: true });
  await owned.value(`
    DEFINE TABLE user PERMISSIONS FOR select, update WHERE id = $auth;
    DEFINE FIELD pass ON user TYPE string CREDENTIAL;
    DEFINE FIELD secrets.pin ON user TYPE option<int> CREDENTIAL;
    DEFINE TABLE note PERMISSIONS FULL;
    DEFINE ACCESS account ON DATABASE TYPE RECORD
      SIGNUP (CREATE type::record('user', $name) SET pass = $pass)
      SIGNIN (SELECT * FROM type::record('user', $name) WHERE pass = $pass)
      WITH REFRESH;
    DEFINE FUNCTION fn::others() { KILL OTHER SESSIONS };
    DEFINE FUNCTION fn::end($who: record<user>) { KILL SESSIONS FOR RECORD $who };
    DEFINE FUNCTION fn::set($who: record<user>, $pass: string) { UPDATE $who SET pass = $pass; RETURN NONE };
    DEFINE FUNCTION fn::each($do: any) { RETURN [1].map($do) };
    DEFINE API '/others' FOR post THEN { KILL OTHER SESSIONS; { body: 1 } };
    DEFINE API '/end/:who' FOR post THEN { KILL SESSIONS FOR RECORD type::record('user', $request.params.who); { body: 1 } };
    DEFINE API '/set/:who' FOR post THEN { UPDATE type::record('user', $request.params.who) SET pass = 'new'; { body: 1 } };
    DEFINE TABLE wish PERMISSIONS FULL;
    DEFINE EVENT granted ON wish WHEN $after.others THEN (KILL OTHER SESSIONS);
    DEFINE EVENT ended ON wish WHEN $after.end THEN (KILL SESSIONS FOR RECORD $after.end);
    DEFINE EVENT changed ON wish WHEN $after.pass THEN (UPDATE $after.of SET pass = $after.pass);
  `);
});
afterEach(() => owned.database.close());

/** A lasting session of a record user, with what it gets of a live query. */
interface Entered {
  readonly session: Session;
  readonly tokens: Required<IssuedTokens>;
  readonly heard: string[];
}

const bodyOf = (name: string, pass = 'old', access = 'account') =>
  objectFrom({ NS: 'test', DB: 'test', AC: access, name, pass });

async function entered(enter: (session: Session) => Promise<IssuedTokens>): Promise<Entered> {
  const heard: string[] = [];
  const session = owned.database.session({});
  session.listen(({ action }) => void heard.push(action));
  const tokens = (await enter(session)) as Required<IssuedTokens>;
  expect((await run(session, 'LIVE SELECT * FROM note')).at(-1)).toBeInstanceOf(Uuid);
  owned.environment.advance(10);
  return { session, tokens, heard };
}

const signedUp = (name: string) => entered((session) => session.signUp(bodyOf(name)));
const signedIn = (name: string, pass?: string, access?: string) =>
  entered((session) => session.signIn(bodyOf(name, pass, access)));

/** Notifications follow their commit. */
async function isLive(heard: readonly string[]): Promise<boolean> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
  return !heard.includes('KILLED');
}

/** Which of its ways in are open: its session, with its live query, its access token, and its refresh token. */
async function openWays({ session, tokens, heard }: Entered): Promise<string[]> {
  const works = async (name: string, way: () => Promise<unknown>) => {
    try {
      await way();
      return [name];
    } catch (error) {
      expect(['session_expired', 'invalid_auth']).toContain((error as { readonly code: string }).code);
      return [];
    }
  };
  const guest = () => owned.database.session({});
  return [
    ...(await works('session', () => run(session, 'RETURN 1'))),
    ...(await works('token', async () => guest().authenticate(tokens.access))),
    ...(await works('refresh', () => guest().refresh(tokens))),
    ...((await isLive(heard)) ? ['live'] : []),
  ];
}

const ALL = ['session', 'token', 'refresh', 'live'];
const NONE: readonly string[] = [];

describe('KILL OTHER SESSIONS', () => {
  test.each<[string, string]>([
    ['alone', 'KILL OTHER SESSIONS'],
    ['in a block', '{ KILL OTHER SESSIONS; }'],
    ['in a transaction', 'BEGIN; KILL OTHER SESSIONS; COMMIT'],
    ['in a function', 'fn::others()'],
    ['in an event', 'CREATE wish SET others = true'],
    ['in an endpoint', "api::invoke('/others', { method: 'post' })"],
  ])('%s leaves this one, its token and its refresh token', async (_, text) => {
    const [first, second] = [await signedUp('ann'), await signedIn('ann')];
    const other = await signedUp('bob');
    await run(first.session, text);
    expect(await openWays(second)).toEqual(NONE);
    expect(await openWays(first)).toEqual(ALL);
    expect(await openWays(other)).toEqual(ALL);
    // The next one is a new sign-in like any other.
    owned.environment.advance(10);
    expect(await openWays(await signedIn('ann'))).toEqual(ALL);
  });

  test('a later one ends what an earlier one has left', async () => {
    const [first, second] = [await signedUp('ann'), await signedIn('ann')];
    await run(first.session, 'KILL OTHER SESSIONS');
    owned.environment.advance(10);
    const third = await signedIn('ann');
    await run(third.session, 'KILL OTHER SESSIONS');
    expect([await openWays(first), await openWays(second), await openWays(third)]).toEqual([NONE, NONE, ALL]);
    owned.environment.advance(10);
    await run(third.session, 'KILL SESSIONS');
    expect(await openWays(third)).toEqual(NONE);
  });

  test.each<[string, string]>([
    ['cancelled', 'BEGIN; KILL OTHER SESSIONS; CANCEL'],
    ['that fails', 'BEGIN; KILL OTHER SESSIONS; THROW 1; COMMIT'],
    ['of one statement that fails', '{ KILL OTHER SESSIONS; THROW 1 }'],
    ['undone with an event', 'CREATE wish:1 SET others = true; CREATE wish:1 SET others = true'],
  ])('in a transaction %s ends nothing', async (_, text) => {
    const [first, second] = [await signedUp('ann'), await signedIn('ann')];
    // What the first statement of the last case ends is its own.
    if (text.includes('wish')) await owned.value('CREATE wish:1');
    await first.session.query(text);
    expect([await openWays(first), await openWays(second)]).toEqual([ALL, ALL]);
  });

  test('is for those who have signed in', async () => {
    const guest = owned.database.session({});
    await guest.use('test', 'test');
    for (const text of ['KILL OTHER SESSIONS', 'fn::others()'])
      expect(await answer(guest, text)).toMatch(/^(not_allowed|guest)/);
  });

  test('of a system user is at the top alone: in stored code it would be another one’s', async () => {
    await owned.value("DEFINE USER boss ON ROOT PASSWORD 'a long password' ROLES OWNER");
    await owned.value("DEFINE USER boss ON DATABASE PASSWORD 'a long password' ROLES VIEWER");
    const signIn = (level: object) => async (session: Session) => {
      const tokens = await session.signIn(objectFrom({ user: 'boss', pass: 'a long password', ...level }));
      await session.use('test', 'test');
      return tokens;
    };
    const [one, two] = [await entered(signIn({})), await entered(signIn({}))];
    const namesake = await entered(signIn({ NS: 'test', DB: 'test' }));
    for (const text of ['fn::others()', 'CREATE wish SET others = true'])
      expect(await answer(one.session, text)).toMatch(/Not enough permissions/);
    expect(await answer(one.session, 'KILL OTHER SESSIONS')).toBe('NONE');
    const open = async ({ session, tokens }: Entered) => {
      const token = async () => owned.database.session({}).authenticate(tokens.access);
      const codes = [
        await answer(session, 'RETURN 1'),
        await token()
          .then(() => '1')
          .catch(() => 'no'),
      ];
      return codes.every((each) => each === '1');
    };
    expect([await open(one), await open(two), await open(namesake)]).toEqual([true, false, true]);
  });
});

describe('KILL SESSIONS FOR RECORD', () => {
  test.each<[string, string]>([
    ['in a function', 'fn::end(user:ann)'],
    ['in an event', 'CREATE wish SET end = user:ann'],
    ['in an endpoint', "api::invoke('/end/ann', { method: 'post' })"],
  ])('%s ends those of another user, by the rights of its author', async (_, text) => {
    const [ann, bob] = [await signedUp('ann'), await signedUp('bob')];
    await run(bob.session, text);
    expect([await openWays(ann), await openWays(bob)]).toEqual([NONE, ALL]);
  });

  test.each<[string, string]>([
    ['alone', 'KILL SESSIONS FOR RECORD user:ann'],
    ['in a block', '{ KILL SESSIONS FOR RECORD user:ann; }'],
    ['in a closure', '[1].map(|$n| { KILL SESSIONS FOR RECORD user:ann })'],
    ['in a closure that stored code calls', 'fn::each(|$n| { KILL SESSIONS FOR RECORD user:ann })'],
    ['in a subquery', 'SELECT (KILL SESSIONS FOR RECORD user:ann) FROM 1'],
  ])('%s is for owners and the user', async (_, text) => {
    const [ann, bob] = [await signedUp('ann'), await signedUp('bob')];
    expect(await answer(bob.session, text)).toMatch(/^(not_allowed|read_only)/);
    expect(await openWays(ann)).toEqual(ALL);
  });

  test('leaves none, not even the one that asks', async () => {
    const ann = await signedUp('ann');
    expect(await answer(ann.session, 'fn::end($auth)')).toBe('NONE');
    expect(await openWays(ann)).toEqual(NONE);
  });

  test('ends those of the same record in two databases, within one transaction', async () => {
    const ann = await signedUp('ann');
    await owned.owner.use('test', 'two');
    await owned.value(`DEFINE TABLE user; DEFINE TABLE note PERMISSIONS FULL;
      DEFINE ACCESS account ON DATABASE TYPE RECORD SIGNUP (CREATE type::record('user', $name)) WITH REFRESH`);
    const namesake = await entered((session) =>
      session.signUp(objectFrom({ NS: 'test', DB: 'two', AC: 'account', name: 'ann' })),
    );
    const end = 'KILL SESSIONS FOR RECORD user:ann';
    await owned.value(`BEGIN; ${end}; USE DB test; ${end}; COMMIT`);
    expect([await openWays(ann), await openWays(namesake)]).toEqual([NONE, NONE]);
  });

  test('in a view is refused, as KILL OTHER SESSIONS is', async () => {
    const ann = await signedUp('ann');
    const owner = owned.database.session({});
    await owned.value("DEFINE USER boss ON ROOT PASSWORD 'a long password' ROLES OWNER");
    owner.listen(() => undefined);
    await owner.signIn(objectFrom({ user: 'boss', pass: 'a long password' }));
    await owner.use('test', 'test');
    await owner.viewAs(objectFrom({ record: 'user:ann', access: 'account' }));
    for (const text of [
      'KILL OTHER SESSIONS',
      'fn::others()',
      'fn::end(user:ann)',
      'KILL SESSIONS FOR RECORD user:ann',
    ])
      expect(await answer(owner, text)).toMatch(/^(view_read_only|read_only)/);
    expect(await openWays(ann)).toEqual(ALL);
  });
});

describe('in clauses of an access method', () => {
  const BY_NAME = "LET $user = (SELECT * FROM type::record('user', $name))[0]";

  test.each<[string, string]>([
    ['KILL OTHER SESSIONS', `{ ${BY_NAME}; KILL OTHER SESSIONS; RETURN $user.id }`],
    ['KILL SESSIONS FOR RECORD', `{ ${BY_NAME}; KILL SESSIONS FOR RECORD $user.id; RETURN $user.id }`],
    ['a change of the password', `{ ${BY_NAME}; UPDATE $user.id SET pass = rand::ulid(); RETURN $user.id }`],
    [
      'all of them',
      `{ ${BY_NAME}; KILL OTHER SESSIONS; fn::end($user.id); fn::set($user.id, rand::ulid()); RETURN $user }`,
    ],
  ])('%s in SIGNIN leaves the session that it opens alone', async (_, clause) => {
    await owned.value(`DEFINE ACCESS single ON DATABASE TYPE RECORD SIGNIN ${clause} WITH REFRESH`);
    const ann = await signedUp('ann');
    const bob = await signedUp('bob');
    const first = await signedIn('ann', '', 'single');
    expect([await openWays(ann), await openWays(first)]).toEqual([NONE, ALL]);
    const second = await signedIn('ann', '', 'single');
    expect([await openWays(first), await openWays(second), await openWays(bob)]).toEqual([NONE, ALL, ALL]);
  });

  test('of several that sign in at once one stays', async () => {
    await owned.value(
      `DEFINE ACCESS single ON DATABASE TYPE RECORD SIGNIN { ${BY_NAME}; KILL OTHER SESSIONS; RETURN $user } WITH REFRESH`,
    );
    await signedUp('ann');
    const sessions = Array.from({ length: 5 }, () => owned.database.session({}));
    for (const session of sessions) session.listen(() => undefined);
    const tokens = await Promise.all(sessions.map((session) => session.signIn(bodyOf('ann', '', 'single'))));
    const answers = await Promise.all(sessions.map((session) => answer(session, 'RETURN 1')));
    expect(answers.filter((each) => each === '1')).toHaveLength(1);
    const bearers = tokens.map(async ({ access }) => owned.database.session({}).authenticate(access));
    const left = await Promise.allSettled(bearers);
    expect(left.map(({ status }) => status === 'fulfilled')).toEqual(answers.map((each) => each === '1'));
  });

  test('a sign-in that is refused ends nothing', async () => {
    const refused = `{ KILL OTHER SESSIONS; KILL SESSIONS FOR RECORD user:ann; THROW 'no' }`;
    await owned.value(`DEFINE ACCESS single ON DATABASE TYPE RECORD SIGNIN ${refused} WITH REFRESH`);
    const ann = await signedUp('ann');
    await expect(signedIn('ann', '', 'single')).rejects.toMatchObject({ code: 'thrown' });
    expect(await openWays(ann)).toEqual(ALL);
  });

  test('AUTHENTICATE may end the others with each sign-in', async () => {
    const authenticate = 'AUTHENTICATE { KILL OTHER SESSIONS; RETURN $auth }';
    await owned.value(
      `DEFINE ACCESS single ON DATABASE TYPE RECORD SIGNIN { ${BY_NAME}; RETURN $user.id } WITH REFRESH ${authenticate}`,
    );
    const ann = await signedUp('ann');
    const first = await signedIn('ann', '', 'single');
    expect(await openWays(ann)).toEqual(NONE);
    const second = await signedIn('ann', '', 'single');
    expect(await openWays(first)).toEqual(NONE);
    // Not even a token that was revoked, whose clause would end the others.
    expect(await answer(second.session, 'RETURN 1')).toBe('1');
  });
});

describe('a field that is CREDENTIAL', () => {
  test.each<[string, string]>([
    ['SET', "UPDATE $auth SET pass = 'new'"],
    ['CONTENT', "UPDATE $auth CONTENT { pass: 'new' }"],
    ['MERGE', "UPDATE user MERGE { pass: 'new' }"],
    ['PATCH', "UPDATE $auth PATCH [{ op: 'replace', path: '/pass', value: 'new' }]"],
    ['UPSERT', "UPSERT $auth SET pass = 'new'"],
    ['a field in an object', 'UPDATE $auth SET secrets.pin = 1'],
    ['a function', "fn::set($auth, 'new')"],
    ['an event', "CREATE wish SET of = $auth, pass = 'new'"],
    ['an endpoint', "api::invoke('/set/ann', { method: 'post' })"],
  ])('changed by the user (%s) ends the other sessions', async (_, text) => {
    const [first, second] = [await signedUp('ann'), await signedIn('ann')];
    await run(first.session, text);
    expect([await openWays(first), await openWays(second)]).toEqual([ALL, NONE]);
  });

  test.each<[string, string]>([
    ['an owner', "UPDATE user:ann SET pass = 'new'"],
    ['an import', "INSERT INTO user { id: 'ann', pass: 'x' } ON DUPLICATE KEY UPDATE pass = 'new'"],
    ['OPTION IMPORT', "OPTION IMPORT; UPDATE user:ann SET pass = 'new'"],
  ])('changed by %s ends all sessions', async (_, text) => {
    const [first, second] = [await signedUp('ann'), await signedIn('ann')];
    const other = await signedUp('bob');
    await owned.value(text);
    expect([await openWays(first), await openWays(second), await openWays(other)]).toEqual([NONE, NONE, ALL]);
  });

  test('changed by another user ends all sessions of its record, and none of theirs', async () => {
    const [ann, bob] = [await signedUp('ann'), await signedUp('bob')];
    await run(bob.session, "CREATE wish SET of = user:ann, pass = 'new'");
    expect([await openWays(ann), await openWays(bob)]).toEqual([NONE, ALL]);
  });

  test.each<[string, string]>([
    ['another field', 'UPDATE user:ann SET name = 1'],
    ['the same value', "UPDATE user:ann SET pass = 'old', secrets = { color: 1 }"],
    ['a transaction that is cancelled', "BEGIN; UPDATE user:ann SET pass = 'new'; CANCEL"],
    ['another record', "CREATE user:eve SET pass = 'x'; UPDATE user:eve SET pass = 'y'"],
    ['a clause that is gone', "ALTER FIELD pass ON user DROP CREDENTIAL; UPDATE user:ann SET pass = 'new'"],
  ])('ends nothing with %s', async (_, text) => {
    const ann = await signedUp('ann');
    await owned.owner.query(text);
    expect(await openWays(ann)).toEqual(ALL);
  });

  test('of a record that has never signed in leaves no trace', async () => {
    await signedUp('ann');
    await owned.value("CREATE user:eve SET pass = 'x'; UPDATE user:eve SET pass = 'y'");
    await owned.environment.advance(-5);
    expect(await openWays(await entered((session) => session.signIn(bodyOf('eve', 'y'))))).toEqual(ALL);
  });
});

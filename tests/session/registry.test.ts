/** Sessions that outlast a request: who sees them, who ends them, and what ends them of itself. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { realEnvironment } from '../../src/env/real.js';
import type { Session } from '../../src/session/contract.js';
import { openDatabase } from '../../src/session/database/database.js';
import { openEngine } from '../../src/storage/open/open.js';
import { toDatetime } from '../../src/value/time/datetime.js';
import { isObject, objectFrom, Uuid, type Value } from '../../src/value/value.js';
import { StubbedEnvironment } from '../support/environment.js';
import { answer, RECORD_ACCESS, run, World } from '../support/world.js';

const EXPIRED = /^session_expired/;
let world: World;
let environment: StubbedEnvironment;
/** The notifications of live queries. */
let heard: string[];

beforeEach(async () => {
  environment = new StubbedEnvironment();
  environment.timers.yield = () => new Promise((resolve) => setImmediate(resolve));
  // Failed sign-ins are held back for a moment.
  environment.timers.after = realEnvironment.timers.after;
  heard = [];
  world = await World.open({
    environment,
    authentication: { failureDelay: { minimum: 0, step: 1, maximum: 1 } },
    sessions: { idle: 3_600_000, lifetime: 86_400_000, perUser: 3 },
  });
  await run(
    world.owner,
    `DEFINE USER ann ON DATABASE PASSWORD 'first password' ROLES EDITOR;
     DEFINE ACCESS refreshing ON DATABASE TYPE RECORD
       SIGNUP (CREATE type::record('user', $name) SET name = $name) SIGNIN (SELECT * FROM user WHERE name = $name) WITH REFRESH;
     DEFINE TABLE note PERMISSIONS FULL`,
  );
});
afterEach(() => world.close());

const hear = ({ action }: { action: string }) => {
  heard.push(action);
};

function connect(): Session {
  const session = world.guest();
  session.listen(hear);
  return session;
}

const here = { NS: 'test', DB: 'test' };

async function ann(pass = 'first password'): Promise<{ session: Session; token: string }> {
  const session = connect();
  const { access } = await session.signIn(objectFrom({ ...here, user: 'ann', pass }));
  return { session, token: access };
}

async function person(name: string): Promise<{ session: Session; token: string; refresh: string }> {
  const session = connect();
  const { access, refresh = '' } = await session.signUp(objectFrom({ ...here, AC: 'refreshing', name }));
  return { session, token: access, refresh };
}

/** A second session of a user. */
async function resumed(token: string): Promise<Session> {
  const session = connect();
  await session.authenticate(token);
  return session;
}

const users = (session: Session) => answer(session, '(INFO FOR SESSIONS).user');

async function listed(session: Session) {
  const [list] = await run(session, 'INFO FOR SESSIONS');
  return (list as Value[]).filter(isObject);
}

async function idOf(session: Session): Promise<Uuid> {
  const own = (await listed(session)).find((each) => each['current'] === true)?.['id'];
  expect(own).toBeInstanceOf(Uuid);
  return own as Uuid;
}

/** Lets doubts be settled, which begins when a commit is over. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

describe('INFO FOR SESSIONS', () => {
  it('shows their own to users, and to owners those of their level and below', async () => {
    const first = await ann();
    await resumed(first.token);
    const { session: bob } = await person('bob');
    await person('eve');
    expect(await users(first.session)).toBe("['ann', 'ann']");
    expect(await users(bob)).toBe('[user:bob]');
    expect(await users(world.owner)).toBe("['ann', 'ann', user:bob, user:eve]");
    const namespaceOwner = await world.systemUser('NO');
    namespaceOwner.listen(hear);
    expect(await users(namespaceOwner)).toBe("['ann', 'ann', user:bob, user:eve, 'NO']");
    const databaseOwner = await world.systemUser('DO');
    expect(await users(databaseOwner)).toBe("['ann', 'ann', user:bob, user:eve]");
    const editor = await world.systemUser('DE');
    expect(await users(editor)).toBe('[]');
    expect(await answer(world.guest(), 'INFO FOR SESSIONS')).toMatch(/^not_allowed/);
  });

  it('shows the user, the address, the begin and the end', async () => {
    const { session } = await person('bob');
    await run(session, 'LIVE SELECT * FROM note');
    environment.advance(60_000);
    const [shown] = await listed(session);
    expect(await answer(session, 'RETURN $shown', objectFrom({ shown: objectFrom({ ...shown, id: 0 }) }))).toBe(
      "{ access: 'refreshing', active: d'2027-01-15T08:01:00Z', behind: 0ns, current: true, database: 'test', expires: d'2027-01-16T08:00:00Z', " +
        "id: 0, ip: NONE, level: 'record', live: 1, namespace: 'test', origin: NONE, since: d'2027-01-15T08:00:00Z', svc: NONE, user: user:bob }",
    );
  });

  it('shows since when a session is open that was opened as an owner', async () => {
    environment.advance(60_000);
    const owner = await world.systemUser('DO');
    owner.listen(hear);
    expect((await listed(owner)).map(({ since }) => `${since}`)).toEqual([`${toDatetime(environment.clock.now())}`]);
  });
});

describe('KILL SESSION', () => {
  it('ends one, with all that it holds, and its token', async () => {
    const { session, token } = await ann();
    const other = await resumed((await ann()).token);
    await run(session, 'LIVE SELECT * FROM note');
    const held = await session.begin();
    await run(world.owner, 'KILL SESSION $id', objectFrom({ id: await idOf(session) }));
    await settle();
    expect(heard).toEqual(['KILLED']);
    expect(await answer(session, 'RETURN 1')).toMatch(EXPIRED);
    await expect(held.commit()).rejects.toThrow();
    await expect(resumed(token)).rejects.toMatchObject({ code: 'invalid_auth' });
    expect(await answer(other, 'RETURN 1')).toBe('1');
    await session.signIn(objectFrom({ ...here, user: 'ann', pass: 'first password' }));
    expect(await answer(session, 'RETURN 1')).toBe('1');
  });

  it('shows no one the sessions of others', async () => {
    const { session: bob } = await person('bob');
    const { session: eve } = await person('eve');
    const id = await idOf(bob);
    const missing = await answer(eve, "KILL SESSION u'01a3185c-5000-7c91-b7fb-69e769742c8d'");
    expect(missing).toMatch(/^session_missing/);
    expect(await answer(eve, 'KILL SESSION $id', objectFrom({ id }))).toMatch(
      /^session_missing: Session not found: \$id /,
    );
    expect(await answer(world.guest(), 'KILL SESSION $id', objectFrom({ id }))).toMatch(/^session_missing/);
    expect(await answer(bob, 'RETURN 1')).toBe('1');
    expect(await answer(bob, 'KILL SESSION $id', objectFrom({ id }))).toBe('NONE');
    expect(await answer(bob, 'RETURN 1')).toMatch(EXPIRED);
  });

  it('ends the sign-in: what was refreshed from it, and what it was refreshed from', async () => {
    const { session: first, token, refresh } = await person('bob');
    const second = connect();
    const { access = '' } = await second.refresh({ access: token, refresh });
    const third = await resumed(access);
    const another = connect();
    await another.signIn(objectFrom({ ...here, AC: 'refreshing', name: 'bob' }));
    await run(world.owner, 'KILL SESSION $id', objectFrom({ id: await idOf(third) }));
    await settle();
    for (const session of [first, second, third]) expect(await answer(session, 'RETURN 1')).toMatch(EXPIRED);
    for (const old of [token, access]) await expect(resumed(old)).rejects.toMatchObject({ code: 'invalid_auth' });
    expect(await answer(another, 'RETURN 1')).toBe('1');
  });

  it('ends other sessions of the same token', async () => {
    const { session, token } = await ann();
    const other = await resumed(token);
    await run(world.owner, 'KILL SESSION $id', objectFrom({ id: await idOf(session) }));
    await settle();
    expect(await answer(other, 'RETURN 1')).toMatch(EXPIRED);
  });

  it('takes back the refresh token that came with the session', async () => {
    const { session, token, refresh } = await person('bob');
    await run(world.owner, 'KILL SESSION $id', objectFrom({ id: await idOf(session) }));
    await expect(connect().refresh({ access: token, refresh })).rejects.toMatchObject({ code: 'invalid_auth' });
    const body = objectFrom({ ...here, AC: 'refreshing', refresh });
    await expect(connect().signIn(body)).rejects.toMatchObject({ code: 'invalid_auth' });
  });
});

describe('KILL SESSIONS', () => {
  it('without a name ends all sessions of the caller, their tokens too', async () => {
    const { session: bob, token, refresh } = await person('bob');
    const elsewhere = await resumed(token);
    const { session: eve } = await person('eve');
    expect(await answer(bob, 'KILL SESSIONS')).toBe('NONE');
    for (const session of [bob, elsewhere]) expect(await answer(session, 'RETURN 1')).toMatch(EXPIRED);
    expect(await answer(eve, 'RETURN 1')).toBe('1');
    await expect(resumed(token)).rejects.toMatchObject({ code: 'invalid_auth' });
    await expect(connect().refresh({ access: token, refresh })).rejects.toMatchObject({ code: 'invalid_auth' });
    environment.advance(1);
    // A user who signs in again is admitted, in the same second.
    const again = connect();
    const { access } = await again.signIn(objectFrom({ ...here, AC: 'refreshing', name: 'bob' }));
    expect(await answer(await resumed(access), 'RETURN $auth')).toBe('user:bob');
  });

  it('FOR USER and FOR RECORD are for owners of the level', async () => {
    const { session: annsSession, token } = await ann();
    const { session: bob } = await person('bob');
    const { session: eve } = await person('eve');
    const editor = await world.systemUser('DE');
    for (const session of [eve, editor, world.guest()]) {
      await session.use('test', 'test');
      expect(await answer(session, 'KILL SESSIONS FOR USER ann ON DATABASE')).toMatch(/^not_allowed/);
      expect(await answer(session, 'KILL SESSIONS FOR RECORD user:bob')).toMatch(/^not_allowed/);
    }
    const owner = await world.systemUser('DO');
    expect(await answer(owner, 'KILL SESSIONS FOR USER ann ON ROOT')).toMatch(/^not_allowed/);
    expect(await answer(owner, "KILL SESSIONS FOR RECORD 'bob'")).toMatch(/^invalid_target/);
    expect(await answer(owner, 'KILL SESSIONS FOR USER ann; KILL SESSIONS FOR RECORD user:bob')).toBe('NONE');
    expect(await answer(annsSession, 'RETURN 1')).toMatch(EXPIRED);
    expect(await answer(bob, 'RETURN 1')).toMatch(EXPIRED);
    expect(await answer(eve, 'RETURN 1')).toBe('1');
    await expect(resumed(token)).rejects.toMatchObject({ code: 'invalid_auth' });
  });

  it('that is cancelled ends none', async () => {
    const { session } = await ann();
    await world.owner.query('BEGIN; KILL SESSIONS FOR USER ann ON DATABASE; CANCEL');
    expect(await answer(session, 'RETURN 1')).toBe('1');
  });
});

describe('a session notices at once that', () => {
  const ENDS: Readonly<Record<string, string>> = {
    'its user was removed': 'REMOVE USER ann ON DATABASE',
    'its user was defined anew': "DEFINE USER OVERWRITE ann ON DATABASE PASSWORD 'first password' ROLES EDITOR",
    'its password was changed': "ALTER USER ann ON DATABASE PASSWORD 'another password'",
    'its access was removed': 'REMOVE ACCESS refreshing ON DATABASE',
    'its access was defined anew': 'DEFINE ACCESS OVERWRITE refreshing ON DATABASE TYPE RECORD',
    'its record was deleted': 'DELETE user:bob',
    'the table of its record was removed': 'REMOVE TABLE user',
    'its database was removed': 'REMOVE DATABASE test',
    'its namespace was removed': 'REMOVE NAMESPACE test',
  };
  it.each(Object.entries(ENDS))('%s', async (what, statement) => {
    const isAnn = /user was|password/.test(what);
    const { session } = isAnn ? await ann() : await person('bob');
    const { session: untouched } = isAnn ? await person('bob') : await ann();
    await run(session, 'LIVE SELECT * FROM note');
    const held = await session.begin();
    await run(world.owner, statement);
    expect(await answer(session, 'RETURN 1')).toMatch(EXPIRED);
    await expect((async () => held.query('RETURN 1'))()).rejects.toThrow();
    await settle();
    expect(heard).toContain('KILLED');
    if (!/database was|namespace was/.test(what)) expect(await answer(untouched, 'RETURN 1')).toBe('1');
  });

  it('its keys follow one another, which changes nothing', async () => {
    const { session } = await person('bob');
    await run(world.owner, 'ACCESS refreshing ON DATABASE ROTATE KEEP 1h');
    expect(await answer(session, 'RETURN 1')).toBe('1');
  });

  it('its roles are others', async () => {
    const { session } = await ann();
    expect(await answer(session, 'CREATE note:1; RETURN 1')).toBe('1');
    await run(world.owner, 'ALTER USER ann ON DATABASE ROLES VIEWER');
    expect(await answer(session, 'DEFINE TABLE other')).toMatch(/^not_allowed/);
    expect(await answer(session, 'RETURN 1')).toBe('1');
  });

  it('something changed while it was signing in', async () => {
    const session = connect();
    const signingIn = session.signIn(objectFrom({ ...here, user: 'ann', pass: 'first password' }));
    await new Promise((resolve) => setImmediate(resolve));
    await run(world.owner, 'REMOVE USER ann ON DATABASE');
    await signingIn.catch(() => undefined);
    expect(await answer(session, 'CREATE note:1')).not.toContain('note:1');
  });
});

describe('bounds', () => {
  it('one more session of a record user ends the oldest', async () => {
    const { session: oldest, token } = await person('bob');
    const others = [await resumed(token), await resumed(token)];
    expect(await answer(oldest, 'RETURN 1')).toBe('1');
    others.push(await resumed(token));
    expect(await answer(oldest, 'RETURN 1')).toMatch(EXPIRED);
    for (const session of others) expect(await answer(session, 'RETURN 1')).toBe('1');
  });

  it('a session that is closed makes room', async () => {
    const { session: oldest, token } = await person('bob');
    for (let turn = 0; turn < 5; turn++) (await resumed(token)).close();
    expect(await answer(oldest, 'RETURN 1')).toBe('1');
    expect(await listed(oldest)).toHaveLength(1);
  });

  it('one that does nothing for too long ends', async () => {
    const { session } = await ann();
    for (let turn = 0; turn < 3; turn++) {
      environment.advance(3_599_000);
      expect(await answer(session, 'RETURN 1')).toBe('1');
    }
    environment.advance(3_600_000);
    expect(await answer(session, 'RETURN 1')).toMatch(EXPIRED);
  });

  it('one of a record user ends after its whole time, whatever it does', async () => {
    const { session } = await person('bob');
    const { session: annsSession } = await ann();
    for (let turn = 0; turn < 48; turn++) {
      expect(await answer(session, 'RETURN 1')).toBe('1');
      expect(await answer(annsSession, 'RETURN 1')).toBe('1');
      environment.advance(1_800_000);
    }
    expect(await answer(session, 'RETURN 1')).toMatch(EXPIRED);
    expect(await answer(annsSession, 'RETURN 1')).toBe('1');
  });
});

it('what runs is ended with its session', async () => {
  // Time has to pass for a loop to let others in.
  const busy = await World.open();
  try {
    const person = await busy.person('bob');
    person.listen(hear);
    const endless = answer(person, 'FOR $n IN 1..1000000000 { LET $a = $n }; RETURN 1');
    await settle();
    await run(busy.owner, 'KILL SESSIONS FOR RECORD user:bob');
    expect(await endless).not.toBe('1');
    expect(await answer(person, 'RETURN 1')).toMatch(EXPIRED);
  } finally {
    await busy.close();
  }
});

it('what was taken back stays so when the server starts again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-denial-'));
  const open = async () => openDatabase(await openEngine(folder));
  const before = await open();
  const owner = before.ownerSession();
  await owner.use('test', 'test');
  await run(owner, RECORD_ACCESS);
  const person = before.session({});
  const { access } = await person.signUp(objectFrom({ ...here, AC: 'people', name: 'bob' }));
  await run(person, 'KILL SESSIONS');
  await before.close();
  const after = await open();
  await expect(after.session({}).authenticate(access)).rejects.toMatchObject({ code: 'invalid_auth' });
  await after.close();
  rmSync(folder, { recursive: true, force: true });
});

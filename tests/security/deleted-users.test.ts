/** Credentials of a deleted record are invalid, even if another one has its id later (71). */
import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { realEnvironment } from '../../src/env/real.js';
import type { HeldTransaction, Session } from '../../src/session/contract.js';
import { openDatabase } from '../../src/session/database/database.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { type ObjectValue, objectFrom, type Value } from '../../src/value/value.js';
import { StubbedEnvironment } from '../support/environment.js';
import { answer, answers, run, World } from '../support/world.js';
import { attack } from './attack.js';
import { Doors } from './doors.js';

const INVALID = { code: 'invalid_auth' };
const ENDED = /^session_expired/;
const SECRET = 'a secret of this database, and of no other one at all';

/** Tables and access methods as they are, and as they are made again. */
const SCHEMA = `
  DEFINE TABLE OVERWRITE user PERMISSIONS FOR select, update WHERE id = $auth;
  DEFINE TABLE OVERWRITE note PERMISSIONS FOR select, create, update WHERE owner = $auth;
  DEFINE ACCESS OVERWRITE account ON DATABASE TYPE RECORD
    SIGNUP (CREATE type::record('user', $name) SET name = $name) SIGNIN (SELECT * FROM type::record('user', $name))
    WITH JWT ALGORITHM HS256 KEY '${SECRET}' WITH REFRESH;
  DEFINE ACCESS OVERWRITE pass ON DATABASE TYPE BEARER FOR RECORD;`;

let world: World;
let environment: StubbedEnvironment;

beforeEach(async () => {
  environment = new StubbedEnvironment();
  environment.timers.yield = () => new Promise((resolve) => setImmediate(resolve));
  environment.timers.after = realEnvironment.timers.after;
  world = await World.open({ environment, authentication: { failureDelay: { minimum: 0, step: 1, maximum: 1 } } });
  await run(world.owner, SCHEMA);
});
afterEach(() => world.close());

const credentials = (access: string, more: Record<string, Value> = { name: 'mallory' }) =>
  objectFrom({ NS: 'test', DB: 'test', AC: access, ...more });
const seconds = () => Number(environment.clock.now() / 1_000_000_000n);

/** A token of another issuer, who shares the key of the access method. */
function foreign(claims: object = {}): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const payload = { exp: seconds() + 3600, ns: 'test', db: 'test', ac: 'account', id: 'user:mallory', ...claims };
  const input = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(payload)}`;
  return `${input}.${createHmac('sha256', SECRET).update(input).digest('base64url')}`;
}

/** All kinds of credentials of a record. */
interface Given {
  readonly tokens: readonly string[];
  readonly pair: { readonly access: string; readonly refresh: string };
  readonly key: string;
  readonly sessions: readonly Session[];
  readonly held: HeldTransaction;
  readonly heard: string[];
}

async function give(): Promise<Given> {
  const heard: string[] = [];
  const connect = () => {
    const session = world.guest();
    session.listen(({ action, result }) => {
      heard.push(`${action} ${JSON.stringify(result)}`);
    });
    return session;
  };
  const first = connect();
  const { access, refresh = '' } = await first.signUp(credentials('account'));
  const [grant] = await run(world.owner, 'ACCESS pass GRANT FOR RECORD user:mallory');
  const key = ((grant as ObjectValue)['grant'] as ObjectValue)['key'] as string;
  const bearer = connect();
  const { access: bearerToken } = await bearer.signIn(credentials('pass', { key }));
  environment.advance(2_000);
  const third = foreign({ iat: seconds() });
  const byToken = connect();
  await byToken.authenticate(third);
  await run(first, 'LIVE SELECT * FROM note');
  const held = await byToken.begin();
  expect((await held.query('RETURN $auth'))[0]?.outcome).toMatchObject({ ok: true });
  environment.advance(2_000);
  return {
    tokens: [access, bearerToken, third],
    pair: { access, refresh },
    key,
    // One without a listener gets no notifications.
    sessions: [first, bearer, byToken, await silent(access)],
    held,
    heard,
  };
}

async function silent(token: string): Promise<Session> {
  const session = world.guest();
  await session.authenticate(token);
  return session;
}

/** Nothing of what was given opens anything; `exists` tells whether there is a record of that id by now. */
async function expectVoid({ tokens, pair, key, sessions, held, heard }: Given, what: string): Promise<void> {
  for (const session of sessions) {
    expect(await answer(session, 'RETURN $auth'), what).toMatch(ENDED);
    expect(await answer(session, 'BEGIN; CREATE note SET owner = $auth; COMMIT'), what).toMatch(ENDED);
  }
  for (const token of tokens)
    await expect(async () => world.guest().authenticate(token), what).rejects.toMatchObject(INVALID);
  await expect(world.guest().refresh(pair), what).rejects.toMatchObject(INVALID);
  const refreshing = credentials('account', { refresh: pair.refresh });
  await expect(world.guest().signIn(refreshing), what).rejects.toMatchObject(INVALID);
  await expect(world.guest().signIn(credentials('pass', { key })), what).rejects.toMatchObject(INVALID);
  await expect((async () => held.commit())(), what).rejects.toThrow();
  expect(
    heard.filter((each) => !each.startsWith('KILLED')),
    what,
  ).toEqual([]);
}

/** How a record goes, and how it comes again. */
const WAYS: Readonly<Record<string, readonly [gone: string, again: string]>> = {
  DELETE: ['DELETE user:mallory', 'CREATE user:mallory'],
  'DELETE of all': ['DELETE user', 'UPSERT user:mallory'],
  INSERT: ['DELETE user:mallory', 'INSERT INTO user { id: "mallory" }'],
  'one transaction': [
    'BEGIN; DELETE user:mallory; CREATE user:mallory; CREATE note SET owner = user:mallory; COMMIT',
    '',
  ],
  'REMOVE TABLE': [
    'REMOVE TABLE user',
    'DEFINE TABLE user PERMISSIONS FOR select WHERE id = $auth; CREATE user:mallory',
  ],
  'REMOVE DATABASE': ['REMOVE DATABASE test', `USE DB test; ${SCHEMA}; CREATE user:mallory`],
  'REMOVE NAMESPACE': ['REMOVE NAMESPACE test', `USE NS test DB test; ${SCHEMA}; CREATE user:mallory`],
  'an import': ['DELETE user:mallory', 'OPTION IMPORT; INSERT [{ id: user:mallory, name: "mallory" }]'],
  'an event': [
    'DEFINE TABLE closing; DEFINE EVENT close ON closing WHEN $event = "CREATE" THEN (DELETE user:mallory); CREATE closing',
    'CREATE user:mallory',
  ],
  'a reference': [
    `CREATE firm:1; DEFINE FIELD firm ON user TYPE option<record<firm>> REFERENCE ON DELETE CASCADE;
     UPDATE user:mallory SET firm = firm:1; DELETE firm:1`,
    'CREATE user:mallory',
  ],
};

describe('what a deleted record was given', () => {
  for (const [name, [gone, again]] of Object.entries(WAYS)) {
    attack(71, `is void for ever: ${name}`, async () => {
      const given = await give();
      expect(await answers(world.owner, gone)).not.toMatch(/^\w+: /m);
      if (again !== '') expect(await answers(world.owner, again)).not.toMatch(/^\w+: /m);
      environment.advance(2_000);
      await run(world.owner, 'CREATE note SET owner = user:mallory');
      await expectVoid(given, name);
      // Another record has the id now.
      const fresh = world.guest();
      const { access } = await fresh.signIn(credentials('account'));
      expect(await answer(fresh, 'RETURN $auth')).toBe('user:mallory');
      await expectVoid({ ...given, heard: [] }, `${name}, signed in again`);
      await world.guest().authenticate(access);
      await world.guest().authenticate(foreign({ iat: seconds() + 1 }));
    });
  }

  attack(71, 'is void before there is another, too', async () => {
    const given = await give();
    await run(world.owner, 'DELETE user:mallory');
    await expectVoid(given, 'deleted');
  });

  attack(71, 'is void when the record signs up again', async () => {
    const given = await give();
    await run(world.owner, 'DELETE user:mallory');
    const { access } = await world.guest().signUp(credentials('account'));
    await expectVoid(given, 'signed up');
    expect(await answer(await silent(access), 'RETURN $auth')).toBe('user:mallory');
  });

  attack(71, 'is void for edges that sign in', async () => {
    await run(world.owner, 'CREATE a:1, a:2; RELATE a:1->user:mallory->a:2');
    const session = world.guest();
    const { access } = await session.signIn(credentials('account'));
    await run(world.owner, 'DELETE a:1; CREATE a:1; RELATE a:1->user:mallory->a:2');
    expect(await answer(session, 'RETURN $auth')).toMatch(ENDED);
    await expect(async () => world.guest().authenticate(access)).rejects.toMatchObject(INVALID);
  });

  attack(71, 'is void for rows of views, also when the view is built anew', async () => {
    await run(
      world.owner,
      'CREATE sale:1 SET of = 1; DEFINE TABLE seller AS SELECT of, count() AS n FROM sale GROUP BY of',
    );
    await run(
      world.owner,
      'DEFINE ACCESS sellers ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM seller:[1]) WITH REFRESH',
    );
    const enter = async () => {
      const session = world.guest();
      return { session, ...(await session.signIn(credentials('sellers', {}))) };
    };
    for (const change of [
      'DELETE sale:1; CREATE sale:1 SET of = 1',
      'DEFINE TABLE OVERWRITE seller AS SELECT of, count() AS n FROM sale GROUP BY of',
    ]) {
      const { session, access } = await enter();
      expect(await answer(session, 'RETURN $auth')).toBe('seller:[1]');
      await run(world.owner, change);
      expect(await answer(session, 'RETURN $auth'), change).toMatch(ENDED);
      await expect(async () => world.guest().authenticate(access), change).rejects.toMatchObject(INVALID);
    }
  });

  attack(71, 'is void on every route', async () => {
    const doors = await Doors.open(world);
    try {
      const session = await world.person('eve');
      const told = await doors.ask(session, 'RETURN $auth');
      for (const [door, text] of Object.entries(told)) expect(text, door).toContain('user:eve');
      await run(world.owner, 'DELETE user:eve; CREATE user:eve');
      for (const [door, text] of Object.entries(await doors.ask(session, 'RETURN [$auth]'))) {
        expect(text, door).not.toContain('user:eve');
        expect(text, door).toMatch(/expired|authentication/i);
      }
      await run(world.owner, 'DEFINE CONFIG GRAPHQL AUTO');
      expect(await doors.graphql(session, '{ user { id } }')).not.toContain('user:eve');
    } finally {
      await doors.close();
    }
  });

  it('stays good while the record is changed, replaced or inserted over, and when deleting it is taken back', async () => {
    const { tokens, pair, sessions } = await give();
    const same = [
      'UPDATE user:mallory SET x = 1',
      'UPSERT user:mallory CONTENT { name: "other" }',
      'INSERT INTO user { id: user:mallory } ON DUPLICATE KEY UPDATE y = 1',
      'BEGIN; DELETE user:mallory; CREATE user:mallory; CANCEL',
      'BEGIN; DELETE user:mallory; THROW "no"; COMMIT',
      'DEFINE TABLE OVERWRITE user PERMISSIONS FULL; DELETE user:other; ALTER TABLE user COMMENT "x"',
    ];
    for (const text of same) {
      await world.owner.query(text);
      for (const session of sessions) expect(await answer(session, 'RETURN $auth'), text).toBe('user:mallory');
      for (const token of tokens) await world.guest().authenticate(token);
    }
    await world.guest().refresh(pair);
  });
});

describe('a statement that is running', () => {
  attack(71, 'does nothing more for the new record', async () => {
    const { tokens } = await give();
    const session = await silent(tokens[0] as string);
    await run(
      world.owner,
      `DEFINE TABLE trap PERMISSIONS FULL;
       DEFINE EVENT swap ON trap WHEN $event = 'CREATE' THEN { DELETE user:mallory; CREATE user:mallory }`,
    );
    const results = await session.query(
      'RETURN $auth; CREATE trap; CREATE note:late SET owner = $auth; SELECT * FROM note',
    );
    const outcomes = results.map(({ outcome }) => (outcome.ok ? 'ok' : outcome.error.code));
    expect(outcomes).toEqual(['ok', 'ok', 'session_expired', 'session_expired']);
    expect(await answer(world.owner, 'RETURN record::exists(note:late)')).toBe('false');
  });
});

describe('sign-ups that fail', () => {
  it('leave nothing behind', async () => {
    const count = async () => answer(world.owner, 'SELECT VALUE id FROM user');
    await run(world.owner, `DEFINE ACCESS half ON DATABASE TYPE RECORD SIGNUP { CREATE user:half; THROW 'no' }`);
    await expect(world.guest().signUp(credentials('half', {}))).rejects.toMatchObject({ code: 'thrown' });
    expect(await count()).toBe('[]');
    // The first record with the id has no predecessor.
    await run(world.owner, 'CREATE user:half');
    await world.guest().authenticate(foreign({ id: 'user:half' }));
  });
});

describe('tokens that name no incarnation', () => {
  it('are good while the record has not proved itself, however old they are', async () => {
    await run(world.owner, 'CREATE user:mallory');
    await world.guest().authenticate(foreign());
    await world.guest().authenticate(foreign({ iat: 1_516_239_022 }));
  });

  it('are void once the record has signed in with its credentials, unless issued after that', async () => {
    await run(world.owner, 'CREATE user:mallory');
    const before = foreign({ iat: seconds() });
    environment.advance(2_000);
    await world.guest().signIn(credentials('account'));
    await expect(async () => world.guest().authenticate(before)).rejects.toMatchObject(INVALID);
    await expect(async () => world.guest().authenticate(foreign())).rejects.toMatchObject(INVALID);
    await world.guest().authenticate(foreign({ iat: seconds() + 1 }));
  });

  it('are void once the record was deleted, though it never signed in, where others have', async () => {
    await world.guest().signUp(credentials('account', { name: 'ann' }));
    await run(world.owner, 'CREATE user:mallory');
    const before = foreign({ iat: seconds() });
    await world.guest().authenticate(before);
    environment.advance(2_000);
    await run(world.owner, 'DELETE user:mallory; CREATE user:mallory');
    environment.advance(2_000);
    await expect(async () => world.guest().authenticate(before)).rejects.toMatchObject(INVALID);
    await world.guest().authenticate(foreign({ iat: seconds() }));
  });

  it('belong to the record that AUTHENTICATE finds, where they name none', async () => {
    await run(
      world.owner,
      `DEFINE ACCESS OVERWRITE account ON DATABASE TYPE RECORD WITH JWT ALGORITHM HS256 KEY '${SECRET}'
         AUTHENTICATE (UPSERT type::record('user', $token.email))`,
    );
    const token = foreign({ id: undefined, email: 'x' });
    await world.guest().authenticate(token);
    await run(world.owner, 'DELETE user:x');
    const session = world.guest();
    await session.authenticate(token);
    expect(await answer(session, 'RETURN $auth')).toBe('user:x');
    await run(world.owner, 'DELETE user:x; CREATE user:x');
    expect(await answer(session, 'RETURN $auth')).toMatch(ENDED);
  });
});

it('grants for a record that does not exist stay void when such a record is made', async () => {
  const [grant] = await run(world.owner, 'ACCESS pass GRANT FOR RECORD user:later');
  const key = ((grant as ObjectValue)['grant'] as ObjectValue)['key'] as string;
  await run(world.owner, 'CREATE user:later');
  await expect(world.guest().signIn(credentials('pass', { key }))).rejects.toMatchObject(INVALID);
});

it('deleting records leaves nothing behind that grows', async () => {
  const engine = new MemoryEngine();
  const database = await openDatabase(engine, { guests: true });
  const owner = database.ownerSession();
  await owner.use('test', 'test');
  await run(owner, SCHEMA.replace('WITH REFRESH', ''));
  const turn = async (name: string) => {
    await database.session({}).signUp(credentials('account', { name }));
    await run(owner, `DELETE user:${name}`);
    const transaction = await engine.begin({ writable: false });
    const keys = await transaction.count({ from: '', to: '\xff' });
    transaction.cancel();
    return keys;
  };
  const first = await turn('first');
  for (const name of ['second', 'third', 'fourth']) expect(await turn(name)).toBe(first);
  await database.close();
});

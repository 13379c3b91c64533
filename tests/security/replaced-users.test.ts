/** What was given to a removed system user is void for the next user of its name. */
import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findUser } from '../../src/catalog/definitions/lookup.js';
import { storeDefinition } from '../../src/catalog/definitions/stored-definition.js';
import { databaseArea, definitionKey } from '../../src/catalog/keys/store-keys.js';
import { realEnvironment } from '../../src/env/real.js';
import type { Session } from '../../src/session/contract.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { withRetries } from '../../src/storage/retry.js';
import { type ObjectValue, objectFrom, type Value } from '../../src/value/value.js';
import { StubbedEnvironment } from '../support/environment.js';
import { answer, run, World } from '../support/world.js';

const INVALID = { code: 'invalid_auth' };
const ENDED = /^session_expired/;
const SECRET = 'a secret of this namespace, and of no other one at all';

let engine: MemoryEngine;
let environment: StubbedEnvironment;
let world: World;

beforeEach(async () => {
  environment = new StubbedEnvironment();
  environment.timers.yield = () => new Promise((resolve) => setImmediate(resolve));
  environment.timers.after = realEnvironment.timers.after;
  engine = new MemoryEngine();
  world = await World.open({ environment }, engine);
  await run(world.owner, "DEFINE ACCESS machine ON DATABASE TYPE BEARER FOR USER; CREATE secret:1 SET text = 'of ann'");
});
afterEach(() => world.close());

const define = (roles: string) => `DEFINE USER ann ON DATABASE PASSHASH '' ROLES ${roles}`;
const byKey = (key: string) => objectFrom({ NS: 'test', DB: 'test', AC: 'machine', key });

async function grant(): Promise<string> {
  const [granted] = await run(world.owner, 'ACCESS machine GRANT FOR USER ann');
  return ((granted as ObjectValue)['grant'] as ObjectValue)['key'] as string;
}

interface Given {
  readonly key: string;
  readonly token: string;
  readonly sessions: readonly Session[];
  readonly heard: string[];
}

/** A key, a token that it opened, and sessions by both, one with a live query. */
async function give(): Promise<Given> {
  const key = await grant();
  const heard: string[] = [];
  const first = world.guest();
  first.listen(({ action }) => {
    heard.push(action);
  });
  const { access: token } = await first.signIn(byKey(key));
  await run(first, 'LIVE SELECT * FROM secret');
  const second = world.guest();
  second.listen(() => undefined);
  await second.authenticate(token);
  return { key, token, sessions: [first, second], heard };
}

async function expectVoid({ key, token, sessions, heard }: Given): Promise<void> {
  await run(world.owner, 'CREATE secret');
  await expect(async () => world.guest().signIn(byKey(key))).rejects.toMatchObject(INVALID);
  await expect(async () => world.guest().authenticate(token)).rejects.toMatchObject(INVALID);
  for (const session of sessions) expect(await answer(session, 'SELECT * FROM secret')).toMatch(ENDED);
  expect(heard).toEqual(['KILLED']);
}

async function expectGood({ key, token, sessions }: Given): Promise<void> {
  await world.guest().signIn(byKey(key));
  await world.guest().authenticate(token);
  for (const session of sessions) expect(await answer(session, 'SELECT VALUE text FROM secret')).toBe("['of ann']");
}

/** A user as older releases stored it. */
function withoutIncarnation(): Promise<void> {
  return Promise.resolve(
    withRetries(engine, async (transaction) => {
      const found = await findUser(transaction, { namespace: 'test', database: 'test' }, 'ann');
      if (found === undefined) throw new Error('there is no user to store again');
      const { incarnation: _, ...user } = found;
      for (let id = 0; id < 10; id++) {
        const key = definitionKey(databaseArea(id), 'user', 'ann');
        if ((await transaction.get(key)) !== undefined) transaction.put(key, storeDefinition(user));
      }
    }),
  );
}

const AGAIN: Readonly<Record<string, string>> = {
  'REMOVE USER, DEFINE USER': `REMOVE USER ann ON DATABASE; ${define('OWNER')}`,
  'the same in one transaction': `BEGIN; REMOVE USER ann ON DATABASE; ${define('OWNER')}; COMMIT`,
  'REMOVE DATABASE': `REMOVE DATABASE test; DEFINE DATABASE test; ${define('OWNER')};
    DEFINE ACCESS machine ON DATABASE TYPE BEARER FOR USER`,
  'REMOVE NAMESPACE': `REMOVE NAMESPACE test; USE NS test DB test; ${define('OWNER')};
    DEFINE ACCESS machine ON DATABASE TYPE BEARER FOR USER`,
  'an import': `REMOVE USER ann ON DATABASE; OPTION IMPORT; ${define('OWNER')}`,
};

describe('keys, tokens and sessions of a user', () => {
  test.each(Object.keys(AGAIN))('end with it: %s', async (how) => {
    await run(world.owner, define('EDITOR'));
    const given = await give();
    await expectGood(given);
    await run(world.owner, AGAIN[how] ?? '');
    await expectVoid(given);
  });

  test.each(Object.keys(AGAIN))('of an older release end with it: %s', async (how) => {
    await run(world.owner, define('EDITOR'));
    await withoutIncarnation();
    const given = await give();
    await expectGood(given);
    await run(world.owner, AGAIN[how] ?? '');
    await expectVoid(given);
  });

  test('stay with a user who is redefined or altered', async () => {
    await run(world.owner, define('EDITOR'));
    const given = await give();
    await run(world.owner, define('VIEWER').replace('USER', 'USER OVERWRITE'));
    await expectGood(given);
    await run(world.owner, 'ALTER USER ann ON DATABASE ROLES EDITOR');
    await expectGood(given);
  });

  test('are the next user’s own once it has its own', async () => {
    await run(world.owner, define('EDITOR'));
    const given = await give();
    await run(world.owner, AGAIN['REMOVE USER, DEFINE USER'] ?? '');
    await expectVoid(given);
    await run(world.owner, 'REMOVE TABLE secret');
    await run(world.owner, "CREATE secret:1 SET text = 'of ann'");
    await expectGood(await give());
  });
});

describe('a user and the bearer of another issuer’s token with its name', () => {
  /** A token of an issuer whom the namespace trusts. */
  function foreign(claims: Readonly<Record<string, Value>>): string {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const seconds = Number(environment.clock.now() / 1_000_000_000n);
    const payload = { exp: seconds + 3600, iat: seconds, ns: 'test', ac: 'partner', ...claims };
    const input = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(payload)}`;
    return `${input}.${createHmac('sha256', SECRET).update(input).digest('base64url')}`;
  }

  async function both() {
    await run(
      world.owner,
      `DEFINE USER ann ON NAMESPACE PASSWORD 'a long password' ROLES VIEWER;
       DEFINE ACCESS partner ON NAMESPACE TYPE JWT ALGORITHM HS256 KEY '${SECRET}'`,
    );
    const ann = world.guest();
    ann.listen(() => undefined);
    await ann.signIn(objectFrom({ NS: 'test', user: 'ann', pass: 'a long password' }));
    const stranger = world.guest();
    stranger.listen(() => undefined);
    await stranger.authenticate(foreign({ id: 'ann' }));
    environment.advance(2_000);
    return { ann, stranger };
  }

  test('are two: neither lists nor ends the sessions of the other', async () => {
    const { ann, stranger } = await both();
    for (const session of [ann, stranger]) {
      const [sessions] = await run(session, 'INFO FOR SESSIONS');
      expect(sessions).toHaveLength(1);
    }
    expect(await answer(stranger, 'KILL SESSIONS FOR USER ann ON NAMESPACE')).toMatch(/^not_allowed/);
    await run(stranger, 'KILL SESSIONS');
    expect(await answer(stranger, 'RETURN 1')).toMatch(ENDED);
    expect(await answer(ann, 'RETURN 1')).toBe('1');
    await run(ann, 'KILL SESSIONS FOR USER ann ON NAMESPACE');
    expect(await answer(ann, 'RETURN 1')).toMatch(ENDED);
  });

  test('are both ended by an owner who names them', async () => {
    const { ann, stranger } = await both();
    await run(world.owner, 'KILL SESSIONS FOR USER ann ON NAMESPACE');
    for (const session of [ann, stranger]) expect(await answer(session, 'RETURN 1')).toMatch(ENDED);
  });

  test('what was revoked of a user says nothing about the next one', async () => {
    const { ann } = await both();
    await run(world.owner, 'KILL SESSIONS FOR USER ann ON NAMESPACE');
    expect(await answer(ann, 'RETURN 1')).toMatch(ENDED);
    await run(
      world.owner,
      "REMOVE USER ann ON NAMESPACE; DEFINE USER ann ON NAMESPACE PASSWORD 'another password' ROLES VIEWER",
    );
    // A clock that was set back.
    environment.advance(-1_500);
    const next = world.guest();
    next.listen(() => undefined);
    const { access } = await next.signIn(objectFrom({ NS: 'test', user: 'ann', pass: 'another password' }));
    await world.guest().authenticate(access);
  });
});

describe('a view of a record', () => {
  test('doesn’t show the next record of its id', async () => {
    await world.person('mallory');
    await run(world.owner, 'DEFINE TABLE OVERWRITE user PERMISSIONS FOR select WHERE id = $auth');
    const viewer = world.database.ownerSession();
    await viewer.use('test', 'test');
    await viewer.viewAs(objectFrom({ record: 'user:mallory', access: 'people' }));
    expect(await answer(viewer, 'SELECT VALUE id FROM user')).toBe('[user:mallory]');
    await run(world.owner, 'DELETE user:mallory; CREATE user:mallory');
    expect(await answer(viewer, 'SELECT VALUE id FROM user')).toMatch(/^view_target_missing: .*user:mallory/);
    await viewer.viewAs(undefined);
    expect(await answer(viewer, 'RETURN 1')).toBe('1');
  });

  test('shows no record of its id in another database of its name', async () => {
    await run(world.owner, "CREATE user:mallory SET name = 'mallory'");
    await world.guest().signIn(objectFrom({ NS: 'test', DB: 'test', AC: 'people', name: 'mallory' }));
    const viewer = world.database.ownerSession();
    await viewer.use('test', 'test');
    await viewer.viewAs(objectFrom({ record: 'user:mallory', access: 'people' }));
    await run(world.owner, 'REMOVE DATABASE test; DEFINE DATABASE test; DEFINE TABLE user; CREATE user:mallory');
    expect(await answer(viewer, 'SELECT VALUE id FROM user')).toMatch(/^view_target_missing: .*user:mallory/);
  });
});

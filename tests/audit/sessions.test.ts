/** What a database tells its audit log. */
import { beforeEach, describe, expect, test } from 'vitest';
import { verifyAuditLog } from '../../src/audit/verify.js';
import { realEnvironment } from '../../src/env/real.js';
import type { IssuedTokens, Session } from '../../src/session/contract.js';
import { type OpenDatabase, openDatabase } from '../../src/session/database/database.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { FileReference, objectFrom, type Value } from '../../src/value/value.js';
import { StubbedEnvironment } from '../support/environment.js';
import { answers, run } from '../support/world.js';

interface Told {
  readonly action: string;
  readonly outcome: string;
  readonly error?: string;
  readonly who: { readonly kind: string; readonly name?: string; readonly id?: string };
  readonly what?: Readonly<Record<string, unknown>>;
  readonly [name: string]: unknown;
}

const SCHEMA = `
  DEFINE TABLE user PERMISSIONS FOR select, update WHERE id = $auth;
  DEFINE FIELD role ON user PERMISSIONS FOR select FULL FOR create, update NONE;
  DEFINE TABLE post PERMISSIONS FOR select FULL FOR update WHERE owner = $auth;
  DEFINE TABLE shut;
  CREATE post:1, shut:1;
  DEFINE USER viewer ON DATABASE PASSWORD 'PASSWORD of the viewer' ROLES VIEWER DURATION FOR SESSION 1h;
  DEFINE ACCESS people ON DATABASE TYPE RECORD
    SIGNUP (CREATE type::record('user', $name)) SIGNIN (SELECT * FROM type::record('user', $name)) WITH REFRESH;
  DEFINE ACCESS bearers ON DATABASE TYPE BEARER FOR RECORD`;

let environment: StubbedEnvironment;
let database: OpenDatabase;
let owner: Session;
let lines: string[];
beforeEach(async () => {
  environment = new StubbedEnvironment();
  lines = [];
  database = await openDatabase(new MemoryEngine(), {
    environment: { ...realEnvironment, clock: environment.clock, random: environment.random },
    authentication: { failureDelay: { minimum: 0, step: 1, maximum: 1 } },
    guests: true,
    audit: { sink: { write: (batch) => void lines.push(...batch) } },
  });
  owner = database.ownerSession();
  await owner.use('test', 'test');
  await run(owner, SCHEMA);
});

/** The records until now, without the log's own; the database is closed by it. */
async function told(): Promise<Told[]> {
  await database.close();
  expect((await verifyAuditLog(lines)).broken).toBeUndefined();
  return lines.map((line) => JSON.parse(line)).filter(({ action }) => !action.startsWith('audit-'));
}

const CLIENT = { ip: '192.0.2.7', origin: 'https://example.com', id: 'browser' };
const target = (more: Record<string, Value>) => objectFrom({ NS: 'test', DB: 'test', ...more });
const account = (name: string) => target({ AC: 'people', name, password: 'PASSWORD of a person' });

async function person(name: string): Promise<{ session: Session; tokens: Required<IssuedTokens> }> {
  const session = database.session(CLIENT);
  const tokens = await session.signUp(account(name));
  return { session, tokens: tokens as Required<IssuedTokens> };
}

describe('signing in', () => {
  test('is recorded with the user, the address, the credentials and the outcome', async () => {
    const session = database.session(CLIENT);
    const viewer = (pass: string) => session.signIn(target({ user: 'viewer', pass }));
    await expect(viewer('PASSWORD that is wrong')).rejects.toMatchObject({ code: 'invalid_auth' });
    await viewer('PASSWORD of the viewer');
    const tries = (await told()).filter(({ session: key }) => key === session.key);
    expect(tries.map(({ action, outcome, error }) => [action, outcome, error])).toEqual([
      ['sign-in', 'failed', 'invalid_auth'],
      ['sign-in', 'ok', undefined],
      ['token-issue', 'ok', undefined],
      ['session-end', 'ok', undefined],
    ]);
    expect(tries[0]).toMatchObject({
      at: '2027-01-15T08:00:00.000Z',
      who: { kind: 'guest' },
      client: CLIENT,
      what: { method: 'credentials', as: { namespace: 'test', database: 'test', user: 'viewer' } },
    });
    expect(tries[1]).toMatchObject({
      who: { kind: 'system', level: 'database', name: 'viewer', roles: ['viewer'] },
      place: { namespace: 'test', database: 'test' },
    });
  });

  test('holds the names that a record user gives, and names the record once it is known', async () => {
    const session = database.session(CLIENT);
    await expect(session.signIn(account('nobody'))).rejects.toMatchObject({ code: 'invalid_auth' });
    await session.signUp(account('ann'));
    const [failed, up] = (await told()).filter(({ session: key }) => key === session.key);
    expect(failed?.what).toEqual({
      method: 'credentials',
      as: { namespace: 'test', database: 'test', access: 'people' },
    });
    expect(up).toMatchObject({ action: 'sign-up', who: { kind: 'record', access: 'people', id: 'user:ann' } });
  });

  test('is recorded for tokens, HTTP Basic and malformed bodies as well', async () => {
    const { tokens } = await person('ann');
    const session = database.session({});
    await session.authenticate(tokens.access);
    await expect((async () => session.authenticate('no token'))()).rejects.toThrow();
    const databasePath = { namespace: 'test', database: 'test' };
    await expect(session.authenticateBasic('viewer', 'PASSWORD, no', databasePath)).rejects.toThrow();
    await session.authenticateBasic('viewer', 'PASSWORD of the viewer', databasePath);
    await expect(session.signIn(objectFrom({ user: 3 }))).rejects.toThrow();
    const tries = (await told()).filter(({ session: key, action }) => key === session.key && action === 'sign-in');
    expect(tries.map(({ outcome, what }) => [outcome, what?.method, what?.as])).toEqual([
      ['ok', 'token', undefined],
      ['failed', 'token', undefined],
      ['failed', 'basic', { ...databasePath, user: 'viewer' }],
      ['ok', 'basic', undefined],
      ['failed', 'credentials', undefined],
    ]);
  });
});

test('tokens and grants are named by their ids', async () => {
  const { session, tokens } = await person('ann');
  const next = (await session.refresh(tokens)) as Required<IssuedTokens>;
  await session.revoke(next);
  await expect(session.refresh(next)).rejects.toThrow();
  await expect(session.revoke(next)).rejects.toThrow();
  await run(owner, 'ACCESS bearers GRANT FOR RECORD user:ann; ACCESS bearers REVOKE ALL; ACCESS bearers SHOW ALL');
  const events = (await told()).filter(({ action }) => /^(token|grant)/.test(action));
  const grantId = (key: string) => key.split('-').at(-2);
  expect(events.map(({ action, outcome, what }) => [action, outcome, what?.grant])).toEqual([
    ['token-issue', 'ok', grantId(tokens.refresh)],
    ['token-refresh', 'ok', undefined],
    ['token-issue', 'ok', grantId(next.refresh)],
    ['token-revoke', 'ok', grantId(next.refresh)],
    ['token-refresh', 'failed', undefined],
    ['token-revoke', 'failed', grantId(next.refresh)],
    ['grant-issue', 'ok', undefined],
    ['grant-revoke', 'ok', undefined],
  ]);
  expect(events[6]?.what).toMatchObject({ kind: 'access', name: 'bearers', count: 1 });
  expect(events[7]?.what?.grants).toEqual(events[6]?.what?.grants);
});

describe('the end of a session', () => {
  test.each<[string, (session: Session) => unknown]>([
    ['closed', (session) => session.close()],
    ['invalidated', (session) => session.invalidate()],
    ['reset', (session) => session.reset()],
    ['replaced', (session) => session.signUp(account('bob'))],
    ['expired', (session) => answers(session, 'RETURN 1')],
  ])('is told once: %s', async (reason, end) => {
    const session = database.session(CLIENT);
    await session.signIn(target({ user: 'viewer', pass: 'PASSWORD of the viewer' }));
    if (reason === 'expired') environment.advance(3_600_000);
    await end(session);
    if (reason !== 'replaced') await answers(session, 'RETURN 1').catch(() => undefined);
    const ends = (await told()).filter(({ action, who }) => action === 'session-end' && who.name === 'viewer');
    expect(ends.map(({ what }) => what)).toEqual([{ reason }]);
  });

  test('is nothing where no user was signed in', async () => {
    const session = database.session(CLIENT);
    session.invalidate();
    session.close();
    expect((await told()).filter(({ session: key }) => key === session.key)).toEqual([]);
  });
});

describe('definitions', () => {
  const of = (events: readonly Told[]) =>
    events
      .filter(({ action }) => ['define', 'alter', 'remove'].includes(action))
      .map(({ action, outcome, what }) => `${action} ${outcome} ${what?.kind} ${what?.name ?? ''}`.trim());

  async function redactedError(text: string): Promise<string[]> {
    environment.advance(1_000);
    await answers(owner, text);
    return of((await told()).filter(({ at }) => at === '2027-01-15T08:00:01.000Z'));
  }

  test.each<[string, string, string[]]>([
    ['by what they define', 'DEFINE FIELD OVERWRITE a.b ON post TYPE option<int>', ['define ok field a.b']],
    [
      'with names from params',
      "LET $t = 'made'; DEFINE TABLE $t; REMOVE TABLE $t",
      ['define ok table made', 'remove ok table made'],
    ],
    ['inside other statements', 'IF true { DEFINE PARAM $p VALUE 1 }', ['define ok param p']],
    ['that come about by use', 'CREATE implied', ['define ok table implied']],
    [
      'when they fail',
      'DEFINE TABLE post; REMOVE TABLE nothing',
      ['define failed table post', 'remove failed table nothing'],
    ],
    ['altered', "ALTER TABLE post COMMENT 'x'", ['alter ok table post']],
    [
      'by a new key',
      'DEFINE ACCESS OVERWRITE turned ON DATABASE TYPE RECORD; ACCESS turned ROTATE',
      ['define ok access turned', 'alter ok access turned'],
    ],
    ['in a block', 'BEGIN; DEFINE TABLE a; DEFINE TABLE b; COMMIT', ['define ok table a', 'define ok table b']],
    ['in a block that fails', "BEGIN; DEFINE TABLE a; THROW 'no'; COMMIT", ['define undone table a']],
    ['in a statement that fails', "{ DEFINE TABLE a; THROW 'no' }", ['define undone table a']],
    [
      'of configurations',
      'DEFINE CONFIG GRAPHQL AUTO; REMOVE CONFIG GRAPHQL',
      ['define ok config graphql', 'remove ok config graphql'],
    ],
    ['of namespaces, selected', 'USE NS other DB fresh', ['define ok namespace other', 'define ok database fresh']],
  ])('are told: %s', async (_, text, expected) => {
    expect(await redactedError(text)).toEqual(expected);
  });

  test('in a transaction that the client holds are recorded when it ends', async () => {
    const kept = await owner.begin();
    await kept.query('DEFINE TABLE kept');
    const dropped = await owner.begin();
    await dropped.query('DEFINE TABLE dropped');
    const lost = await owner.begin();
    await lost.query('DEFINE TABLE lost');
    dropped.cancel();
    await kept.commit();
    const names = ['kept', 'dropped', 'lost'];
    const events = (await told()).filter(({ what }) => names.includes(String(what?.name)));
    expect(events.map(({ outcome, what }) => [what?.name, outcome])).toEqual([
      ['dropped', 'undone'],
      ['kept', 'ok'],
      ['lost', 'undone'],
    ]);
  });

  test('of a read-only transaction there is nothing to record', async () => {
    await owner.query('DEFINE TABLE first');
    const snapshot = await owner.begin({ writable: false });
    await snapshot.query('SELECT * FROM user');
    await snapshot.commit();
    (await owner.begin({ writable: false })).cancel();
    await owner.query('DEFINE TABLE next');
    const names = (await told()).map(({ what }) => what?.name);
    expect(names.slice(names.indexOf('first')).slice(0, 2)).toEqual(['first', 'next']);
  });
});

describe('denials', () => {
  async function refusedTo(session: Session, text: string): Promise<unknown[]> {
    await answers(session, text);
    const events = (await told()).filter((event) => event.session === session.key && event.outcome === 'denied');
    return events.map(({ action, error, what }) => (action === 'refuse' ? (error ?? what) : `${action} ${error}`));
  }

  test.each<[string, unknown[]]>([
    ['CREATE post', [{ write: 'create', table: 'post', count: 1 }]],
    ['CREATE nosuch', [{ write: 'create', table: 'nosuch', count: 1 }]],
    ['INSERT INTO post [{}, {}]', [{ write: 'create', table: 'post', count: 2 }]],
    ['UPDATE post:1 SET a = 1', [{ write: 'update', table: 'post', count: 1 }]],
    ['UPDATE shut', [{ write: 'update', table: 'shut', count: 1 }]],
    ['UPSERT shut:1', [{ write: 'update', table: 'shut', count: 1 }]],
    ['DELETE post', [{ write: 'delete', table: 'post', count: 1 }]],
    ["UPDATE user:ann SET role = 'admin'", [{ write: 'update', table: 'user', field: 'role', count: 1 }]],
    ['UPDATE user:ann SET id = user:ann, role = NONE, other = 1', []],
    ['UPDATE user:ann SET other = 1', []],
    ['UPDATE post SET a = 1', []],
    ['DEFINE TABLE a; INFO FOR DB', ['define not_allowed', 'not_allowed']],
    ['BEGIN; DEFINE TABLE a; RETURN 1; COMMIT', ['define not_allowed']],
    ['USE NS other; SELECT * FROM post', ['place_forbidden']],
    ['SELECT * FROM shut', []],
  ])('of record users are told, whether they fail or nothing happens: %s', async (text, expected) => {
    const { session } = await person('ann');
    expect(await refusedTo(session, text)).toEqual(expected);
  });

  test('of files name the rule that has refused, of statements and of transports', async () => {
    await run(owner, 'DEFINE BUCKET b PERMISSIONS FOR get, copy FULL; DEFINE BUCKET c; f"b:/x".put("x")');
    const { session } = await person('ann');
    await answers(session, 'f"c:/x".get(); f"b:/x".copy(f"c:/x"); file::list("b")');
    await expect(session.openFile(new FileReference('c', '/x'))).rejects.toMatchObject({ code: 'file_denied' });
    await expect(session.uploadFile(new FileReference('b', '/x'))).rejects.toMatchObject({ code: 'file_denied' });
    const refused = (await told()).filter(({ action, error }) => action === 'refuse' && error === 'file_denied');
    expect(refused.map(({ what }) => what)).toEqual([
      { statement: 'expression', action: 'get', bucket: 'c' },
      { statement: 'expression', action: 'put', bucket: 'c' },
      { statement: 'expression', action: 'list', bucket: 'b' },
      { action: 'get', bucket: 'c' },
      { action: 'put', bucket: 'b' },
    ]);
  });

  test('of viewers are recorded', async () => {
    const session = database.session({});
    await session.signIn(target({ user: 'viewer', pass: 'PASSWORD of the viewer' }));
    expect(await refusedTo(session, 'CREATE post; REMOVE USER viewer ON DATABASE')).toEqual([
      { write: 'create', table: 'post', count: 1 },
      'remove not_allowed',
    ]);
  });

  test('of guests who may run nothing are recorded', async () => {
    const closed: string[] = [];
    const other = await openDatabase(new MemoryEngine(), {
      audit: { sink: { write: (batch) => void closed.push(...batch) } },
    });
    await answers(other.session({ ip: '192.0.2.1' }), 'RETURN 1');
    await other.close();
    expect(closed.map((line) => JSON.parse(line))[1]).toMatchObject({
      action: 'refuse',
      outcome: 'denied',
      error: 'not_allowed',
      client: { ip: '192.0.2.1' },
    });
  });

  test('are recorded once for a statement that was run again after a conflict', async () => {
    const { session } = await person('ann');
    await run(owner, 'DEFINE TABLE counter PERMISSIONS FULL; CREATE counter:1 SET n = 0');
    const both = () => session.query('CREATE post; UPDATE counter:1 SET n += 1');
    await Promise.all(Array.from({ length: 20 }, both));
    const refusals = (await told()).filter(({ action }) => action === 'refuse');
    expect(refusals).toHaveLength(20);
  });
});

test('what clauses of accesses define is recorded as an act of the user who signs in', async () => {
  await run(
    owner,
    `DEFINE ACCESS eager ON DATABASE TYPE RECORD SIGNUP { CREATE joined; RETURN CREATE ONLY user:eve }
       SIGNIN { CREATE seen; THROW 'no' }`,
  );
  const session = database.session(CLIENT);
  await session.signUp(target({ AC: 'eager' }));
  await expect(session.signIn(target({ AC: 'eager' }))).rejects.toThrow('no');
  const acts = (await told()).filter(({ what }) => what?.['name'] === 'joined' || what?.['name'] === 'seen');
  const common = { action: 'define', who: { kind: 'guest' }, client: CLIENT };
  expect(acts).toMatchObject([
    { ...common, outcome: 'ok', what: { kind: 'table', name: 'joined', by: 'use' } },
    { ...common, outcome: 'undone', what: { kind: 'table', name: 'seen', by: 'use' } },
  ]);
});

test('what asynchronous events define is recorded as an act of the user who raised them', async () => {
  await run(owner, 'DEFINE EVENT late ON post ASYNC THEN { DEFINE TABLE made }; CREATE post');
  await expect.poll(() => lines.some((line) => line.includes('"made"'))).toBe(true);
  expect((await told()).filter(({ what }) => what?.['name'] === 'made')).toMatchObject([
    { action: 'define', outcome: 'ok', who: { kind: 'system', name: 'owner' }, what: { kind: 'table' } },
  ]);
});

test('a grant that is revoked ends its sessions, which is recorded', async () => {
  const session = database.session(CLIENT);
  session.listen(() => undefined);
  const [, grant] = await run(owner, 'CREATE user:ann; ACCESS bearers GRANT FOR RECORD user:ann');
  const key = JSON.stringify(grant).match(/surreal-bearer-\w+-\w+/)?.[0] as string;
  await session.signIn(target({ AC: 'bearers', key }));
  await run(owner, 'ACCESS bearers REVOKE ALL');
  await expect.poll(() => lines.some((line) => line.includes('"reason":"ended"'))).toBe(true);
  const [end] = (await told()).filter(({ action }) => action === 'session-end');
  expect(end).toMatchObject({ who: { kind: 'record', id: 'user:ann' }, what: { reason: 'ended' } });
});

test('no secret and no value of a query is in the log', async () => {
  const { session, tokens } = await person('ann');
  await session.authenticate(tokens.access);
  const [grant] = await run(owner, 'ACCESS bearers GRANT FOR RECORD user:ann');
  const key = JSON.stringify(grant).match(/surreal-bearer-\w+-(\w+)/)?.[1] as string;
  await answers(
    owner,
    "DEFINE USER u ON ROOT PASSWORD 'PASSWORD new'; DEFINE PARAM $p VALUE 'VALUE'; THROW 'VALUE'; CREATE user:bad SET a = $v",
    objectFrom({ v: 'VALUE bound' }),
  );
  await answers(
    session,
    "CREATE post SET a = 'VALUE'; UPDATE user:ann SET role = 'VALUE'; DEFINE TABLE x COMMENT 'VALUE'",
  );
  await expect(session.signIn(target({ user: 'viewer', pass: 'PASSWORD no' }))).rejects.toThrow();
  await told();
  const text = lines.join('\n');
  for (const secret of [
    'PASSWORD',
    'VALUE',
    key,
    tokens.access,
    tokens.access.split('.')[2],
    tokens.refresh.slice(-24),
  ]) {
    expect(text).not.toContain(secret);
  }
});

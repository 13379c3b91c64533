/** Attacks on views (`view_as`): they show what another user would see, and do nothing else. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifyAuditLog } from '../../src/audit/verify.js';
import { realEnvironment } from '../../src/env/real.js';
import { RpcConnection } from '../../src/rpc/connection.js';
import type { Session } from '../../src/session/contract.js';
import { JSON_FORMAT } from '../../src/value/codecs/formats.js';
import { isObject, type ObjectValue, objectFrom, RecordId, type Value } from '../../src/value/value.js';
import { StubbedEnvironment } from '../support/environment.js';
import { type FakeNetwork, fakeNetwork } from '../support/fake-network.js';
import { answer, run, World } from '../support/world.js';

const SCHEMA = `
  DEFINE TABLE note PERMISSIONS FOR select WHERE owner = $auth FOR create, update, delete FULL;
  DEFINE FIELD secret ON note PERMISSIONS FOR select NONE;
  DEFINE TABLE open PERMISSIONS FULL;
  DEFINE EVENT seen ON open THEN (CREATE log);
  DEFINE SEQUENCE numbers;
  DEFINE FUNCTION fn::look() { RETURN SELECT VALUE id FROM note } PERMISSIONS FULL;
  DEFINE FUNCTION fn::write() { CREATE open } PERMISSIONS FULL;
  DEFINE FUNCTION fn::deep() { RETURN [1].map(|$x| { CREATE open }) } PERMISSIONS FULL;
  DEFINE FUNCTION fn::number() { RETURN sequence::nextval('numbers') } PERMISSIONS FULL;
  DEFINE FUNCTION fn::fetch() { RETURN http::get('http://example.com/') } PERMISSIONS FULL;
  DEFINE FUNCTION fn::script() { RETURN function() { return 1; } } PERMISSIONS FULL;
  DEFINE FUNCTION fn::call() { RETURN api::invoke('/write') } PERMISSIONS FULL;
  DEFINE API '/write' FOR any THEN { CREATE open; { body: 1 } };
  DEFINE ACCESS bearers ON DATABASE TYPE BEARER FOR RECORD;
  CREATE note:1 SET owner = user:ann, secret = 's', n = 1;
  CREATE note:2 SET owner = user:bob, secret = 's', n = 2;
  CREATE open:1;`;

const ANN = objectFrom({ record: new RecordId('user', 'ann'), access: 'people' });
const GUEST = objectFrom({ guest: true });
const VIEWER = objectFrom({ role: 'viewer', namespace: 'test', database: 'test' });
const EDITOR = objectFrom({ role: 'editor', namespace: 'test', database: 'test' });

let world: World;
let environment: StubbedEnvironment;
let owner: Session;
let network: FakeNetwork;
const lines: string[] = [];

beforeEach(async () => {
  environment = new StubbedEnvironment();
  network = fakeNetwork({ names: { 'example.com': ['93.184.215.14'] }, servers: { '93.184.215.14:80': () => ({}) } });
  lines.length = 0;
  world = await World.open({
    environment: { ...realEnvironment, clock: environment.clock, random: environment.random, network },
    scripting: {},
    audit: { sink: { write: (batch) => void lines.push(...batch) } },
    network: { allow: 'all' },
  });
  await world.person('ann');
  await world.person('bob');
  await run(world.owner, SCHEMA);
  owner = await world.systemUser('DO');
});
afterEach(() => world.close());

async function viewing(target: ObjectValue, by = owner): Promise<Session> {
  await by.viewAs(target);
  return by;
}

describe('what a view shows', () => {
  it('is what a record user sees, with their $auth, $access, $session and $token', async () => {
    const ann = await world.person('cid');
    await run(world.owner, 'UPDATE note:1 SET owner = user:cid');
    const view = await viewing(objectFrom({ record: 'user:cid', access: 'people' }));
    const looks = [
      'SELECT * FROM note',
      'SELECT * FROM user',
      '$auth.name',
      '[$access, $session.rd, $session.ac, $session.ns, $session.db, $session.exp]',
      '[$token.AC, $token.NS, $token.DB, $token.ID, $token.iss, type::is_int($token.exp)]',
      'fn::look()',
      'INFO FOR DB',
      'SELECT count() FROM note GROUP ALL',
    ];
    for (const look of looks) expect([look, await answer(view, look)]).toEqual([look, await answer(ann, look)]);
    expect(await answer(view, 'SELECT * FROM note')).toBe('[{ id: note:1, n: 1, owner: user:cid }]');
    expect(await answer(view, '$token.jti')).toBe('NONE');
  });

  it('is what a guest sees', async () => {
    const view = await viewing(GUEST);
    expect(await answer(view, '[$auth, $token, $access, $session.rd]')).toBe('[NONE, NONE, NONE, NONE]');
    expect(await answer(view, 'SELECT VALUE id FROM note')).toBe('[]');
    expect(await answer(view, 'SELECT VALUE id FROM open')).toBe('[open:1]');
  });

  it('is what a role sees', async () => {
    const view = await viewing(VIEWER);
    expect(await answer(view, 'SELECT VALUE secret FROM note')).toBe("['s', 's']");
    expect(await answer(view, 'INFO FOR ROOT')).toMatch(/^not_allowed/);
  });

  it('is the database as it is now, in one snapshot for each request', async () => {
    const view = await viewing(ANN);
    await run(world.owner, 'DELETE note:1');
    expect(await answer(view, 'SELECT VALUE id FROM note')).toBe('[]');
    await run(
      world.owner,
      'DEFINE FIELD OVERWRITE secret ON note PERMISSIONS FULL; UPDATE note:2 SET owner = user:ann',
    );
    expect(await answer(view, 'SELECT VALUE secret FROM note')).toBe("['s']");
  });

  it('ends, and the session is the owner as before', async () => {
    await owner.viewAs(ANN);
    await owner.viewAs(undefined);
    expect(await answer(owner, '[$auth, (SELECT VALUE id FROM note)]')).toBe('[NONE, [note:1, note:2]]');
    expect(await answer(owner, 'CREATE open:2')).toBe('[{ id: open:2 }]');
    await owner.viewAs(undefined);
  });
});

describe('EXPLAIN PERMISSIONS in a view', () => {
  const words = 'RETURN (EXPLAIN PERMISSIONS FOR select ON note:2).words';

  it('is answered to the owner, about the user', async () => {
    const view = await viewing(ANN);
    expect(await answer(view, words)).toContain('refused for user:ann: `owner = $auth`');
    expect(await answer(view, 'RETURN (EXPLAIN PERMISSIONS SELECT * FROM note)[0].hidden')).toBe('[note:2]');
    expect(await answer(view, 'RETURN (EXPLAIN PERMISSIONS FOR select ON note:2 AS user:bob).allowed')).toBe('true');
    await view.viewAs(undefined);
    await view.viewAs(VIEWER);
    expect(await answer(view, words)).toContain('no PERMISSIONS apply');
    expect(await answer(view, words.replace('select', 'delete'))).toContain('allowed for a system user');
    await view.viewAs(undefined);
    await view.viewAs(GUEST);
    expect(await answer(view, words)).toContain('refused for a guest');
  });

  it('has no effects either, and shows the owner nothing above the level', async () => {
    const view = await viewing(ANN);
    for (const text of ["http::get('http://example.com/')", 'fn::write()', "sequence::nextval('numbers')"]) {
      expect(await answer(view, `EXPLAIN PERMISSIONS SELECT * FROM note WHERE ${text}`)).toMatch(/^view_read_only/);
    }
    expect(network.sent).toEqual([]);
    expect(await answer(view, 'EXPLAIN PERMISSIONS SELECT * FROM note WHERE (INFO FOR ROOT)')).toMatch(/^not_allowed/);
  });

  it('is refused to record users, guests and viewers', async () => {
    for (const session of [await world.person('eve'), world.guest(), await world.systemUser('DV')]) {
      await session.use('test', 'test');
      expect(await answer(session, words)).toMatch(/^not_allowed/);
    }
    expect(await answer(await world.systemUser('DE'), words)).toContain('refused for a guest');
  });
});

/** What must not change, whatever a view does. */
async function state(): Promise<string> {
  const everything = [];
  for await (const chunk of world.owner.export()) everything.push(chunk);
  return everything.join('');
}

describe('a view changes nothing:', () => {
  const WRITES = [
    'CREATE open:9',
    'UPDATE open:1 SET n = 1',
    'UPSERT open:9 SET n = 1',
    'DELETE open:1',
    'INSERT INTO open { id: 9 }',
    'RELATE open:1->liked->open:1',
    'RETURN (CREATE open)',
    'IF true { CREATE open }',
    'FOR $i IN [1] { CREATE open }',
    'LET $x = (CREATE open)',
    'SELECT (CREATE open) FROM open',
    'SELECT * FROM open WHERE (DELETE open:1) = NONE',
    '[1].map(|$x| (CREATE open))',
    'fn::write()',
    'fn::deep()',
    'fn::number()',
    'fn::fetch()',
    'fn::script()',
    'fn::call()',
    "sequence::nextval('numbers')",
    "http::get('http://example.com/')",
    "http::post('http://example.com/', {})",
    "api::invoke('/write')",
    'function() { return 1; }',
    'EXPLAIN ANALYZE CREATE open',
    'CREATE open EXPLAIN FULL',
    'BEGIN; CREATE open; COMMIT',
    'BEGIN; CREATE open; CANCEL',
    'DEFINE TABLE other',
    'DEFINE FIELD other ON open',
    "DEFINE USER other ON DATABASE PASSWORD 'a long password' ROLES OWNER",
    'DEFINE PARAM $other VALUE 1',
    'REMOVE TABLE open',
    'ALTER TABLE open DROP',
    'REBUILD INDEX IF EXISTS i ON open',
    'ACCESS bearers GRANT FOR RECORD user:ann',
    'ACCESS bearers REVOKE ALL',
    'ACCESS people ROTATE',
    'LIVE SELECT * FROM open',
    "KILL u'00000000-0000-4000-8000-000000000000'",
    'KILL SESSIONS',
    'KILL SESSIONS FOR USER DO ON DATABASE',
    "KILL SESSION u'00000000-0000-4000-8000-000000000000'",
    'USE NS other DB another; CREATE open',
    'OPTION IMPORT; CREATE open',
  ];

  it.each(WRITES)('%s', async (text) => {
    await run(world.owner, 'SELECT * FROM open');
    const before = await state();
    for (const target of [ANN, GUEST, VIEWER, EDITOR]) {
      const view = await viewing(target);
      const answered = await answer(view, text);
      expect(answered).toMatch(/^[a-z_]+: /);
      await view.viewAs(undefined);
    }
    expect(await state()).toBe(before);
    expect(network.sent).toEqual([]);
    expect(await answer(world.owner, 'RETURN 1')).toBe('1');
  });

  it('a refused statement is refused as one of a view, with its kind', async () => {
    const view = await viewing(EDITOR);
    expect(await answer(view, 'CREATE open')).toMatch(/^view_read_only: .*no CREATE in it/);
    expect(await answer(view, 'KILL SESSIONS')).toMatch(/^view_read_only: /);
    expect(await answer(view, 'fn::fetch()')).toMatch(/^view_read_only: .*no HTTP request/);
  });

  it('no transaction, import or namespace', async () => {
    const held = await owner.begin();
    const view = await viewing(EDITOR);
    expect(() => view.begin()).toThrow(expect.objectContaining({ code: 'view_read_only' }));
    expect(() => view.transaction(held.id)).toThrow(expect.objectContaining({ code: 'view_read_only' }));
    const pieces = async function* () {
      yield 'CREATE open:9';
    };
    await expect(view.import(pieces())).rejects.toMatchObject({ code: 'view_read_only' });
    await view.use('test', 'unknown');
    expect(await answer(view, 'CREATE open')).toMatch(/^view_read_only/);
    await view.viewAs(undefined);
    expect(await answer(world.owner, 'INFO FOR NS')).not.toContain('unknown');
    // The view has ended the transaction.
    expect(() => view.transaction(held.id)).toThrow(expect.objectContaining({ code: 'transaction_missing' }));
  });

  it('a transaction of the same connection stays out of reach', async () => {
    const other = world.database.session({}, owner.connection);
    await other.authenticate(world.tokenOf(owner) ?? '');
    await other.use('test', 'test');
    const held = await other.begin();
    const view = await viewing(EDITOR);
    expect(() => view.transaction(held.id)).toThrow(expect.objectContaining({ code: 'view_read_only' }));
    await held.query('CREATE open:2');
    await held.commit();
    expect(await answer(view, 'open:2.id')).toBe('open:2');
  });
});

describe('a view raises no one:', () => {
  const denied = { code: 'not_allowed' };

  it('record users, guests, viewers and editors have none', async () => {
    const sessions = [
      await world.person('eve'),
      world.guest(),
      await world.systemUser('DV'),
      await world.systemUser('DE'),
      await world.systemUser('RV'),
      await world.systemUser('RE'),
    ];
    for (const session of sessions) {
      await session.use('test', 'test');
      for (const target of [ANN, GUEST, VIEWER]) await expect(session.viewAs(target)).rejects.toMatchObject(denied);
      expect(session.identity.viewer).toBeUndefined();
    }
  });

  it('owners view below their own level only', async () => {
    await run(world.owner, 'DEFINE NAMESPACE other; USE NS other DB other; DEFINE TABLE user; CREATE user:ann');
    const namespaceOwner = await world.systemUser('NO');
    const elsewhere = objectFrom({ record: 'user:ann', access: 'people', namespace: 'other', database: 'other' });
    for (const session of [owner, namespaceOwner]) {
      await expect(session.viewAs(objectFrom({ role: 'viewer' }))).rejects.toMatchObject(denied);
      await expect(session.viewAs(objectFrom({ role: 'viewer', namespace: 'other' }))).rejects.toMatchObject(denied);
      await expect(session.viewAs(elsewhere)).rejects.toMatchObject(denied);
    }
    await expect(owner.viewAs(objectFrom({ role: 'viewer', namespace: 'test' }))).rejects.toMatchObject(denied);
    await namespaceOwner.viewAs(objectFrom({ role: 'viewer', namespace: 'test' }));
    expect(await answer(namespaceOwner, 'INFO FOR ROOT')).toMatch(/^not_allowed/);
    expect(await answer(namespaceOwner, 'USE NS other DB other; SELECT * FROM user')).toMatch(/^not_allowed/);
  });

  it('the user is one who could sign in', async () => {
    const missing = { code: 'view_target_missing' };
    const target = (record: string, access: string) => owner.viewAs(objectFrom({ record, access }));
    await expect(target('user:missing', 'people')).rejects.toMatchObject(missing);
    await expect(target('user:ann', 'missing')).rejects.toMatchObject(missing);
    await run(world.owner, 'DEFINE ACCESS users ON DATABASE TYPE BEARER FOR USER');
    await expect(target('user:ann', 'users')).rejects.toMatchObject(missing);
    await target('user:ann', 'bearers');
  });

  it.each<[string, Record<string, Value>]>([
    ['nothing', {}],
    ['an owner', { role: 'owner' }],
    ['an unknown role', { role: 'root' }],
    ['a role that is no text', { role: ['viewer'] }],
    ['a database without its namespace', { role: 'viewer', database: 'test' }],
    ['two of them', { role: 'viewer', guest: true }],
    ['a guest who is none', { guest: false }],
    ['a record without an access', { record: 'user:ann' }],
    ['a text that is no record', { record: 'ann', access: 'people' }],
    ['a range of records', { record: 'user:1..2', access: 'people' }],
    ['unknown members', { role: 'viewer', roles: 'owner' }],
    ['a token', { guest: true, token: 'a.b.c' }],
    ['a namespace that is no text', { guest: true, namespace: 7 }],
    ['an empty database', { guest: true, database: '' }],
  ])('%s is refused', async (_, body) => {
    await expect(owner.viewAs(objectFrom(body))).rejects.toMatchObject({ code: 'invalid_params' });
  });

  it('needs a namespace and a database, of which another namespace has none selected', async () => {
    await expect(owner.viewAs(objectFrom({ guest: true, namespace: 'other' }))).rejects.toMatchObject({
      code: 'database_empty',
    });
    await owner.viewAs(objectFrom({ guest: true, namespace: null, database: null }));
    const nowhere = world.database.ownerSession();
    await expect(nowhere.viewAs(GUEST)).rejects.toMatchObject({ code: 'namespace_empty' });
    await expect(nowhere.viewAs(ANN)).rejects.toMatchObject({ code: 'namespace_empty' });
  });

  it('it is not nested, and gets no token', async () => {
    const token = world.tokenOf(owner) ?? '';
    const refused = { code: 'view_read_only' };
    const body = objectFrom({ NS: 'test', DB: 'test', user: 'DO', pass: 'DO has a password' });
    const account = objectFrom({ NS: 'test', DB: 'test', AC: 'people', name: 'eve' });
    for (const target of [ANN, EDITOR]) {
      const view = await viewing(target);
      await expect(view.viewAs(GUEST)).rejects.toMatchObject(refused);
      await expect(view.signIn(body)).rejects.toMatchObject(refused);
      await expect(view.signUp(account)).rejects.toMatchObject(refused);
      await expect((async () => view.authenticate(token))()).rejects.toMatchObject(refused);
      await expect(view.authenticateBasic('DO', 'DO has a password', {})).rejects.toMatchObject(refused);
      await expect(view.refresh({ access: token, refresh: 'r' })).rejects.toMatchObject(refused);
      await expect(view.revoke({ access: token, refresh: 'r' })).rejects.toMatchObject(refused);
      expect(view.identity.principal.kind).toBe(target === ANN ? 'record' : 'system');
      await view.viewAs(undefined);
    }
    expect(await answer(world.owner, 'user:eve.id')).toBe('NONE');
  });
});

describe('a view ends with its owner:', () => {
  const ENDS: Record<string, () => unknown> = {
    'when the user is removed': () => run(world.owner, 'REMOVE USER DO ON DATABASE'),
    'when the password changes': () =>
      run(world.owner, "DEFINE USER OVERWRITE DO ON DATABASE PASSWORD 'another one, long' ROLES OWNER"),
    'when the role is taken': () => run(world.owner, 'ALTER USER DO ON DATABASE ROLES EDITOR'),
    'when the session is killed': () => run(world.owner, 'KILL SESSIONS FOR USER DO ON DATABASE'),
  };

  it.each(Object.entries(ENDS))('%s', async (_, end) => {
    const view = await viewing(ANN);
    // Only sessions that last are registered.
    view.listen(() => undefined);
    await end();
    await new Promise((resolve) => setImmediate(resolve));
    expect(await answer(view, 'SELECT * FROM note')).toMatch(/^session_expired/);
    await expect(view.viewAs(GUEST)).rejects.toMatchObject({ code: 'session_expired' });
  });

  it('when the session expires, and it can sign in again', async () => {
    await run(
      world.owner,
      "DEFINE USER brief ON DATABASE PASSWORD 'brief has a password' ROLES OWNER DURATION FOR SESSION 10m",
    );
    const session = world.guest();
    const body = objectFrom({ NS: 'test', DB: 'test', user: 'brief', pass: 'brief has a password' });
    await session.signIn(body);
    await session.viewAs(ANN);
    environment.advance(10 * 60_000);
    expect(await answer(session, 'RETURN 1')).toMatch(/^session_expired/);
    await session.signIn(body);
    expect(await answer(session, 'SELECT VALUE id FROM note')).toBe('[note:1, note:2]');
  });

  it.each(['invalidate', 'reset'] as const)('%s signs the owner out as well', async (method) => {
    const view = await viewing(ANN);
    view[method]();
    expect(view.identity.principal.kind).toBe('guest');
    await view.use('test', 'test');
    expect(await answer(view, 'SELECT VALUE id FROM note')).toBe('[]');
    await expect(view.viewAs(ANN)).rejects.toMatchObject({ code: 'not_allowed' });
  });

  it('a deleted record is seen as one', async () => {
    const view = await viewing(ANN);
    await run(world.owner, 'DELETE user:ann');
    expect(await answer(view, '[$auth, $auth.name, (SELECT VALUE id FROM note)]')).toBe('[user:ann, NONE, [note:1]]');
  });
});

describe('the audit log', () => {
  const told = async () => {
    await world.close();
    expect((await verifyAuditLog(lines)).broken).toBeUndefined();
    const records = lines.map((line) => JSON.parse(line));
    return records.filter((each) => each.action.startsWith('view-') || each.as !== undefined);
  };

  it('has the beginning, the end and refusals with both users', async () => {
    await owner.viewAs(ANN);
    await answer(owner, 'CREATE open');
    await owner.viewAs(undefined);
    const ann = { kind: 'record', namespace: 'test', database: 'test', access: 'people', id: 'user:ann' };
    const who = expect.objectContaining({ kind: 'system', name: 'DO' });
    expect(await told()).toMatchObject([
      { action: 'view-begin', outcome: 'ok', who, as: ann },
      { action: 'refuse', outcome: 'denied', error: 'view_read_only', who, as: ann },
      { action: 'view-end', outcome: 'ok', who, as: ann, what: { reason: 'ended' } },
    ]);
  });

  it('has what was refused', async () => {
    const viewer = await world.systemUser('DV');
    await expect(viewer.viewAs(ANN)).rejects.toThrow();
    const [refused] = await told();
    expect(refused).toMatchObject({
      action: 'view-begin',
      outcome: 'denied',
      error: 'not_allowed',
      who: { name: 'DV' },
      what: { record: 'user:ann', access: 'people' },
    });
    expect(refused.as).toBeUndefined();
  });

  it('has what was refused beside statements', async () => {
    await owner.viewAs(EDITOR);
    await expect((async () => owner.begin())()).rejects.toMatchObject({ code: 'view_read_only' });
    const pieces = async function* () {
      yield 'CREATE open:9';
    };
    await expect(owner.import(pieces())).rejects.toMatchObject({ code: 'view_read_only' });
    const refused = { action: 'refuse', outcome: 'denied', error: 'view_read_only', as: { roles: ['editor'] } };
    expect((await told()).slice(1, 3)).toMatchObject([refused, refused]);
  });

  it('has the end of a view once, however the session ends', async () => {
    await owner.viewAs(ANN);
    owner.invalidate();
    owner.close();
    expect((await told()).map(({ action, what }) => [action, what?.reason])).toEqual([
      ['view-begin', undefined],
      ['view-end', 'invalidated'],
    ]);
  });
});

describe('over RPC', () => {
  const call = async (connection: RpcConnection, method: string, ...params: Value[]): Promise<Value> => {
    const { result, error } = await connection.handle(objectFrom({ id: '1', method, params }), JSON_FORMAT);
    return isObject(error) ? error['message'] : result;
  };

  it('view_as begins and ends a view', async () => {
    const connection = new RpcConnection(world.database, {}, {}, owner);
    connection.notify(() => undefined);
    expect(await call(connection, 'view_as', ANN)).toBeUndefined();
    expect(await call(connection, 'select', 'note:2')).toBeUndefined();
    expect(await call(connection, 'create', 'open:2', objectFrom({}))).toMatch(/^A view is read-only/);
    expect(await call(connection, 'live', 'open')).toMatch(/^A view is read-only/);
    expect(await call(connection, 'begin')).toMatch(/^A view is read-only/);
    expect(await call(connection, 'view_as')).toBeUndefined();
    expect(await call(connection, 'create', 'open:2', objectFrom({}))).toEqual(
      objectFrom({ id: new RecordId('open', 2) }),
    );
  });

  it('needs a connection that lasts', async () => {
    expect(await call(new RpcConnection(world.database, {}, {}, owner), 'view_as', ANN)).toMatch(/over HTTP/);
  });
});

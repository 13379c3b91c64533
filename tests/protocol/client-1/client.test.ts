/** The official JavaScript client of the first generation (1.3), over both transports: every method. */
import {
  BoundExcluded,
  BoundIncluded,
  Decimal,
  Duration,
  equals,
  GeometryCollection,
  GeometryLine,
  GeometryMultiLine,
  GeometryMultiPoint,
  GeometryMultiPolygon,
  GeometryPoint,
  GeometryPolygon,
  type PreparedQuery,
  Range,
  RecordId,
  RecordIdRange,
  ResponseError,
  StringRecordId,
  Surreal,
  surql,
  Table,
  UnsupportedVersion,
  Uuid,
} from 'surrealdb-v1';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RunningServer } from '../../../src/server/server.js';
import { startDrawnServer } from '../../support/drawn-server.js';
import { MAIL_SCHEMA, mailedCode } from '../../support/mailed-code.js';
import { ROOT, startTestServer } from '../../support/server.js';

let server: RunningServer;
beforeAll(async () => {
  server = await startDrawnServer('client of the first generation');
});
afterAll(() => server.close());

const addressOf = ({ url }: { readonly url: string }, scheme: string) => `${url.replace('http', scheme)}/rpc`;

/** This generation was made for 1.x and 2.x, and needs an option to accept a later one, SurrealDB's own included. */
const OPTIONS = { versionCheck: false, reconnect: false };

const ann = new RecordId('person', 1);
const bob = new RecordId('person', 2);

describe.each(['ws', 'http'])('over %s', (scheme) => {
  const database = `first_${scheme}`;
  let db: Surreal;
  beforeEach(async () => {
    db = new Surreal();
    await db.connect(addressOf(server, scheme), { ...OPTIONS, namespace: 'test', database, auth: ROOT });
    await db.query(
      `DEFINE NAMESPACE IF NOT EXISTS test; REMOVE DATABASE IF EXISTS ${database}; DEFINE DATABASE ${database}`,
    );
  });
  afterEach(() => db.close());

  it('signs in by a code that was mailed', async () => {
    await db.query(MAIL_SCHEMA);
    const root = { query: db.query.bind(db) as unknown as Parameters<typeof mailedCode>[1]['query'] };
    const { request, code } = await mailedCode(server, root, database, `${scheme}@shop.example`);
    const guest = new Surreal();
    await guest.connect(addressOf(server, scheme), OPTIONS);
    const mail = (variables: Record<string, unknown>) => ({ namespace: 'test', database, access: 'mail', variables });
    await expect(guest.signin(mail({ request, code: '00000000' }))).rejects.toThrow('problem with authentication');
    await guest.signin(mail({ request, code }));
    expect(await guest.query('RETURN $token.amr')).toEqual([['mail']]);
    await guest.close();
  });

  it('connects, reports its version, and closes', async () => {
    await db.ready;
    expect(db.status).toBe('connected');
    expect(await db.ping()).toBe(true);
    expect(await db.version()).toMatch(/^surrealdb-3\./);
    await db.close();
    expect(db.status).toBe('disconnected');
    await expect(new Surreal().connect(addressOf(server, scheme))).rejects.toBeInstanceOf(UnsupportedVersion);
  });

  it('selects a namespace and a database', async () => {
    expect(await db.use({ database: 'another' })).toBe(true);
    expect(await db.query('RETURN [session::ns(), session::db()]')).toEqual([['test', 'another']]);
    expect(await db.use({ namespace: 'other', database: 'one' })).toBe(true);
    expect(await db.query('RETURN [session::ns(), session::db()]')).toEqual([['other', 'one']]);
  });

  it('keeps variables', async () => {
    await db.let('x', { id: ann });
    expect(await db.query('RETURN $x.id')).toEqual([ann]);
    await db.unset('x');
    expect(await db.query('RETURN $x')).toEqual([undefined]);
  });

  it('creates, selects, changes and deletes', async () => {
    expect(await db.create(ann, { name: 'Ann' })).toEqual({ id: ann, name: 'Ann' });
    // The client makes a list of what it gets for a table.
    expect(await db.create('person', { name: 'Eve' })).toMatchObject([{ name: 'Eve' }]);
    expect(await db.create(new Table('person'), { name: 'Joe' })).toMatchObject([{ name: 'Joe' }]);
    expect(await db.select('person')).toHaveLength(3);
    expect(await db.select(ann)).toEqual({ id: ann, name: 'Ann' });
    expect(await db.select(new StringRecordId('person:1'))).toEqual({ id: ann, name: 'Ann' });
    expect(await db.select(new RecordIdRange('person', new BoundIncluded(1), new BoundExcluded(2)))).toHaveLength(1);
    expect(await db.select(new RecordId('person', 9))).toBeUndefined();
    expect(await db.update(ann, { age: 1 })).toEqual({ id: ann, age: 1 });
    expect(await db.upsert(bob, { name: 'Bob' })).toEqual({ id: bob, name: 'Bob' });
    expect(await db.merge(bob, { age: 2 })).toEqual({ id: bob, name: 'Bob', age: 2 });
    expect(await db.patch(bob, [{ op: 'replace', path: '/age', value: 3 }])).toEqual({ id: bob, name: 'Bob', age: 3 });
    expect(await db.patch(bob, [{ op: 'add', path: '/x', value: 1 }], true)).toEqual([
      { op: 'add', path: '/x', value: 1 },
    ]);
    expect(await db.merge('person', { seen: true })).toHaveLength(4);
    expect(await db.delete(ann)).toEqual({ id: ann, age: 1, seen: true });
    expect(await db.delete('person')).toHaveLength(3);
  });

  it('inserts, and relates', async () => {
    expect(await db.insert('person', [{ id: 1 }, { id: 2 }])).toEqual([{ id: ann }, { id: bob }]);
    expect(await db.insert({ id: new RecordId('person', 3) })).toHaveLength(1);
    const edge = { id: new RecordId('likes', 1), in: ann, out: bob };
    expect(await db.insertRelation('likes', edge)).toEqual([edge]);
    expect(await db.insertRelation({ ...edge, id: new RecordId('likes', 2) })).toHaveLength(1);
    expect(await db.relate(ann, 'knows', bob, { since: 2020 })).toMatchObject([{ in: ann, out: bob, since: 2020 }]);
    const named = new RecordId('knows', 'x');
    expect(await db.relate(ann, named, bob)).toEqual({ id: named, in: ann, out: bob });
    expect(await db.query('RETURN count(person:1->knows)')).toEqual([2]);
  });

  it('queries, and runs functions', async () => {
    expect(await db.query('RETURN 1; RETURN $x', { x: ann })).toEqual([1, ann]);
    const prepared: PreparedQuery = surql`RETURN [${1}, ${'two'}]`;
    expect(await db.query(prepared)).toEqual([[1, 'two']]);
    expect(await db.queryRaw('RETURN 1; THROW "no"')).toMatchObject([
      { status: 'OK', result: 1, time: expect.any(String) },
      { status: 'ERR', result: 'An error occurred: no' },
    ]);
    await db.query('DEFINE FUNCTION fn::add($a: int, $b: int) { RETURN $a + $b }');
    expect(await db.run('fn::add', [1, 2])).toBe(3);
    expect(await db.run('math::max', [[1, 2]])).toBe(2);
    const answer = await db.rpc('query', ['RETURN 1']);
    expect(answer).toMatchObject({ result: [{ status: 'OK', result: 1 }] });
  });

  it('brings values back as they were', async () => {
    const [a, b] = [new GeometryPoint([0, 0]), new GeometryPoint([1.5, 2])];
    const line = new GeometryLine([a, b]);
    const polygon = new GeometryPolygon([new GeometryLine([a, b, new GeometryPoint([3, 3]), a])]);
    const values = {
      null: null,
      float: 1.5,
      big: 9007199254740993n,
      decimal: new Decimal('1.25'),
      date: new Date('2024-02-29T12:34:56.123Z'),
      duration: new Duration('1h30m'),
      uuid: new Uuid('018f4e3a-7c1b-7def-8123-456789abcdef'),
      table: new Table('some'),
      record: new RecordId('a', ['x', 1, { y: 2 }]),
      range: new Range(new BoundIncluded(1), new BoundExcluded(5)),
      records: new RecordIdRange('a', new BoundIncluded(1), undefined),
      bytes: new Uint8Array([0, 1, 255]).buffer,
      geometry: new GeometryCollection([
        a,
        line,
        polygon,
        new GeometryMultiPoint([a, b]),
        new GeometryMultiLine([line]),
        new GeometryMultiPolygon([polygon]),
      ]),
    };
    const [back] = await db.query<[Record<string, unknown>]>('RETURN $values', { values });
    for (const [name, value] of Object.entries(values)) {
      expect(equals(back[name], value) || expect(back[name]).toEqual(value), name).toBeTruthy();
    }
  });

  it('fails with the messages of the server', async () => {
    const fails = async (work: Promise<unknown>, message: string) => {
      const error = await work.catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ResponseError);
      expect((error as ResponseError).message).toContain(message);
    };
    await fails(db.query('SEL ECT'), 'Parse error');
    await fails(db.query('THROW "no"'), 'An error occurred: no');
    await db.create(ann);
    await fails(db.create(ann), 'Database record `person:1` already exists');
    await fails(db.signin({ username: 'root', password: 'wrong' }), 'There was a problem with authentication');
    await fails(db.run('fn::missing'), "The function 'fn::missing' does not exist");
  });

  it('signs up, in and out', async () => {
    await db.query(`
      DEFINE USER OVERWRITE editor ON DATABASE PASSWORD 'a long password' ROLES EDITOR;
      DEFINE TABLE user PERMISSIONS FOR select WHERE id = $auth.id;
      DEFINE ACCESS account ON DATABASE TYPE RECORD
        SIGNUP (CREATE type::record('user', $name) SET pass = $pass)
        SIGNIN (SELECT * FROM type::record('user', $name) WHERE pass = $pass);
    `);
    const databasePath = { namespace: 'test', database };
    const account = { ...databasePath, access: 'account', variables: { name: 'ann', pass: 'x' } };
    const other = new Surreal();
    await other.connect(addressOf(server, scheme), { ...OPTIONS, ...databasePath });
    const token = await other.signup(account);
    expect(await other.info()).toMatchObject({ id: new RecordId('user', 'ann') });
    expect(await other.signin(account)).not.toBe(token);
    await other.invalidate();
    await expect(other.query('SELECT * FROM user')).rejects.toThrow();
    expect(await other.authenticate(token)).toBe(true);
    expect(await other.select('user')).toHaveLength(1);
    await other.signin({ ...databasePath, username: 'editor', password: 'a long password' });
    expect(await other.create(ann)).toEqual({ id: ann });
    await other.close();
  });
});

describe('live queries', () => {
  const databasePath = { namespace: 'test', database: 'first_live' };
  let db: Surreal;
  beforeEach(async () => {
    db = new Surreal();
    await db.connect(addressOf(server, 'ws'), { ...OPTIONS, ...databasePath, auth: ROOT, reconnect: true });
    await db.query('REMOVE TABLE IF EXISTS person; DEFINE TABLE person');
  });
  afterEach(() => db.close());

  it('notify of changes until they are killed', async () => {
    const told: unknown[] = [];
    let reconnections = 0;
    db.emitter.subscribe('reconnecting', () => reconnections++);
    const id = await db.live('person', (...what) => told.push(what));
    const patches: unknown[] = [];
    const differences = await db.live('person', (...what) => patches.push(what), true);
    await db.create(ann, { a: 1 });
    await db.merge(ann, { a: 2 });
    await db.delete(ann);
    await expect.poll(() => told).toHaveLength(3);
    expect(told).toEqual([
      ['CREATE', { id: ann, a: 1 }],
      ['UPDATE', { id: ann, a: 2 }],
      ['DELETE', { id: ann, a: 2 }],
    ]);
    await expect.poll(() => patches).toHaveLength(3);
    expect(patches[1]).toEqual(['UPDATE', [{ op: 'replace', path: '/a', value: 2 }]]);
    await db.kill([id, differences]);
    expect(told.at(-1)).toEqual(['CLOSE', 'killed']);
    await db.create(bob);
    expect(told).toHaveLength(4);
    // It takes what it doesn't know for a broken connection.
    expect([db.status, reconnections]).toEqual(['connected', 0]);
  });

  it('go on behind a versionstamp', async () => {
    await db.query(
      'REMOVE TABLE person; DEFINE TABLE person CHANGEFEED 1d INCLUDE ORIGINAL; CREATE person:1; CREATE person:2',
    );
    const hear = async (since: unknown, count: number) => {
      const text = 'LIVE SELECT id, $versionstamp AS at FROM person SINCE $since';
      const [id] = await db.query<[Uuid]>(text, { since });
      const told: { id: RecordId; at: bigint }[] = [];
      await db.subscribeLive(id, (action, result) => {
        if (action === 'CREATE') told.push(result as unknown as (typeof told)[number]);
      });
      await expect.poll(() => told).toHaveLength(count);
      await db.kill(id);
      return told;
    };
    const told = await hear(0, 2);
    expect(told.map(({ id }) => id)).toEqual([ann, bob]);
    expect((await hear(told[0]?.at, 1)).map(({ id }) => id)).toEqual([bob]);
  });

  it('keep a result right', async () => {
    await db.query('CREATE person:1 SET n = 1; CREATE person:2 SET n = 2');
    const text = 'LIVE QUERY SELECT id, n FROM person ORDER BY n DESC LIMIT 1';
    const [{ id, result }] = await db.query<[{ id: Uuid; result: unknown }]>(text);
    expect(result).toEqual([{ id: bob, n: 2 }]);
    const told: unknown[] = [];
    await db.subscribeLive(id, (...what) => told.push(what));
    await db.merge(ann, { n: 3 });
    await expect
      .poll(() => told)
      .toEqual([
        ['DELETE', { id: bob }],
        ['CREATE', { id: ann, n: 3 }],
      ]);
    await db.kill(id);
  });

  it('that a statement began are received, too', async () => {
    const [id] = await db.query<[Uuid]>('LIVE SELECT VALUE { name: name } FROM person');
    const told: unknown[] = [];
    const hear = (...what: unknown[]) => told.push(what);
    await db.subscribeLive(id, hear);
    await db.create(ann, { name: 'Ann' });
    await expect.poll(() => told).toEqual([['CREATE', { name: 'Ann' }]]);
    await db.unSubscribeLive(id, hear);
    await db.create(bob, { name: 'Bob' });
    expect(told).toHaveLength(1);
    await db.kill(id);
  });
});

it('comes back after the server has been away', async () => {
  const first = await startTestServer();
  const port = new URL(first.url).port;
  const db = new Surreal();
  await db.connect(addressOf(first, 'ws'), {
    versionCheck: false,
    reconnect: { enabled: true, retryDelay: 20, retryDelayMultiplier: 1, retryDelayJitter: 0, attempts: 200 },
    prepare: async (auth) => auth.signin(ROOT),
  });
  const back = new Promise<void>((resolve) => {
    db.emitter.subscribe('reconnecting', () => db.emitter.subscribe('connected', () => resolve()));
  });
  await first.close();
  const second = await startTestServer({ SVC_BIND: `127.0.0.1:${port}` });
  await back;
  await db.use({ namespace: 'test', database: 'test' });
  expect(await db.query('RETURN 1')).toEqual([1]);
  await db.close();
  await second.close();
});

import { beforeEach, describe, expect, it } from 'vitest';
import { failure } from '../../src/errors/error.js';
import { RpcConnection } from '../../src/rpc/connection.js';
import { METHODS } from '../../src/rpc/methods/table.js';
import { formatElapsed } from '../../src/session/session/time-text.js';
import { CBOR, JSON_FORMAT } from '../../src/value/codecs/formats.js';
import {
  isObject,
  newObject,
  type ObjectValue,
  objectFrom,
  Range,
  RecordId,
  Table,
  Uuid,
  type Value,
} from '../../src/value/value.js';
import { FakeDatabase, succeeded } from '../support/fake-database.js';

const SESSION = '11111111-1111-4111-8111-111111111111';

let database: FakeDatabase;
let connection: RpcConnection;
let reported: unknown[];

beforeEach(() => {
  database = new FakeDatabase();
  reported = [];
  connection = new RpcConnection(
    database,
    { id: 'test' },
    {
      defaults: { namespace: 'main', database: 'main' },
      attachedSessions: 2,
      onInternalError: (error) => reported.push(error.cause),
    },
  );
});

interface Envelope {
  readonly session?: Value;
  readonly txn?: Value;
  readonly json?: boolean;
}

async function send(method: Value, params?: Value, { json = false, ...rest }: Envelope = {}): Promise<ObjectValue> {
  const request = objectFrom({ id: '7', method, ...(params === undefined ? {} : { params }), ...rest });
  const response = await connection.handle(request, json ? JSON_FORMAT : CBOR);
  expect(response.id).toBe('7');
  return response;
}

async function result(method: string, params?: Value, envelope?: Envelope): Promise<Value> {
  const response = await send(method, params, envelope);
  expect(response.error).toBeUndefined();
  expect('result' in response).toBe(true);
  return response.result;
}

async function error(method: Value, params?: Value, envelope?: Envelope): Promise<ObjectValue> {
  const response = await send(method, params, envelope);
  expect('result' in response).toBe(false);
  if (!isObject(response.error)) throw new Error('no error');
  return response.error;
}

const plain = (value: Value): unknown => JSON.parse(JSON.stringify(value));

describe('envelopes', () => {
  it.each([7, '7', 'x'.repeat(1024), 2n ** 60n])('echoes the id %s with its type', async (id) => {
    const response = await connection.handle(objectFrom({ id, method: 'ping' }), CBOR);
    expect(response.id).toBe(id);
    expect('result' in response).toBe(true);
  });

  it.each([[undefined], [null], ['x'.repeat(1025)], [[1]], [newObject()], [true]])(
    'answers with a null id where there is none to echo',
    async (id) => {
      const response = await connection.handle(objectFrom({ id, method: 'ping' }), CBOR);
      expect(response.id).toBeNull();
    },
  );

  it.each([[5], [null], ['text'], [[]], [undefined]])('refuses %s as a request', async (message) => {
    const response = await connection.handle(message as Value, CBOR);
    expect(plain(response)).toMatchObject({ id: null, error: { code: -32600, kind: 'Validation' } });
  });

  it('refuses a method that is no text', async () => {
    expect(plain(await error(5))).toMatchObject({ code: -32600, details: { kind: 'InvalidRequest' } });
  });

  it.each(['PING', 'BEGIN', 'Live', '__proto__', 'constructor', ''])('knows no method %j', async (method) => {
    expect(plain(await error(method))).toEqual({
      code: -32601,
      message: 'Method not found',
      kind: 'NotFound',
      details: { kind: 'Method', details: { name: method } },
    });
  });

  it('refuses a transaction, since it can have none', async () => {
    expect(await error('query', ['RETURN 1'], { txn: new Uuid(SESSION) })).toMatchObject({
      code: -32603,
      message: 'Transaction not found',
    });
    expect(await result('query', ['RETURN 1'], { txn: null })).toEqual([]);
  });

  it('reports a failure of our own without telling the client about it', async () => {
    database.onQuery = () => {
      throw new TypeError('secret detail');
    };
    expect(await error('query', ['RETURN 1'])).toMatchObject({ code: -32000, kind: 'Internal' });
    expect(reported).toEqual([new TypeError('secret detail')]);
  });
});

describe('parameters', () => {
  const EXPECTED: Record<string, string> = {
    version: 'Expected 0 arguments',
    use: 'Expected (ns, db)',
    signin: 'Expected (params:object)',
    signup: 'Expected (params:object)',
    authenticate: 'Expected (token:string)',
    let: 'Expected (key:string, value:Value)',
    set: 'Expected (key:string, value:Value)',
    query: 'Expected (query:string, vars:object)',
    select: 'Expected (what:Value)',
    create: 'Expected (what:Value, data:Value)',
    insert: 'Expected (what:Value, data:Value)',
    insert_relation: 'Expected (what, data)',
    update: 'Expected (what, data)',
    upsert: 'Expected (what:Value, data:Value)',
    merge: 'Expected (what:Value, data:Value)',
    patch: 'Expected (what:Value, data:Value, diff:Value)',
    delete: 'Expected (what:Value)',
    relate: 'Expected (from:Value, kind:Value, with:Value, data:Value)',
    run: 'Expected (name:string, version:string, args:array)',
  };
  it.each(Object.entries(EXPECTED))('%s with too many says: %s', async (method, message) => {
    expect(await error(method, [1, 2, 3, 4, 5, 6, 7])).toMatchObject({ code: -32603, message, kind: 'Validation' });
    expect(database.executed).toEqual([]);
  });

  it.each(Object.keys(EXPECTED).filter((name) => name !== 'version'))('%s needs some', async (method) => {
    expect(await error(method)).toMatchObject({ code: -32603, kind: 'Validation' });
  });

  it.each(['ping', 'invalidate', 'reset', 'sessions'])('%s takes whatever comes', async (method) => {
    await result(method, [1, 2, 3]);
  });

  it.each([
    ['use', [1, 'b'], 'Expected ns to be string, got int'],
    ['use', ['a', 2], 'Expected db to be string, got int'],
    ['query', [1], 'Expected query to be string'],
    ['query', ['RETURN 1', [1]], 'Expected vars to be object, got array'],
    ['run', [5], 'Expected name to be string, got int'],
    ['run', ['time::now', 5], 'Expected version to be string, got int'],
    ['run', ['fn::g', undefined, 5], 'Expected args to be array, got int'],
    ['run', ['ml::x'], 'Expected version to be set for model function'],
    ['unset', [5], 'Expected (key)'],
    ['let', [5, 1], 'Expected (key:string, value:Value)'],
    ['authenticate', [5], 'Expected (token:string)'],
  ] as const)('%s %j', async (method, params, message) => {
    expect(await error(method, [...params])).toMatchObject({ code: -32603, message });
  });

  it('refuses params that are no array', async () => {
    expect(await error('ping', objectFrom({}))).toMatchObject({ code: -32603 });
  });

  it('has a name for every method', () => {
    for (const [name, method] of METHODS) expect(method.name).toBe(name);
  });
});

describe('use', () => {
  const place = (namespace: Value, db: Value) => objectFrom({ namespace, database: db });

  it('selects, keeps and unsets', async () => {
    expect(await result('use', ['a', 'b'])).toEqual(place('a', 'b'));
    expect(await result('use', [undefined, 'c'])).toEqual(place('a', 'c'));
    expect(await result('use', [undefined, undefined])).toEqual(place('a', 'c'));
    expect(await result('use', ['d', undefined])).toEqual(place('d', 'c'));
    expect(await result('use', [undefined, null])).toEqual(place('d', undefined));
    expect(await result('use', [null, undefined])).toEqual(place(undefined, undefined));
  });

  it('unsets the database with its namespace', async () => {
    await result('use', ['a', 'b']);
    expect(await result('use', [null, undefined])).toEqual(place(undefined, undefined));
  });

  it('selects the defaults for two NONEs on a fresh session', async () => {
    expect(await result('use', [undefined, undefined])).toEqual(place('main', 'main'));
  });

  it.each([[[undefined, 'b']], [[null, 'b']]])('refuses a database without a namespace', async (params) => {
    expect(await error('use', params)).toMatchObject({ message: 'Specify a namespace to use' });
  });
});

describe('identity', () => {
  it('gives the token, or both tokens', async () => {
    expect(await result('signin', [objectFrom({ user: 'root', pass: 'secret' })])).toBe('a.b.c');
    expect(await result('signup', [objectFrom({ pass: 'secret', refreshable: true })])).toEqual(
      objectFrom({ access: 'a.b.c', refresh: 'refresh' }),
    );
  });

  it('answers a wrong password with the code of authentication', async () => {
    expect(plain(await error('signin', [objectFrom({ user: 'root', pass: 'wrong' })]))).toEqual({
      code: -32002,
      message: 'There was a problem with authentication',
      kind: 'NotAllowed',
      details: { kind: 'Auth', details: { kind: 'InvalidAuth' } },
    });
  });

  it('authenticates, invalidates, resets', async () => {
    expect(await result('authenticate', ['a.b.c'])).toBeUndefined();
    expect(connection.session.identity.principal.kind).toBe('system');
    await result('invalidate');
    expect(connection.session.identity.principal.kind).toBe('guest');
    await result('use', ['a', 'b']);
    await result('reset');
    expect(connection.session.identity.databasePath.namespace).toBeUndefined();
  });

  it('names the record user', async () => {
    expect(await error('info')).toMatchObject({ code: -32600, message: 'Specify a namespace to use' });
    await result('use', ['a', 'b']);
    const user = objectFrom({ id: new RecordId('user', 1) });
    database.onExecute = () => succeeded([user]);
    expect(await result('info')).toBe(user);
    database.onExecute = () => succeeded([]);
    expect(await result('info')).toBeUndefined();
  });
});

describe('queries', () => {
  it('gives one entry for each statement', async () => {
    database.onQuery = () => [
      succeeded(1, 308_521n),
      { time: 5n, outcome: { ok: false, error: failure('record_exists', { id: 'p:1' }) } },
      { time: 0n, type: 'live', outcome: { ok: true, value: undefined } },
    ];
    const entries = await result('query', ['…', objectFrom({ a: 1 })]);
    expect(plain(entries)).toEqual([
      { result: 1, status: 'OK', time: '308.521µs' },
      {
        result: 'Database record `p:1` already exists',
        status: 'ERR',
        time: '5ns',
        kind: 'AlreadyExists',
        details: { kind: 'Record', details: { id: 'p:1' } },
      },
      { status: 'OK', time: '0ns', type: 'live' },
    ]);
    expect(database.queries[0]?.variables).toEqual(objectFrom({ a: 1 }));
  });

  it('sets and unsets variables, with and without the dollar', async () => {
    expect(await result('let', ['$a', 1])).toBeNull();
    expect(await result('set', ['b', 2])).toBeNull();
    expect(await result('unset', ['$b'])).toBeNull();
    expect([...(database.sessions[0]?.variables ?? [])]).toEqual([['a', { value: 1, weight: 0 }]]);
  });

  it('has GraphQL only where it was given', async () => {
    expect(await error('graphql', ['{a}'])).toMatchObject({ kind: 'NotFound' });
    const other = new RpcConnection(database, {}, { graphql: async (_session, request) => request.query });
    const response = await other.handle(objectFrom({ id: 1, method: 'graphql', params: ['{a}'] }), CBOR);
    expect(response.result).toBe('{a}');
  });
});

describe('records', () => {
  const one = new RecordId('person', 1);
  const range = new RecordId('person', new Range({ value: 1, inclusive: true }, undefined));
  const data = objectFrom({ a: 1 });

  async function statement(method: string, params: Value, envelope?: Envelope) {
    await result(method, params, envelope);
    const executed = database.executed.at(-1);
    return { statement: executed?.statements[0] as unknown as Record<string, unknown>, variables: executed?.variables };
  }

  it.each([
    ['select', [one], true],
    ['select', [range], false],
    ['select', [new Table('person')], false],
    ['select', ['person:1'], false],
    ['create', [one], true],
    ['create', ['person'], true],
    ['create', [new Table('person')], false],
    ['update', [one, data], true],
    ['upsert', ['person', data], false],
    ['merge', [one], true],
    ['delete', [range], false],
    ['delete', [one], true],
    ['relate', [one, 'knows', one], true],
    ['relate', [one, 'knows', [one, one]], false],
  ] as const)('%s %j: ONLY is %s', async (method, params, only) => {
    expect((await statement(method, [...params])).statement.only).toBe(only);
  });

  it('takes a plain text for a table in CBOR and for a record in JSON', async () => {
    expect((await statement('select', ['person:1'])).variables?._what).toEqual(new Table('person:1'));
    const json = await statement('select', ['person:1'], { json: true });
    expect(json.variables?._what).toEqual(one);
    expect(json.statement.only).toBe(true);
    expect((await statement('select', ['person'], { json: true })).variables?._what).toEqual(new Table('person'));
  });

  it('binds data and never writes it into a statement', async () => {
    const evil = '`; REMOVE DATABASE x; --';
    const { statement: made, variables } = await statement('create', [evil, objectFrom({ [evil]: evil })]);
    expect(JSON.stringify(made)).not.toContain('REMOVE');
    expect(variables?._what).toEqual(new Table(evil));
  });

  it.each([
    ['create', 'content', 'create'],
    ['update', 'content', 'update'],
    ['upsert', 'content', 'upsert'],
    ['merge', 'merge', 'update'],
    ['patch', 'patch', 'update'],
  ])('%s is %s', async (method, clause, kind) => {
    const { statement: made } = await statement(method, [one, data]);
    expect(made).toMatchObject({ kind, data: { kind: clause, value: { kind: 'param', name: '_data' } } });
    expect((await statement(method, [one, null])).statement.data).toBeUndefined();
  });

  it('makes the same statement for the same kind of call', async () => {
    const first = await statement('update', [one, data]);
    expect((await statement('update', [new RecordId('other', 2), data])).statement).toBe(first.statement);
  });

  it('gives the differences of a patch where they are asked for', async () => {
    expect((await statement('patch', [one, [], true])).statement.output).toEqual({ kind: 'diff' });
    expect((await statement('patch', [one, [], 5])).statement.output).toBeUndefined();
    expect((await statement('delete', [one])).statement.output).toEqual({ kind: 'before' });
  });

  it('inserts into a table, or where the ids say', async () => {
    expect((await statement('insert', ['person', data])).statement).toMatchObject({ relation: false, into: {} });
    expect((await statement('insert', [null, data])).statement.into).toBeUndefined();
    expect((await statement('insert_relation', [undefined, data])).statement).toMatchObject({ relation: true });
  });

  it('runs functions with their arguments bound', async () => {
    const { statement: made, variables } = await statement('run', ['fn::f', null, [1, 'x']]);
    expect(made).toMatchObject({
      kind: 'return',
      value: {
        kind: 'call',
        path: 'fn::f',
        args: [
          { kind: 'param', name: '_0' },
          { kind: 'param', name: '_1' },
        ],
      },
    });
    expect(variables).toEqual(objectFrom({ _0: 1, _1: 'x' }));
  });

  it('fails with the error of the statement', async () => {
    database.onExecute = () => ({ time: 0n, outcome: { ok: false, error: failure('record_exists', { id: 'p:1' }) } });
    expect(await error('create', [one])).toMatchObject({ code: -32000, kind: 'AlreadyExists' });
  });
});

describe('attached sessions', () => {
  const session = new Uuid(SESSION);
  const second = '22222222-2222-4222-8222-222222222222';

  it('attaches, uses, lists and detaches', async () => {
    expect(await result('attach', [], { session })).toBeUndefined();
    expect(await result('sessions')).toEqual([session]);
    await result('use', ['a', 'b'], { session });
    expect(connection.session.identity.databasePath.namespace).toBeUndefined();
    expect(database.sessions[1]?.namespace).toBe('a');
    await result('detach', [], { session });
    expect(database.sessions[1]?.closed).toBe(true);
    expect(await result('sessions')).toEqual([]);
    expect(await result('detach', [], { session })).toBeUndefined();
  });

  it('knows a session by its text as well', async () => {
    await result('attach', [], { session: SESSION.toUpperCase() });
    await result('query', ['RETURN 1'], { session });
  });

  it('refuses what is twice, unknown, missing or no UUID', async () => {
    await result('attach', [], { session });
    expect(plain(await error('attach', [], { session }))).toMatchObject({
      code: -32000,
      kind: 'AlreadyExists',
      details: { kind: 'Session', details: { id: SESSION } },
    });
    expect(await error('query', ['RETURN 1'], { session: second })).toMatchObject({ code: -32000, kind: 'NotFound' });
    expect(await error('attach')).toMatchObject({ code: -32603, message: 'Expected a session ID' });
    expect(await error('detach')).toMatchObject({ code: -32603, message: 'Expected a session ID' });
    expect(await error('ping', [], { session: 'xx' })).toMatchObject({ code: -32600 });
  });

  it('is bounded, and its own to each connection', async () => {
    await result('attach', [], { session });
    await result('attach', [], { session: second });
    expect(await error('attach', [], { session: '33333333-3333-4333-8333-333333333333' })).toMatchObject({
      code: -32600,
      message: 'The connection has reached its limit of 2 attached sessions',
    });
    const other = new RpcConnection(database, {});
    expect((await other.handle(objectFrom({ id: 1, method: 'sessions' }), CBOR)).result).toEqual([]);
    const foreign = await other.handle(objectFrom({ id: 1, method: 'query', params: ['x'], session }), CBOR);
    expect(foreign.error).toMatchObject({ kind: 'NotFound' });
  });

  it('is named by the answers to its requests, results and errors alike, as it was', async () => {
    for (const named of [session, SESSION, SESSION.toUpperCase()]) {
      expect((await send('attach', [], { session: named })).session).toBe(named);
      expect((await send('query', ['RETURN 1'], { session: named })).session).toBe(named);
      expect((await send('nothing', [], { session: named })).session).toBe(named);
      await send('detach', [], { session: named });
      expect(await send('query', ['RETURN 1'], { session: named })).toMatchObject({ session: named, error: {} });
    }
    for (const none of [undefined, null, 'xx', 7])
      expect('session' in (await send('ping', [], { session: none }))).toBe(false);
  });

  it('closes all of them with the connection', async () => {
    await result('attach', [], { session });
    connection.close();
    expect(database.sessions.map(({ closed }) => closed)).toEqual([true, true]);
  });
});

describe('times', () => {
  it.each([
    [0n, '0ns'],
    [999n, '999ns'],
    [1_000n, '1µs'],
    [308_521n, '308.521µs'],
    [999_999_999n, '999.999999ms'],
    [1_000_000_000n, '1s'],
    [3_661_500_000_000n, '3661.5s'],
  ])('%s is %s', (time, text) => {
    expect(formatElapsed(time)).toBe(text);
    expect(text).toMatch(/^\d+(\.\d+)?(ns|µs|ms|s|m)$/);
  });
});

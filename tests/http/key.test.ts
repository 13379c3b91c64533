/** `/key/:table` and `/key/:table/:id`. */
import type { FastifyInstance, InjectOptions } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { realEnvironment } from '../../src/env/real.js';
import { createHttpServer } from '../../src/http/server.js';
import type { Session } from '../../src/session/contract.js';
import { openDatabase } from '../../src/session/database/database.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { encodeCbor } from '../../src/value/codecs/cbor-encode.js';
import { toText } from '../../src/value/text/text.js';
import { objectFrom } from '../../src/value/value.js';

let app: FastifyInstance;
let owner: Session;
let token: string;

beforeEach(async () => {
  const database = await openDatabase(new MemoryEngine(realEnvironment), { guests: true });
  app = createHttpServer({ database, options: { limits: { keyBody: 100 } } });
  app.addHook('onClose', () => database.close());
  owner = database.ownerSession();
  await owner.use('test', 'test');
  await owner.query(`DEFINE USER root ON ROOT PASSWORD 'root' ROLES OWNER; DEFINE TABLE person; DEFINE TABLE note PERMISSIONS
      FOR select WHERE public OR owner = $auth FOR create, update WHERE owner = $auth FOR delete NONE;
    DEFINE FIELD secret ON note PERMISSIONS FOR select NONE;
    DEFINE ACCESS app ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM person:ada); CREATE person:ada;
    CREATE note:1 SET public = true, secret = 1, owner = person:bob; CREATE note:2 SET owner = person:ada; CREATE note:3 SET owner = person:bob`);
  const visitor = database.session({});
  ({ access: token } = await visitor.signIn(objectFrom({ NS: 'test', DB: 'test', AC: 'app' })));
});
afterEach(() => app.close());

type Who = 'owner' | 'user' | 'guest';

async function ask(
  method: InjectOptions['method'],
  path: string,
  payload: InjectOptions['payload'] = '',
  who: Who = 'owner',
  type = '',
) {
  const authorization = {
    owner: `Basic ${Buffer.from('root:root').toString('base64')}`,
    user: `Bearer ${token}`,
    guest: undefined,
  }[who];
  const { statusCode, payload: text } = await app.inject({
    method: method ?? 'GET',
    url: `/key/${path}`,
    headers: {
      'surreal-ns': 'test',
      'surreal-db': 'test',
      ...(authorization && { authorization }),
      ...(type !== '' && { 'content-type': type }),
    },
    ...(payload !== '' && { payload }),
  });
  const body = JSON.parse(text);
  return {
    status: statusCode,
    error: body.error,
    results: Array.isArray(body) ? body.map(({ result }) => result) : body,
  };
}

const stored = async (text: string) => {
  const [answer] = await owner.query(text);
  return answer?.outcome.ok === true ? toText(answer.outcome.value) : 'an error';
};

describe('/key', () => {
  it('does with a record what the method says', async () => {
    expect(await ask('POST', 'cat/1', '{"name": "Tom"}')).toMatchObject({
      status: 200,
      results: [[{ id: 'cat:1', name: 'Tom' }]],
    });
    expect((await ask('POST', 'cat/1', '{}')).results[0]).toContain('already exists');
    expect((await ask('GET', 'cat/1')).results).toEqual([[{ id: 'cat:1', name: 'Tom' }]]);
    expect((await ask('PATCH', 'cat/1', '{"age": 3}')).results).toEqual([[{ id: 'cat:1', name: 'Tom', age: 3 }]]);
    expect((await ask('PUT', 'cat/1', '{"age": 4}')).results).toEqual([[{ id: 'cat:1', age: 4 }]]);
    expect((await ask('PUT', 'cat/2', '{"age": 5}')).results).toEqual([[{ id: 'cat:2', age: 5 }]]);
    expect((await ask('PATCH', 'cat/3', '{"age": 5}')).results).toEqual([[]]);
    expect((await ask('DELETE', 'cat/1')).results).toEqual([[{ id: 'cat:1', age: 4 }]]);
    expect((await ask('GET', 'cat/1')).results).toEqual([[]]);
  });

  it('does with a table what the method says', async () => {
    expect((await ask('POST', 'cat', '{"id": 7, "age": 1}')).results).toEqual([[{ id: 'cat:7', age: 1 }]]);
    await ask('POST', 'cat/8', '{"age": 2}');
    await ask('POST', 'cat/9', '{"age": 3}');
    expect((await ask('GET', 'cat?start=1&limit=1&fields=id,age')).results).toEqual([[{ id: 'cat:8', age: 2 }]]);
    expect((await ask('PATCH', 'cat', '{"old": false}')).results[0]).toHaveLength(3);
    expect((await ask('PUT', 'cat', '{"new": 1}')).results[0]).toHaveLength(3);
    expect((await ask('DELETE', 'cat')).results[0]).toHaveLength(3);
    expect((await ask('GET', 'cat')).results).toEqual([[]]);
  });

  it('reads ids as record ids have them', async () => {
    const ids: Record<string, string> = {
      '12': 't:12',
      '-12': 't:-12',
      abc: 't:abc',
      '⟨12⟩': 't:`12`',
      '`12`': 't:`12`',
      'a b': 't:`a b`',
      'a/b': 't:`a/b`',
      '99999999999999999999': 't:`99999999999999999999`',
      '018f0000-0000-7000-8000-000000000000': "t:u'018f0000-0000-7000-8000-000000000000'",
      "u'018f0000-0000-7000-8000-000000000001'": "t:u'018f0000-0000-7000-8000-000000000001'",
      "[1, 'x']": "t:[1, 'x']",
      '1..5': 't:`1..5`',
      'rand()': 't:`rand()`',
      '1; DELETE t': 't:`1; DELETE t`',
      ['x'.repeat(500)]: `t:${'x'.repeat(500)}`,
    };
    for (const [id, record] of Object.entries(ids)) {
      const path = `t/${encodeURIComponent(id)}`;
      expect((await ask('POST', path, '{}')).status).toBe(200);
      expect(await stored('SELECT VALUE id FROM ONLY t LIMIT 1')).toBe(record);
      expect((await ask('DELETE', path)).results[0]).toHaveLength(1);
    }
    expect((await ask('POST', `${encodeURIComponent('a `b')}/1`, '{}')).status).toBe(200);
    expect(await stored('SELECT VALUE id FROM `a \\`b`')).toBe('[`a \\`b`:1]');
  });

  it('reads bodies as JSON, CBOR and as they are written in statements, and runs nothing in them', async () => {
    await ask('POST', 'b/1', '{"a": "x\\/\\u00fc"}');
    await ask('POST', 'b/2', "{ d: d'2020-01-01T00:00:00Z', r: b:1, n: [$n] }", 'owner', 'text/plain');
    await ask('POST', 'b/3?n=1', '{ n: $n }');
    await ask('POST', 'b/4', Buffer.from(encodeCbor(objectFrom({ a: 1 }))), 'owner', 'application/cbor');
    expect(await stored('SELECT * FROM b')).toBe("[{ a: 'x/ü', id: b:1 }, { id: b:3, n: '1' }, { a: 1, id: b:4 }]");
    await ask('POST', 'b/5', "{ d: d'2020-01-01T00:00:00Z', r: b:1 }");
    expect(await stored('SELECT VALUE d FROM b:5')).toBe("[d'2020-01-01T00:00:00Z']");
    for (const body of [
      '{ a: rand() }',
      '{ a: (DELETE b) }',
      '{ a: fn::f() }',
      '{ a: $auth }',
      '{} ; DELETE b',
      '{',
      '',
    ]) {
      expect(await ask('POST', 'b/9', body)).toMatchObject({ status: 400 });
    }
    expect(await ask('POST', 'b/9', `{ "a": "${'x'.repeat(100)}" }`)).toMatchObject({ status: 413 });
    expect((await ask('POST', 'b/9', '[1]')).results[0]).toContain('CONTENT');
    expect(await stored('SELECT VALUE id FROM b')).toBe('[b:1, b:3, b:4, b:5]');
  });

  it('refuses parameters that make no sense', async () => {
    for (const query of [
      'limit=x',
      'start=-1',
      'limit=1e9',
      'fields=',
      'fields=a,,b',
      'fields=a()',
      'fields=->x',
      'fields=a[WHERE b]',
    ]) {
      expect(await ask('GET', `note?${encodeURI(query)}`)).toMatchObject({ status: 400 });
    }
    expect((await ask('GET', '')).status).toBe(404);
    expect((await ask('GET', 'a/b/c')).status).toBe(404);
  });

  it('shows and changes what the caller may', async () => {
    const ids = async (path: string, who: Who) =>
      ((await ask('GET', path, '', who)).results[0] as { id: string; secret?: number }[]).map(({ id, secret }) => [
        id,
        secret,
      ]);
    expect(await ids('note', 'owner')).toEqual([
      ['note:1', 1],
      ['note:2', undefined],
      ['note:3', undefined],
    ]);
    expect(await ids('note', 'user')).toEqual([
      ['note:1', undefined],
      ['note:2', undefined],
    ]);
    expect(await ids('note', 'guest')).toEqual([['note:1', undefined]]);
    expect(await ids('note/3', 'user')).toEqual([]);
    expect((await ask('GET', 'note/1?fields=secret', '', 'guest')).results).toEqual([[{ secret: null }]]);
    expect(await ids('person', 'guest')).toEqual([]);

    for (const who of ['user', 'guest'] as const) {
      expect((await ask('DELETE', 'note', '', who)).results).toEqual([[]]);
      expect((await ask('PATCH', 'note/3', '{"public": true}', who)).results).toEqual([[]]);
      expect((await ask('PUT', 'note/3', '{"public": true}', who)).results).toEqual([[]]);
      expect((await ask('POST', 'note/4', '{"owner": 1}', who)).results).toEqual([[]]);
    }
    expect((await ask('PATCH', 'note/2', '{"public": true}', 'user')).results[0]).toHaveLength(1);
    expect((await ask('POST', 'note/5', '{ owner: person:ada }', 'user')).results[0]).toHaveLength(1);
    expect(await stored('SELECT VALUE id FROM note')).toBe('[note:1, note:2, note:3, note:5]');
  });
});

/** What the client's builders and queries become. */
import {
  and,
  BoundExcluded,
  BoundIncluded,
  BoundQuery,
  between,
  contains,
  containsAll,
  containsAny,
  containsNone,
  DateTime,
  Duration,
  eeq,
  eq,
  expr,
  gt,
  gte,
  inside,
  lt,
  lte,
  ne,
  not,
  or,
  RecordId,
  RecordIdRange,
  StringRecordId,
  type Surreal,
  surql,
  Table,
} from 'surrealdb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RunningServer } from '../../../src/server/server.js';
import { startDrawnServer } from '../../support/drawn-server.js';
import { asRoot, SCHEMES } from './client.js';

let server: RunningServer;
beforeAll(async () => {
  server = await startDrawnServer('client: statements');
});
afterAll(() => server.close());

const person = new Table('person');
const ann = new RecordId('person', 1);
const bob = new RecordId('person', 2);
const eve = new RecordId('person', 3);

interface Person extends Record<string, unknown> {
  name: string;
  age: number;
  tags: string[];
}

describe.each(SCHEMES)('over %s', (scheme) => {
  let db: Surreal;
  beforeEach(async () => {
    db = await asRoot(server, scheme, `statements_${scheme}`);
    await db.insert(person, [
      { id: 1, name: 'Ann', age: 30, tags: ['a', 'b'], friend: bob },
      { id: 2, name: 'Bob', age: 40, tags: ['b'] },
      { id: 3, name: 'Eve', age: 50, tags: [] },
    ]);
  });
  afterEach(() => db.close());

  const names = (people: readonly { readonly name: string }[]) => people.map(({ name }) => name).sort();

  describe('select', () => {
    it('one, a range, a table, and what is missing', async () => {
      expect(await db.select<Person>(ann)).toMatchObject({ id: ann, name: 'Ann' });
      expect(await db.select<Person>(new StringRecordId('person:2'))).toMatchObject({ id: bob, name: 'Bob' });
      expect(await db.select<Person>(new RecordId('person', 9))).toBeUndefined();
      const some = new RecordIdRange('person', new BoundIncluded(1), new BoundExcluded(3));
      expect(names(await db.select<Person>(some))).toEqual(['Ann', 'Bob']);
      expect(names(await db.select<Person>(person))).toEqual(['Ann', 'Bob', 'Eve']);
    });

    it('fields, one value, and what links lead to', async () => {
      expect(await db.select<Person>(ann).fields('name', 'age')).toEqual({ name: 'Ann', age: 30 });
      expect(await db.select<Person>(person).value('name')).toEqual(['Ann', 'Bob', 'Eve']);
      expect(await db.select<Person>(ann).fetch('friend')).toMatchObject({ friend: { id: bob, name: 'Bob' } });
    });

    it('pages, in time', async () => {
      expect(names(await db.select<Person>(person).start(1).limit(1))).toEqual(['Bob']);
      const at = DateTime.now();
      expect(await db.select<Person>(person).where(gt('age', 100))).toEqual([]);
      expect(at).toBeInstanceOf(DateTime);
    });

    it.each([
      [eq('name', 'Ann'), ['Ann']],
      [eeq('age', 40), ['Bob']],
      [ne('name', 'Ann'), ['Bob', 'Eve']],
      [gt('age', 40), ['Eve']],
      [gte('age', 40), ['Bob', 'Eve']],
      [lt('age', 40), ['Ann']],
      [lte('age', 40), ['Ann', 'Bob']],
      [between('age', 35, 45), ['Bob']],
      [contains('tags', 'a'), ['Ann']],
      [containsAny('tags', ['a', 'b']), ['Ann', 'Bob']],
      [containsAll('tags', ['a', 'b']), ['Ann']],
      [containsNone('tags', ['a', 'b']), ['Eve']],
      [inside('name', ['Ann', 'Eve']), ['Ann', 'Eve']],
      [and(gt('age', 30), lt('age', 50)), ['Bob']],
      [or(eq('name', 'Ann'), eq('name', 'Eve')), ['Ann', 'Eve']],
      [not(eq('name', 'Ann')), ['Bob', 'Eve']],
    ])('by a condition (%#)', async (condition, found) => {
      expect(names(await db.select<Person>(person).where(condition))).toEqual(found);
      expect(await db.query(surql`SELECT VALUE name FROM person WHERE ${expr(condition)}`)).toEqual([found]);
    });

    it('as JSON, and as a stream', async () => {
      expect(await db.select<Person>(ann).fields('id', 'friend').json()).toEqual({
        id: 'person:1',
        friend: 'person:2',
      });
      const seen: unknown[] = [];
      for await (const frame of db.select<Person>(person).fields('name').stream()) {
        if (frame.isValue()) seen.push(frame.value);
      }
      expect(seen).toEqual([{ name: 'Ann' }, { name: 'Bob' }, { name: 'Eve' }]);
    });
  });

  describe('create', () => {
    it('with an id, without, with content, patched', async () => {
      const id = new RecordId('thing', 'x');
      expect(await db.create(id)).toEqual({ id });
      expect(await db.create<Person>(new Table('thing')).content({ name: 'new' })).toMatchObject([{ name: 'new' }]);
      const patched = await db.create(new RecordId('thing', 'y')).patch([{ op: 'add', path: '/a', value: 1 }]);
      expect(patched).toMatchObject({ a: 1 });
    });

    it.each([
      ['none', undefined],
      ['null', undefined],
      ['after', { id: new RecordId('thing', 1), a: 1 }],
      ['diff', [{ op: 'replace', path: '', value: { id: new RecordId('thing', 1), a: 1 } }]],
    ] as const)('with the output %s', async (output, expected) => {
      const made = await db
        .create(new RecordId('thing', 1))
        .content({ a: 1 })
        .output(output)
        .timeout(Duration.seconds(5));
      if (expected === undefined) expect(made ?? undefined).toBeUndefined();
      else expect(made).toEqual(expected);
    });
  });

  describe('insert', () => {
    it('one, many, ignoring those that are there', async () => {
      const things = new Table('thing');
      expect(await db.insert({ id: new RecordId('thing', 1), a: 1 })).toEqual([{ id: new RecordId('thing', 1), a: 1 }]);
      expect(await db.insert(things, [{ id: 2 }, { id: 3 }])).toHaveLength(2);
      expect(await db.insert(things, [{ id: 3 }, { id: 4 }]).ignore()).toEqual([{ id: new RecordId('thing', 4) }]);
      expect(await db.insert(things, { id: 5 }).output('none')).toEqual([]);
    });

    it('edges', async () => {
      const edges = await db
        .insert(new Table('likes'), [
          { in: ann, out: bob },
          { in: bob, out: eve },
        ])
        .relation();
      expect(edges).toMatchObject([
        { in: ann, out: bob },
        { in: bob, out: eve },
      ]);
      expect(await db.insert({ id: new RecordId('likes', 1), in: ann, out: eve }).relation()).toMatchObject([
        { id: new RecordId('likes', 1), in: ann, out: eve },
      ]);
      expect((await db.query('RETURN person:1->likes->person.name'))[0]).toHaveLength(2);
    });
  });

  it('relates one to one, and many to many', async () => {
    const likes = new Table('likes');
    expect(await db.relate(ann, likes, bob, { since: 2020 })).toMatchObject({ in: ann, out: bob, since: 2020 });
    const named = new RecordId('likes', 'x');
    expect(await db.relate(ann, named, bob)).toEqual({ id: named, in: ann, out: bob });
    expect(await db.relate([ann, bob], likes, [eve])).toMatchObject([
      { in: ann, out: eve },
      { in: bob, out: eve },
    ]);
  });

  // Both take the same, yet their types can't be called as one.
  describe.each(['update', 'upsert'] as 'update'[])('%s', (method) => {
    it('content, merge, replace and patch', async () => {
      expect(await db[method](ann).content({ a: 1 })).toEqual({ id: ann, a: 1 });
      expect(await db[method](ann).merge({ b: 2 })).toEqual({ id: ann, a: 1, b: 2 });
      expect(await db[method](ann).replace({ c: 3 })).toEqual({ id: ann, c: 3 });
      const patches = [
        { op: 'add', path: '/d', value: 4 },
        { op: 'remove', path: '/c' },
      ] as const;
      expect(await db[method](ann).patch([...patches])).toEqual({ id: ann, d: 4 });
      expect(await db[method](ann)).toEqual({ id: ann, d: 4 });
    });

    it('many, by a condition, and what it was before', async () => {
      const older = await db[method]<Person>(person).merge({ old: true }).where(gt('age', 35));
      expect(names(older)).toEqual(['Bob', 'Eve']);
      const range = new RecordIdRange('person', new BoundIncluded(1), new BoundIncluded(2));
      expect(await db[method](range).merge({ x: 1 })).toHaveLength(2);
      expect(await db[method](eve).merge({ age: 51 }).output('before')).toMatchObject({ age: 50 });
      expect(await db[method](eve).merge({ age: 52 }).output('diff')).toEqual([
        { op: 'replace', path: '/age', value: 52 },
      ]);
    });
  });

  it('updates nothing that is missing, and upserts it', async () => {
    const missing = new RecordId('person', 9);
    expect(await db.update(missing).merge({ a: 1 })).toBeUndefined();
    expect(await db.upsert(missing).merge({ a: 1 })).toEqual({ id: missing, a: 1 });
  });

  it('deletes one, a range and a table', async () => {
    expect(await db.delete<Person>(ann)).toMatchObject({ name: 'Ann' });
    expect(await db.delete(ann)).toBeUndefined();
    expect(await db.delete<Person>(bob).output('none')).toBeUndefined();
    expect(await db.delete<Person>(new RecordIdRange('person', undefined, new BoundIncluded(3)))).toHaveLength(1);
    await db.insert(person, [{ id: 1 }, { id: 2 }]);
    expect(await db.delete(person)).toHaveLength(2);
  });

  it('runs functions', async () => {
    await db.query(
      'DEFINE FUNCTION fn::greet($name: string, $often: option<int>) { RETURN string::repeat($name, $often ?? 1) }',
    );
    expect(await db.run('fn::greet', ['Ann'])).toBe('Ann');
    expect(await db.run('fn::greet', ['Ann', 2])).toBe('AnnAnn');
    expect(await db.run('string::uppercase', ['x'])).toBe('X');
    expect(await db.run<DateTime>('time::now')).toBeInstanceOf(DateTime);
    await expect(db.run('fn::missing')).rejects.toThrow("The function 'fn::missing' does not exist");
    await expect(db.run('ml::model', '1.0.0', [1])).rejects.toThrow();
  });

  describe('query', () => {
    it('binds values, and gives what was asked for', async () => {
      const name = "'; REMOVE TABLE person; '";
      expect(await db.query(surql`RETURN ${name}`)).toEqual([name]);
      const bound = new BoundQuery('SELECT VALUE name FROM person WHERE age > $age', { age: 35 });
      bound.append(surql` AND name != ${'Eve'}`);
      expect(await db.query(bound)).toEqual([['Bob']]);
      expect(await db.query('LET $a = 1; RETURN $a + $b', { b: 2 }).collect<[number]>(1)).toEqual([3]);
      expect(await db.query('')).toEqual([]);
      expect(await db.query('SELECT id FROM person:1').json()).toEqual([[{ id: 'person:1' }]]);
    });

    it('distinguishes the answers', async () => {
      const responses = await db.query('RETURN 1; THROW "no"; SELECT VALUE name FROM person').responses();
      expect(responses).toMatchObject([
        { success: true, type: 'other', result: 1 },
        { success: false, error: { kind: 'Thrown', message: 'An error occurred: no' } },
        { success: true, result: ['Ann', 'Bob', 'Eve'] },
      ]);
      expect(responses[0]?.stats?.duration).toBeInstanceOf(Duration);
      const frames: string[] = [];
      for await (const frame of db.query('RETURN 1; THROW "no"; RETURN [1, 2]').stream()) {
        frames.push(frame.isValue() ? `value ${frame.value}` : frame.isError() ? 'error' : 'done');
      }
      expect(frames).toEqual(['value 1', 'done', 'error', 'value 1', 'value 2', 'done']);
    });

    it('in a transaction of its own', async () => {
      const responses = await db.query('BEGIN; CREATE person:9; THROW "no"; CREATE person:10; COMMIT').responses();
      expect(responses.map((response) => (response.success ? 'ok' : response.error.kind))).toEqual([
        'ok',
        'Query',
        'Thrown',
        'Query',
      ]);
      expect(await db.select(new RecordId('person', 9))).toBeUndefined();
    });
  });

  it('invokes endpoints', async () => {
    await db.query(`
      DEFINE API '/people' FOR get THEN { { status: 200, body: (SELECT VALUE name FROM person), headers: { 'X-Made': 'here' } } }
        FOR post THEN { { status: 201, body: $request.body } };
      DEFINE API '/people/:id' FOR any THEN { { body: { method: $request.method, id: $request.params.id, q: $request.query.q } } };
      DEFINE API '/refused' FOR get THEN { { status: 500 } };
    `);
    const api = db.api();
    expect(await api.get('/people')).toMatchObject({
      status: 200,
      body: ['Ann', 'Bob', 'Eve'],
      headers: { 'x-made': 'here' },
    });
    expect(await api.post('/people', { name: 'New' })).toMatchObject({ status: 201, body: { name: 'New' } });
    expect(await api.get('/people').value()).toEqual(['Ann', 'Bob', 'Eve']);
    for (const method of ['get', 'post', 'put', 'delete', 'patch', 'trace'] as const) {
      const body = { method, id: '7', q: 'x' };
      expect(await api[method]('/people/7').query('q', 'x').value()).toEqual(body);
    }
    const prefixed = db.api('/people');
    prefixed.header('X-Own', 'me');
    expect(await prefixed.invoke('/8', { method: 'get', query: { q: 'y' } })).toMatchObject({
      body: { id: '8', q: 'y' },
    });
    expect(await api.get('/refused')).toMatchObject({ status: 500, body: undefined });
    await expect(api.get('/refused').value()).rejects.toThrow();
    expect(await api.get('/missing')).toMatchObject({ status: 404 });
  });
});

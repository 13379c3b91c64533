/** Tessera's own interface in process. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, expectTypeOf, it } from 'vitest';
import {
  newObject,
  type RecordId,
  type SetValue,
  Tessera,
  TesseraError,
  toJson,
  toText,
  type Value,
} from '../../src/embedded/index.js';

interface Person {
  id: RecordId;
  name: string;
  tags: string[];
}

let db: Tessera;
beforeEach(async () => {
  db = await Tessera.open();
  await db.use('test', 'test');
});
afterEach(() => db.close());

describe('results', () => {
  it('have the types that the program says', async () => {
    const [people, count] = await db.query<[Person[], number]>(
      "CREATE person:1 SET name = 'Ann', tags = []; RETURN count(SELECT * FROM person)",
    );
    expectTypeOf(people).toEqualTypeOf<Person[]>();
    expectTypeOf(await db.query('RETURN 1')).toEqualTypeOf<Value[]>();
    expect(people[0]?.name.toUpperCase()).toBe('ANN');
    expect(count).toBe(1);
  });

  it('belong to the program, which may change them', async () => {
    const bytes = new Uint8Array([1]);
    const given = newObject();
    given.x = 1;
    await db.query(
      'CREATE person:[1, [2]] SET name = "Ann", tags = ["a"], bytes = $bytes, given = $given, set = {1, [2],}',
      {
        bytes,
        given,
      },
    );
    const before = toText((await db.query('SELECT * FROM person'))[0]);
    bytes[0] = 9;
    given.x = 9;
    interface Row extends Person {
      bytes: Uint8Array;
      given: { x: number };
      set: SetValue;
    }
    const [[row]] = await db.query<[[Row]]>('SELECT * FROM person');
    const [run] = await db.run('SELECT * FROM person');
    for (const one of [row, run?.outcome.ok && (run.outcome.value as unknown as [Row])[0]]) {
      if (!one) throw new Error('no row');
      one.name = 'Eve';
      one.tags.push('b');
      one.bytes[0] = 8;
      one.given.x = 8;
      (one.id.key as unknown[]).push(3);
      (one.set.items as unknown[]).pop();
    }
    expect(toText((await db.query('SELECT * FROM person'))[0])).toBe(before);
  });
});

it('prints results as what they are', async () => {
  const [object] = await db.query('RETURN { a: { b: person:1 }, `__proto__`: 1 }');
  expect(inspect(object)).toBe("{ a: { b: RecordId { table: 'person', key: 1 } }, ['__proto__']: 1 }");
  expect(toJson(object)).toBe('{"__proto__":1,"a":{"b":"person:1"}}');
});

it('fails a statement alone whose result would be too large', async () => {
  const doubled = Array.from({ length: 40 }, (_, n) => `LET $x${n + 1} = [$x${n}, $x${n}];`).join('');
  const results = await db.run(`LET $x0 = 1; ${doubled} RETURN $x40; RETURN 5`);
  expect(results.slice(-2).map(({ outcome }) => (outcome.ok ? outcome.value : outcome.error.code))).toEqual([
    'value_too_large',
    5,
  ]);
});

describe('transactions', () => {
  it('are committed when their work is done', async () => {
    const count = await db.transaction(async (transaction) => {
      await transaction.query('CREATE person:1; CREATE person:2');
      expect(await db.query('SELECT VALUE id FROM person').catch(() => 'no table')).toBe('no table');
      return (await transaction.query<[number]>('RETURN count(SELECT * FROM person)'))[0];
    });
    expect(count).toBe(2);
    expect(await db.query('RETURN count(SELECT * FROM person)')).toEqual([2]);
  });

  it('are cancelled when it fails', async () => {
    await db.query('DEFINE TABLE person');
    const work = db.transaction(async (transaction) => {
      await transaction.query('CREATE person:1');
      throw new Error('changed my mind');
    });
    await expect(work).rejects.toThrow('changed my mind');
    expect(await db.query('SELECT * FROM person')).toEqual([[]]);
  });

  it('are run again when they conflict, until it is too often', async () => {
    await db.query('CREATE counter:1 SET n = 0');
    const add = (disturbances: number) => {
      let tries = 0;
      return db.transaction(async (transaction) => {
        const [n] = await transaction.query<[number]>('RETURN counter:1.n');
        if (tries++ < disturbances) await db.query('UPDATE counter:1 SET n += 10');
        await transaction.query('UPDATE counter:1 SET n = $n', { n: n + 1 });
        return tries;
      });
    };
    expect(await add(2)).toBe(3);
    expect(await db.query('RETURN counter:1.n')).toEqual([21]);
    await expect(add(1_000)).rejects.toMatchObject({ code: 'transaction_conflict' });
  });
});

describe('export and import', () => {
  it('carry a database over', async () => {
    const [from, to] = [await Tessera.open('memory'), await Tessera.open('memory')];
    for (const db of [from, to]) await db.use('test', 'test');
    await from.query("DEFINE TABLE person; DEFINE FIELD name ON person TYPE string; CREATE person:1 SET name = 'Ann'");
    await to.import(from.export());
    expect(toJson(await to.query('SELECT * FROM person; INFO FOR TABLE person'))).toBe(
      toJson(await from.query('SELECT * FROM person; INFO FOR TABLE person')),
    );
    await expect(to.import('CREATE person:1; CREATE person:2')).rejects.toMatchObject({ code: 'import_failed' });
    expect(await to.query('SELECT VALUE id.id() FROM person')).toEqual([[1]]);
    await from.close();
    await to.close();
  });
});

describe('sessions', () => {
  it('of users see what they may', async () => {
    await db.query(`
      DEFINE TABLE note PERMISSIONS FOR select, create WHERE owner = $auth;
      DEFINE FIELD owner ON note TYPE record DEFAULT $auth;
      DEFINE TABLE user PERMISSIONS FOR select WHERE id = $auth;
      DEFINE ACCESS account ON DATABASE TYPE RECORD SIGNUP (CREATE user SET name = $name) WITH REFRESH;
      CREATE note:secret SET owner = user:other;
    `);
    const session = db.session();
    await expect(session.query('SELECT * FROM note')).rejects.toThrow(TesseraError);
    const tokens = await session.signUp({ NS: 'test', DB: 'test', AC: 'account', name: 'Ann' });
    await session.query('CREATE note:mine');
    expect(toText((await session.query('SELECT VALUE id FROM note'))[0])).toBe('[note:mine]');
    session.set('x', new Map([['a', 1]]));
    expect(toText((await session.query('RETURN [$x.a, $auth.name]'))[0])).toBe("[1, 'Ann']");
    session.unset('x');
    expect(await session.query('RETURN $x')).toEqual([undefined]);
    expect(() => session.set('auth', 1)).toThrow(TesseraError);
    session.invalidate();
    await expect(session.query('SELECT * FROM note')).rejects.toThrow(TesseraError);
    if (tokens.refresh === undefined) throw new Error('no refresh token');
    const { access } = await session.refresh({ access: tokens.access, refresh: tokens.refresh });
    await session.authenticate(access);
    expect((await session.query<[Value[]]>('SELECT * FROM note'))[0]).toHaveLength(1);
    await session.close();
    await expect(session.query('SELECT * FROM note')).rejects.toThrow(TesseraError);
  });

  it('of the owner have no rights once they are closed', async () => {
    const other = await Tessera.open();
    const subscription = await other
      .use('a', 'b')
      .then(() => other.query('DEFINE TABLE c'))
      .then(() => other.subscribe('LIVE SELECT * FROM c'));
    const next = subscription.next();
    await other.close();
    expect(await next).toEqual({ done: true, value: undefined });
    await expect(other.query('RETURN 1')).rejects.toThrow();
  });

  it('close with the block that uses them', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tessera-'));
    for (const expected of [1, 2]) {
      const store = await Tessera.open(folder);
      await store.use('test', 'test');
      expect(await store.query('CREATE a; RETURN count(SELECT * FROM a)').then(([, count]) => count)).toBe(expected);
      await store[Symbol.asyncDispose]();
    }
    rmSync(folder, { recursive: true });
  });
});

describe('subscriptions', () => {
  beforeEach(() => db.query('DEFINE TABLE person'));

  it('are lists of changes, until the loop is left', async () => {
    const people = await db.subscribe<Person>('LIVE SELECT * FROM person WHERE name != $not', { not: 'Eve' });
    await db.query(
      "CREATE person:1 SET name = 'Ann'; CREATE person SET name = 'Eve'; UPDATE person:1 SET name = 'Bob'; DELETE person:1",
    );
    const heard: string[] = [];
    for await (const { action, record, result } of people) {
      heard.push(`${action} ${toText(record)} ${result.name}`);
      if (action === 'DELETE') break;
    }
    expect(heard).toEqual(['CREATE person:1 Ann', 'UPDATE person:1 Bob', 'DELETE person:1 Bob']);
    expect(toText((await db.query('RETURN (INFO FOR TABLE person).lives'))[0])).toBe('{  }');
    expect(await people.next()).toEqual({ done: true, value: undefined });
  });

  it('do not wait for each other', async () => {
    const [idle, busy] = [
      await db.subscribe('LIVE SELECT * FROM person'),
      await db.subscribe('LIVE SELECT * FROM person'),
    ];
    await db.query('CREATE person:1; CREATE person:2');
    expect((await busy.next()).value).toMatchObject({ action: 'CREATE' });
    expect((await busy.next()).value).toMatchObject({ action: 'CREATE' });
    await idle.kill();
    const next = busy.next();
    await busy[Symbol.asyncDispose]();
    expect(await next).toEqual({ done: true, value: undefined });
  });

  it('fail with the reason why they ended', async () => {
    const people = await db.subscribe('LIVE SELECT * FROM person');
    await db.query('CREATE person:1');
    db.invalidate();
    const rest = (async () => {
      for await (const _ of people);
    })();
    await expect(rest).rejects.toMatchObject({ code: 'live_queries_abandoned' });
    expect(await people.next()).toEqual({ done: true, value: undefined });
  });

  it('give what belongs to the program', async () => {
    const people = await db.subscribe<{ tags: string[] }>('LIVE SELECT * FROM person');
    await db.query("CREATE person:1 SET tags = ['a']");
    const { value } = await people.next();
    value?.result.tags.push('b');
    expect(await db.query('RETURN person:1.tags')).toEqual([['a']]);
  });

  it('take no other statement', async () => {
    await expect(db.subscribe('SELECT * FROM person')).rejects.toMatchObject({ code: 'invalid_params' });
  });
});

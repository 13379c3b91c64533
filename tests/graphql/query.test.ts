import { beforeAll, describe, expect, it } from 'vitest';
import { andThen } from '../../src/base/promise-or-value.js';
import { GraphqlService } from '../../src/graphql/service.js';
import { standardText } from '../../src/graphql/transports/response.js';
import { printExpression } from '../../src/language/print.js';
import { openDatabase } from '../../src/session/database/database.js';
import { openEngine } from '../../src/storage/open/open.js';
import { type Answer, openStack, type Stack } from './stack.js';

const SETUP = `
  DEFINE CONFIG GRAPHQL AUTO;
  DEFINE TABLE person SCHEMAFULL;
  DEFINE FIELD name ON person TYPE string;
  DEFINE FIELD age ON person TYPE option<int>;
  DEFINE FIELD vip ON person TYPE bool DEFAULT false;
  DEFINE FIELD mood ON person TYPE option<'good' | 'so-so'>;
  DEFINE FIELD tags ON person TYPE array<string> DEFAULT [];
  DEFINE FIELD address ON person TYPE option<object>;
  DEFINE FIELD address.city ON person TYPE option<string>;
  DEFINE FIELD best ON person TYPE option<record<person>>;
  DEFINE FIELD friends ON person TYPE array<record<person>> DEFAULT [];
  DEFINE FIELD owns ON person TYPE option<record<cat | dog>>;
  DEFINE FIELD born ON person TYPE option<datetime>;
  DEFINE FIELD big ON person TYPE option<int>;
  DEFINE FIELD worth ON person TYPE option<decimal>;
  DEFINE FIELD any ON person TYPE any;
  DEFINE TABLE cat; DEFINE FIELD lives ON cat TYPE int;
  DEFINE TABLE dog; DEFINE FIELD name ON dog TYPE string;
  DEFINE TABLE wrote TYPE RELATION FROM person TO book; DEFINE FIELD year ON wrote TYPE int;
  DEFINE TABLE book; DEFINE FIELD title ON book TYPE string;
  CREATE cat:tom SET lives = 9; CREATE dog:rex SET name = 'Rex';
  CREATE person:1 SET name = 'Ann', age = 20, vip = true, mood = 'good', tags = ['a', 'b'], address = { city: 'Rome' }, best = person:2, friends = [person:2, person:3, person:9], owns = cat:tom, born = d'2000-01-02T03:04:05Z', big = 9223372036854775807, worth = 1.50dec, any = { at: d'2000-01-02T03:04:05Z', who: person:2 };
  CREATE person:2 SET name = 'Bob', age = 30, mood = 'so-so', tags = ['b'], best = person:1, friends = [person:1], owns = dog:rex;
  CREATE person:3 SET name = 'Cy', tags = ['c'], friends = [person:1, person:2];
  CREATE person:⟨1⟩ SET name = 'Text', age = 99;
  CREATE book:x SET title = 'X'; CREATE book:y SET title = 'Y';
  RELATE person:1->wrote->book:x SET year = 2001; RELATE person:1->wrote->book:y SET year = 2002; RELATE person:2->wrote->book:x SET year = 2003;`;

let stack: Stack;
beforeAll(async () => {
  stack = await openStack(SETUP);
});

function namesIn({ data }: Answer): string[] {
  return ((data?.person ?? []) as { name: string }[]).map(({ name }) => name);
}

/** The names of the persons that a filter lets through, or the text of the error. */
async function named(filter: object): Promise<string | undefined> {
  const answer = await stack.ask('query ($f: _filter_person) { person(filter: $f) { name } }', { f: filter });
  return answer.errors === undefined ? namesIn(answer).join(' ') : answer.errors[0]?.message;
}

describe('lists', () => {
  it('hold the wanted fields only, in the wanted order', async () => {
    expect(await stack.ask('{ person(limit: 1) { name __typename id age } }')).toEqual({
      data: { person: [{ name: 'Ann', __typename: 'person', id: 'person:1', age: 20 }] },
    });
    const { data } = await stack.ask('{ person(limit: 1) { name id } }');
    expect(JSON.stringify(data)).toBe('{"person":[{"name":"Ann","id":"person:1"}]}');
  });

  it('are cut and ordered', async () => {
    const names = async (args: string) => namesIn(await stack.ask(`{ person(${args}) { name } }`));
    expect(await names('order: {desc: name}')).toEqual(['Text', 'Cy', 'Bob', 'Ann']);
    expect(await names('order: {asc: name}, limit: 2, start: 1')).toEqual(['Bob', 'Cy']);
    expect(await names('order: {desc: vip, then: {desc: age, then: {asc: name}}}')).toEqual([
      'Ann',
      'Text',
      'Bob',
      'Cy',
    ]);
    expect(await names('limit: 0')).toEqual([]);
  });

  it.each([
    ['order: {asc: name, desc: age}', 'An order needs either asc or desc; further fields follow in then'],
    ['order: {}', 'An order needs either asc or desc; further fields follow in then'],
    ['limit: -1', 'limit must be a whole number from 0, got -1'],
    ['start: -1', 'start must be a whole number from 0, got -1'],
  ])('refuse %s', async (args, message) => {
    const { data, errors } = await stack.ask(`{ a: person(${args}) { name } b: person(limit: 1) { name } }`);
    expect(errors).toMatchObject([{ message, path: ['a'], locations: [{ line: 1, column: 3 }] }]);
    expect(data).toEqual({ a: null, b: [{ name: 'Ann' }] });
  });
});

describe('filters', () => {
  it.each<[object, string]>([
    [{}, 'Ann Bob Cy Text'],
    [{ age: { eq: 20 } }, 'Ann'],
    [{ age: { age_eq: 20 } }, 'Ann'],
    [{ age: { gt: 20 } }, 'Bob Text'],
    [{ age: { age_gt: 20 } }, 'Bob Text'],
    [{ age: { gte: 20, age_lt: 99 } }, 'Ann Bob'],
    // A record without an age isn't younger than any.
    [{ age: { lt: 30 } }, 'Ann'],
    [{ age: { lte: 30 } }, 'Ann Bob'],
    [{ age: { eq: null } }, 'Cy'],
    [{ age: { ne: null } }, 'Ann Bob Text'],
    [{ age: { ne: 20 } }, 'Bob Cy Text'],
    [{ age: { in: [20, 99] } }, 'Ann Text'],
    [{ age: { nin: [20, 99] } }, 'Bob Cy'],
    [{ age: { in: [] } }, ''],
    [{ name: { contains: 'o' } }, 'Bob'],
    [{ name: { startsWith: 'A' } }, 'Ann'],
    [{ name: { name_endsWith: 'y' } }, 'Cy'],
    [{ name: { regex: '^.n+$' } }, 'Ann'],
    [{ name: { gt: 'B', lt: 'D' } }, 'Bob Cy'],
    [{ vip: { eq: true } }, 'Ann'],
    [{ mood: { eq: 'so_so' } }, 'Bob'],
    [{ mood: { in: ['so_so', 'good'] } }, 'Ann Bob'],
    [{ tags: { contains: 'b' } }, 'Ann Bob'],
    [{ tags: { containsAll: ['a', 'b'] } }, 'Ann'],
    [{ tags: { tags_containsAny: ['a', 'c'] } }, 'Ann Cy'],
    [{ address: { city: { eq: 'Rome' } } }, 'Ann'],
    [{ address: { or: [{ city: { eq: 'Rome' } }, { city: { eq: null } }] } }, 'Ann Bob Cy Text'],
    [{ id: { eq: 'person:2' } }, 'Bob'],
    [{ id: { eq: '2' } }, 'Bob'],
    // A key may be meant as a number or as text: both are candidates.
    [{ id: { eq: '1' } }, 'Ann Text'],
    [{ id: { ne: '1' } }, 'Bob Cy'],
    [{ id: { in: ['person:1', 'person:3'] } }, 'Ann Cy'],
    [{ best: { eq: 'person:1' } }, 'Bob'],
    [{ owns: { eq: 'cat:tom' } }, 'Ann'],
    [{ friends: { contains: 'person:2' } }, 'Ann Cy'],
    [{ friends: { containsAll: ['person:1', 'person:2'] } }, 'Cy'],
    [{ born: { gt: '1999-12-31T00:00:00Z' } }, 'Ann'],
    [{ worth: { eq: '1.5' } }, 'Ann'],
    [{ and: [{ age: { gt: 10 } }, { age: { lt: 30 } }] }, 'Ann'],
    [{ or: [{ name: { eq: 'Ann' } }, { name: { eq: 'Cy' } }] }, 'Ann Cy'],
    [{ not: { name: { eq: 'Ann' } } }, 'Bob Cy Text'],
    [{ name: { ne: 'Ann' }, not: { or: [{ name: { eq: 'Cy' } }, { age: { eq: 99 } }] } }, 'Bob'],
    [{ or: [] }, ''],
    [{ and: [] }, 'Ann Bob Cy Text'],
    // Values are data, whatever they look like.
    [{ name: { eq: "' OR true --" } }, ''],
    [{ name: { eq: '$auth' } }, ''],
  ])('%j', async (filter, expected) => {
    expect(await named(filter)).toBe(expected);
  });

  it.each<[object, string]>([
    [{ name: { regex: '(' } }, 'Could not cast into `regex`'],
    [{ age: { gt: null } }, 'The operator gt needs a value, found null'],
    [{ age: null }, 'The filter "age" is null'],
    [{ owns: { eq: 'nonsense' } }, '"nonsense" is not a record id'],
    [{ born: { gt: 'yesterday' } }, 'Variable "$f" got invalid value'],
    [{ big: { eq: 9223372036854776000 } }, 'Variable "$f" got invalid value'],
    [{ mood: { eq: 'so-so' } }, 'Variable "$f" got invalid value'],
    [{ nose: { eq: 'big' } }, 'Variable "$f" got invalid value'],
  ])('%j is refused', async (filter, message) => {
    expect(await named(filter)).toContain(message);
  });

  it('hold together with where, and take literals as they take variables', async () => {
    expect((await stack.ask('{ person(filter: {age: {gt: 10}}, where: {age: {age_lt: 30}}) { name } }')).data).toEqual({
      person: [{ name: 'Ann' }],
    });
    expect(
      (await stack.ask('{ person(filter: {big: {eq: 9223372036854775807}}) { name } }')).data?.person,
    ).toHaveLength(1);
    expect((await stack.ask('{ person(filter: {mood: {eq: so_so}}) { name } }')).data?.person).toHaveLength(1);
    expect(
      (await stack.ask('{ person(filter: {any: {eq: {b: [1, 1.5, "x", true, null]}}}) { name } }')).data?.person,
    ).toEqual([]);
  });
});

describe('single records', () => {
  it('are found by key or by id', async () => {
    const { data } = await stack.ask(`{
      full: _get_person(id: "person:2") { name } key: _get_person(id: "2") { name } number: _get_person(id: 2) { name }
      text: _get_person(id: "person:⟨1⟩") { name } none: _get_person(id: "nobody") { name }
      other: _get_person(id: "cat:tom") { name } range: _get_person(id: "1..3") { name }
      any: _get(id: "cat:tom") { __typename id ... on cat { lives } } missing: _get(id: "cat:x") { id }
      unknown: _get(id: "zebra:1") { id } nonsense: _get(id: "a b") { id } all: _get(id: "person:..") { id } }`);
    expect(data).toEqual({
      full: { name: 'Bob' },
      key: { name: 'Bob' },
      number: { name: 'Bob' },
      text: { name: 'Text' },
      none: null,
      other: null,
      range: null,
      any: { __typename: 'cat', id: 'cat:tom', lives: 9 },
      missing: null,
      unknown: null,
      nonsense: null,
      all: null,
    });
  });
});

describe('values', () => {
  it('are written as the service writes them', async () => {
    const outcome = await stack.service.answer(stack.owner, {
      query: '{ _get_person(id: "person:1") { born big worth any tags address { city } mood } }',
      variables: undefined,
      operationName: undefined,
    });
    expect(standardText(outcome)).toBe(
      '{"data":{"_get_person":{"born":"2000-01-02T03:04:05Z","big":9223372036854775807,"worth":"1.5","any":{"at":"2000-01-02T03:04:05Z","who":"person:2"},"tags":["a","b"],"address":{"city":"Rome"},"mood":"good"}}}',
    );
  });

  it('that no longer fit their type are errors with a path, and null', async () => {
    const odd = await openStack(
      `DEFINE CONFIG GRAPHQL AUTO; DEFINE TABLE t; CREATE t:1 SET n = 'x', m = 1; CREATE t:2 SET n = 2, m = 1;
       DEFINE FIELD n ON t TYPE option<int>; DEFINE FIELD m ON t TYPE int; DEFINE FIELD gone ON t TYPE string;`,
    );
    expect(await odd.ask('{ t { n m } }')).toEqual({
      data: {
        t: [
          { n: null, m: 1 },
          { n: 2, m: 1 },
        ],
      },
      errors: [
        {
          message: "The type Int cannot represent 'x'",
          locations: [{ line: 1, column: 7 }],
          path: ['t', 0, 'n'],
          extensions: { code: 'graphql_value' },
        },
      ],
    });
    const { data, errors } = await odd.ask('{ t { gone } other: t { m } }');
    expect(data).toEqual({ t: null, other: [{ m: 1 }, { m: 1 }] });
    expect(errors?.[0]).toMatchObject({ path: ['t', 0, 'gone'], extensions: { code: 'graphql_result' } });
  });
});

describe('links', () => {
  it('lead to records, to unions of tables and to what is missing', async () => {
    const { data } = await stack.ask(`{ person(limit: 2) {
      best { name best { id } } friends { name } owns { __typename ... on cat { lives } ... on dog { name } ... on record { id } } } }`);
    expect(data).toEqual({
      person: [
        {
          best: { name: 'Bob', best: { id: 'person:1' } },
          friends: [{ name: 'Bob' }, { name: 'Cy' }, null],
          owns: { __typename: 'cat', lives: 9, id: 'cat:tom' },
        },
        {
          best: { name: 'Ann', best: { id: 'person:2' } },
          friends: [{ name: 'Ann' }],
          owns: { __typename: 'dog', name: 'Rex', id: 'dog:rex' },
        },
      ],
    });
  });

  it('cost one call for each level, however many records there are', async () => {
    stack.sent.calls = 0;
    stack.sent.statements = 0;
    await stack.ask(
      '{ person(limit: 9) { friends { name friends { name best { name } } } best { name } owns { __typename } } cat(limit: 9) { lives } }',
    );
    // person and cat; friends, best, and the cats and dogs that they own; two levels of persons.
    expect(stack.sent).toMatchObject({ calls: 4, statements: 2 + 4 + 1 + 1 });
  });

  it('read no more fields than are asked for', async () => {
    stack.last.length = 0;
    await stack.ask(
      `query ($no: Boolean = false) { person { ...a ... on record { id } best { age name @include(if: $no) } } }
      fragment a on person { name vip @skip(if: true) address { city } }`,
    );
    const selected = stack.last.map((statement) =>
      statement.kind === 'select' && statement.projections.kind === 'fields'
        ? statement.projections.items.map((item) =>
            item.kind === 'expression' ? printExpression(item.expression) : '*',
          )
        : [],
    );
    expect(selected).toEqual([
      ['id', 'name', 'address', 'best'],
      ['id', 'age'],
    ]);
  });

  it('make a bounded number of storage calls, however many records there are', async () => {
    const engine = await openEngine('memory');
    const calls: string[] = [];
    let isInside = false;
    let begun = 0;
    const begin = engine.begin.bind(engine);
    engine.begin = (options) => {
      begun++;
      return andThen(begin(options), (transaction) => {
        for (const name of ['get', 'getMany', 'scan', 'count'] as const) {
          const call = transaction[name].bind(transaction) as (...given: unknown[]) => unknown;
          const counting = (...given: unknown[]) => {
            // What the engine asks of itself isn't counted.
            if (!isInside) calls.push(name);
            const outer = isInside;
            isInside = true;
            const answer = call(...given);
            isInside = outer;
            return answer;
          };
          Object.assign(transaction, { [name]: counting });
        }
        return transaction;
      });
    };
    const database = await openDatabase(engine, { guests: true });
    const session = database.ownerSession();
    await session.use('test', 'test');
    await session.query(`DEFINE CONFIG GRAPHQL AUTO; DEFINE TABLE t;
      DEFINE FIELD up ON t TYPE option<record<t>>; DEFINE FIELD all ON t TYPE array<record<t>> DEFAULT [];
      FOR $i IN 1..=300 { CREATE type::record('t', $i) SET up = type::record('t', $i % 7 + $i), all = [type::record('t', $i + 1), type::record('t', $i + 2)] };`);
    const service = new GraphqlService();
    const query = (limit: number) => ({
      query: `{ t(limit: ${limit}) { up { up { id } } all { up { id } } } }`,
      variables: undefined,
      operationName: undefined,
    });
    await service.answer(session, query(100));
    calls.length = 0;
    begun = 0;
    const { failures, roots } = await service.answer(session, query(100));
    // Definitions and records are read in one snapshot.
    expect(begun).toBe(1);
    expect(failures).toEqual([]);
    expect(JSON.parse(roots?.[0]?.json ?? '[]')).toHaveLength(100);
    const few = calls.length;
    // A scan of the table; two fields of links on the second level and two on the third, each read at once.
    expect(calls.filter((name) => name === 'getMany').length).toBe(4);
    expect(few).toBeLessThan(20);
    calls.length = 0;
    await service.answer(session, query(300));
    expect(calls.length).toBeLessThanOrEqual(few + 6);
    await database.close();
  });
});

describe('edges', () => {
  it('stand on both ends, each with its own arguments', async () => {
    const { data } = await stack.ask(`{ person(limit: 3) { name
        wrote(order: {desc: year}, limit: 1) { year out { title } }
        early: wrote(filter: {year: {lt: 2002}}) { year in { name } } }
      book(order: {asc: title}) { title wrote_incoming(order: {asc: year}) { in { name } } } }`);
    expect(data).toEqual({
      person: [
        { name: 'Ann', wrote: [{ year: 2002, out: { title: 'Y' } }], early: [{ year: 2001, in: { name: 'Ann' } }] },
        { name: 'Bob', wrote: [{ year: 2003, out: { title: 'X' } }], early: [] },
        { name: 'Cy', wrote: [], early: [] },
      ],
      book: [
        { title: 'X', wrote_incoming: [{ in: { name: 'Ann' } }, { in: { name: 'Bob' } }] },
        { title: 'Y', wrote_incoming: [{ in: { name: 'Ann' } }] },
      ],
    });
  });

  it('cost one call for all records', async () => {
    stack.sent.calls = 0;
    await stack.ask('{ person(limit: 9) { wrote { out { title wrote_incoming { year } } } } }');
    expect(stack.sent.calls).toBe(4);
  });
});

describe('operations', () => {
  it('are chosen by their name', async () => {
    const service = stack.service;
    const query =
      'query a { cat { lives } } query b { dog { name } } mutation c { createDog(data: {name: "Fido"}) { name } }';
    const run = (operationName?: string) =>
      service.answer(stack.owner, { query, variables: undefined, operationName }).then(
        (outcome) => standardText(outcome),
        (error: Error) => error.message,
      );
    // Validation looks at the whole document.
    expect(await run('b')).toBe('{"data":{"dog":[{"name":"Rex"}]}}');
    expect(await run()).toBe('Say in operationName which of the operations is to be run');
    expect(await run('z')).toBe('The document has no operation "z"');
    expect(await run('c')).toBe('{"data":{"createDog":{"name":"Fido"}}}');
  });
});

/** What users of GraphQL over a database like this one have complained about: each is a test here, named after the complaint. */
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery, validateSchema } from 'graphql';
import { describe, expect, it } from 'vitest';
import { openStack, type Stack } from './stack.js';

/** The schema as tools of clients see it. */
async function schemaOf({ ask }: Stack) {
  const { data, errors } = await ask(getIntrospectionQuery());
  expect(errors).toBeUndefined();
  return buildClientSchema(data as unknown as IntrospectionQuery);
}

describe('1. one field that GraphQL has no form for, or a link to a table that isn’t shown, breaks the whole schema', () => {
  it('odd kinds become scalars, and hidden tables the interface `record`', async () => {
    const stack = await openStack(`
      DEFINE CONFIG GRAPHQL TABLES INCLUDE a, knows;
      DEFINE TABLE a SCHEMAFULL; DEFINE TABLE hidden; DEFINE FIELD secret ON hidden TYPE string;
      DEFINE TABLE knows TYPE RELATION FROM a TO hidden; DEFINE TABLE likes TYPE RELATION FROM a TO a;
      DEFINE FIELD to_hidden ON a TYPE option<record<hidden>>; DEFINE FIELD mixed ON a TYPE option<record<a | hidden>>;
      DEFINE FIELD many ON a TYPE option<array<record<hidden>>>; DEFINE FIELD nobody ON a TYPE option<record<never_defined>>;
      DEFINE FIELD f1 ON a TYPE option<regex>; DEFINE FIELD f2 ON a TYPE option<range>; DEFINE FIELD f3 ON a TYPE option<function>;
      DEFINE FIELD f4 ON a TYPE option<int | string | array<bool>>; DEFINE FIELD f5 ON a TYPE option<array<array<object>>>;
      DEFINE FIELD f6 ON a TYPE option<{ x: int } | 'none' | 7>; DEFINE FIELD f7 ON a TYPE option<[int, string]>;
      DEFINE FIELD f8 ON a TYPE option<geometry<point | polygon>>; DEFINE FIELD f9 ON a FLEXIBLE TYPE option<object>;
      DEFINE FIELD f10 ON a TYPE option<set<float, 3>>; DEFINE FIELD f11 ON a TYPE none | null; DEFINE FIELD f12 ON a;
      DEFINE FIELD plain ON a TYPE int;
      CREATE hidden:1 SET secret = 'secret';
      CREATE a:1 SET to_hidden = hidden:1, mixed = hidden:1, many = [hidden:1], plain = 1, f2 = 1..3, f6 = { x: 1 }, f7 = [1, 'x'];
      RELATE a:1->knows->hidden:1;`);
    expect(validateSchema(await schemaOf(stack))).toEqual([]);
    expect(
      await stack.ask(
        '{ a { plain f2 f6 f7 to_hidden { __typename id } mixed { id } many { id } knows { out { id } } } }',
      ),
    ).toEqual({
      data: {
        a: [
          {
            plain: 1,
            f2: expect.anything(),
            f6: { x: 1 },
            f7: [1, 'x'],
            to_hidden: { __typename: '_record', id: 'hidden:1' },
            mixed: { id: 'hidden:1' },
            many: [{ id: 'hidden:1' }],
            knows: [{ out: { id: 'hidden:1' } }],
          },
        ],
      },
    });
    expect(await stack.ask('{ a { to_hidden { secret } } }')).toMatchObject({
      errors: [{ extensions: { code: 'graphql_invalid' } }],
    });
  });
});

describe('2. nested fields, arrays and literals give names that GraphQL forbids', () => {
  it('every name is legal, and leads to its field', async () => {
    const stack = await openStack(`
      DEFINE CONFIG GRAPHQL AUTO;
      DEFINE TABLE \`my-table\`;
      DEFINE FIELD nested ON \`my-table\` TYPE object; DEFINE FIELD nested.field1 ON \`my-table\` TYPE string;
      DEFINE FIELD list ON \`my-table\` TYPE array<object>; DEFINE FIELD list.*.\`a b\` ON \`my-table\` TYPE int;
      DEFINE FIELD mood ON \`my-table\` TYPE 'so-so' | '100%' | '';
      DEFINE FIELD \`1st\` ON \`my-table\` TYPE int; DEFINE FIELD \`ünïcode\` ON \`my-table\` TYPE int; DEFINE FIELD __typename ON \`my-table\` TYPE int;
      CREATE \`my-table\`:1 SET nested = { field1: 'x' }, list = [{ \`a b\`: 1 }], mood = 'so-so', \`1st\` = 1, \`ünïcode\` = 2, __typename = 3;`);
    expect(validateSchema(await schemaOf(stack))).toEqual([]);
    const { data, errors } = await stack.ask('{ my_table { nested { field1 } list { a_b } mood } }');
    expect(errors).toBeUndefined();
    expect(data).toEqual({ my_table: [{ nested: { field1: 'x' }, list: [{ a_b: 1 }], mood: 'so_so' }] });
  });
});

describe('4. records that are nested in typed objects fail', () => {
  it('they are links like any other, at any depth', async () => {
    const stack = await openStack(`
      DEFINE CONFIG GRAPHQL AUTO;
      DEFINE TABLE foo; DEFINE FIELD name ON foo TYPE string;
      DEFINE TABLE t SCHEMAFULL;
      DEFINE FIELD typed ON t TYPE { bar: record<foo>, deep: { bars: array<record<foo>> } };
      DEFINE FIELD list ON t TYPE array<{ bar: option<record<foo>> }>;
      DEFINE FIELD spelled ON t TYPE object; DEFINE FIELD spelled.bar ON t TYPE record<foo>;
      CREATE foo:1 SET name = 'one'; CREATE foo:2 SET name = 'two';
      CREATE t:1 SET typed = { bar: foo:1, deep: { bars: [foo:2, foo:1] } }, list = [{ bar: foo:2 }, { bar: NONE }], spelled = { bar: foo:2 };`);
    const query =
      '{ t { typed { bar { name } deep { bars { name } } } list { bar { name } } spelled { bar { id name } } } }';
    expect(await stack.ask(query)).toEqual({
      data: {
        t: [
          {
            typed: { bar: { name: 'one' }, deep: { bars: [{ name: 'two' }, { name: 'one' }] } },
            list: [{ bar: { name: 'two' } }, { bar: null }],
            spelled: { bar: { id: 'foo:2', name: 'two' } },
          },
        ],
      },
    });
    const filter =
      '{ t(filter: {typed: {bar: {is: {name: {eq: "one"}}}}, list: {some: {bar: {is: {name: {eq: "two"}}}}}}) { id } }';
    expect(await stack.ask(filter)).toEqual({ data: { t: [{ id: 't:1' }] } });
  });
});

describe('5. new definitions are seen minutes later', () => {
  it('the next request sees them', async () => {
    const stack = await openStack(
      'DEFINE CONFIG GRAPHQL AUTO; DEFINE TABLE t; DEFINE FIELD a ON t TYPE int; CREATE t:1 SET a = 1, b = 2;',
    );
    const steps: [definition: string, query: string, answer: unknown][] = [
      ['', '{ t { b } }', undefined],
      ['DEFINE FIELD b ON t TYPE int', '{ t { a b } }', { t: [{ a: 1, b: 2 }] }],
      ['ALTER FIELD b ON t TYPE string | int', '{ t { b } }', { t: [{ b: 2 }] }],
      ['REMOVE FIELD b ON t', '{ t { b } }', undefined],
      ['DEFINE TABLE other; DEFINE FIELD c ON other TYPE string', '{ other { c } }', { other: [] }],
      ['DEFINE CONFIG OVERWRITE GRAPHQL TABLES EXCLUDE t', '{ t { a } }', undefined],
      ['REMOVE TABLE other; DEFINE CONFIG OVERWRITE GRAPHQL AUTO', '{ other { c } }', undefined],
      ['', '{ t { a } }', { t: [{ a: 1 }] }],
    ];
    for (const [definition, query, answer] of steps) {
      for (const { outcome } of await stack.owner.query(definition)) if (!outcome.ok) throw outcome.error;
      const { data, errors } = await stack.ask(query);
      expect([definition, data]).toEqual([definition, answer]);
      if (answer === undefined) expect(errors).toMatchObject([{ extensions: { code: 'graphql_invalid' } }]);
    }
  });
});

describe('8. who sends no Authorization header gets `data: null` and an IAM error', () => {
  const SETUP = `
    DEFINE CONFIG GRAPHQL AUTO;
    DEFINE TABLE open PERMISSIONS FOR select FULL; DEFINE FIELD a ON open TYPE int; DEFINE FIELD secret ON open TYPE int PERMISSIONS NONE;
    DEFINE TABLE closed; DEFINE FIELD a ON closed TYPE int; DEFINE FIELD link ON open TYPE option<record<closed>>;
    CREATE open:1 SET a = 1, secret = 2, link = closed:1; CREATE closed:1 SET a = 1;`;

  it('they get what guests may see', async () => {
    const { database, ask } = await openStack(SETUP);
    const guest = database.session({});
    await guest.use('test', 'test');
    expect(
      await ask('{ open { a secret link { a } } closed { a } _get_closed(id: 1) { a } }', undefined, guest),
    ).toEqual({
      data: { open: [{ a: 1, secret: null, link: null }], closed: [], _get_closed: null },
    });
  });
});

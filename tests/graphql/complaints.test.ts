/** What users of GraphQL over a database like this one have complained about: each is a test here, named after the complaint. */
import {
  buildClientSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
  isInputObjectType,
  printSchema,
  validateSchema,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { ROOT, startTestServer } from '../support/server.js';
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

describe('3. there are no mutations, no relations, no way to sign in and nothing to search texts with', () => {
  it('there are', async () => {
    const { database, ask } = await openStack(`
      DEFINE CONFIG GRAPHQL AUTO;
      DEFINE TABLE user SCHEMAFULL PERMISSIONS FOR select WHERE id = $auth;
      DEFINE FIELD name ON user TYPE string; DEFINE FIELD pass ON user TYPE string PERMISSIONS NONE;
      DEFINE TABLE book SCHEMAFULL PERMISSIONS FOR select, create FULL; DEFINE FIELD title ON book TYPE string;
      DEFINE TABLE read TYPE RELATION FROM user TO book SCHEMAFULL PERMISSIONS FOR select, create WHERE in = $auth;
      DEFINE FIELD stars ON read TYPE int;
      DEFINE ACCESS user ON DATABASE TYPE RECORD
        SIGNUP (CREATE user SET name = $name, pass = crypto::argon2::generate($pass))
        SIGNIN (SELECT * FROM user WHERE name = $name AND crypto::argon2::compare(pass, $pass));
      CREATE book:1 SET title = 'Momo';`);
    const visitor = database.session({});
    await visitor.use('test', 'test');
    const { data, errors } = await ask(
      `mutation ($who: object!) {
        signUp(access: "user", variables: $who) { token }
        signIn(access: "user", variables: $who) { token }
        createBook(data: {id: "2", title: "Krabat"}) { id }
      }`,
      { who: { name: 'Ann', pass: 'a long password' } },
      visitor,
    );
    expect(errors).toBeUndefined();
    expect(data).toMatchObject({ signIn: { token: expect.any(String) }, createBook: { id: 'book:2' } });
    const me = await ask('{ user { id } }', undefined, visitor);
    const [{ id }] = (me.data as { user: [{ id: string }] }).user;
    await ask('mutation ($id: ID!) { relateRead(in: $id, out: "2", data: {stars: 5}) { id } }', { id }, visitor);
    const search = `{
      contains: book(filter: {title: {contains: "rab"}}) { title read_incoming { stars in { name } } }
      start: book(filter: {title: {startsWith: "Mo", endsWith: "mo"}}) { title }
      regex: book(filter: {title: {regex: "^K.*t$"}}) { title }
      related: book(filter: {read_incoming: {some: {stars: {gt: 4}}}}) { title }
    }`;
    expect((await ask(search, undefined, visitor)).data).toEqual({
      contains: [{ title: 'Krabat', read_incoming: [{ stars: 5, in: { name: 'Ann' } }] }],
      start: [{ title: 'Momo' }],
      regex: [{ title: 'Krabat' }],
      related: [{ title: 'Krabat' }],
    });
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

describe('6. schemaless tables get empty inputs, which are not valid', () => {
  it('what nothing can be put in is left out, and the rest is there', async () => {
    const stack = await openStack(
      'DEFINE CONFIG GRAPHQL AUTO; DEFINE TABLE bare SCHEMALESS; DEFINE TABLE links TYPE RELATION;',
    );
    const schema = await schemaOf(stack);
    expect(validateSchema(schema)).toEqual([]);
    for (const type of Object.values(schema.getTypeMap())) {
      if (isInputObjectType(type)) expect([type.name, Object.keys(type.getFields())]).not.toEqual([type.name, []]);
    }
    expect(schema.getType('UpdateBareInput')).toBeUndefined();
    expect(schema.getMutationType()?.getFields()).not.toHaveProperty('updateBare');
    const all = 'mutation { createBare(data: {id: "x"}) { id } deleteManyBare(filter: {}) { id } }';
    expect(await stack.ask(all)).toEqual({
      data: { createBare: { id: 'bare:x' }, deleteManyBare: [{ id: 'bare:x' }] },
    });
  });
});

describe('7. an alias is used here, and the raw name there', () => {
  it('no raw name is left, of types, inputs, enums, nested fields or root fields', async () => {
    const stack = await openStack(`
      DEFINE CONFIG GRAPHQL AUTO;
      DEFINE TABLE tbl_person SCHEMAFULL GRAPHQL_ALIAS 'Person';
      DEFINE FIELD raw_name ON tbl_person TYPE string GRAPHQL_ALIAS 'name';
      DEFINE FIELD raw_home ON tbl_person TYPE option<object> GRAPHQL_ALIAS 'home';
      DEFINE FIELD raw_home.raw_city ON tbl_person TYPE string GRAPHQL_ALIAS 'city';
      DEFINE FIELD raw_best ON tbl_person TYPE option<record<tbl_person>> GRAPHQL_ALIAS 'best';
      DEFINE FIELD raw_pets ON tbl_person TYPE array<record<tbl_pet>> DEFAULT [] GRAPHQL_ALIAS 'pets';
      DEFINE TABLE tbl_pet SCHEMAFULL GRAPHQL_ALIAS 'Pet'; DEFINE FIELD raw_age ON tbl_pet TYPE int GRAPHQL_ALIAS 'age';
      DEFINE TABLE tbl_knows TYPE RELATION FROM tbl_person TO tbl_person SCHEMAFULL GRAPHQL_ALIAS 'knows';
      DEFINE FIELD raw_since ON tbl_knows TYPE option<int> GRAPHQL_ALIAS 'since';`);
    const schema = await schemaOf(stack);
    expect(validateSchema(schema)).toEqual([]);
    expect(printSchema(schema).match(/\w*(tbl_|raw_|Tbl_|Raw_)\w*/g)).toBeNull();
    const { data, errors } = await stack.ask(`mutation {
      createPerson(data: {
        id: "ann", name: "Ann", home: {city: "Rome"}, best_create: {id: "bob", name: "Bob"}, pets_create: [{age: 3}], knows: [{since: 1999, out: "bob"}]
      }) { __typename name home { city } best { name } pets { age } knows { since out { name } } }
      mergePerson(id: "ann", data: {home: {city: "Oslo"}}) { home { city } }
    }`);
    expect(errors).toBeUndefined();
    expect(data).toEqual({
      createPerson: {
        __typename: 'Person',
        name: 'Ann',
        home: { city: 'Rome' },
        best: { name: 'Bob' },
        pets: [{ age: 3 }],
        knows: [{ since: 1999, out: { name: 'Bob' } }],
      },
      mergePerson: { home: { city: 'Oslo' } },
    });
    const read = await stack.ask(`{
      Person(filter: {home: {city: {eq: "Oslo"}}, knows: {some: {since: {gt: 1}}}}, order: {asc: name}) { name }
      PersonConnection(order: {desc: name}, first: 1) { nodes { name } }
      Person_aggregate(groupBy: [name], order: {asc: name}) { count group { name } max { name } }
    }`);
    expect(read).toEqual({
      data: {
        Person: [{ name: 'Ann' }],
        PersonConnection: { nodes: [{ name: 'Bob' }] },
        Person_aggregate: ['Ann', 'Bob'].map((name) => ({ count: 1, group: { name }, max: { name } })),
      },
    });
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

describe('9. endpoints of DEFINE API, 10. managed servers: neither can be had with GraphQL', () => {
  it('endpoints are served beside it, for the same token, and one flag switches GraphQL on', async () => {
    const server = await startTestServer({ SVC_EXPERIMENTAL_GRAPHQL: 'true' });
    try {
      const authorization = `Basic ${Buffer.from(`${ROOT.username}:${ROOT.password}`).toString('base64')}`;
      const headers = { 'svc-ns': 'test', 'svc-db': 'test', accept: 'application/json', authorization };
      const call = async (path: string, init: RequestInit) =>
        (await fetch(`${server.url}${path}`, { ...init, headers })).json();
      await call('/sql', {
        method: 'POST',
        body: `DEFINE CONFIG GRAPHQL AUTO; DEFINE TABLE t SCHEMAFULL; DEFINE FIELD a ON t TYPE int; CREATE t:1 SET a = 1;
          DEFINE FUNCTION fn::double($x: int) -> int { $x * 2 };
          DEFINE FIELD twice ON t TYPE int COMPUTED fn::double(a);
          DEFINE FUNCTION fn::sum() -> int { math::sum(SELECT VALUE a FROM t) };
          DEFINE API '/sum' FOR get THEN { { body: math::sum(SELECT VALUE a FROM t) } };`,
      });
      expect(await call('/api/test/test/sum', {})).toBe(1);
      // What an endpoint works out, functions and computed fields give over GraphQL.
      const body = '{"query": "{ fn_sum t { a twice } }"}';
      expect(await call('/graphql', { method: 'POST', body })).toMatchObject([
        { result: 1 },
        { result: [{ a: 1, twice: 2 }] },
      ]);
    } finally {
      await server.close();
    }
  });
});

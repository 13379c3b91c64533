/** What definitions say about their looks in GraphQL, and who is shown which of them. */
import { describe, expect, it } from 'vitest';
import { objectFrom } from '../../src/value/value.js';
import { openStack } from './stack.js';

describe('GRAPHQL_ALIAS and GRAPHQL_DEPRECATED', () => {
  const SETUP = `DEFINE CONFIG GRAPHQL AUTO;
    DEFINE TABLE tbl_person GRAPHQL_ALIAS 'Person';
    DEFINE FIELD nm ON tbl_person TYPE string GRAPHQL_ALIAS 'name';
    DEFINE FIELD adr ON tbl_person TYPE option<object> GRAPHQL_ALIAS 'address';
    DEFINE FIELD adr.cty ON tbl_person TYPE string GRAPHQL_ALIAS 'city';
    DEFINE FIELD old ON tbl_person TYPE option<int> GRAPHQL_DEPRECATED 'Use nm';
    DEFINE TABLE tbl_knows TYPE RELATION FROM tbl_person TO tbl_person GRAPHQL_ALIAS 'knows' GRAPHQL_DEPRECATED '';
    CREATE tbl_person:1 SET nm = 'Ann', adr = { cty: 'Rome' }; CREATE tbl_person:2 SET nm = 'Bob';
    RELATE tbl_person:1->tbl_knows->tbl_person:2;`;

  it('name types, fields at any depth, filters, orders and edges', async () => {
    const { ask } = await openStack(SETUP);
    expect(
      await ask(`{
        Person(filter: {name: {name_eq: "Ann"}, address: {city: {eq: "Rome"}}, knows: {exists: true}}, order: {asc: name}) {
          __typename id name address { __typename city } knows { out { name } }
        }
        _get_Person(id: "2") { name knows_incoming { in { name } } }
      }`),
    ).toEqual({
      data: {
        Person: [
          {
            __typename: 'Person',
            id: 'tbl_person:1',
            name: 'Ann',
            address: { __typename: 'Person_address', city: 'Rome' },
            knows: [{ out: { name: 'Bob' } }],
          },
        ],
        _get_Person: { name: 'Bob', knows_incoming: [{ in: { name: 'Ann' } }] },
      },
    });
    const { data } = await ask('{ __schema { types { name inputFields { name } } } }');
    expect(JSON.stringify(data)).not.toMatch(/tbl_|"nm"|"adr"|"cty"/);
  });

  it('report deprecated names', async () => {
    const { ask } = await openStack(SETUP);
    const { data } = await ask(`{
      person: __type(name: "Person") { fields(includeDeprecated: true) { name deprecationReason } }
      query: __type(name: "Query") { fields { name } }
    }`);
    expect(data?.person).toMatchObject({
      fields: expect.arrayContaining([
        { name: 'old', deprecationReason: 'Use nm' },
        { name: 'name', deprecationReason: null },
      ]),
    });
    expect(data?.query).toMatchObject({ fields: expect.arrayContaining([{ name: 'Person' }]) });
    expect(data?.query).not.toMatchObject({ fields: expect.arrayContaining([{ name: 'knows' }]) });
  });

  it('yield to those who had the name first, and to a number', async () => {
    const warnings: string[] = [];
    const { ask } = await openStack(
      `DEFINE CONFIG GRAPHQL AUTO; DEFINE TABLE a GRAPHQL_ALIAS 'x'; DEFINE TABLE b GRAPHQL_ALIAS 'x'; DEFINE TABLE x;
       DEFINE FIELD f ON x TYPE int GRAPHQL_ALIAS 'g'; DEFINE FIELD g ON x TYPE int; CREATE x:1 SET f = 1, g = 2;`,
      { warn: (warning) => warnings.push(warning) },
    );
    expect(await ask('{ x { id } x_2 { id } x_3 { id g g_2 } }')).toEqual({
      data: { x: [], x_2: [], x_3: [{ id: 'x:1', g: 1, g_2: 2 }] },
    });
    expect(warnings).toEqual([
      'In the GraphQL schema of test/test, the table b is called x_2',
      'In the GraphQL schema of test/test, the table x is called x_3',
      'In the GraphQL schema of test/test, the field g of x_3 is called g_2',
    ]);
  });
});

describe('what GraphQL has no form for', () => {
  it('is reported once for each schema, and hurts nothing else', async () => {
    const warnings: string[] = [];
    const deep = Array.from({ length: 20 }, (_, i) => `d${i}`).join('.');
    const { ask, owner } = await openStack(
      `DEFINE CONFIG GRAPHQL AUTO; DEFINE TABLE t SCHEMALESS; DEFINE FIELD list ON t TYPE array;
       DEFINE FIELD list[0] ON t TYPE int; DEFINE FIELD span ON t TYPE option<range>; DEFINE FIELD first-name ON t TYPE any;
       DEFINE FIELD ${deep} ON t TYPE any; CREATE t:1 SET list = [1], span = 1..3;`.replace(
        'first-name',
        '`first-name`',
      ),
      { warn: (warning) => warnings.push(warning.replace('In the GraphQL schema of test/test, ', '')) },
    );
    expect(await ask('{ t { list span first_name } }')).toEqual({
      data: { t: [{ list: [1], span: '1..3', first_name: null }] },
    });
    await ask('{ t { id } }');
    expect(warnings).toEqual(
      expect.arrayContaining([
        'the field list[0] of t is left out',
        `the field ${deep} of t is left out`,
        'the field span of t is shown as a value of any type',
        'the field first-name of t is called first_name',
      ]),
    );
    expect(warnings).toHaveLength(4);
    await owner.query('DEFINE TABLE u');
    await ask('{ t { id } }');
    expect(warnings).toHaveLength(8);
  });
});

describe('geometries', () => {
  it('are objects of GeoJSON', async () => {
    const { ask } = await openStack(`DEFINE CONFIG GRAPHQL AUTO; DEFINE TABLE t;
      DEFINE FIELD at ON t TYPE geometry<point>; DEFINE FIELD any ON t TYPE option<geometry>;
      CREATE t:1 SET at = (1, 2.5), any = { type: 'LineString', coordinates: [[1, 2], [3, 4]] };
      CREATE t:2 SET at = (0, 0), any = { type: 'GeometryCollection', geometries: [{ type: 'Point', coordinates: [5, 6] }] };
      CREATE t:3 SET at = (0, 0);`);
    const { data, errors } = await ask(`{ t { at { type coordinates } any {
      __typename
      ... on GeometryLineString { coordinates }
      ... on GeometryCollection { geometries { ... on GeometryPoint { coordinates } } } } } }`);
    expect(errors).toBeUndefined();
    expect(data?.t).toEqual([
      {
        at: { type: 'Point', coordinates: [1, 2.5] },
        any: {
          __typename: 'GeometryLineString',
          coordinates: [
            [1, 2],
            [3, 4],
          ],
        },
      },
      {
        at: { type: 'Point', coordinates: [0, 0] },
        any: { __typename: 'GeometryCollection', geometries: [{ coordinates: [5, 6] }] },
      },
      { at: { type: 'Point', coordinates: [0, 0] }, any: null },
    ]);
  });
});

describe('what PERMISSIONS never show', () => {
  const SETUP = `DEFINE CONFIG GRAPHQL AUTO;
    DEFINE TABLE open PERMISSIONS FULL; DEFINE FIELD a ON open TYPE int;
    DEFINE FIELD secret ON open TYPE option<int> PERMISSIONS FOR select NONE;
    DEFINE FIELD inner ON open TYPE option<object>; DEFINE FIELD inner.secret ON open TYPE option<int> PERMISSIONS NONE;
    DEFINE FIELD to ON open TYPE option<record<closed>>;
    DEFINE TABLE closed; DEFINE FIELD b ON closed TYPE int;
    DEFINE TABLE dropbox PERMISSIONS FOR create FULL; CREATE closed:1 SET b = 1; CREATE open:1 SET a = 1, secret = 2, to = closed:1;`;

  it('is left out for those who are bound by them, where that is wanted', async () => {
    const { ask, database } = await openStack(SETUP, { hideDenied: true });
    const guest = database.session({});
    await guest.use('test', 'test');
    const fields =
      '{ __type(name: "open") { fields { name type { name } } } __schema { queryType { fields { name } } } }';
    const seen = (await ask(fields, undefined, guest)).data;
    expect(JSON.stringify(seen)).not.toMatch(/secret|closed/);
    expect(JSON.stringify(seen)).toMatch(/dropbox/);
    expect(JSON.stringify((await ask(fields)).data)).toMatch(/secret.*closed/);
    expect(await ask('{ open { a inner to { id } } }', undefined, guest)).toEqual({
      data: { open: [{ a: 1, inner: null, to: { id: 'closed:1' } }] },
    });
    for (const query of ['{ closed { b } }', '{ open { secret } }', '{ open(filter: {secret: {eq: 2}}) { a } }']) {
      expect((await ask(query, undefined, guest)).errors?.[0]?.extensions.code).toBe('graphql_invalid');
    }
  });

  it('is null otherwise', async () => {
    const { ask, database } = await openStack(SETUP);
    const guest = database.session({});
    await guest.use('test', 'test');
    expect(await ask('{ open { a secret to { b } } closed { b } }', objectFrom({}), guest)).toEqual({
      data: { open: [{ a: 1, secret: null, to: null }], closed: [] },
    });
  });
});

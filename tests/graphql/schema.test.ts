import fc from 'fast-check';
import { type GraphQLSchema, printType, validateSchema } from 'graphql';
import { describe, expect, it } from 'vitest';
import { buildSchema, exposedBy } from '../../src/graphql/api.js';
import { legalName, Names } from '../../src/graphql/schema/names.js';
import { GraphqlService } from '../../src/graphql/service.js';
import { escapeIdentifier } from '../../src/value/text/quote.js';
import { catalogOf } from '../support/catalog-of.js';
import { openStack } from './stack.js';

async function schemaOf(setup: string, guardedByDefault = false): Promise<GraphQLSchema> {
  const { owner } = await openStack(`DEFINE CONFIG OVERWRITE GRAPHQL AUTO; ${setup}`);
  const catalog = await catalogOf(owner);
  const config = catalog?.configs.get('graphql')?.config;
  if (catalog === undefined || config?.kind !== 'graphql') throw new Error('the setup has no config');
  const { schema } = buildSchema(exposedBy(catalog, config), { guardedByDefault, hidesDenied: false });
  expect(validateSchema(schema)).toEqual([]);
  return schema;
}

/** The types as text, without their descriptions. */
function print(schema: GraphQLSchema, ...names: string[]): string {
  return names
    .map((name) => {
      const type = schema.getType(name);
      return type
        ? printType(type)
            .replace(/^ *""".*"""\n/gm, '')
            .replace(/\(\n[^)]*\)/g, '(…)')
            .replace(/\n+/g, '\n')
        : `no ${name}`;
    })
    .join('\n');
}

const SHOP = `
  DEFINE TABLE person SCHEMAFULL COMMENT 'Who buys';
  DEFINE FIELD name ON person TYPE string;
  DEFINE FIELD age ON person TYPE option<int>;
  DEFINE FIELD status ON person TYPE 'active' | 'on-hold';
  DEFINE FIELD address ON person TYPE object;
  DEFINE FIELD address.city ON person TYPE string;
  DEFINE FIELD address.geo ON person TYPE option<geometry<point>>;
  DEFINE FIELD tags ON person TYPE array<string>;
  DEFINE FIELD secret ON person TYPE string PERMISSIONS FOR select NONE;
  DEFINE FIELD phones ON person TYPE array<object>;
  DEFINE FIELD phones.*.number ON person TYPE string;
  DEFINE FIELD likes ON person TYPE option<array<record<book | film>>>;
  DEFINE FIELD extra ON person FLEXIBLE TYPE object;
  DEFINE FIELD owner ON person TYPE option<record>;
  DEFINE TABLE book; DEFINE FIELD title ON book TYPE string;
  DEFINE TABLE film; DEFINE FIELD title ON film TYPE string;
  DEFINE TABLE bought TYPE RELATION FROM person TO book | film;
  DEFINE FIELD at ON bought TYPE datetime;`;

describe('the schema', () => {
  it('has a type for each table', async () => {
    const schema = await schemaOf(SHOP);
    expect(print(schema, 'Query', 'person', 'person_address', 'person_phones', 'book', 'bought')).toBe(
      `type Query {
  book(…): [book!]
  bought(…): [bought!]
  film(…): [film!]
  person(…): [person!]
  _get_book(id: ID!): book
  _get_bought(id: ID!): bought
  _get_film(id: ID!): film
  _get_person(id: ID!): person
  _get(id: ID!): record
  bookConnection(…): bookConnection
  boughtConnection(…): boughtConnection
  filmConnection(…): filmConnection
  personConnection(…): personConnection
  book_aggregate(…): [book_aggregate!]
  bought_aggregate(…): [bought_aggregate!]
  film_aggregate(…): [film_aggregate!]
  person_aggregate(…): [person_aggregate!]
  node(id: ID!): Node
  nodes(ids: [ID!]!): [Node]
}
type person implements record & Node {
  id: ID!
  address: person_address!
  age: Int
  extra: object!
  likes: [book_or_film]
  name: String!
  owner: record
  phones: [person_phones!]!
  secret: String
  status: active_or_on_hold!
  tags: [String!]!
  bought(…): [bought!]
  boughtConnection(…): boughtConnection
  bought_aggregate(…): [bought_aggregate!]
}
type person_address {
  city: String!
  geo: GeometryPoint
}
type person_phones {
  number: String!
}
type book implements record & Node {
  id: ID!
  title: String!
  bought_incoming(…): [bought!]
  bought_incomingConnection(…): boughtConnection
  bought_incoming_aggregate(…): [bought_aggregate!]
}
type bought implements record & Node {
  id: ID!
  at: datetime!
  in: person
  out: book_or_film
}`,
    );
    expect(schema.getType('person')?.description).toBe('Who buys');
    expect(print(schema, 'book_or_film', 'active_or_on_hold', 'record')).toBe(
      `union book_or_film = book | film
enum active_or_on_hold {
  active
  on_hold
}
interface record {
  id: ID!
}`,
    );
  });

  it('filters by every field that can be compared, under both names', async () => {
    const schema = await schemaOf(SHOP);
    expect(
      print(schema, '_filter_person', '_filter_person_address', '_filter_int_age', '_filter_active_or_on_hold_status'),
    ).toBe(
      `input _filter_person {
  id: _filter_id_person_id
  address: _filter_person_address
  age: _filter_int_age
  extra: _filter_object_extra
  likes: _filter_array_id_likes
  name: _filter_string_name
  owner: _filter_id_owner
  phones: _filter_array_person_phones_phones
  secret: _filter_string_secret
  status: _filter_active_or_on_hold_status
  tags: _filter_array_string_tags
  bought: _filter_edges_bought
  and: [_filter_person!]
  or: [_filter_person!]
  not: _filter_person
}
input _filter_person_address {
  city: _filter_string_city
  geo: _filter_geometry_geo
  exists: Boolean
  and: [_filter_person_address!]
  or: [_filter_person_address!]
  not: _filter_person_address
}
input _filter_int_age {
  eq: Int
  age_eq: Int
  ne: Int
  age_ne: Int
  in: [Int!]
  age_in: [Int!]
  nin: [Int!]
  age_nin: [Int!]
  gt: Int
  age_gt: Int
  gte: Int
  age_gte: Int
  lt: Int
  age_lt: Int
  lte: Int
  age_lte: Int
}
input _filter_active_or_on_hold_status {
  eq: active_or_on_hold
  status_eq: active_or_on_hold
  ne: active_or_on_hold
  status_ne: active_or_on_hold
  in: [active_or_on_hold!]
  status_in: [active_or_on_hold!]
  nin: [active_or_on_hold!]
  status_nin: [active_or_on_hold!]
}`,
    );
    expect(print(schema, '_order_person', '_orderable_person')).toBe(
      `input _order_person {
  asc: _orderable_person
  desc: _orderable_person
  then: _order_person
}
enum _orderable_person {
  id
  age
  name
  owner
  secret
  status
}`,
    );
  });

  it.each([
    ['any', 'any'],
    ['bool', 'Boolean!'],
    ['bytes', 'bytes!'],
    ['datetime', 'datetime!'],
    ['decimal', 'decimal!'],
    ['duration', 'duration!'],
    ['float', 'Float!'],
    ['number', 'number!'],
    ['uuid', 'uuid!'],
    ['object', 'object!'],
    ['set<int>', '[Int!]!'],
    ['array', '[any]!'],
    ['array<option<string>>', '[String]!'],
    ['array<array<int>>', '[[Int!]!]!'],
    ['array<record<t>>', '[t]!'],
    ['record<t>', 't'],
    ['record<t> | record<u>', 't_or_u'],
    ['record<t | missing>', 'record'],
    ['option<string | int>', 'any'],
    ['string | null', 'String'],
    ['int | float', 'number!'],
    ['1 | 2', 'Int!'],
    ['true | false', 'Boolean!'],
    ['{ a: int, b: option<string> }', 't_f!'],
    ['geometry<point>', 'GeometryPoint!'],
    ['array<geometry<collection>>', '[GeometryCollection!]!'],
    ['geometry<point | polygon>', 'Geometry!'],
    ['geometry', 'Geometry!'],
    ['[int, string]', 'any!'],
    ['range', 'any!'],
  ])('shows %s as %s', async (type, shown) => {
    const schema = await schemaOf(`DEFINE TABLE t; DEFINE TABLE u; DEFINE FIELD f ON t TYPE ${type}`);
    expect(print(schema, 't')).toContain(`  f: ${shown}\n`);
  });

  it('admits null wherever a permission may hide the field', async () => {
    const setup = `DEFINE TABLE t; DEFINE FIELD open ON t TYPE string; DEFINE FIELD full ON t TYPE string PERMISSIONS FULL;
      DEFINE FIELD own ON t TYPE string PERMISSIONS FOR select WHERE id = $auth`;
    expect(print(await schemaOf(setup), 't')).toBe(
      'type t implements record & Node {\n  id: ID!\n  full: String!\n  open: String!\n  own: String\n}',
    );
    expect(print(await schemaOf(setup, true), 't')).toBe(
      'type t implements record & Node {\n  id: ID!\n  full: String!\n  open: String\n  own: String\n}',
    );
  });

  it('makes odd names legal and keeps them apart', async () => {
    const schema = await schemaOf(`
      DEFINE TABLE \`first-table\`; DEFINE FIELD \`a-b\` ON \`first-table\` TYPE string; DEFINE FIELD a_b ON \`first-table\` TYPE int;
      DEFINE TABLE first_table; DEFINE FIELD \`größe\` ON first_table TYPE int; DEFINE FIELD \`2nd\` ON first_table TYPE int;
      DEFINE FIELD __x ON first_table TYPE int; DEFINE FIELD and ON first_table TYPE int; DEFINE FIELD id ON first_table TYPE int;
      DEFINE TABLE String; DEFINE TABLE Query; DEFINE TABLE record; DEFINE TABLE _get;
      DEFINE TABLE e; DEFINE FIELD f ON e TYPE '' | 'true' | 'a b' | 'a-b';`);
    expect(print(schema, 'first_table', 'first_table_2', '_filter_first_table')).toBe(
      `type first_table implements record & Node {
  id: ID!
  _x: Int!
  _2nd: Int!
  grosse: Int!
  and: Int!
}
type first_table_2 implements record & Node {
  id: ID!
  a_b_2: String!
  a_b: Int!
}
input _filter_first_table {
  id: _filter_id_first_table_id
  _x: _filter_int__x
  _2nd: _filter_int__2nd
  grosse: _filter_int_grosse
  and_2: _filter_int_and
  and: [_filter_first_table!]
  or: [_filter_first_table!]
  not: _filter_first_table
}`,
    );
    expect(Object.keys(schema.getQueryType()?.getFields() ?? {})).toEqual([
      'Query',
      'String',
      '_get',
      'e',
      'first_table_2',
      'first_table',
      'record',
      '_get_Query',
      '_get_String',
      '_get__get',
      '_get_e',
      '_get_first_table_2',
      '_get_first_table',
      '_get_record',
      '_get_2',
      'QueryConnection',
      'StringConnection',
      '_getConnection',
      'eConnection',
      'first_table_2Connection',
      'first_tableConnection',
      'recordConnection',
      'Query_aggregate',
      'String_aggregate',
      '_get_aggregate',
      'e_aggregate',
      'first_table_2_aggregate',
      'first_table_aggregate',
      'record_aggregate',
      'node',
      'nodes',
    ]);
    expect(print(schema, '_or_true_or_a_b_or_a_b')).toBe(
      'enum _or_true_or_a_b_or_a_b {\n  true_2\n  _\n  a_b\n  a_b_2\n}',
    );
  });

  it('holds what the config exposes', async () => {
    const setup = (config: string) =>
      `DEFINE CONFIG OVERWRITE GRAPHQL ${config}; DEFINE TABLE a; DEFINE TABLE b; DEFINE FIELD a ON b TYPE record<a>`;
    const tables = async (config: string) =>
      Object.keys((await schemaOf(setup(config))).getQueryType()?.getFields() ?? {}).filter(
        (name) => !name.startsWith('_'),
      );
    const relay = ['node', 'nodes'];
    expect(await tables('AUTO')).toEqual([
      ...['a', 'b', 'aConnection', 'bConnection', 'a_aggregate', 'b_aggregate'],
      ...relay,
    ]);
    expect(await tables('TABLES INCLUDE a')).toEqual(['a', 'aConnection', 'a_aggregate', ...relay]);
    expect(await tables('TABLES EXCLUDE a')).toEqual(['b', 'bConnection', 'b_aggregate', ...relay]);
    // A link to a table that isn't shown is still a link to a record.
    expect(print(await schemaOf(setup('TABLES EXCLUDE a')), 'b')).toContain('  a: record\n');
  });

  it('is made again when a definition changes', async () => {
    const { owner, ask } = await openStack('DEFINE CONFIG GRAPHQL AUTO; DEFINE TABLE t; CREATE t:1 SET x = 1');
    expect((await ask('{ t { x } }')).errors?.[0]?.message).toBe('Cannot query field "x" on type "t".');
    await owner.query('DEFINE FIELD x ON t TYPE int');
    expect(await ask('{ t { x } }')).toEqual({ data: { t: [{ x: 1 }] } });
    await owner.query('REMOVE TABLE t; DEFINE TABLE u');
    expect((await ask('{ t { x } }')).errors?.[0]?.extensions.code).toBe('graphql_invalid');
    await owner.query('REMOVE CONFIG GRAPHQL');
    expect((await ask('{ u { id } }')).errors?.[0]?.message).toContain('NotConfigured');
  });

  it('is valid whatever tables and fields are called', async () => {
    const name = fc.oneof(
      fc.constantFrom(
        'id',
        'and',
        'not',
        'record',
        'Int',
        '__type',
        'a.b',
        'a*',
        'null',
        'true',
        '_get',
        'in',
        'größe',
        '人',
      ),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }),
    );
    const type = fc.constantFrom(
      'string',
      'option<int>',
      "'a' | 'b-c'",
      'array<object>',
      'record',
      '{ x: int }',
      'any',
    );
    const table = fc.record({ name, fields: fc.array(fc.tuple(name, type), { maxLength: 5 }) });
    const service = new GraphqlService();
    await fc.assert(
      fc.asyncProperty(fc.array(table, { minLength: 1, maxLength: 4 }), async (tables) => {
        const { owner } = await openStack('DEFINE CONFIG GRAPHQL AUTO; DEFINE TABLE t');
        for (const { name, fields } of tables) {
          const escaped = escapeIdentifier(name);
          await owner.query(`DEFINE TABLE OVERWRITE ${escaped}`);
          for (const [field, kind] of fields) {
            await owner.query(`DEFINE FIELD OVERWRITE ${escapeIdentifier(field)} ON ${escaped} TYPE ${kind}`);
          }
        }
        const catalog = await catalogOf(owner);
        const { schema } = buildSchema(
          { tables: [...(catalog?.tables.values() ?? [])], functions: [], buckets: new Set(), changing: new Set() },
          {
            guardedByDefault: false,
            hidesDenied: false,
          },
        );
        expect(validateSchema(schema)).toEqual([]);
        const request = { query: '{ t { id } }', variables: undefined, operationName: undefined };
        expect((await service.answer(owner, request)).failures).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });
});

describe('names', () => {
  it('are legal and unique', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 150 })), (texts) => {
        const names = new Names(['a']);
        const claimed = [...names.claimAll(texts).values()];
        expect(new Set(claimed).size).toBe(new Set(texts).size);
        for (const name of claimed) expect(name).toMatch(/^(?!__)[A-Za-z_][A-Za-z0-9_]*$/);
      }),
    );
    expect(legalName('')).toBe('_');
    expect(legalName('---')).toBe('_');
    expect(legalName('first-name')).toBe('first_name');
  });
});

/** Relay's Global Object Identification (https://relay.dev/graphql/objectidentification.htm), and what scalars say. */
import { beforeEach, describe, expect, it } from 'vitest';
import { openStack, type Stack } from './stack.js';

const SETUP = `
  DEFINE CONFIG GRAPHQL TABLES EXCLUDE hidden;
  DEFINE TABLE person SCHEMAFULL PERMISSIONS FOR select WHERE name != 'Eve';
  DEFINE FIELD name ON person TYPE string;
  DEFINE FIELD pass ON person TYPE string PERMISSIONS FOR select NONE;
  DEFINE TABLE book SCHEMAFULL PERMISSIONS NONE;
  DEFINE FIELD title ON book TYPE string;
  DEFINE TABLE hidden;
  CREATE person:ann SET name = 'Ann', pass = 'x'; CREATE person:eve SET name = 'Eve', pass = 'y';
  CREATE book:1 SET title = 'Trees'; CREATE hidden:1;`;

describe('node and nodes', () => {
  let stack: Stack;
  beforeEach(async () => {
    stack = await openStack(SETUP);
  });

  it('§2, §3: Node has the id alone, and every table implements it', async () => {
    const { data } = await stack.ask(`{
      __type(name: "Node") { kind fields { name type { kind ofType { name } } } possibleTypes { name } }
      __schema { queryType { fields { name type { name } args { name type { kind ofType { name } } } } } }
    }`);
    const id = { kind: 'NON_NULL', ofType: { name: 'ID' } };
    expect(data?.['__type']).toEqual({
      kind: 'INTERFACE',
      fields: [{ name: 'id', type: id }],
      possibleTypes: [{ name: 'book' }, { name: 'person' }],
    });
    const { __schema } = data as { __schema: { queryType: { fields: { name: string }[] } } };
    expect(__schema.queryType.fields.find(({ name }) => name === 'node')).toEqual({
      name: 'node',
      type: { name: 'Node' },
      args: [{ name: 'id', type: id }],
    });
  });

  it('§4: reads a record again by the id that it gave, as @refetchable does', async () => {
    const [first] = Object.values((await stack.data('{ person(order: {asc: name}) { id } }')) ?? {})[0] as {
      id: string;
    }[];
    const refetch =
      'query ($id: ID!) { node(id: $id) { __typename ...Refetchable id } } fragment Refetchable on person { name }';
    expect(await stack.data(refetch, { id: first?.id })).toEqual({
      node: { __typename: 'person', name: 'Ann', id: 'person:ann' },
    });
  });

  it('gives null for what is not there, is not shown, or is no id', async () => {
    const of = async (id: string) => (await stack.data('query ($id: ID!) { node(id: $id) { id } }', { id }))?.['node'];
    for (const id of ['person:nobody', 'hidden:1', 'missing:1', 'ann', '', 'person:', 'person:1..3', 'person'])
      expect(await of(id)).toBeNull();
  });

  it('§5: nodes are in the order of their ids, null where there is none', async () => {
    const query =
      'query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id ... on book { title } ... on person { name } } }';
    const ids = ['book:1', 'person:nobody', 'person:ann', 'hidden:1', 'book:1'];
    const book = { __typename: 'book', id: 'book:1', title: 'Trees' };
    stack.sent.statements = 0;
    expect(await stack.data(query, { ids })).toEqual({
      nodes: [book, null, { __typename: 'person', id: 'person:ann', name: 'Ann' }, null, book],
    });
    expect(stack.sent.statements).toBe(2);
    expect(await stack.data(query, { ids: [] })).toEqual({ nodes: [] });
  });

  it('show guests what PERMISSIONS show them', async () => {
    const guest = stack.database.session({});
    await guest.use('test', 'test');
    const query = `{ ann: node(id: "person:ann") { ... on person { name pass } }
      eve: node(id: "person:eve") { id } book: node(id: "book:1") { id }
      nodes(ids: ["person:ann", "person:eve", "book:1"]) { id } }`;
    expect(await stack.ask(query, {}, guest)).toEqual({
      data: { ann: { name: 'Ann', pass: null }, eve: null, book: null, nodes: [{ id: 'person:ann' }, null, null] },
    });
  });

  it('count as a list of records does', async () => {
    const { ask } = await openStack(SETUP, { limits: { rows: 2 } });
    expect((await ask('{ nodes(ids: ["book:1", "book:2"]) { id } }')).errors).toBeUndefined();
    expect((await ask('{ nodes(ids: ["book:1", "book:2", "book:3"]) { id } }')).errors?.[0]?.extensions.code).toBe(
      'graphql_limit',
    );
    const small = await openStack(SETUP, { limits: { values: 30 } });
    const { errors } = await small.ask('{ nodes(ids: ["book:1", "book:2", "book:3", "book:4"]) { id } }');
    expect(errors?.[0]?.extensions.code).toBe('graphql_limit');
  });
});

it('tables, aliases and functions keep the names that they want', async () => {
  const fields = async (setup: string) => {
    const { data } = await openStack(`DEFINE CONFIG GRAPHQL TABLES AUTO FUNCTIONS AUTO; ${setup}`);
    const found = await data(
      '{ __schema { queryType { fields { name type { name kind ofType { name ofType { name } } } } } } }',
    );
    const { __schema } = found as {
      __schema: {
        queryType: {
          fields: { name: string; type: { name?: string; ofType?: { name?: string; ofType?: { name: string } } } }[];
        };
      };
    };
    return Object.fromEntries(
      __schema.queryType.fields
        .filter(({ name }) => /^nodes?$/i.test(name))
        .map(({ name, type }) => [name, type.name ?? type.ofType?.name ?? type.ofType?.ofType?.name]),
    );
  };
  expect(await fields('DEFINE TABLE a')).toEqual({ node: 'Node', nodes: 'Node' });
  expect(await fields('DEFINE TABLE node')).toEqual({ node: 'node', nodes: 'Node' });
  expect(await fields('DEFINE TABLE nodes')).toEqual({ node: 'Node', nodes: 'nodes' });
  expect(await fields('DEFINE TABLE Node')).toEqual({ Node: 'Node' });
  expect(await fields("DEFINE TABLE a GRAPHQL_ALIAS 'Node'")).toEqual({ Node: 'Node' });
  expect(await fields("DEFINE TABLE a; DEFINE FUNCTION fn::x() -> string { RETURN '' } GRAPHQL_ALIAS 'node'")).toEqual({
    node: 'String',
    nodes: 'Node',
  });
});

it('scalars name what specifies them, but those of GraphQL itself', async () => {
  const { data } = await openStack('DEFINE CONFIG GRAPHQL AUTO; DEFINE TABLE t; DEFINE FIELD d ON t TYPE datetime');
  const all = 'number decimal datetime duration uuid bytes geometry object any'.split(' ');
  const found = await data(
    `{ ${['Int', 'ID', ...all].map((name) => `${name}: __type(name: "${name}") { specifiedByURL description }`).join(' ')} }`,
  );
  expect(found?.['Int']).toMatchObject({ specifiedByURL: null });
  expect(found?.['datetime']).toMatchObject({ specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6' });
  // Types that no field has aren't in the schema.
  const used = Object.entries(found ?? {}).filter(([name, type]) => type !== null && all.includes(name));
  expect(used.map(([name]) => name)).toEqual(['datetime', 'object']);
  for (const [, type] of used) {
    const { specifiedByURL, description } = type as { specifiedByURL: string; description: string };
    expect(URL.canParse(specifiedByURL)).toBe(true);
    expect(description.length).toBeGreaterThan(20);
  }
});

/** Nearest neighbours in GraphQL: `nearest` of lists, `_distance` of records. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Session } from '../../src/session/contract.js';
import { openStack, type Stack } from './stack.js';

const SETUP = `
  DEFINE CONFIG GRAPHQL AUTO;
  DEFINE ANALYZER simple TOKENIZERS class FILTERS lowercase;
  DEFINE TABLE shelf SCHEMAFULL PERMISSIONS FULL;
  DEFINE FIELD name ON shelf TYPE string;
  DEFINE TABLE stone SCHEMAFULL PERMISSIONS FOR select WHERE open;
  DEFINE FIELD name ON stone TYPE string;
  DEFINE FIELD open ON stone TYPE bool DEFAULT true;
  DEFINE FIELD kind ON stone TYPE option<string>;
  DEFINE FIELD colour ON stone TYPE option<array<float>> GRAPHQL_ALIAS 'paint';
  DEFINE FIELD secret ON stone TYPE option<array<float>> PERMISSIONS NONE;
  DEFINE FIELD plain ON stone TYPE option<array<float>>;
  DEFINE FIELD next ON stone TYPE option<record<stone>>;
  DEFINE TABLE holds TYPE RELATION IN shelf OUT stone SCHEMAFULL PERMISSIONS FULL;
  DEFINE FIELD place ON holds TYPE option<array<float>>;
  DEFINE INDEX colours ON stone FIELDS colour HNSW DIMENSION 2;
  DEFINE INDEX secrets ON stone FIELDS secret HNSW DIMENSION 2;
  DEFINE INDEX names ON stone FIELDS name FULLTEXT ANALYZER simple;
  DEFINE INDEX places ON holds FIELDS place HNSW DIMENSION 1;
  CREATE stone:1 SET name = 'ruby red', colour = [1, 0], kind = 'gem', next = stone:2, secret = [1, 1];
  CREATE stone:2 SET name = 'brick red', colour = [3, 0], kind = 'rock', secret = [2, 2];
  CREATE stone:3 SET name = 'sapphire', colour = [6, 0], kind = 'gem';
  CREATE stone:4 SET name = 'garnet', colour = [0, 0], kind = 'gem', open = false;
  CREATE stone:5 SET name = 'glass';
  CREATE shelf:1 SET name = 'One';
  RELATE shelf:1->holds->stone:1 SET place = [1];
`;

async function guestOf({ database }: Stack): Promise<Session> {
  const session = database.session({});
  await session.use('test', 'test');
  return session;
}

let stack: Stack;
let guest: Session;
beforeAll(async () => {
  stack = await openStack(SETUP);
  guest = await guestOf(stack);
});
afterAll(() => stack.database.close());

async function failureOf(query: string, variables?: object): Promise<{ code: string | undefined; text: string }> {
  const { errors = [] } = await stack.ask(query, variables);
  return { code: errors[0]?.extensions.code, text: errors[0]?.message ?? '' };
}

const ids = (...keys: number[]) => keys.map((key) => ({ id: `stone:${key}` }));
const nearest = (text: string) => `{ stone(nearest: {field: paint, ${text}}) { id } }`;

it('lists the nearest records first, with their distances', async () => {
  expect(await stack.data('{ stone(nearest: {field: paint, to: [0, 0], k: 3, ef: 40}) { name _distance } }')).toEqual({
    stone: [
      { name: 'garnet', _distance: 0 },
      { name: 'ruby red', _distance: 1 },
      { name: 'brick red', _distance: 3 },
    ],
  });
  const query = `query ($to: [Float!]!, $k: Int!) {
    near: stone(nearest: {field: paint, to: $to, k: $k}, start: 1, limit: 1) { id }
    ordered: stone(nearest: {field: paint, to: $to, k: $k}, order: {asc: name}) { id }
  }`;
  expect(await stack.data(query, { to: [0.6, 0], k: 3 })).toEqual({ near: ids(4), ordered: ids(2, 4, 1) });
  expect(await stack.data(query, { to: [9, 0], k: 2 })).toEqual({ near: ids(2), ordered: ids(2, 3) });
});

it('counts neighbours among the records that filters leave', async () => {
  const query = `query ($where: _filter_stone) {
    stone(nearest: {field: paint, to: [0, 0], k: 2}, where: $where) { id }
  }`;
  expect(await stack.data(query, { where: { kind: { eq: 'gem' }, open: { eq: true } } })).toEqual({ stone: ids(1, 3) });
  expect(await stack.data(query, { where: { or: [{ id: { eq: '3' } }, { kind: { eq: 'rock' } }] } })).toEqual({
    stone: ids(2, 3),
  });
  expect(await stack.data(query, { where: {} })).toEqual({ stone: ids(4, 1) });
  expect(await stack.data(query, { where: { kind: { eq: 'none of them' } } })).toEqual({ stone: [] });
  expect(await stack.data('{ stone(nearest: null, where: {kind: {eq: "rock"}}) { id } }')).toEqual({ stone: ids(2) });
});

it('measures what full-text conditions leave', async () => {
  const query =
    '{ stone(nearest: {field: paint, to: [9, 0], k: 2}, filter: {name: {matches: "red"}}) { id _distance } }';
  expect(await stack.data(query)).toEqual({
    stone: [
      { id: 'stone:2', _distance: 6 },
      { id: 'stone:1', _distance: 8 },
    ],
  });
});

it('has no distance where nothing is searched, on linked records, nor of edges', async () => {
  expect(await stack.data('{ stone(limit: 1) { _distance next { _distance } } }')).toEqual({
    stone: [{ _distance: null, next: { _distance: null } }],
  });
  const linked = '{ stone(nearest: {field: paint, to: [1, 0], k: 1}) { _distance next { id _distance } } }';
  expect(await stack.data(linked)).toEqual({ stone: [{ _distance: 0, next: { id: 'stone:2', _distance: null } }] });
  expect(await stack.data('{ shelf { holds { _distance } } }')).toEqual({ shelf: [{ holds: [{ _distance: null }] }] });
  expect((await failureOf('{ shelf { holds(nearest: {field: place, to: [1], k: 1}) { id } } }')).code).toBe(
    'graphql_invalid',
  );
  expect(
    await stack.data('{ _get_stone(id: "1") { _distance } stoneConnection(first: 1) { nodes { _distance } } }'),
  ).toEqual({
    _get_stone: { _distance: null },
    stoneConnection: { nodes: [{ _distance: null }] },
  });
});

it('counts no hidden records, and measures no hidden fields', async () => {
  expect(await stack.data(nearest('to: [0, 0], k: 2'), {}, guest)).toEqual({ stone: ids(1, 2) });
  const secret = '{ stone(nearest: {field: secret, to: [0, 0], k: 2}) { id _distance } }';
  expect(await stack.data(secret)).toMatchObject({ stone: ids(1, 2) });
  expect(await stack.data(secret, {}, guest)).toEqual({ stone: [] });
});

it('sees what a transaction has written, and nothing of one that failed', async () => {
  const query = `mutation @transaction {
    createStone(data: {id: "9", name: "coal", paint: [50, 0]}) { id }
    updateStone(id: "9", data: {paint: [1, 2, 3]}) { id }
  }`;
  expect((await failureOf(query)).text).toContain('Incorrect vector dimension (3)');
  expect(await stack.data(nearest('to: [50, 0], k: 1'))).toEqual({ stone: ids(3) });
});

it('refuses vectors that cannot be measured', async () => {
  expect(await failureOf(nearest('to: [1], k: 1'))).toMatchObject({
    code: 'vector_dimension',
    text: expect.stringContaining('Incorrect vector dimension (1). Expected a vector of 2 dimension.'),
  });
  expect((await failureOf(nearest('to: [], k: 1'))).code).toBe('vector_dimension');
  const variable = 'query ($to: [Float!]!) { stone(nearest: {field: paint, to: $to, k: 1}) { id } }';
  expect((await failureOf(variable, { to: Array(65_536).fill(1) })).code).toBe('vector_dimension');
  expect((await failureOf(variable, { to: Array(100_001).fill(1) })).code).toBe('graphql_limit');
  expect((await failureOf(nearest('to: [0, "NaN"], k: 1'))).code).toBe('graphql_value');
  const endless = '{ stone(nearest: {field: paint, to: [1e999, 0], k: 1}) { id _distance } }';
  expect(await stack.data(endless)).toEqual({ stone: [{ id: 'stone:1', _distance: null }] });
  for (const to of [['NaN', 1], ['abc', 1], [[1, 2]], [{}, 1], 'abc']) {
    expect((await failureOf(variable, { to })).code).toBe('graphql_value');
  }
  for (const to of [[null, 1], null]) expect((await failureOf(variable, { to })).code).toBe('graphql_variables');
});

it('bounds how many neighbours are looked for', async () => {
  expect(await stack.data(nearest('to: [0, 0], k: 0'))).toEqual({ stone: [] });
  expect(await stack.data(nearest('to: [0, 0], k: 3, ef: 1'))).toEqual({ stone: ids(4, 1, 2) });
  expect(await stack.data(nearest('to: [0, 0], k: 1, ef: 1000000000'))).toEqual({ stone: ids(4) });
  expect((await failureOf(nearest('to: [0, 0], k: -1'))).code).toBe('graphql_argument');
  expect((await failureOf(nearest('to: [0, 0], k: 1, ef: -1'))).code).toBe('graphql_argument');
  expect((await failureOf(nearest('to: [0, 0], k: 1000000000'))).code).toBe('graphql_limit');
  const many = Array.from({ length: 45 }, (_, at) => `a${at}: stone(nearest: {field: paint, to: [1, 1], k: 1}) { id }`);
  expect((await stack.data(`{ ${many.join(' ')} }`)) as object).toHaveProperty('a44');
  const filtered = 'stone(nearest: {field: paint, to: [1, 1], k: 1}, filter: {or: $all}) { id }';
  const all = Array(995).fill({ kind: { eq: 'gem' } });
  expect((await failureOf(`query ($all: [_filter_stone!]) { ${filtered} }`, { all })).code).toBe('graphql_limit');
});

it('offers the search for indexed fields that are shown alone', async () => {
  expect((await failureOf('{ stone(nearest: {field: plain, to: [0, 0], k: 1}) { id } }')).code).toBe('graphql_invalid');
  expect((await failureOf('{ shelf(nearest: {field: name, to: [0, 0], k: 1}) { id } }')).code).toBe('graphql_invalid');
  expect((await failureOf('{ shelf { _distance } }')).text).toContain('_distance');
  expect((await failureOf('{ stone(nearest: {to: [0, 0], k: 1}) { id } }')).text).toContain('field');
  expect((await failureOf('subscription { stone(nearest: {field: paint, to: [0, 0], k: 1}) { id } }')).code).toBe(
    'graphql_invalid',
  );
});

it('does not offer fields that PERMISSIONS never show, where these are left out', async () => {
  const closed = await openStack(SETUP, { hideDenied: true });
  const anyone = await guestOf(closed);
  const { errors } = await closed.ask('{ stone(nearest: {field: secret, to: [0, 0], k: 1}) { id } }', {}, anyone);
  expect(errors?.[0]?.extensions.code).toBe('graphql_invalid');
  expect(await closed.ask('{ stone(nearest: {field: paint, to: [1, 0], k: 1}) { _distance } }', {}, anyone)).toEqual({
    data: { stone: [{ _distance: 0 }] },
  });
  await closed.database.close();
});

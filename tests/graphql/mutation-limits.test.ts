import { beforeEach, describe, expect, it } from 'vitest';
import { type Answer, openStack, type Stack } from './stack.js';

const SETUP = `
  DEFINE CONFIG GRAPHQL AUTO;
  DEFINE TABLE node; DEFINE FIELD n ON node TYPE option<int>; DEFINE FIELD next ON node TYPE option<record<node>>;
  DEFINE FIELD all ON node TYPE array<record<node>> DEFAULT []; DEFINE FIELD any ON node TYPE any;
  DEFINE TABLE leads TYPE RELATION FROM node TO node;
  CREATE |node:1..=20| SET n = 1;`;

let stack: Stack;
beforeEach(async () => {
  stack = await openStack(SETUP, { limits: { rows: 10, values: 1_000, inputs: 20_000 } });
});

async function count(): Promise<unknown> {
  const [result] = await stack.owner.query('RETURN count(SELECT * FROM node)');
  return result?.outcome.ok === true ? result.outcome.value : result?.outcome;
}

const code = ({ errors }: Answer) => errors?.[0]?.extensions.code;
const CREATE = 'mutation ($data: CreateNodeInput!) { createNode(data: $data) { id } }';

function nested(levels: number, wrap: (inner: object) => object): object {
  let data: object = { n: 0 };
  for (let level = 0; level < levels; level++) data = wrap(data);
  return data;
}

describe('inputs', () => {
  it.each([
    ['links', (next_create: object) => ({ next_create })],
    ['lists of links', (inner: object) => ({ all_create: [inner] })],
    ['edges', (out_create: object) => ({ leads: [{ out_create }] })],
    ['values', (any: object) => ({ any })],
  ])('that are deep end in an error: %s', async (_, wrap) => {
    const answer = await stack
      .ask(CREATE, { data: nested(10_000, wrap) })
      .catch((error): Answer => ({ errors: [{ message: '', extensions: error }] }));
    expect(answer.errors).toHaveLength(1);
    expect(code(answer)).not.toBe('internal');
    expect(await count()).toBe(20);
  });

  it('that are as deep as JSON may be work', async () => {
    const answer = await stack.ask(CREATE, { data: nested(40, (next_create) => ({ next_create })) });
    expect(answer.errors).toBeUndefined();
    expect(await count()).toBe(61);
  });

  it('that are wide end in an error', async () => {
    const wide = { data: { all_create: Array.from({ length: 100_000 }, (_, n) => ({ n })) } };
    expect(code(await stack.ask(CREATE, wide))).toBe('graphql_limit');
    const many = { data: Array.from({ length: 100_000 }, (_, n) => ({ n })) };
    expect(
      code(await stack.ask('mutation ($data: [CreateNodeInput!]!) { createManyNode(data: $data) { id } }', many)),
    ).toBe('graphql_limit');
    expect(await count()).toBe(20);
  });

  it('with thousands of nested records work', async () => {
    const data = { all_create: Array.from({ length: 5_000 }, (_, n) => ({ n })), leads: [{ out: 'node:1' }] };
    expect((await stack.ask(CREATE, { data })).errors).toBeUndefined();
    expect(await count()).toBe(5_021);
  });
});

describe('writes', () => {
  it('of more records than a list may have are not made', async () => {
    for (const field of [
      'updateManyNode(filter: {}, data: {n: 2}) { id }',
      'updateManyNode(filter: {}, limit: 11, data: {n: 2}) { id }',
      'mergeManyNode(filter: {n: {eq: 1}}, data: {n: 2}) { id }',
      'deleteManyNode(filter: {}) { id }',
    ]) {
      const answer = await stack.ask(`mutation { ${field} }`);
      expect([field, code(answer), answer.errors?.[0]?.message]).toEqual([
        field,
        'graphql_limit',
        'The GraphQL request exceeds the limit of 10 records in one list, which must ask for no more with `limit` (--max-graphql-rows)',
      ]);
    }
    const [result] = await stack.owner.query('RETURN count(SELECT * FROM node WHERE n = 1)');
    expect(result?.outcome).toEqual({ ok: true, value: 20 });
    expect((await stack.ask('mutation { deleteManyNode(filter: {}, limit: 10) { id } }')).errors).toBeUndefined();
    expect(await count()).toBe(10);
  });

  it('whose records would be too much for the answer are not made', async () => {
    const data = Array.from({ length: 600 }, (_, n) => ({ n }));
    const rich = await openStack(SETUP, { limits: { values: 1_000 } });
    const [found] =
      (await rich.ask('mutation ($data: [CreateNodeInput!]!) { createManyNode(data: $data) { id } }', { data }))
        .errors ?? [];
    expect(found?.message).toBe(
      'The GraphQL request exceeds the limit of 1000 values in its answer (--max-graphql-values)',
    );
    expect((await rich.ask('{ node(limit: 30) { id } }')).data?.node).toHaveLength(20);
    const answer = await stack.ask('mutation ($data: [CreateNodeInput!]!) { createManyNode(data: $data) { id } }', {
      data,
    });
    expect([code(answer), await count()]).toEqual(['graphql_limit', 20]);
  });

  it('keep what was written though the fields after them exceed what may be read', async () => {
    const links = Array.from({ length: 80 }, (_, n) => `"${n + 1}"`).join();
    const { data, errors } = await stack.ask(`mutation {
      a: createNode(data: {n: 7}) { n }
      b: createNode(data: {n: 8, all: [${links}]}) { n all { n next { n } } }
      c: createNode(data: {n: 9}) { n }
    }`);
    expect(data).toEqual({ a: { n: 7 }, b: null, c: null });
    expect(errors?.map(({ path, extensions }) => [path?.[0], extensions.code])).toEqual([
      ['b', 'graphql_limit'],
      ['c', 'graphql_limit'],
    ]);
    // What b wrote is there, though it can't be shown; c was not begun.
    expect(await count()).toBe(22);
  });

  it('of nothing are nothing', async () => {
    const answer = await stack.ask('mutation { createManyNode(data: []) { id } upsertManyNode(data: []) { id } }');
    expect(answer).toEqual({ data: { createManyNode: [], upsertManyNode: [] } });
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { openStack, type Stack } from './stack.js';

const SETUP = `
  DEFINE CONFIG GRAPHQL AUTO;
  DEFINE TABLE item; DEFINE FIELD n ON item TYPE int ASSERT $value < 100; DEFINE FIELD next ON item TYPE option<record<item>>;
  CREATE item:1 SET n = 1;`;

let stack: Stack;
beforeEach(async () => {
  stack = await openStack(SETUP);
});

async function stored(): Promise<unknown> {
  const [result] = await stack.owner.query('SELECT VALUE n FROM item');
  return result?.outcome.ok === true ? result.outcome.value : result?.outcome;
}

describe('@transaction', () => {
  it('keeps all', async () => {
    expect(
      await stack.ask(`mutation @transaction {
        a: createItem(data: {id: "2", n: 2, next_create: {id: "3", n: 3}}) { n }
        b: updateItem(id: "2", data: {n: 20}) { n next { n } }
        __typename
      }`),
    ).toEqual({ data: { a: { n: 2 }, b: { n: 20, next: { n: 3 } }, __typename: 'Mutation' } });
    expect(await stored()).toEqual([1, 20, 3]);
  });

  it('or none: one field says why, the others that they were undone', async () => {
    const { data, errors } = await stack.ask(`mutation @transaction {
      a: createItem(data: {n: 2}) { n }
      b: createItem(data: {n: 200}) { n }
      c: deleteItem(id: "1") { n }
    }`);
    expect(data).toEqual({ a: null, b: null, c: null });
    expect(errors?.map(({ path, extensions: { code } }) => [path?.[0], code]).sort()).toEqual([
      ['a', 'graphql_undone'],
      ['b', 'field_assert'],
      ['c', 'graphql_undone'],
    ]);
    expect(await stored()).toEqual([1]);
  });

  it('knows nothing but records', async () => {
    const { data, errors } = await stack.ask(
      'mutation @transaction { a: createItem(data: {n: 2}) { n } signIn(user: "x", pass: "y") { token } }',
    );
    expect(data).toEqual({ a: null, signIn: null });
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['graphql_transaction', 'graphql_undone']);
    expect(stack.owner.identity.principal).toMatchObject({ kind: 'system' });
    expect(await stored()).toEqual([1]);
  });

  it('stands on mutations only', async () => {
    const { errors } = await stack.ask('query @transaction { item { n } }');
    expect(errors?.[0]?.message).toBe('Directive "@transaction" may not be used on QUERY.');
  });

  /** Changes what a transaction has read before it is committed, so many times. */
  function disturb(times: number): { begun: number } {
    const seen = { begun: 0 };
    const { owner, database } = stack;
    const begin = owner.begin.bind(owner);
    owner.begin = async (options) => {
      const held = await begin(options);
      const attempt = ++seen.begun;
      const commit = held.commit.bind(held);
      held.commit = async () => {
        if (attempt <= times) {
          const other = database.ownerSession();
          await other.use('test', 'test');
          await other.query('UPDATE item:1 SET n += 1');
        }
        await commit();
      };
      return held;
    };
    return seen;
  }

  it('is tried again when others change what it has read', async () => {
    const seen = disturb(3);
    const { data, errors } = await stack.ask(
      'mutation @transaction { updateManyItem(filter: {n: {gt: 0}}, data: {n: 50}) { n } createItem(data: {n: 2}) { n } }',
    );
    expect(errors).toBeUndefined();
    expect(data).toEqual({ updateManyItem: [{ n: 50 }], createItem: { n: 2 } });
    expect(seen.begun).toBe(4);
    expect(await stored()).toEqual(expect.arrayContaining([50, 2]));
  });

  it('fails with the conflict in the end', async () => {
    const seen = disturb(Number.POSITIVE_INFINITY);
    const { data, errors } = await stack.ask(
      'mutation @transaction { a: updateItem(id: "1", data: {n: 50}) { n } b: createItem(data: {n: 2}) { n } }',
    );
    expect(data).toEqual({ a: null, b: null });
    expect(errors?.map(({ extensions, path }) => [path?.[0], extensions.code])).toEqual([
      ['a', 'transaction_conflict'],
      ['b', 'transaction_conflict'],
    ]);
    expect(seen.begun).toBe(5);
    expect(await stored()).toEqual([6]);
  });

  it('leaves no transaction behind', async () => {
    for (let at = 0; at < 100; at++) {
      const { errors } = await stack.ask('mutation @transaction { a: createItem(data: {n: 200}) { n } }');
      expect(errors?.[0]?.extensions.code).toBe('field_assert');
    }
    expect((await stack.ask('mutation @transaction { a: createItem(data: {n: 2}) { n } }')).errors).toBeUndefined();
  });
});

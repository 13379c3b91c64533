/** Functions of the database as fields of Query and Mutation. */
import { describe, expect, it } from 'vitest';
import { openStack } from './stack.js';

const SETUP = `DEFINE CONFIG GRAPHQL AUTO;
  DEFINE TABLE person PERMISSIONS FOR select FULL; DEFINE FIELD name ON person TYPE string; DEFINE FIELD best ON person TYPE option<record<person>>;
  CREATE person:ann SET name = 'Ann', best = person:bob; CREATE person:bob SET name = 'Bob';
  DEFINE FUNCTION fn::greet($name: string, $times: option<int>) -> string { RETURN 'Hello ' + $name + '!'.repeat($times ?? 1) };
  DEFINE FUNCTION fn::user::friend($who: record<person>) -> option<record<person>> { RETURN $who.best } COMMENT 'Their best friend.';
  DEFINE FUNCTION fn::all() -> array<record<person>> { RETURN SELECT VALUE id FROM person ORDER BY id };
  DEFINE FUNCTION fn::stats($of: { at: datetime, tags: array<string> }) -> { at: datetime, count: int } { RETURN { at: $of.at, count: $of.tags.len() } };
  DEFINE FUNCTION fn::anything($a: any) { RETURN $a };
  DEFINE FUNCTION fn::rename($who: record<person>, $name: string) -> option<record<person>> { UPDATE $who SET name = $name; RETURN $who };
  DEFINE FUNCTION fn::indirectly($who: record<person>) { RETURN fn::rename($who, 'Indirect') };
  DEFINE FUNCTION fn::old() -> int { RETURN 1 } GRAPHQL_ALIAS 'ancient' GRAPHQL_DEPRECATED 'Too old';
  DEFINE FUNCTION fn::secret() -> int { RETURN 42 } PERMISSIONS NONE;`;

describe('functions', () => {
  it('that only read are fields of Query', async () => {
    const { ask } = await openStack(SETUP);
    expect(
      await ask(
        `query ($at: datetime!, $who: ID!) {
          fn_greet(name: "you") twice: fn_greet(name: "you", times: 2)
          fn_user_friend(who: $who) { id name }
          fn_all { name best { name } }
          fn_stats(of: {at: $at, tags: ["a", "b"]}) { at count }
          fn_anything(a: {b: [1, "x"]})
          ancient
        }`,
        { at: '2030-01-01T00:00:00Z', who: 'ann' },
      ),
    ).toEqual({
      data: {
        fn_greet: 'Hello you!',
        twice: 'Hello you!!',
        fn_user_friend: { id: 'person:bob', name: 'Bob' },
        fn_all: [
          { name: 'Ann', best: { name: 'Bob' } },
          { name: 'Bob', best: null },
        ],
        fn_stats: { at: '2030-01-01T00:00:00Z', count: 2 },
        fn_anything: { b: [1, 'x'] },
        ancient: 1,
      },
    });
  });

  it('that write, or call one that does, are fields of Mutation', async () => {
    const { ask } = await openStack(SETUP);
    for (const name of ['fn_rename', 'fn_indirectly']) {
      expect((await ask(`{ ${name}(who: "ann", name: "x") }`)).errors?.[0]?.extensions.code).toBe('graphql_invalid');
    }
    expect(
      await ask('mutation { fn_rename(who: "ann", name: "Anna") { name } fn_indirectly(who: "person:bob") }'),
    ).toEqual({ data: { fn_rename: { name: 'Anna' }, fn_indirectly: 'person:bob' } });
    expect(await ask('{ person(order: {asc: id}) { name } }')).toEqual({
      data: { person: [{ name: 'Anna' }, { name: 'Indirect' }] },
    });
  });

  it.each([
    ['{ fn_greet }', 'Field "fn_greet" argument "name" of type "String!" is required, but it was not provided.'],
    ['{ fn_greet(name: 1) }', 'String cannot represent a non string value: 1'],
    ['{ fn_user_friend(who: "cat:tom") { id } }', 'cat:tom'],
  ])('refuse wrong arguments: %s', async (query, message) => {
    const { ask } = await openStack(SETUP);
    expect((await ask(query)).errors?.[0]?.message).toContain(message);
  });

  it('run with the rights of the caller', async () => {
    const { ask, database } = await openStack(SETUP);
    const guest = database.session({});
    await guest.use('test', 'test');
    const { data, errors } = await ask('{ fn_secret fn_greet(name: "guest") }', undefined, guest);
    expect(data).toEqual({ fn_secret: null, fn_greet: 'Hello guest!' });
    expect(errors).toMatchObject([{ path: ['fn_secret'], extensions: { code: 'function_forbidden' } }]);
    const renamed = await ask('mutation { fn_rename(who: "ann", name: "Guest") { name } }', undefined, guest);
    expect(renamed.data).toEqual({ fn_rename: { name: 'Ann' } });
  });

  it('are exposed as the config says, with or without tables', async () => {
    const { ask, owner } = await openStack(SETUP);
    await owner.query('DEFINE CONFIG OVERWRITE GRAPHQL FUNCTIONS AUTO');
    expect(await ask('{ fn_greet(name: "x") fn_user_friend(who: "person:ann") { id } }')).toEqual({
      data: { fn_greet: 'Hello x!', fn_user_friend: { id: 'person:bob' } },
    });
    expect((await ask('{ person { id } }')).errors?.[0]?.extensions.code).toBe('graphql_invalid');
    await owner.query('DEFINE CONFIG OVERWRITE GRAPHQL TABLES AUTO');
    expect((await ask('{ fn_greet(name: "x") }')).errors?.[0]?.extensions.code).toBe('graphql_invalid');
    await owner.query('DEFINE CONFIG OVERWRITE GRAPHQL TABLES AUTO FUNCTIONS INCLUDE [greet]');
    expect(await ask('{ fn_greet(name: "x") person(limit: 1) { name } }')).toEqual({
      data: { fn_greet: 'Hello x!', person: [{ name: 'Ann' }] },
    });
    expect((await ask('{ ancient }')).errors?.[0]?.extensions.code).toBe('graphql_invalid');
  });
});

/** Subscriptions: what they tell, in which order, and until when. */
import { beforeEach, describe, expect, it, test } from 'vitest';
import { Subscriber } from '../support/graphql-subscriber.js';
import { run } from '../support/world.js';
import { openStack, type Stack } from './stack.js';

const SETUP = `
  DEFINE CONFIG GRAPHQL AUTO;
  DEFINE TABLE person;
  DEFINE FIELD name ON person TYPE string;
  DEFINE FIELD age ON person TYPE option<int>;
  DEFINE FIELD best ON person TYPE option<record<person>>;
  DEFINE TABLE book; DEFINE FIELD title ON book TYPE string;
  DEFINE TABLE wrote TYPE RELATION FROM person TO book; DEFINE FIELD year ON wrote TYPE int;
  CREATE person:1 SET name = 'Ann', age = 20;
  CREATE book:x SET title = 'X';`;

let stack: Stack;
beforeEach(async () => {
  stack = await openStack(SETUP);
});

const open = (query: string, variables?: Parameters<typeof Subscriber.open>[2]) =>
  Subscriber.open(stack, query, variables);

describe('a subscription sends', () => {
  it('every change as it was committed', async () => {
    const all = await open('subscription { person { action id record { id name age } } }');
    await run(
      stack.owner,
      `CREATE person:2 SET name = 'Bob'; UPDATE person:2 SET age = 30; UPDATE person:2 SET age = 30; UPDATE person:2 SET age = 9223372036854775807;
       DELETE person:2; BEGIN; CREATE person:3 SET name = 'No'; CANCEL`,
    ).catch(() => undefined);
    const record = { id: 'person:2', name: 'Bob', age: null as number | null };
    expect(await all.newsOf('person')).toEqual([
      { action: 'CREATE', id: 'person:2', record },
      { action: 'UPDATE', id: 'person:2', record: { ...record, age: 30 } },
      { action: 'UPDATE', id: 'person:2', record: { ...record, age: 2 ** 63 } },
      { action: 'DELETE', id: 'person:2', record: { ...record, age: 2 ** 63 } },
    ]);
  });

  it('what its selection asks for, under the names that it gives', async () => {
    const some = await open(
      'subscription S { all: person { __typename what: action a: record { __typename name } b: record { name: age } } }',
    );
    const bare = await open('subscription { person { action } }');
    await run(stack.owner, 'UPDATE person:1 SET age = 21');
    expect(await some.newsOf('all')).toEqual([
      { __typename: 'person_event', what: 'UPDATE', a: { __typename: 'person', name: 'Ann' }, b: { name: 21 } },
    ]);
    expect(await bare.newsOf('person')).toEqual([{ action: 'UPDATE' }]);
  });

  it('links and edges, all of an event read together', async () => {
    const linked = await open(
      'subscription { person { record { name best { name best { name } } wrote(order: {asc: year}, limit: 9) { year out { title } } } } }',
    );
    await run(
      stack.owner,
      `RELATE person:1->wrote->book:x SET year = 2001; RELATE person:1->wrote->book:x SET year = 2002;
       CREATE person:2 SET name = 'Bob', best = person:1`,
    );
    await linked.news();
    stack.sent.calls = 0;
    await run(stack.owner, 'UPDATE person:1 SET best = person:2');
    const bob = { name: 'Bob', best: { name: 'Ann' } };
    const wrote = [2001, 2002].map((year) => ({ year, out: { title: 'X' } }));
    expect(await linked.newsOf('person')).toEqual([{ record: { name: 'Ann', best: bob, wrote } }]);
    expect(stack.sent.calls).toBe(2);
  });

  it('of a deleted record how it was', async () => {
    const linked = await open('subscription { person { record { name best { name } wrote { year } } } }');
    await run(stack.owner, "CREATE person:2 SET name = 'Bob', best = person:1; DELETE person:2");
    expect((await linked.newsOf('person')).at(-1)).toEqual({
      record: { name: 'Bob', best: { name: 'Ann' }, wrote: [] },
    });
  });
});

describe('of the records it asks for', () => {
  const names = async (query: string, variables = {}) => {
    const some = await open(query, { variables });
    await run(
      stack.owner,
      // The edge is there before whatever is looked at, whenever that is.
      `RELATE person:2->wrote->book:x SET year = 2001; CREATE person:2 SET name = 'Bob', age = 30, best = person:1;
       CREATE person:old SET name = 'Eve', age = 90; CREATE person:⟨2⟩ SET name = 'Text'; UPDATE person:2 SET age = 31;
       UPDATE person:old SET age = 91`,
    );
    const told = (await some.newsOf('person')) as { action: string; record: { name: string } }[];
    return told.map(({ action, record }) => `${action} ${record.name}`);
  };
  const asking = (args: string, declared = '') =>
    `subscription ${declared} { person${args === '' ? '' : `(${args})`} { action record { name } } }`;

  it.each([
    ['', ['CREATE Bob', 'CREATE Eve', 'CREATE Text', 'UPDATE Bob', 'UPDATE Eve']],
    ['id: "old"', ['CREATE Eve', 'UPDATE Eve']],
    ['id: "person:2"', ['CREATE Bob', 'UPDATE Bob']],
    ['id: "2"', ['CREATE Bob', 'CREATE Text', 'UPDATE Bob']],
    ['filter: {age: {gt: 50}}', ['CREATE Eve', 'UPDATE Eve']],
    ['filter: {age: {gt: 20}}, where: {name: {eq: "Bob"}}', ['CREATE Bob', 'UPDATE Bob']],
    ['id: "old", filter: {age: {lt: 50}}', []],
    ['filter: {age: {eq: 31}}', ['UPDATE Bob']],
    ['filter: {best: {eq: "1"}}', ['CREATE Bob', 'UPDATE Bob']],
    ['filter: {best: {is: {name: {eq: "Ann"}}}}', ['CREATE Bob', 'UPDATE Bob']],
    // Links and edges are those of the moment at which a change is looked at.
    ['filter: {wrote: {some: {year: {gt: 2000}}}}', ['CREATE Bob', 'UPDATE Bob']],
    ['filter: {wrote: {some: {year: {gt: 3000}}}}', []],
  ])('%s', async (args, expected) => {
    expect(await names(asking(args))).toEqual(expected);
  });

  it('with variables', async () => {
    const query = asking('filter: $f, id: $id', '($f: _filter_person, $id: ID)');
    expect(await names(query, { f: { age: { gte: 90 } }, id: null })).toEqual(['CREATE Eve', 'UPDATE Eve']);
  });
});

describe('refused', () => {
  test.each([
    ['subscription { person { action } book { action } }', 'graphql_invalid', 'must select only one top level field'],
    ['subscription { __typename }', 'graphql_invalid', 'introspection'],
    ['subscription { person { nothing } }', 'graphql_invalid', 'Cannot query field'],
    ['subscription ($f: _filter_person!) { person(filter: $f) { id } }', 'graphql_variables', 'was not provided'],
    ['subscription { person(filter: {age: null}) { id } }', 'graphql_argument', 'is null'],
    ['subscription { person(limit: 1) { id } }', 'graphql_invalid', 'Unknown argument'],
  ])('%s', async (query, code, text) => {
    await expect(open(query)).rejects.toThrow(new RegExp(`"code":"${code}".*${text}`));
  });

  test('where it would be left without a field', async () => {
    const query = (no: string) => `subscription ($no: Boolean = true) { person @skip(if: ${no}) { id } }`;
    await expect(open(query('true').replace('($no: Boolean = true)', ''))).rejects.toThrow(
      'A subscription needs one field',
    );
    // The library wants to know the one field before there are variables.
    await expect(open(query('$no'))).rejects.toThrow(/"code":"graphql_invalid".*no.*was not provided/);
  });

  test('where answers can not go on', async () => {
    const { errors } = await stack.ask('subscription { person { id } }');
    expect(errors).toMatchObject([{ extensions: { code: 'graphql_not_streamed' } }]);
  });

  test('beyond the number that a session may have', async () => {
    stack = await openStack(SETUP, { subscriptions: 2 });
    const query = 'subscription { person { id } }';
    const first = await open(query);
    await open(query);
    await expect(open(query)).rejects.toThrow('too_many_live_queries');
    await first.stop();
    await open(query);
  });

  test('beyond what a session may have remembered', async () => {
    const query = `subscription { person { id } } #${'x'.repeat(3_000_000)}`;
    const [first] = [await open(query), await open(query)];
    await expect(open(query)).rejects.toThrow('live_queries_too_large');
    await first.stop();
    await open(query);
  });
});

describe('ends', () => {
  const query = 'subscription { person { id } }';
  const lives = async () =>
    Object.keys(((await run(stack.owner, 'RETURN (INFO FOR TABLE person).lives'))[0] ?? {}) as object);

  test('when the client stops, with its live query', async () => {
    const some = await open(query);
    expect(await lives()).toHaveLength(1);
    await some.stop();
    await some.news();
    expect([some.end, await lives()]).toEqual(['complete', []]);
    await run(stack.owner, "CREATE person SET name = 'x'");
    expect(await some.news()).toEqual([]);
  });

  test.each([
    ['REMOVE TABLE person', 'table_missing'],
    ['DEFINE CONFIG OVERWRITE GRAPHQL NONE; UPDATE person:1 SET age = 1', 'graphql_not_configured'],
    ['DEFINE CONFIG OVERWRITE GRAPHQL TABLES EXCLUDE person; UPDATE person:1 SET age = 1', 'graphql_invalid'],
    ['LET $id = (INFO FOR TABLE person).lives.keys()[0]; KILL $id', 'complete'],
  ])('after %s', async (statements, end) => {
    const some = await open(query);
    await run(stack.owner, statements);
    expect([await some.news(), some.end]).toEqual([[], end]);
  });

  test('not when something else is defined', async () => {
    const some = await open(query);
    await run(stack.owner, 'DEFINE FIELD other ON person TYPE option<int>; UPDATE person:1 SET age = 1');
    expect(await some.newsOf('person')).toEqual([{ id: 'person:1' }]);
  });

  test('and leaves nothing behind, however often', async () => {
    for (let round = 0; round < 1_000; round++) await (await open(query)).stop();
    expect(await lives()).toEqual([]);
    const some = await open(query);
    await run(stack.owner, 'UPDATE person:1 SET age = 1');
    // Behind so much work the notifier may have to rest.
    await expect.poll(() => some.answers.length).toBe(1);
  });
});

describe('order', () => {
  test('is that of commits, over all subscriptions of a session', async () => {
    const ids: string[] = [];
    for (const table of ['person', 'book']) {
      const opened = await stack.service.subscribe(stack.owner, {
        query: `subscription { ${table} { id } }`,
        variables: undefined,
        operationName: undefined,
      });
      if ('failures' in opened) throw new Error('refused');
      void (async () => {
        for await (const { roots } of opened) ids.push(JSON.parse(roots?.[0]?.json ?? '').id);
      })();
    }
    const expected: string[] = [];
    for (let at = 0; at < 50; at++) {
      await run(stack.owner, `CREATE person:n${at} SET name = ''; CREATE book:n${at} SET title = ''`);
      expected.push(`person:n${at}`, `book:n${at}`);
    }
    await expect.poll(() => ids.length).toBe(100);
    expect(ids).toEqual(expected);
  });

  test('begins with the first commit after the subscription, whatever goes on meanwhile', async () => {
    let made = 0;
    let over = false;
    const writing = (async () => {
      while (!over) {
        await run(stack.owner, `CREATE person:w${made++} SET name = ''`);
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    for (let round = 0; round < 20; round++) {
      const opened = await open('subscription { person { id } }');
      const next = made;
      await expect.poll(() => opened.answers.length).toBeGreaterThan(3);
      await opened.stop();
      const numbers = opened.answers.map(({ data }) => Number(/\d+/.exec(JSON.stringify(data))?.[0]));
      expect(numbers[0]).toBeLessThanOrEqual(next);
      expect(numbers).toEqual(numbers.map((_, at) => (numbers[0] ?? 0) + at));
    }
    over = true;
    await writing;
  });
});

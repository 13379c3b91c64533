import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Session } from '../../src/session/contract.js';
import { objectFrom } from '../../src/value/value.js';
import { openStack, type Stack } from './stack.js';

const SETUP = `
  DEFINE CONFIG GRAPHQL AUTO;
  DEFINE TABLE sale SCHEMAFULL;
  DEFINE FIELD shop ON sale TYPE option<record<shop>>;
  DEFINE FIELD state ON sale TYPE option<'open' | 'paid'>;
  DEFINE FIELD city ON sale TYPE option<string | null>;
  DEFINE FIELD gift ON sale TYPE bool DEFAULT false;
  DEFINE FIELD items ON sale TYPE option<int>;
  DEFINE FIELD weight ON sale TYPE option<float>;
  DEFINE FIELD price ON sale TYPE option<decimal>;
  DEFINE FIELD at ON sale TYPE option<datetime>;
  DEFINE FIELD took ON sale TYPE option<duration>;
  DEFINE FIELD count ON sale TYPE option<int>;
  DEFINE FIELD tags ON sale TYPE array<string> DEFAULT [];
  DEFINE TABLE shop; DEFINE FIELD name ON shop TYPE string;
  DEFINE TABLE bare; DEFINE TABLE hollow; DEFINE FIELD n ON hollow TYPE option<int>;
  DEFINE TABLE shop_aggregate;
  CREATE shop:1 SET name = 'One';
  CREATE sale:1 SET shop = shop:1, state = 'open', city = 'Rome', items = 3, weight = 1.5, price = 0.10dec, at = d'2020-01-01T00:00:00Z', took = 1h, count = 7;
  CREATE sale:2 SET shop = shop:1, state = 'paid', city = 'Rome', items = 4, weight = 2f, price = 0.20dec, at = d'2019-01-01T00:00:00Z', took = 90s, gift = true;
  CREATE sale:3 SET shop = shop:2, state = 'paid', city = 'Oslo', items = 4, price = 0.20dec;
  CREATE sale:4 SET city = NULL;
  CREATE sale:5;`;

let stack: Stack;
beforeAll(async () => {
  stack = await openStack(SETUP);
});

async function sales(args: string, selection: string, variables = {}): Promise<unknown> {
  const { data, errors } = await stack.ask(
    `{ sales: sale_aggregate${args && `(${args})`} { ${selection} } }`,
    variables,
  );
  expect(errors).toBeUndefined();
  return data?.sales;
}

const problem = async (args: string, selection = 'count') =>
  (await stack.ask(`{ sale_aggregate${args} { ${selection} } }`)).errors?.[0]?.message;

describe('without groups', () => {
  it('is one row', async () => {
    expect(await sales('', 'count __typename')).toEqual([{ count: 5, __typename: 'sale_aggregate' }]);
    expect(await sales('groupBy: []', 'count')).toEqual([{ count: 5 }]);
    expect(await sales('filter: {state: {eq: paid}}, where: {city: {eq: "Oslo"}}', 'count')).toEqual([{ count: 1 }]);
  });

  it('has another name where a table has its own', async () => {
    expect((await stack.ask('{ shop_aggregate_2 { count __typename } shop_aggregate { id } }')).data).toEqual({
      shop_aggregate_2: [{ count: 1, __typename: 'shop_aggregate_2' }],
      shop_aggregate: [],
    });
  });

  it('passes over what is missing', async () => {
    expect(
      await sales(
        '',
        `countOf { items city gift shop tag: state } distinct { items city gift price shop }
         sum { items weight price } avg { items weight price }
         min { items weight price at took city } max { items weight price at took city }`,
      ),
    ).toEqual([
      {
        countOf: { items: 3, city: 3, gift: 5, shop: 3, tag: 3 },
        distinct: { items: 2, city: 2, gift: 2, price: 2, shop: 2 },
        sum: { items: 11, weight: 3.5, price: '0.5' },
        avg: { items: 11 / 3, weight: 1.75, price: 0.5 / 3 },
        min: { items: 3, weight: 1.5, price: '0.1', at: '2019-01-01T00:00:00Z', took: '1m30s', city: 'Oslo' },
        max: { items: 4, weight: 2, price: '0.2', at: '2020-01-01T00:00:00Z', took: '1h', city: 'Rome' },
      },
    ]);
  });

  it('is one row also where there is nothing', async () => {
    const figures = 'count countOf { n } distinct { n } sum { n } avg { n } min { n } max { n }';
    const nothing = {
      count: 0,
      countOf: { n: 0 },
      distinct: { n: 0 },
      sum: { n: null },
      avg: { n: null },
      min: { n: null },
      max: { n: null },
    };
    const { data } =
      await stack.ask(`{ a: hollow_aggregate { ${figures} } b: hollow_aggregate(filter: {n: {gt: 1}}) { ${figures} }
      c: hollow_aggregate { count } d: hollow_aggregate(groupBy: [n]) { count } e: bare_aggregate { count } }`);
    expect(data).toEqual({ a: [nothing], b: [nothing], c: [{ count: 0 }], d: [], e: [{ count: 0 }] });
  });
});

describe('groups', () => {
  it('are what the manual says', async () => {
    const people =
      await openStack(`DEFINE CONFIG GRAPHQL AUTO; DEFINE TABLE person; DEFINE FIELD city ON person TYPE string;
      DEFINE FIELD age ON person TYPE int; DEFINE FIELD born ON person TYPE datetime;
      CREATE person:1 SET city = 'Rome', age = 20, born = d'2000-01-01T00:00:00Z';`);
    const manual = await readFile(new URL('../../docs/guides/graphql.md', import.meta.url), 'utf8');
    const [, query = ''] = /```graphql\n(\{ person_aggregate[^`]*)```/.exec(manual) ?? [];
    expect(await people.ask(query)).toMatchObject({
      data: { person_aggregate: [{ count: 1, group: { city: 'Rome' }, avg: { age: 20 } }] },
    });
  });

  it('are distinguished by their fields, a missing one included', async () => {
    expect(await sales('groupBy: [city]', 'group { city } count')).toEqual([
      { group: { city: null }, count: 2 },
      { group: { city: 'Oslo' }, count: 1 },
      { group: { city: 'Rome' }, count: 2 },
    ]);
    expect(await sales('groupBy: [shop, gift]', 'count group { gift shop } sum { items }')).toEqual([
      { count: 2, group: { gift: false, shop: null }, sum: { items: null } },
      { count: 1, group: { gift: false, shop: 'shop:1' }, sum: { items: 3 } },
      { count: 1, group: { gift: true, shop: 'shop:1' }, sum: { items: 4 } },
      { count: 1, group: { gift: false, shop: 'shop:2' }, sum: { items: 4 } },
    ]);
    expect(await sales('groupBy: [state, state]', 'group { state }')).toEqual([
      { group: { state: null } },
      { group: { state: 'open' } },
      { group: { state: 'paid' } },
    ]);
    expect(await sales('groupBy: [price], filter: {price: {ne: null}}', 'group { price } count')).toEqual([
      { group: { price: '0.1' }, count: 1 },
      { group: { price: '0.2' }, count: 2 },
    ]);
    expect(await sales('groupBy: [count], filter: {count: {gt: 0}}', 'count group { count }')).toEqual([
      { count: 1, group: { count: 7 } },
    ]);
  });

  it('are ordered by what they have in common and by their figures, whether or not these are asked for', async () => {
    const cities = async (args: string) =>
      ((await sales(`groupBy: [city], ${args}`, 'group { city }')) as { group: { city: string } }[]).map(
        ({ group }) => group.city,
      );
    expect(await cities('order: {desc: city}')).toEqual(['Rome', 'Oslo', null]);
    expect(await cities('order: {desc: count, then: {asc: city}}')).toEqual([null, 'Rome', 'Oslo']);
    expect(await cities('order: {desc: sum_price}')).toEqual(['Rome', 'Oslo', null]);
    expect(await cities('order: {asc: min_items}')).toEqual([null, 'Rome', 'Oslo']);
    expect(await cities('order: {desc: city}, limit: 1')).toEqual(['Rome']);
    expect(await cities('order: {desc: city}, limit: 1, start: 1')).toEqual(['Oslo']);
    expect(await cities('limit: 0')).toEqual([]);
  });

  it('come from variables, too', async () => {
    const ask = async (by: string[], order?: object) => {
      const { data } = await stack.ask(
        `query ($by: [_groupable_sale!], $order: _order_sale_aggregate) {
          sale_aggregate(groupBy: $by, order: $order) { count }
        }`,
        { by, order },
      );
      return (data as { sale_aggregate: { count: number }[] }).sale_aggregate.map(({ count }) => count);
    };
    expect(await ask([])).toEqual([5]);
    expect(await ask(['city'], { desc: 'count', then: { asc: 'city' } })).toEqual([2, 2, 1]);
    expect(await ask(['state'])).toEqual([2, 1, 2]);
    expect(await ask(['city'], { asc: 'count', then: { asc: 'city' } })).toEqual([1, 2, 2]);
  });

  it.each([
    ['(groupBy: [city])', 'group { gift }', 'To have "gift" of a group, groupBy must name it'],
    ['', 'group { city }', 'To have "city" of a group, groupBy must name it'],
    ['(order: {asc: city})', 'count', 'To have "city" of a group, groupBy must name it'],
    ['(groupBy: [city], limit: -1)', 'count', 'limit must be a whole number from 0, got -1'],
    ['(groupBy: [tags])', 'count', 'Value "tags" does not exist in "_groupable_sale" enum.'],
    ['', 'sum { city }', 'Cannot query field "city" on type "sale_aggregate_sums".'],
  ])('refuse %s { %s }', async (args, selection, text) => {
    expect(await problem(args, selection)).toBe(text);
  });
});

describe('the statement', () => {
  it('is one, and holds what is asked for only', async () => {
    stack.last.length = 0;
    await sales('', 'count');
    await sales('groupBy: [city]', 'a: sum { items } b: sum { items } group { city }');
    const statements = stack.last.map((each) => JSON.stringify(each));
    expect(statements).toHaveLength(2);
    expect(statements[0]).not.toMatch(/limit|order|where/);
    expect(statements[1]?.match(/math::\w+/g)).toEqual(['math::sum']);
  });

  it('stays within the limit of values', async () => {
    const small = await openStack(`${SETUP} FOR $n IN 0..50 { CREATE hollow SET n = $n };`, { limits: { values: 60 } });
    const ask = async (query: string) => (await small.ask(query)).errors?.[0]?.message;
    expect(await ask('{ hollow_aggregate { count sum { n } } }')).toBeUndefined();
    expect(await ask('{ hollow_aggregate(groupBy: [n], limit: 5) { count group { n } } }')).toBeUndefined();
    expect(await ask('{ hollow_aggregate(groupBy: [n]) { count group { n } } }')).toMatch(
      'exceeds the limit of 60 values',
    );
  });
});

describe('a record user', () => {
  let notes: Stack;
  let user: Session;
  beforeAll(async () => {
    notes = await openStack(`
      DEFINE CONFIG GRAPHQL AUTO;
      DEFINE TABLE user; DEFINE FIELD name ON user TYPE string; CREATE user:1 SET name = 'me';
      DEFINE TABLE note PERMISSIONS FOR select WHERE shown;
      DEFINE FIELD shown ON note TYPE bool;
      DEFINE FIELD stars ON note TYPE int;
      DEFINE FIELD secret ON note TYPE int PERMISSIONS FOR select NONE;
      DEFINE FIELD word ON note TYPE string PERMISSIONS FOR select WHERE stars > 1;
      DEFINE TABLE closed PERMISSIONS NONE; DEFINE FIELD n ON closed TYPE int;
      CREATE note:1 SET shown = true, stars = 1, secret = 10, word = 'x';
      CREATE note:2 SET shown = true, stars = 2, secret = 20, word = 'y';
      CREATE note:3 SET shown = false, stars = 3, secret = 30, word = 'z';
      CREATE closed:1 SET n = 1;
      DEFINE ACCESS account ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM user WHERE name = $name);`);
    user = notes.database.session({});
    await user.use('test', 'test');
    await user.signIn(objectFrom({ ns: 'test', db: 'test', ac: 'account', name: 'me' }));
  });
  const ask = async (query: string) => {
    const { data, errors } = await notes.ask(query, {}, user);
    expect(errors).toBeUndefined();
    return data;
  };

  it('has figures of what it may see', async () => {
    expect(
      await ask(`{ a: note_aggregate { count } b: note_aggregate { sum { stars secret } max { stars secret word } min { word }
        countOf { secret word } distinct { secret word } avg { secret } } c: closed_aggregate { count sum { n } } }`),
    ).toEqual({
      a: [{ count: 2 }],
      b: [
        {
          sum: { stars: 3, secret: null },
          max: { stars: 2, secret: null, word: 'y' },
          min: { word: 'y' },
          countOf: { secret: 0, word: 1 },
          distinct: { secret: 0, word: 1 },
          avg: { secret: null },
        },
      ],
      c: [{ count: 0, sum: { n: null } }],
    });
  });

  it('can’t infer hidden values from groups or their order', async () => {
    expect(
      await ask(
        '{ a: note_aggregate(groupBy: [secret]) { count group { secret } } b: note_aggregate(groupBy: [word]) { count group { word } } }',
      ),
    ).toEqual({
      a: [{ count: 2, group: { secret: null } }],
      b: [
        { count: 1, group: { word: null } },
        { count: 1, group: { word: 'y' } },
      ],
    });
    const ordered = async (way: string) =>
      (await ask(`{ note_aggregate(groupBy: [stars], order: {${way}: max_secret}) { group { stars } } }`))
        ?.note_aggregate;
    expect(await ordered('asc')).toEqual(await ordered('desc'));
  });
});

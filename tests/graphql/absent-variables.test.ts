/** Mutations say which records they change: what is absent never widens it. */
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { openStack, type Stack } from './stack.js';

const SETUP = `
  DEFINE CONFIG GRAPHQL AUTO;
  DEFINE TABLE item SCHEMAFULL;
  DEFINE FIELD s ON item TYPE option<string>;
  DEFINE FIELD n ON item TYPE int;
  DEFINE FIELD touched ON item TYPE option<int>;
  DEFINE FIELD tags ON item TYPE option<array<string>>;
  DEFINE FIELD size ON item TYPE option<object>;
  DEFINE FIELD size.x ON item TYPE option<int>;
  DEFINE FIELD meta ON item TYPE option<object> FLEXIBLE;
  DEFINE FIELD best ON item TYPE option<record<item>>;
  DEFINE FIELD others ON item TYPE option<array<record<item>>>;
  DEFINE TABLE led TYPE RELATION FROM item TO item; DEFINE FIELD year ON led TYPE option<int>;
  CREATE item:1 SET n = 1, s = 'a', tags = ['a', 'b'], size = { x: 1 }, best = item:2, others = [item:2, item:3];
  CREATE item:2 SET n = 2, s = 'b', tags = [], best = item:1;
  CREATE item:3 SET n = 3, size = { x: 3 }, others = [];
  CREATE item:4 SET n = 4, s = 'd', best = item:9;
  RELATE item:1->led->item:2 SET year = 1; RELATE item:2->led->item:3 SET year = 2;`;

let stack: Stack;
beforeEach(async () => {
  stack = await openStack(SETUP);
});

const FIELDS = {
  updateMany: (args: string) => `updateManyItem(${args}, data: {touched: 9}) { id }`,
  mergeMany: (args: string) => `mergeManyItem(${args}, data: {touched: 9}) { id }`,
  deleteMany: (args: string) => `deleteManyItem(${args}) { id }`,
} as const;

async function touched(): Promise<number> {
  const [result] = await stack.owner.query('RETURN 4 - count(SELECT * FROM item WHERE touched = NONE)');
  return result?.outcome.ok === true ? Number(result.outcome.value) : Number.NaN;
}

/** Says that every field which writes to filtered records refuses these arguments. */
async function expectRefused(args: string, declared = '', variables: object = {}): Promise<void> {
  for (const field of Object.values(FIELDS)) {
    const document = `mutation${declared} { ${field(args)} }`;
    const { data, errors } = await stack.ask(document, variables);
    expect({ document, codes: errors?.map(({ extensions }) => extensions.code) }).toEqual({
      document,
      codes: ['graphql_argument'],
    });
    expect(Object.values(data ?? {})).toEqual([null]);
  }
  expect(await touched()).toBe(0);
}

describe('a variable without a value', () => {
  it.each([
    ['filter: {s: {eq: $x}}', '$x: String'],
    ['where: {s: {eq: $x}}', '$x: String'],
    ['filter: {s: {s_eq: $x}}', '$x: String'],
    ['filter: {s: {in: $x}}', '$x: [String!]'],
    ['filter: {s: {nin: $x}}', '$x: [String!]'],
    ['filter: {s: {regex: $x}}', '$x: String'],
    ['filter: {id: {eq: $x}}', '$x: ID'],
    ['filter: {id: {in: $x}}', '$x: [ID!]'],
    ['filter: {and: [{s: {eq: $x}}]}', '$x: String'],
    ['filter: {or: [{s: {eq: "a"}}, {s: {eq: $x}}]}', '$x: String'],
    ['filter: {not: {s: {eq: $x}}}', '$x: String'],
    ['filter: {n: {eq: 1}, s: {eq: $x}}', '$x: String'],
    ['filter: {n: {gt: 1, lt: $x}}', '$x: Int'],
    ['filter: {s: $x}', '$x: _filter_string_s'],
    ['filter: {and: $x}', '$x: [_filter_item!]'],
    ['filter: {or: $x}', '$x: [_filter_item!]'],
    ['filter: {not: $x}', '$x: _filter_item'],
    ['filter: $x', '$x: _filter_item'],
    ['filter: {n: {eq: 1}}, where: $x', '$x: _filter_item'],
    ['filter: {}, where: $x', '$x: _filter_item'],
    ['filter: {}, limit: $x', '$x: Int'],
    ['filter: {best: {eq: $x}}', '$x: ID'],
    ['filter: {best: {exists: $x}}', '$x: Boolean'],
    ['filter: {best: {is: {s: {eq: $x}}}}', '$x: String'],
    ['filter: {best: {is: {n: {eq: 1}, s: {eq: $x}}}}', '$x: String'],
    ['filter: {others: {every: {s: {eq: $x}}}}', '$x: String'],
    ['filter: {others: {count: {gt: $x}}}', '$x: Int'],
    ['filter: {tags: {contains: $x}}', '$x: String'],
    ['filter: {tags: {containsNone: $x}}', '$x: [String!]'],
    ['filter: {tags: {none: {eq: $x}}}', '$x: String'],
    ['filter: {size: {x: {eq: $x}}}', '$x: Int'],
    ['filter: {meta: {eq: {a: $x}}}', '$x: Int'],
    ['filter: {led: {some: {year: {eq: $x}}}}', '$x: Int'],
    ['filter: {led_incoming: {none: {year: {eq: $x}}}}', '$x: Int'],
  ])('%s', async (args, declared) => {
    await expectRefused(args, `(${declared})`);
    await expectRefused(args, `(${declared})`, { misspelt: 'a' });
  });
});

describe('a condition without an operator', () => {
  it.each([
    '{s: {}}',
    '{id: {}}',
    '{and: []}',
    '{or: []}',
    '{not: {}}',
    '{and: [{}]}',
    '{or: [{s: {eq: "a"}}, {}]}',
    '{n: {eq: 1}, s: {}}',
    '{best: {}}',
    '{best: {is: {}}}',
    '{others: {some: {}}}',
    '{others: {every: {}}}',
    '{others: {count: {}}}',
    '{tags: {none: {}}}',
    '{size: {}}',
    '{led: {}}',
    '{led: {some: {}}}',
    '{led: {some: {out: {is: {}}}}}',
  ])('%s', async (filter) => {
    await expectRefused(`filter: ${filter}`);
    await expectRefused(`filter: {}, where: ${filter}`);
    await expectRefused(`filter: ${filter}, where: {n: {gt: 1}}`);
  });

  it('is an error in a variable, too', async () => {
    for (const f of [{}, { s: {} }, { and: [] }, { not: {} }, { or: [{}] }, { led: { some: {} } }])
      await expectRefused('filter: $f', '($f: _filter_item)', { f });
    await expectRefused('filter: {}, where: $f', '($f: _filter_item!)', { f: {} });
    await expectRefused('filter: $f', '($f: _filter_item = {})');
    await expectRefused('filter: {s: $s}', '($s: _filter_string_s = {})');
  });
});

it('null says nothing about records', async () => {
  for (const args of [
    'filter: null, where: {n: {gt: 1}}',
    'filter: {n: {gt: 1}}, where: null',
    'filter: {}, limit: null',
  ])
    await expectRefused(args);
  await expectRefused('filter: $f, where: {n: {gt: 1}}', '($f: _filter_item)', { f: null });
  await expectRefused('filter: {}, limit: $n', '($n: Int)', { n: null });
});

it('what is said counts: the literal {} is all, a list without values none or all, null what is missing', async () => {
  const changed = async (args: string, declared = '', variables: object = {}) => {
    const data = await stack.data(`mutation${declared} { ${FIELDS.updateMany(args)} }`, variables);
    const rows = (data?.['updateManyItem'] ?? []) as { id: string }[];
    return rows.map(({ id }) => id.slice(-1)).join('');
  };
  expect(await changed('filter: {}')).toBe('1234');
  expect(await changed('filter: {}, limit: 2')).toBe('12');
  expect(await changed('filter: {}, where: {n: {gt: 2}}')).toBe('34');
  expect(await changed('where: {}')).toBe('1234');
  expect(await changed('filter: {s: {in: []}}')).toBe('');
  expect(await changed('filter: {s: {eq: $x}}', '($x: String)', { x: null })).toBe('3');
  expect(await changed('filter: {s: {eq: $x}}', '($x: String = "a")')).toBe('1');
  expect(await changed('filter: $f, limit: $n', '($f: _filter_item, $n: Int)', { f: { n: { gt: 1 } }, n: 1 })).toBe(
    '2',
  );
});

it('no field of a @transaction is kept if a filter of one is empty', async () => {
  const { errors } = await stack.ask(
    'mutation ($x: String) @transaction { createItem(data: {n: 5}) { id } deleteManyItem(filter: {s: {eq: $x}}) { id } }',
  );
  expect(errors?.map(({ extensions }) => extensions.code).toSorted()).toEqual(['graphql_argument', 'graphql_undone']);
  const [left] = await stack.owner.query('RETURN count(SELECT * FROM item)');
  expect(left?.outcome).toMatchObject({ value: 4 });
});

it('queries read on: an operator without a value is left out', async () => {
  const query = 'query ($x: String) { item(filter: {n: {gt: 1}, s: {eq: $x}}, order: {asc: n}) { n } }';
  expect(await stack.data(query, { x: 'b' })).toEqual({ item: [{ n: 2 }] });
  expect(await stack.data(query)).toEqual({ item: [{ n: 2 }, { n: 3 }, { n: 4 }] });
});

// ─── Any mutation ───

/** A value in a document: the literal, or a variable with it. */
interface Slot {
  readonly type: string;
  readonly value: unknown;
  readonly isVariable: boolean;
}

/** A piece of a document with places for values. */
type Piece = readonly (string | Slot)[];

const slot = (type: string, value: fc.Arbitrary<unknown>): fc.Arbitrary<Piece> =>
  fc.record({ value, isVariable: fc.boolean() }).map((drawn) => [{ type, ...drawn }]);
const text = fc.constantFrom('a', 'b', 'c', 'd');
const number = fc.integer({ min: 0, max: 4 });
const wrapped = (before: string, piece: Piece): Piece => [`${before}`, ...piece, '}'];

/** The operators of a field, one or two of them. */
const operators = (rows: Readonly<Record<string, fc.Arbitrary<Piece>>>): fc.Arbitrary<Piece> =>
  fc
    .uniqueArray(
      fc.oneof(
        ...Object.entries(rows).map(([name, piece]) => piece.map((value): readonly [string, Piece] => [name, value])),
      ),
      { minLength: 1, maxLength: 2, selector: ([name]) => name },
    )
    .map((chosen) => ['{', ...chosen.flatMap(([name, value]) => [`${name}: `, ...value, ' ']), '}']);

const strings = operators({
  eq: slot('String', text),
  ne: slot('String', text),
  in: slot('[String!]', fc.array(text, { maxLength: 3 })),
  nin: slot('[String!]', fc.array(text, { maxLength: 3 })),
  startsWith: slot('String', text),
});
const numbers = operators({
  eq: slot('Int', number),
  ne: slot('Int', number),
  gt: slot('Int', number),
  lte: slot('Int', number),
  in: slot('[Int!]', fc.array(number, { maxLength: 3 })),
});

const { filter } = fc.letrec<{ filter: Piece }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    strings.map((of) => wrapped('{s: ', of)),
    numbers.map((of) => wrapped('{n: ', of)),
    fc.tuple(strings, numbers).map(([s, n]): Piece => ['{s: ', ...s, ', n: ', ...n, '}']),
    operators({
      eq: slot('ID', fc.constantFrom('1', 'item:2', '9')),
      in: slot('[ID!]', fc.constant(['1', 'item:3'])),
    }).map((of) => wrapped('{id: ', of)),
    numbers.map((of): Piece => ['{size: {x: ', ...of, '}}']),
    fc
      .tuple(fc.constantFrom('and', 'or'), fc.array(tie('filter'), { minLength: 1, maxLength: 2 }))
      .map(([name, parts]): Piece => [`{${name}: [`, ...parts.flatMap((part) => [...part, ' ']), ']}']),
    tie('filter').map((of): Piece => wrapped('{not: ', of)),
    tie('filter').map((of): Piece => ['{best: {is: ', ...of, '}}']),
    fc
      .tuple(fc.constantFrom('some', 'every', 'none'), tie('filter'))
      .map(([name, of]): Piece => [`{others: {${name}: `, ...of, '}}']),
    fc
      .tuple(fc.constantFrom('led', 'led_incoming'), fc.constantFrom('some', 'every', 'none'), numbers)
      .map(([edges, name, of]): Piece => [`{${edges}: {${name}: {year: `, ...of, '}}}']),
    numbers.map((of): Piece => ['{others: {count: ', ...of, '}}']),
  ),
}));
const args = fc
  .record(
    {
      filter,
      where: filter,
      limit: slot('Int', fc.integer({ min: 0, max: 3 })),
    },
    { requiredKeys: ['filter'] },
  )
  .map((drawn): Piece => Object.entries(drawn).flatMap(([name, piece]) => [`${name}: `, ...(piece ?? []), ' ']));

it('changes no more records without its variables than with them', async () => {
  await fc.assert(
    fc.asyncProperty(args, fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }), async (piece, kept) => {
      const declared: string[] = [];
      const variables: Record<string, unknown> = {};
      const written = piece.map((part) => {
        if (typeof part === 'string') return part;
        if (!part.isVariable) return JSON.stringify(part.value);
        const name = `v${declared.length}`;
        declared.push(`$${name}: ${part.type}`);
        variables[name] = part.value;
        return `$${name}`;
      });
      const head = declared.length === 0 ? '' : `(${declared.join(', ')})`;
      const document = `mutation${head} { ${FIELDS.updateMany(written.join(''))} }`;
      const ids = async (given: object): Promise<readonly string[]> => {
        const { data, errors } = await stack.ask(document, given);
        const rows = (data?.['updateManyItem'] ?? []) as { id: string }[];
        if (errors !== undefined) expect(errors[0]?.extensions.code).toBe('graphql_argument');
        return rows.map(({ id }) => id);
      };
      const all = await ids(variables);
      const some = Object.fromEntries(Object.entries(variables).filter((_, at) => kept[at % kept.length]));
      const fewer = await ids(some);
      expect(all).toEqual(expect.arrayContaining([...fewer]));
      expect(fewer.length).toBeLessThanOrEqual(all.length);
    }),
    { numRuns: 300 },
  );
});

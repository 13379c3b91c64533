/** Requests that are made to cost more than they should, or to tell more. */
import { getIntrospectionQuery } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { createGraphqlHandler } from '../../src/graphql/transports/handler.js';
import { type Answer, openStack, type Stack } from './stack.js';

const SETUP = `DEFINE TABLE t; DEFINE FIELD n ON t TYPE int; DEFINE FIELD name ON t TYPE option<string>;
  DEFINE FIELD mood ON t TYPE 'happy' | 'angry'; DEFINE FIELD at ON t TYPE option<datetime>;
  DEFINE FIELD next ON t TYPE option<record<t>>; CREATE t:1 SET n = 1, mood = 'happy', next = t:1;`;

const times = (count: number, make: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => make(i)).join(' ');
const FILTER = 'query ($f: _filter_t) { t(filter: $f) { n } }';
const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`x${i}`, 1]));

let open: Stack;
let closed: Stack;
/** Sends a body as it is; gives the answer, and its length. */
async function send({ service, owner }: Stack, body: string): Promise<{ answer: Answer; length: number }> {
  const handle = createGraphqlHandler(service, 'standard');
  const accept = 'application/graphql-response+json';
  const response = await handle({ session: owner, accept, contentType: 'application/json', body });
  return { answer: JSON.parse(response.body) as Answer, length: response.body.length };
}

beforeAll(async () => {
  open = await openStack(`DEFINE CONFIG GRAPHQL AUTO; ${SETUP}`);
  closed = await openStack(`DEFINE CONFIG GRAPHQL AUTO INTROSPECTION NONE; ${SETUP}`);
});

describe('documents', () => {
  it.each([
    ['fields of one name', `{ t { ${'n '.repeat(999)} } }`],
    ['nested fields of one name', `{ ${'t { n } '.repeat(499)} }`],
    [
      'fragments of one field',
      `{ t { ...f0 } } ${times(60, (i) => `fragment f${i} on t { next { ${times(59 - i, (j) => `...f${i + j + 1}`)} n } }`)}`,
    ],
  ])('that make validation compare too much are refused: %s', async (_, query) => {
    const { errors, data } = await open.ask(query);
    expect(data).toBeUndefined();
    expect(errors?.[0]?.message).toMatch(/too often to be checked|exceeds the limit of/);
  });

  it.each([
    ['a long name', `{ ${'x'.repeat(1_025)} }`, 'graphql_limit'],
    ['a long number', `{ t(limit: ${'1'.repeat(1_025)}) { n } }`, 'graphql_limit'],
    ['operations', times(2000, (i) => `query q${i} { t { n } }`), 'graphql_limit'],
    ['operations without a choice', times(600, (i) => `query q${i} { t { n } }`), 'graphql_operation'],
    ['variables', `query (${times(2000, (i) => `$a${i}: Int`)}) { t { n } }`, 'graphql_limit'],
    ['variables of one name', `query (${'$a: Int '.repeat(1000)}) { t(limit: $a) { n } }`, 'graphql_invalid'],
    ['variables without use', `query (${times(1000, (i) => `$a${i}: Int`)}) { t { n } }`, 'graphql_invalid'],
    ['fragments of one name', `{ t { n } } ${'fragment a on t { n } '.repeat(700)}`, 'graphql_invalid'],
    ['directives on a field', `{ t { n ${'@include(if: true) '.repeat(500)} } }`, 'graphql_limit'],
    ['directives on the operation', `query ${'@skip(if: true) '.repeat(500)} { t { n } }`, 'graphql_limit'],
    ['unknown fields', `{ t { ${times(900, (i) => `x${i}`)} } }`, 'graphql_invalid'],
    ['nested lists', `{ t(filter: {n: {in: ${'['.repeat(500)}1${']'.repeat(500)}}}) { n } }`, 'graphql_limit'],
    ['nested types', `query ($a: ${'['.repeat(500)}Int${']'.repeat(500)}) { t { n } }`, 'graphql_limit'],
  ])('of too many %s are refused', async (_, query, code) => {
    const { answer, length } = await send(open, JSON.stringify({ query }));
    expect(answer.data).toBeUndefined();
    expect(answer.errors?.[0]?.extensions.code).toBe(code);
    expect(answer.errors?.length).toBeLessThan(25);
    expect(length).toBeLessThan(25_000);
  });

  it('with very long names get short answers', async () => {
    const long = 'n'.repeat(300_000);
    for (const query of [
      `{ t { ${long} } }`,
      `{ ${long} { n } }`,
      `query ${long} { ${times(30, (i) => `a${i}: t(limit: $x${i}) { n }`)} }`,
      `{ t { ...${long} } }`,
      `{ t(limit: "${long}") { n } }`,
      `query ($${long}: Int) { t { n } }`,
    ]) {
      for (const stack of [open, closed]) {
        const { answer, length } = await send(stack, JSON.stringify({ query }));
        expect(answer.errors?.[0]?.extensions.code).toMatch(/^graphql_/);
        expect(length).toBeLessThan(30_000);
      }
    }
  });

  it('can’t be taken for another text and operation name', async () => {
    const stack = await openStack(`DEFINE CONFIG GRAPHQL AUTO; ${SETUP}`);
    const pairs = [
      ['a', 'query a { t {\nn } }'],
      ['a\nquery a { t {', 'n } }'],
      ['n } }', 'query a { t {'],
      [' n } }', 'query a { t {'],
    ] as const;
    for (const order of [pairs, [...pairs].reverse()]) {
      for (const [operationName, query] of order) {
        const { answer } = await send(stack, JSON.stringify({ query, operationName }));
        expect(answer.errors === undefined).toBe(operationName === 'a');
      }
    }
  });
});

describe('variables', () => {
  const nested = (open: string, close: string, depth: number) =>
    `{"query":${JSON.stringify(FILTER)},"variables":{"f":${open.repeat(depth)}{}${close.repeat(depth)}}}`;

  it.each([
    ['objects', nested('{"not":', '}', 100_000)],
    ['lists', nested('{"and":[', ']}', 100_000)],
  ])('of deeply nested %s are refused', async (_, body) => {
    const { answer } = await send(open, body);
    expect(answer.errors?.[0]?.extensions.code).toBe('nesting_too_deep');
  });

  it.each([
    ['fields', { f: keys(60_000) }],
    ['fields around a long text', { f: { name: { eq: 'a'.repeat(500_000) }, ...keys(60) } }],
    ['items of the wrong type', { f: { n: { in: Array.from({ length: 90_000 }, () => 'a'.repeat(5)) } } }],
    ['variables', { f: { nn: 1 }, ...keys(60_000) }],
  ])('with many %s are refused in a few words', async (_, variables) => {
    const { answer, length } = await send(open, JSON.stringify({ query: FILTER, variables }));
    expect(answer.errors?.[0]?.extensions.code).toMatch(/^graphql_(variables|value)$/);
    expect(answer.errors?.length).toBeLessThanOrEqual(20);
    expect(length).toBeLessThan(10_000);
    // Not what was sent, only where it is wrong.
    expect(answer.errors?.[0]?.message).toMatch(/^Variable "\$f" got invalid value at "f[^"]*"; /);
  });

  it('of too many values are refused before they are looked at', async () => {
    const { ask } = await openStack(`DEFINE CONFIG GRAPHQL AUTO; ${SETUP}`, { limits: { inputs: 5 } });
    expect((await ask(FILTER, { f: { n: { in: [1, 2] } } })).data).toEqual({ t: [{ n: 1 }] });
    for (const variables of [
      { f: { n: { in: [1, 2, 3] } } },
      { f: {}, ...keys(5) },
      { f: { or: [{ n: { eq: [] } }, {}] } },
    ]) {
      expect((await ask(FILTER, variables)).errors).toEqual([
        {
          message: 'The GraphQL request exceeds the limit of 5 values in variables (--max-graphql-inputs)',
          extensions: { code: 'graphql_limit' },
        },
      ]);
    }
  });

  it('of long lists count as conditions wherever they are compared with', async () => {
    const query = (fields: number) =>
      `query ($n: [Int!]) { ${times(fields, (i) => `a${i}: t(filter: {n: {in: $n}}) { n }`)} }`;
    const n = Array.from({ length: 5000 }, (_, i) => i);
    expect((await open.ask(query(2), { n })).errors).toBeUndefined();
    const { errors } = await open.ask(query(3), { n });
    expect(errors?.[0]?.message).toContain('1000 conditions in filters');
  });

  it('of regular expressions count for several conditions', async () => {
    const filter = (count: number) => ({
      f: { or: Array.from({ length: count }, (_, i) => ({ name: { regex: `a${i}` } })) },
    });
    expect((await open.ask(FILTER, filter(100))).data).toEqual({ t: [] });
    expect((await open.ask(FILTER, filter(101))).errors?.[0]?.message).toContain('1000 conditions in filters');
  });

  it('are read as the specification says', async () => {
    const { ask } = open;
    expect((await ask('query ($l: Int = 0) { t(limit: $l) { n } }')).data).toEqual({ t: [] });
    expect((await ask('query ($l: Int = 0) { t(limit: $l) { n } }', { l: null })).data).toEqual({ t: [{ n: 1 }] });
    expect((await ask('query ($l: Int = 0) { t(limit: $l) { n } }', { l: 1 })).data).toEqual({ t: [{ n: 1 }] });
    expect((await ask('query ($l: Int) { t(limit: $l) { n } }')).data).toEqual({ t: [{ n: 1 }] });
    const required = 'query ($f: _filter_t!) { t(filter: $f) { n } }';
    expect((await ask(required)).errors?.[0]).toMatchObject({
      message: 'Variable "$f" of required type "_filter_t!" was not provided.',
      locations: [{ line: 1, column: 8 }],
      extensions: { code: 'graphql_variables' },
    });
    expect((await ask(required, { f: null })).errors?.[0]?.message).toBe(
      'Variable "$f" got invalid value at "f"; Expected non-nullable type "_filter_t!" not to be null.',
    );
    expect((await ask(FILTER, { f: { and: { n: { in: 1 } } } })).data).toEqual({ t: [{ n: 1 }] });
    expect((await ask(FILTER, { f: { and: [{}, { n: { in: ['x'] } }] } })).errors?.[0]?.message).toContain(
      'at "f.and[1].n.in[0]"; Expected type "Int".',
    );
  });
});

describe('introspection', () => {
  const complete = getIntrospectionQuery({
    specifiedByUrl: true,
    directiveIsRepeatable: true,
    schemaDescription: true,
    inputValueDeprecation: true,
    oneOf: true,
  });

  it('answers what tools ask', async () => {
    for (const query of [
      getIntrospectionQuery(),
      complete,
      '{ __type(name: "t") { name fields { name type { name ofType { name fields { name } } } } } }',
      '{ __schema { types { name kind enumValues { name } inputFields { name type { name } } fields { args { name } } } } }',
    ]) {
      expect((await open.ask(query)).errors).toBeUndefined();
    }
  });

  it.each([
    ['types within types', '{ __schema { types { fields { type { fields { name } } } } } }', '2 lists of types'],
    [
      'types within types in fragments',
      '{ __schema { types { ...a } } } fragment a on __Type { fields { type { ...b } } } fragment b on __Type { fields { name } }',
      '2 lists of types',
    ],
    ['inputs within types', '{ __schema { types { inputFields { type { inputFields { name } } } } } }', '2 lists of'],
    [
      'types within arguments',
      '{ __schema { types { fields { args { type { possibleTypes { name } } } } } } }',
      '2 lists of types',
    ],
    [
      'lists of types',
      `{ ${times(4, (i) => `a${i}: __schema { types { fields { name } inputFields { name } } }`)} }`,
      '10 lists of',
    ],
    [
      'names for the same',
      `{ __schema { types { ${times(21, (i) => `a${i}: name`)} } } }`,
      '20 aliases in introspection',
    ],
    ['levels', `{ __type(name: "t") { ${'ofType { '.repeat(25)} name ${'}'.repeat(25)} } }`, '20 levels of fields'],
    [
      'fields',
      `{ ${times(45, () => `__schema { types { ${times(10, () => 'name ')} fields { name } } }`)} }`,
      '500 fields in introspection',
    ],
  ])('is refused for too many %s', async (_, query, limit) => {
    const { errors } = await open.ask(query);
    expect(errors?.[0]?.extensions.code).toBe('graphql_limit');
    expect(errors?.[0]?.message).toContain(`exceeds the limit of ${limit}`);
    expect(errors?.[0]?.message).toContain('(fixed)');
  });
});

describe('names that every object inherits', () => {
  const NAMES = ['constructor', 'toString', 'valueOf', 'hasOwnProperty'];

  it('are names like any other', async () => {
    const fields = NAMES.map(
      (name) => `DEFINE FIELD ${name} ON k TYPE option<string>; DEFINE FIELD is_${name} ON k TYPE option<'${name}'>;`,
    );
    const { ask } =
      await openStack(`DEFINE CONFIG GRAPHQL AUTO; DEFINE TABLE k; DEFINE TABLE constructor; ${fields.join(' ')}
      DEFINE FIELD o ON k TYPE option<object>; DEFINE FIELD o.valueOf ON k TYPE option<string>;
      DEFINE FUNCTION fn::all(${NAMES.map((name) => `$${name}: option<string>`)}) { RETURN [${NAMES.map((name) => `$${name}`)}] };`);
    const selection = `{ ${NAMES.map((name) => `${name} is_${name}`).join(' ')} o { valueOf } }`;
    const nothing = Object.fromEntries(
      NAMES.flatMap((name) => [
        [name, null],
        [`is_${name}`, null],
      ]),
    );
    expect((await ask(`mutation { createK(data: {}) ${selection} }`)).data?.['createK']).toEqual({
      ...nothing,
      o: null,
    });
    const create = `mutation ($data: CreateKInput!) { createK(data: $data) ${selection} }`;
    expect((await ask(create, { data: { o: {} } })).data?.['createK']).toEqual({ ...nothing, o: { valueOf: null } });
    const data = Object.fromEntries(
      NAMES.flatMap((name) => [
        [name, 'x'],
        [`is_${name}`, name],
      ]),
    );
    expect((await ask(create, { data })).data?.['createK']).toEqual({ ...data, o: null });
    expect((await ask('{ fn_all a: fn_all(toString: "x") }')).data).toEqual({
      fn_all: [null, null, null, null],
      a: [null, 'x', null, null],
    });
    expect(
      (await ask('{ constructor { __proto__: id } __proto__: k(filter: {toString: {eq: "y"}}) { id } }')).data,
    ).toEqual(JSON.parse('{"constructor": [], "__proto__": []}'));
  });
});

describe('an answer', () => {
  it('bounds the number of field errors', async () => {
    const { ask } = await openStack(
      `DEFINE CONFIG GRAPHQL AUTO; DEFINE TABLE a; DEFINE TABLE e TYPE RELATION FROM a TO a; CREATE |a:600|;`,
    );
    const query = (aliases: number) => `{ a { ${times(aliases, (i) => `x${i}: e(limit: -1) { id }`)} } }`;
    const some = await ask(query(1));
    expect(some.errors).toHaveLength(600);
    expect(some.errors?.[599]).toMatchObject({ path: ['a', 599, 'x0'], locations: [{ line: 1, column: 7 }] });
    const many = await ask(query(2));
    expect(many.data).toBeUndefined();
    expect(many.errors).toEqual([
      {
        message: 'The GraphQL request exceeds the limit of 1000 errors in its answer (fixed)',
        extensions: { code: 'graphql_limit' },
      },
    ]);
  });

  it('repeats little of what was sent, or stored, wherever it was wrong', async () => {
    const { ask } = await openStack(`DEFINE CONFIG GRAPHQL AUTO; DEFINE TABLE a; DEFINE TABLE b;
      CREATE |a:50| SET n = string::repeat('x', 100_000); DEFINE FIELD n ON a TYPE option<int>;
      DEFINE TABLE e TYPE RELATION FROM a TO a | b;`);
    const long = 'x'.repeat(500_000);
    for (const query of ['query ($id: ID!) { a { e(filter: {out: {eq: $id}}) { id } } }', '{ a { n } }']) {
      const { errors } = await ask(query, query.includes('$id') ? { id: long } : {});
      expect(errors).toHaveLength(50);
      expect(JSON.stringify(errors).length).toBeLessThan(20_000);
    }
  });

  it('isn’t larger for being asked for in parts', async () => {
    const { ask } = await openStack(
      `DEFINE CONFIG GRAPHQL AUTO; DEFINE TABLE a; DEFINE FIELD s ON a TYPE string; LET $s = string::repeat('x', 1_000_000); CREATE a:1 SET s = $s + $s + $s + $s + $s;`,
    );
    const { data, errors } = await ask(`{ ${times(14, (i) => `x${i}: a { s }`)} }`);
    expect(errors).toMatchObject([{ path: ['x13'], extensions: { code: 'answer_too_large' } }]);
    expect([data?.['x12'] === null, data?.['x13']]).toEqual([false, null]);
  });
});

describe('where introspection is off, nothing is suggested', () => {
  it.each([
    ['a field', '{ t { nn } }'],
    ['a root field', '{ tt { n } }'],
    ['an argument', '{ t(limi: 1) { n } }'],
    ['a selection', '{ t }'],
    ['a nested selection', '{ t { next } }'],
    ['a type', 'query ($f: _filter_tt) { t(filter: $f) { n } }'],
    ['a fragment’s type', '{ t { ...a } } fragment a on tt { n }'],
    ['a field of an interface', '{ _get(id: "t:1") { n } }'],
    ['an enum’s value', '{ t(filter: {mood: {eq: happi}}) { n } }'],
    ['an enum’s value as text', '{ t(filter: {mood: {eq: "happi"}}) { n } }'],
    ['an operator', '{ t(filter: {n: {gtt: 1}}) { n } }'],
    ['a key of an order', '{ t(order: {asc: nn}) { n } }'],
    ['a directive', '{ t { n @skp(if: true) } }'],
    ['a directive’s argument', '{ t { n @skip(iff: true, if: true) } }'],
    ['a variable’s field', FILTER, { f: { nn: { eq: 1 } } }],
    ['a variable’s operator', FILTER, { f: { n: { gtt: 1 } } }],
    ['a variable’s enum value', FILTER, { f: { mood: { eq: 'happi' } } }],
    ['a variable’s order', 'query ($o: _order_t) { t(order: $o) { n } }', { o: { asc: 'nn' } }],
    ['a variable’s type', 'query ($m: String) { t(filter: {mood: {eq: $m}}) { n } }'],
    ['a selection of a scalar', '{ t { mood { x } } }'],
    ['a number as an enum’s value', '{ t(filter: {mood: {eq: 1}}) { n } }'],
    ['a number as a variable’s enum value', FILTER, { f: { mood: { in: [1, {}] } } }],
    ['a variable’s default', 'query ($f: _filter_t = {nn: {eq: 1}}) { t(filter: $f) { n } }'],
  ])('for %s', async (_, query, variables: object = {}) => {
    const { errors } = await closed.ask(query, variables);
    expect(errors?.[0]?.extensions.code).toMatch(/^graphql_(invalid|variables)$/);
    expect(JSON.stringify(errors)).not.toMatch(/did you mean|happy|angry/i);
  });

  it('but is where it is on', async () => {
    expect((await open.ask('{ t { next } }')).errors?.[0]?.message).toContain('Did you mean "next { ... }"?');
    expect((await open.ask(FILTER, { f: { mood: { eq: 'happi' } } })).errors?.[0]?.message).toContain('"happy"');
  });
});

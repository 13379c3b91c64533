import { getIntrospectionQuery } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_GRAPHQL_LIMITS } from '../../src/graphql/base/limits.js';
import { GraphqlService } from '../../src/graphql/service.js';
import { createGraphqlMethod } from '../../src/graphql/transports/method.js';
import { openDatabase } from '../../src/session/database/database.js';
import { openEngine } from '../../src/storage/open/open.js';
import { objectFrom } from '../../src/value/value.js';
import { StubbedEnvironment } from '../support/environment.js';
import { YieldingEnvironment } from '../support/yielding-environment.js';
import { openStack, type Stack } from './stack.js';

const SETUP = `DEFINE TABLE t; DEFINE FIELD n ON t TYPE int; DEFINE FIELD next ON t TYPE option<record<t>>;
  DEFINE FIELD all ON t TYPE array<record<t>> DEFAULT [];
  FOR $i IN 1..=10 { CREATE type::record('t', $i) SET n = $i, next = t:1, all = [t:1, t:2, t:3, t:4, t:5, t:6, t:7, t:8, t:9, t:10] };`;
const withConfig = (config: string) => `DEFINE CONFIG GRAPHQL ${config}; ${SETUP}`;

const chain = (depth: number) => `${'{ next '.repeat(depth)}${'{ n }'}${' }'.repeat(depth)}`;

describe('limits', () => {
  it.each<[name: string, query: string, message: string]>([
    ['depth', `{ t ${chain(25)} }`, '20 levels of fields (--max-graphql-depth)'],
    ['depth through fragments', `{ t { ...a } } fragment a on t { next ${chain(24)} }`, '20 levels of fields'],
    ['complexity', `{ ${'t { n } '.repeat(501)} }`, '1000 fields (--max-graphql-complexity)'],
    [
      'aliases',
      `{ ${Array.from({ length: 101 }, (_, i) => `a${i}: t { n }`).join(' ')} }`,
      '100 aliases (--max-graphql-aliases)',
    ],
    [
      'root fields',
      `{ ...a ${Array.from({ length: 50 }, (_, i) => `a${i}: t { n }`).join(' ')} } fragment a on Query { t { n } }`,
      '50 fields on its first level (--max-graphql-root-fields)',
    ],
    ['directives', `{ t { ${'n @skip(if: true) '.repeat(101)} } }`, '100 directives (--max-graphql-directives)'],
    ['tokens', `{ t { ${'n '.repeat(5000)} } }`, '5000 tokens (--max-graphql-tokens)'],
    ['nesting', '{'.repeat(1000), '200 nested brackets (--max-graphql-nesting)'],
    ['nesting in arguments', `{ t(filter: ${'{not: '.repeat(300)}`, '200 nested brackets'],
  ])('bound %s', async (_, query, message) => {
    const { ask, sent } = await openStack(withConfig('AUTO'));
    const { data, errors } = await ask(query);
    expect(errors).toMatchObject([
      { message: expect.stringContaining(message), extensions: { code: 'graphql_limit' } },
    ]);
    expect(data).toBeUndefined();
    expect(sent.calls).toBe(0);
  });

  it('of the config are the database’s own', async () => {
    const { ask } = await openStack(withConfig('AUTO DEPTH 3 COMPLEXITY 5'));
    expect((await ask(`{ t ${chain(1)} }`)).data?.t).toHaveLength(10);
    expect((await ask(`{ t ${chain(2)} }`)).errors?.[0]?.message).toBe(
      'The GraphQL request exceeds the limit of 3 levels of fields (DEPTH of the GRAPHQL config)',
    );
    expect((await ask('{ t { n } a: t { n } b: t { n } }')).errors?.[0]?.message).toContain('5 fields (COMPLEXITY of');
    // Tools ask for the whole schema at once: it reads no records.
    expect((await ask(getIntrospectionQuery())).errors).toBeUndefined();
    const { ask: deep } = await openStack(withConfig('AUTO DEPTH 40'));
    expect((await deep(`{ t ${chain(30)} }`)).errors).toBeUndefined();
  });

  it('count fragments wherever they are spread', async () => {
    const { ask } = await openStack(withConfig('AUTO'));
    const bomb = Array.from(
      { length: 12 },
      (_, i) => `fragment f${i} on t { ...f${i + 1} a: next { ...f${i + 1} } }`,
    ).join(' ');
    const { errors } = await ask(`{ t { ...f0 } } ${bomb} fragment f12 on t { n }`);
    expect(errors?.[0]?.message).toContain('1000 fields');
  });

  it('refuse fragments that contain themselves', async () => {
    const { ask } = await openStack(withConfig('AUTO'));
    const loop = 'fragment a on t { next { ...b } } fragment b on t { next { ...a } }';
    for (const query of [`{ t { ...a } } ${loop}`, `{ t { n } } ${loop}`]) {
      expect((await ask(query)).errors).toMatchObject([
        { message: 'The fragment "a" contains itself', extensions: { code: 'graphql_fragment_cycle' } },
      ]);
    }
  });

  it('count what is found, not only what is asked', async () => {
    const { ask, sent } = await openStack(withConfig('AUTO'), { limits: { values: 1000 } });
    expect((await ask('{ t { all { n } } }')).data?.t).toHaveLength(10);
    sent.calls = 0;
    // Ten times ten times ten times … records are written, though each level reads no more than ten.
    const answer = await ask('{ t { all { all { all { all { all { n } } } } } } }');
    expect(answer.errors?.[0]?.message).toBe(
      'The GraphQL request exceeds the limit of 1000 values in its answer (--max-graphql-values)',
    );
    expect(answer.data).toBeUndefined();
    expect(sent.calls).toBe(6);
    // What is read beyond the limit isn't followed any further.
    const { ask: narrow, sent: few } = await openStack(withConfig('AUTO'), { limits: { values: 100 } });
    expect((await narrow('{ t { all { all { all { n } } } } }')).errors?.[0]?.extensions.code).toBe('graphql_limit');
    expect(few.calls).toBe(1);
    const { ask: small } = await openStack(withConfig('AUTO'), { limits: { values: 15 } });
    expect((await small('{ t { n } }')).errors?.[0]?.extensions.code).toBe('graphql_limit');
    expect((await small('{ t(limit: 5) { n } }')).data?.t).toHaveLength(5);
  });

  it('aren’t exceeded by many lists at once: nothing is read that the lists before leave no room for', async () => {
    const { ask, sent } = await openStack(withConfig('AUTO'), { limits: { values: 50 } });
    const lists = (args: string) => `{ ${Array.from({ length: 8 }, (_, i) => `a${i}: t${args} { n }`).join(' ')} }`;
    expect((await ask(lists(''))).errors?.[0]?.extensions.code).toBe('graphql_limit');
    expect(sent).toMatchObject({ calls: 3, statements: 3 });
    sent.calls = 0;
    expect((await ask(lists('(limit: 3)'))).data?.a7).toHaveLength(3);
    expect(sent.calls).toBe(1);
  });

  it('bound the records of one list', async () => {
    const { ask } = await openStack(withConfig('AUTO'), { limits: { rows: 5 } });
    const message =
      'The GraphQL request exceeds the limit of 5 records in one list, which must ask for no more with `limit` (--max-graphql-rows)';
    for (const query of ['{ t { n } }', '{ t(limit: 6) { n } }']) {
      expect(await ask(query)).toMatchObject({ data: { t: null }, errors: [{ message, path: ['t'] }] });
    }
    expect((await ask('{ t(limit: 5) { n } a: t(filter: {n: {lt: 3}}) { n } }')).errors).toBeUndefined();
  });

  it('bound the time of a request', async () => {
    const { ask } = await openStack(withConfig('AUTO'), { limits: { time: 0 } });
    expect((await ask('{ t { n } }')).errors?.[0]?.extensions.code).toBe('timed_out');
  });

  it('bound the time of requests that came together', async () => {
    const environment = new StubbedEnvironment();
    const database = await openDatabase(await openEngine('memory'), { environment });
    const session = database.ownerSession();
    await session.use('test', 'test');
    await session.query(withConfig('AUTO'));
    const service = new GraphqlService({ limits: { time: 1_000 } });
    const spending = service.spending(session);
    const codes = async () =>
      (
        await service.answer(
          session,
          { query: '{ t { n } }', variables: undefined, operationName: undefined },
          spending,
        )
      ).failures.map(({ error }) => error.code);
    expect(await codes()).toEqual([]);
    environment.advance(1_001);
    expect(await codes()).toEqual(['timed_out']);
  });

  it('bound the conditions of filters', async () => {
    const { ask } = await openStack(withConfig('AUTO'), { limits: { conditions: 3 } });
    const filter = (count: number) => ({ f: { or: Array.from({ length: count }, (_, i) => ({ n: { eq: i } })) } });
    const query = 'query ($f: _filter_t) { t(filter: $f) { n } }';
    expect((await ask(query, filter(3))).data).toEqual({ t: [{ n: 1 }, { n: 2 }] });
    expect((await ask(query, filter(4))).errors?.[0]?.message).toContain('3 conditions in filters');
  });

  it('let the query through that tools ask first', async () => {
    const { ask } = await openStack(withConfig('AUTO'));
    expect(DEFAULT_GRAPHQL_LIMITS.depth).toBeGreaterThan(15);
    expect((await ask(getIntrospectionQuery())).errors).toBeUndefined();
  });
});

describe('introspection', () => {
  it('is refused with INTROSPECTION NONE, and so are hints', async () => {
    const { ask } = await openStack(withConfig('AUTO INTROSPECTION NONE'));
    for (const query of [
      '{ __schema { types { name } } }',
      '{ __type(name: "t") { name } }',
      '{ ...a } fragment a on Query { __schema { types { name } } }',
    ]) {
      expect((await ask(query)).errors).toMatchObject([{ extensions: { code: 'graphql_introspection_disabled' } }]);
    }
    expect((await ask('{ __typename t(limit: 1) { __typename } }')).data).toEqual({
      __typename: 'Query',
      t: [{ __typename: 't' }],
    });
    const wrong = [
      '{ t { nn } }',
      '{ tt { n } }',
      '{ t(limt: 1) { n } }',
      '{ t(filter: {n: {gtt: 1}}) { n } }',
      '{ t(order: {asc: nn}) { n } }',
    ];
    for (const query of wrong) {
      const { errors } = await ask(query);
      expect(errors?.[0]?.extensions.code).toBe('graphql_invalid');
      expect(JSON.stringify(errors)).not.toMatch(/did you mean/i);
    }
    const { errors } = await ask('query ($f: _filter_t) { t(filter: $f) { n } }', { f: { nn: { eq: 1 } } });
    expect(errors?.[0]?.extensions.code).toBe('graphql_variables');
    expect(JSON.stringify(errors)).not.toMatch(/did you mean/i);
  });

  it('is open otherwise', async () => {
    const { ask } = await openStack(withConfig('AUTO'));
    expect((await ask('{ __type(name: "t") { name } }')).data).toEqual({ __type: { name: 't' } });
    expect((await ask('{ t { nn } }')).errors?.[0]?.message).toContain('Did you mean "n"?');
  });
});

describe('yields while it writes', () => {
  const environment = new YieldingEnvironment();
  let stack: Stack;
  beforeAll(async () => {
    stack = await openStack(
      `DEFINE CONFIG GRAPHQL AUTO;
      DEFINE TABLE t; DEFINE FIELD n ON t TYPE int; CREATE |t:1..2001| SET n = 1;
      DEFINE TABLE numbers; DEFINE FIELD list ON numbers TYPE array<int>; CREATE numbers:1 SET list = array::repeat(1, 2000);
      DEFINE TABLE pair; DEFINE FIELD numbers ON pair TYPE record<numbers>; CREATE pair:1 SET numbers = numbers:1;
      DEFINE TABLE leads TYPE RELATION FROM pair TO t; DEFINE FIELD n ON leads TYPE int;
      RELATE pair:1->leads->(SELECT VALUE id FROM t) SET n = 1;`,
      { environment },
    );
  });

  it.each([
    ['a list', '{ t(limit: 2000) { n } }', '"n":1'],
    ['a connection', '{ tConnection(first: 2000) { edges { node { n } } } }', '"n":1'],
    ['a list within a record', '{ numbers { list } }', '1'],
    ['a list within a record behind a link', '{ pair { numbers { list } } }', '1'],
    ['edges of a record', '{ pair { leads(limit: 2000) { n } } }', '"n":1'],
    ['a connection of edges', '{ pair { leadsConnection(first: 2000) { edges { node { n } } } } }', '"n":1'],
  ])('%s', async (_, query, part) => {
    environment.yields = 0;
    const { data, errors } = await stack.ask(query);
    expect(errors).toBeUndefined();
    expect(JSON.stringify(data).split(part)).toHaveLength(2_001);
    expect(environment.yields).toBeGreaterThanOrEqual(60);
  });

  it('the result of the RPC method, which is read from its text', async () => {
    environment.yields = 0;
    await stack.ask('{ t(limit: 2000) { n } }');
    const written = environment.yields;
    const run = createGraphqlMethod(stack.service);
    await run(stack.owner, objectFrom({ query: '{ t(limit: 2000) { n } }' }));
    expect(environment.yields - written).toBeGreaterThan(written);
  });
});

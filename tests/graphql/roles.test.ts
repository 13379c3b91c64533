import { describe, expect, it } from 'vitest';
import { type DatabaseRules, EffectiveLimitsByRole, roleOf } from '../../src/graphql/base/effective-limits.js';
import { DEFAULT_GRAPHQL_LIMITS } from '../../src/graphql/base/limits.js';
import { createGraphqlHandler } from '../../src/graphql/transports/handler.js';
import type { Role } from '../../src/language/ast.js';
import { readConfiguration } from '../../src/server/configuration.js';
import type { Session } from '../../src/session/contract.js';
import { objectFrom } from '../../src/value/value.js';
import { openStack } from './stack.js';

const databasePath = { namespace: 'test', database: 'test' };
const readRoles = (rules: string) => readConfiguration(() => undefined, { SVC_GRAPHQL_LIMITS: rules }).graphqlRoles;

describe('the role of a request', () => {
  const user = (roles: readonly Role[], rest: object = {}) =>
    roleOf({ principal: { kind: 'system', level: 'root', name: 'u', roles, ...rest }, databasePath });

  it('is the highest that they have there', () => {
    expect(roleOf({ principal: { kind: 'guest' }, databasePath })).toBe('guest');
    expect(user([])).toBe('guest');
    expect(user(['viewer'])).toBe('viewer');
    expect(user(['editor', 'viewer'])).toBe('editor');
    expect(user(['viewer', 'owner', 'editor'])).toBe('owner');
    expect(user(['owner'], { level: 'namespace', namespace: 'test' })).toBe('owner');
    expect(user(['owner'], { level: 'namespace', namespace: 'other' })).toBe('guest');
  });
});

describe('rules for roles', () => {
  it('are read from one setting', () => {
    expect(readRoles('')).toEqual({});
    expect(
      readRoles(' guest: depth=5, values=10000 introspection=none;record:root-fields=3 time=5s ;; owner: ; '),
    ).toEqual({
      guest: { limits: { depth: 5, values: 10_000 }, introspection: 'none' },
      record: { limits: { rootFields: 3, time: 5000 } },
      owner: { limits: {} },
    });
  });

  it.each([
    ['guest', '"guest" is not like "guest: depth=5"'],
    ['guest: depth=5: 6', '"guest: depth=5: 6" is not like'],
    ['admin: depth=5', '"admin" is none of guest, record, viewer, editor, owner'],
    ['guest: depth=5; guest: depth=6', 'there are two entries for guest'],
    ['guest: depth', 'guest: "depth" is not like "depth=5"'],
    ['guest: depth=5=6', 'guest: "depth=5=6" is not like "depth=5"'],
    ['guest: depth=0', 'guest: depth: "0" is not a whole number above 0'],
    ['guest: depth=1 depth=2', 'guest: depth is said twice'],
    ['guest: time=5', 'guest: time: "5" is not a time such as'],
    ['guest: rootFields=5', 'guest: rootFields: there is only introspection, depth, complexity, root-fields'],
    ['guest: __proto__=5', 'guest: __proto__: there is only introspection'],
    ['guest: introspection=full', 'guest: introspection: "full" is none of auto, none'],
  ])('are refused with a reason: %s', (rules, message) => {
    expect(() => readRoles(rules)).toThrow(`SVC_GRAPHQL_LIMITS: ${message}`);
  });

  it.each<[role: string, config: DatabaseRules, depth: number, setting: string]>([
    ['', {}, 20, '--max-graphql-depth'],
    ['', { depth: 40 }, 40, 'DEPTH of the GRAPHQL config'],
    ['guest: depth=30', {}, 30, '--graphql-limits'],
    ['guest: depth=30', { depth: 40 }, 30, '--graphql-limits'],
    ['guest: depth=30', { depth: 10 }, 10, 'DEPTH of the GRAPHQL config'],
    ['owner: depth=5', {}, 20, '--max-graphql-depth'],
  ])('of %j beside the config %j', (rules, config, depth, setting) => {
    const allowances = new EffectiveLimitsByRole(DEFAULT_GRAPHQL_LIMITS, readRoles(rules), config);
    const allowance = allowances.of({ principal: { kind: 'guest' }, databasePath });
    expect(allowance.limits.depth).toBe(depth);
    expect(allowance.beyond('depth').message).toContain(`${depth} levels of fields (${setting})`);
  });
});

describe('who asks', () => {
  const SETUP = `DEFINE TABLE t PERMISSIONS FULL; DEFINE FIELD n ON t TYPE int; DEFINE FIELD next ON t TYPE option<record<t>>;
    FOR $i IN 1..=5 { CREATE type::record('t', $i) SET n = $i };
    DEFINE TABLE user; CREATE user:ann;
    DEFINE ACCESS account ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM user WHERE id = user:ann);
    DEFINE USER vera ON DATABASE PASSWORD 'a viewer' ROLES VIEWER;`;
  const open = async (rules: string, config = 'AUTO') => {
    const stack = await openStack(`DEFINE CONFIG GRAPHQL ${config}; ${SETUP}`, { roles: readRoles(rules) });
    const session = async (body?: object): Promise<Session> => {
      const opened = stack.database.session({});
      await opened.use('test', 'test');
      if (body !== undefined) await opened.signIn(objectFrom({ ...body, NS: 'test', DB: 'test' }));
      return opened;
    };
    return {
      ...stack,
      guest: await session(),
      record: await session({ AC: 'account' }),
      viewer: await session({ user: 'vera', pass: 'a viewer' }),
    };
  };
  const deep = (levels: number) => `{ t ${'{ next '.repeat(levels - 2)}{ n }${' }'.repeat(levels - 2)} }`;

  it('has the limits of their role, also for what others have asked before', async () => {
    const { ask, guest, record, viewer, owner } = await open('guest: depth=2; record: depth=3; viewer: depth=30');
    const refused = { errors: [{ extensions: { code: 'graphql_limit' } }] };
    for (const round of ['first', 'again']) {
      const answers = async (levels: number) =>
        Promise.all([owner, viewer, record, guest].map(async (each) => (await ask(deep(levels), {}, each)).errors));
      expect([round, await answers(2)]).toEqual([round, [undefined, undefined, undefined, undefined]]);
      expect((await answers(3)).map((errors) => errors?.length ?? 0)).toEqual([0, 0, 0, 1]);
      expect((await answers(4)).map((errors) => errors?.length ?? 0)).toEqual([0, 0, 1, 1]);
      expect((await answers(25)).map((errors) => errors?.length ?? 0)).toEqual([1, 0, 1, 1]);
    }
    expect(await ask(deep(3), {}, guest)).toMatchObject(refused);
    expect((await ask(deep(3), {}, guest)).errors?.[0]?.message).toContain('2 levels of fields (--graphql-limits)');
  });

  it.each([
    ['tokens=4', '{ t { n } }'],
    ['nesting=1', '{ t { n } }'],
    ['complexity=1', '{ t { n } }'],
    ['root-fields=1', '{ t { n } __typename }'],
    ['aliases=1', '{ a: t { b: n } }'],
    ['directives=1', '{ t { n @skip(if: false) @include(if: true) } }'],
    ['values=2', '{ t { n } }'],
    ['conditions=1', '{ t(filter: {n: {gt: 1, lt: 3}}) { n } }'],
    ['inputs=1', 'query ($n: [Int!]) { t(filter: {n: {in: $n}}) { n } }', { n: [1, 2] }],
  ])('may have %s', async (rule, query, variables: object = {}) => {
    const { ask, guest, owner } = await open(`guest: ${rule}`);
    for (const session of [guest, owner, guest]) {
      const { errors } = await ask(query, variables, session);
      expect(errors?.[0]?.extensions.code).toBe(session === owner ? undefined : 'graphql_limit');
      if (session === guest) expect(errors?.[0]?.message).toContain('(--graphql-limits)');
    }
  });

  it('may be denied introspection, and hints with it', async () => {
    const { ask, guest, record, owner } = await open('guest: introspection=none; record: introspection=auto');
    const schema = '{ __schema { types { name } } }';
    for (const session of [owner, guest, record, guest]) {
      const isGuest = session === guest;
      const introspected = await ask(schema, {}, session);
      expect(introspected.errors?.[0]?.message).toBe(
        isGuest ? 'Introspection is switched off (--graphql-limits)' : undefined,
      );
      const wrong = await ask('{ t { nn } }', {}, session);
      expect(wrong.errors?.[0]?.extensions.code).toBe('graphql_invalid');
      expect(wrong.errors?.[0]?.message.includes('Did you mean')).toBe(!isGuest);
      const variable = await ask('query ($f: _filter_t) { t(filter: $f) { n } }', { f: { nn: 1 } }, session);
      expect(variable.errors?.[0]?.extensions.code).toBe('graphql_variables');
      expect(variable.errors?.[0]?.message.includes('Did you mean')).toBe(!isGuest);
    }
  });

  it('may send batches of another size', async () => {
    const { service, guest, owner } = await open('guest: batch=1');
    const handle = createGraphqlHandler(service, 'standard');
    const body = JSON.stringify([{ query: '{ t { n } }' }, { query: '{ __typename }' }]);
    const send = (session: Session) =>
      handle({ session, accept: 'application/json', contentType: 'application/json', body });
    expect(JSON.parse((await send(owner)).body)).toHaveLength(2);
    expect(JSON.parse((await send(guest)).body)).toMatchObject({ errors: [{ extensions: { code: 'graphql_limit' } }] });
  });

  it('can’t be given what the database denies', async () => {
    const { ask, owner } = await open(
      'owner: introspection=auto complexity=900',
      'AUTO COMPLEXITY 2 INTROSPECTION NONE',
    );
    expect((await ask('{ __schema { types { name } } }', {}, owner)).errors?.[0]?.message).toBe(
      'Introspection is switched off (INTROSPECTION NONE of the GRAPHQL config)',
    );
    expect((await ask('{ t { n id } }', {}, owner)).errors?.[0]?.message).toContain('2 fields (COMPLEXITY of');
  });
});

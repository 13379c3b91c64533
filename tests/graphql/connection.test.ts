import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Select } from '../../src/language/ast.js';
import type { Session } from '../../src/session/contract.js';
import { objectFrom } from '../../src/value/value.js';
import { type Answer, openStack, type Stack } from './stack.js';

const SETUP = `
  DEFINE CONFIG GRAPHQL AUTO;
  DEFINE TABLE letter SCHEMAFULL;
  DEFINE FIELD name ON letter TYPE string;
  DEFINE FIELD kind ON letter TYPE option<'vowel' | 'consonant'>;
  DEFINE FIELD rank ON letter TYPE option<decimal>;
  DEFINE FIELD since ON letter TYPE option<datetime>;
  DEFINE FIELD big ON letter TYPE option<int>;
  DEFINE FIELD next ON letter TYPE option<record<letter>>;
  DEFINE FIELD long ON letter TYPE option<string>;
  DEFINE TABLE hollow;
  DEFINE TABLE letterEdge; DEFINE TABLE PageInfo;
  CREATE letter:1 SET name = 'a', kind = 'vowel', rank = 1.10dec, since = d'2000-01-01T00:00:00.000000001Z', big = 9223372036854775807, next = letter:2;
  CREATE letter:2 SET name = 'b', kind = 'consonant', rank = 1.1dec, since = d'2000-01-01T00:00:00.000000002Z', big = 9223372036854775806, next = letter:3;
  CREATE letter:3 SET name = 'c', kind = 'consonant';
  CREATE letter:4 SET name = 'd', kind = 'consonant', rank = 0.5dec;
  CREATE letter:5 SET name = 'e', kind = 'vowel';`;

interface Connection {
  readonly edges: readonly { readonly cursor: string; readonly node: { readonly name: string } }[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
  readonly totalCount: number;
}

let stack: Stack;
/** By the names of the letters, in the order of their ids. */
let cursors: Readonly<Record<string, string>>;

const PAGE = `fragment page on letterConnection {
  edges { cursor node { name } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } totalCount
}`;

async function answer(args: string, session?: Session): Promise<Answer> {
  return stack.ask(`{ page: letterConnection${args === '' ? '' : `(${args})`} { ...page } } ${PAGE}`, {}, session);
}

async function page(args = ''): Promise<Connection> {
  const { data, errors } = await answer(args);
  expect(errors).toBeUndefined();
  return data?.page as Connection;
}

const namesOf = ({ edges }: Connection): string => edges.map(({ node }) => node.name).join('');

async function message(args: string): Promise<string | undefined> {
  const { errors } = await answer(args);
  return errors?.[0] && `${errors[0].extensions.code}: ${errors[0].message}`;
}

/** The arguments, with `<a>` for the cursor of a. */
const filledIn = (args: string): string => args.replace(/<(\w)>/g, (_, name: string) => `"${cursors[name]}"`);

beforeAll(async () => {
  stack = await openStack(SETUP);
  cursors = Object.fromEntries((await page()).edges.map(({ cursor, node }) => [node.name, cursor]));
});

// The sections are those of https://relay.dev/graphql/connections.htm
describe('Relay’s specification', () => {
  it('§1–3, §5: types, whatever tables are called', async () => {
    const { data } = await stack.ask(`{
      connection: __type(name: "letterConnection") { kind fields { name type { ...type } } }
      info: __type(name: "PageInfo") { kind fields { name type { ...type } } }
      edge: __type(name: "letterEdge_2") { kind fields { name type { ...type } } }
      hollow: __type(name: "hollowEdge") { kind fields { name type { ...type } } }
    } fragment type on __Type { kind name ofType { kind name ofType { kind name ofType { name } } } }`);
    const fieldsOf = (name: string) => {
      const type = data?.[name] as { kind: string; fields: { name: string; type: TypeText }[] };
      expect(type.kind).toBe('OBJECT');
      return Object.fromEntries(type.fields.map((field) => [field.name, textOf(field.type)]));
    };
    // There is a table called letterEdge, so that this name is taken; one called PageInfo has to yield.
    expect(fieldsOf('connection')).toEqual({
      edges: '[letterEdge_2!]!',
      nodes: '[letter!]!',
      pageInfo: 'PageInfo!',
      totalCount: 'Int!',
    });
    expect(fieldsOf('edge')).toEqual({ cursor: 'String!', node: 'letter!' });
    expect(fieldsOf('hollow')).toEqual({ cursor: 'String!', node: 'hollow!' });
    expect(fieldsOf('info')).toEqual({
      hasNextPage: 'Boolean!',
      hasPreviousPage: 'Boolean!',
      startCursor: 'String',
      endCursor: 'String',
    });
    expect(await stack.ask('{ PageInfo { __typename } }')).toEqual({ data: { PageInfo: [] } });
    expect((await stack.ask('{ __type(name: "PageInfo_2") { interfaces { name } } }')).data).toEqual({
      __type: { interfaces: [{ name: 'record' }, { name: 'Node' }] },
    });
  });

  it('§4.1, §4.2: arguments take sizes, and cursors in the type that edges give them', async () => {
    const { data } = await stack.ask('{ __type(name: "Query") { fields { name args { name type { kind name } } } } }');
    const { __type: query } = data as { __type: { fields: { name: string; args: unknown[] }[] } };
    const args = query.fields.find(({ name }) => name === 'letterConnection')?.args;
    const int = { kind: 'SCALAR', name: 'Int' };
    const cursor = { kind: 'SCALAR', name: 'String' };
    expect(args?.slice(0, 4)).toEqual([
      { name: 'first', type: int },
      { name: 'after', type: cursor },
      { name: 'last', type: int },
      { name: 'before', type: cursor },
    ]);
  });

  it.each([
    // §4.1 forward
    ['', 'abcde', false, false],
    ['first: 2', 'ab', false, true],
    ['first: 2, after: <b>', 'cd', true, true],
    ['first: 2, after: <d>', 'e', true, false],
    ['first: 5', 'abcde', false, false],
    ['first: 9', 'abcde', false, false],
    ['after: <c>', 'de', true, false],
    // §4.2 backward: the edges come in the same order
    ['last: 2', 'de', true, false],
    ['last: 2, before: <d>', 'bc', true, true],
    ['last: 2, before: <b>', 'a', false, true],
    ['last: 5', 'abcde', false, false],
    ['before: <c>', 'ab', false, true],
    // §4.3 both cursors, and a size from either side
    ['after: <a>, before: <e>', 'bcd', true, true],
    ['first: 2, after: <a>, before: <e>', 'bc', true, true],
    ['first: 3, after: <a>, before: <e>', 'bcd', true, false],
    ['last: 2, after: <a>, before: <e>', 'cd', true, true],
    ['last: 3, after: <a>, before: <e>', 'bcd', false, true],
    // Cursors that cross: each is a place, and there is nothing after the one and before the other.
    ['after: <c>, before: <c>', '', true, true],
    ['after: <d>, before: <b>', '', true, true],
    // §4.3 first and last: the last of the first; §5.1 each says whether there are more edges than it asks for
    ['first: 3, last: 2', 'bc', true, true],
    ['first: 2, last: 3', 'ab', true, true],
    ['first: 9, last: 2', 'de', true, false],
    ['first: 9, last: 9', 'abcde', false, false],
    // §5.1 empty pages
    ['first: 0', '', false, true],
    ['last: 0', '', true, false],
    ['first: 2, after: <e>', '', true, false],
    ['last: 2, before: <a>', '', false, true],
    ['first: null, after: null, last: null, before: null', 'abcde', false, false],
  ])('§4, §5.1: (%s) gives %s', async (args, names, hasPreviousPage, hasNextPage) => {
    const found = await page(filledIn(args));
    expect(namesOf(found)).toBe(names);
    expect(found.pageInfo).toEqual({
      hasPreviousPage,
      hasNextPage,
      startCursor: found.edges[0]?.cursor ?? null,
      endCursor: found.edges.at(-1)?.cursor ?? null,
    });
    expect(found.totalCount).toBe(5);
    for (const { cursor, node } of found.edges) expect(cursor).toBe(cursors[node.name]);
  });

  it.each([
    ['first: -1', 'graphql_argument: first must be a whole number from 0, got -1'],
    ['last: -1', 'graphql_argument: last must be a whole number from 0, got -1'],
    ['first: 1, last: -1', 'graphql_argument: last must be a whole number from 0, got -1'],
  ])('§4.3: (%s) is an error', async (args, text) => {
    expect(await message(args)).toBe(text);
  });
});

describe('cursors', () => {
  it.each([
    ['after: ""'],
    ['before: "x"'],
    ['after: "*"'],
    ['after: "letter:1"'],
    ['before: "YXJyYXljb25uZWN0aW9uOjA="'],
  ])('(%s) was never given out', async (args) => {
    expect(await message(args)).toMatch(/^graphql_cursor: (What is given as|The cursor given as) (after|before) /);
  });

  it('that are damaged are errors, wherever', async () => {
    const bytes = Buffer.from(cursors['a'] as string, 'base64url');
    for (let at = 0; at < bytes.length; at++) {
      for (const cut of [bytes.subarray(0, at), Buffer.concat([bytes, bytes.subarray(0, at + 1)])]) {
        expect(await message(`after: "${cut.toString('base64url')}"`)).toMatch(/^graphql_cursor: /);
      }
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] as number) ^ 0x55;
      const { errors, data } = await answer(`after: "${changed.toString('base64url')}"`);
      // What still is the id of a letter is a place like any other.
      if (errors === undefined) expect(data?.page).toBeTruthy();
      else expect(errors[0]?.extensions.code).toBe('graphql_cursor');
    }
  });

  it('that are too long, or hold something else, are errors', async () => {
    expect(await message(`after: "${'A'.repeat(20_000)}"`)).toBe('graphql_cursor: What is given as after is no cursor');
    const mark = Buffer.from(cursors['a'] as string, 'base64url').subarray(0, 6);
    const forged = (...bytes: number[]) => Buffer.concat([mark, Buffer.from(bytes)]).toString('base64url');
    for (const cursor of [
      forged(0x81, 0x01), // [1]
      forged(0xa0), // {}
      forged(0x80), // []
      forged(0x81, 0xc8, 0x82, 0x61, 0x78, 0x01), // [x:1]
      forged(...new Array(5_000).fill(0x81), 0x01), // deeply nested
      forged(0x9b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff), // a list of 2^64 items
    ]) {
      expect(await message(`after: "${cursor}"`)).toBe('graphql_cursor: What is given as after is no cursor');
    }
  });

  it('belong to their table and order', async () => {
    const { endCursor } = (await page('first: 2, order: {asc: name}')).pageInfo;
    const other = 'graphql_cursor: The cursor given as after belongs to another connection or order';
    for (const order of ['order: {desc: name}', 'order: {asc: kind}', 'order: {asc: name, then: {asc: kind}}', '']) {
      expect(await message(`after: "${endCursor}" ${order}`)).toBe(other);
    }
    const { errors } = await stack.ask(`{ hollowConnection(after: "${cursors['a']}") { totalCount } }`);
    expect(errors?.[0]?.message).toBe(other.replace('graphql_cursor: ', ''));
    // What follows the id decides nothing, nor does a field that is named again.
    expect(namesOf(await page(`after: "${cursors['c']}", order: {asc: id, then: {desc: name}}`))).toBe('de');
    expect(namesOf(await page(`after: "${endCursor}", order: {asc: name, then: {desc: name}}`))).toBe('cde');
  });

  it.each([
    ['{asc: rank}'],
    ['{desc: rank}'],
    ['{asc: since}'],
    ['{desc: big}'],
    ['{asc: next}'],
    ['{desc: kind, then: {asc: rank, then: {desc: name}}}'],
  ])('keep the kinds of values: %s', async (order) => {
    const all = namesOf(await page(`order: ${order}`));
    let [forward, backward] = ['', ''];
    let info = { endCursor: null, startCursor: null } as Connection['pageInfo'];
    for (const _ of all) {
      const after = info.endCursor === null ? '' : `after: "${info.endCursor}"`;
      const found = await page(`first: 1, order: ${order} ${after}`);
      forward += namesOf(found);
      info = found.pageInfo;
    }
    for (const _ of all) {
      const before = backward === '' ? '' : `before: "${info.startCursor}"`;
      const found = await page(`last: 1, order: ${order} ${before}`);
      backward = namesOf(found) + backward;
      info = found.pageInfo;
    }
    expect([forward, backward]).toEqual([all, all]);
  });

  it('still know their place when their record is gone', async () => {
    await stack.owner.query("CREATE letter:⟨2⟩ SET name = 'x'; CREATE letter:6 SET name = 'f';");
    const { endCursor } = (await page('first: 6')).pageInfo;
    await stack.owner.query('DELETE letter:6;');
    expect(namesOf(await page(`last: 1, before: "${endCursor}"`))).toBe('e');
    expect(namesOf(await page(`first: 1, after: "${endCursor}"`))).toBe('x');
    await stack.owner.query('DELETE letter:⟨2⟩;');
  });

  it('can’t be made of values that are too long', async () => {
    await stack.owner.query("UPDATE letter:1 SET long = string::repeat('x', 20000);");
    expect(await message('order: {asc: long}')).toBe('graphql_cursor: A value that records are ordered by is too long');
    const { data } = await stack.ask('{ letterConnection(order: {desc: long}) { nodes { name } } }');
    expect(data).toMatchObject({ letterConnection: { nodes: { 0: { name: 'a' } } } });
    await stack.owner.query('UPDATE letter:1 SET long = NONE;');
  });
});

describe('a connection', () => {
  it('is what the manual says', async () => {
    const people =
      await openStack(`DEFINE CONFIG GRAPHQL AUTO; DEFINE TABLE person; DEFINE FIELD name ON person TYPE string;
      DEFINE FIELD age ON person TYPE int; CREATE person:1 SET name = 'Ann', age = 20; CREATE person:2 SET name = 'Bob', age = 30;`);
    const manual = await readFile(new URL('../../docs/guides/graphql.md', import.meta.url), 'utf8');
    const [, query = ''] = /```graphql\n(\{ personConnection[^`]*)```/.exec(manual) ?? [];
    const { data } = await people.ask('{ personConnection(first: 1, order: {desc: age}) { pageInfo { endCursor } } }');
    const { endCursor } = (data as { personConnection: Connection }).personConnection.pageInfo;
    expect(await people.ask(query.replace('…', endCursor as string))).toMatchObject({
      data: { personConnection: { nodes: [{ name: 'Ann' }], totalCount: 2, pageInfo: { hasPreviousPage: true } } },
    });
  });

  it('is filtered, and counts what the filter lets through', async () => {
    const found = await page('first: 1, filter: {kind: {eq: consonant}}, where: {name: {ne: "b"}}');
    expect([namesOf(found), found.totalCount, found.pageInfo.hasNextPage]).toEqual(['c', 2, true]);
    const { data } = await stack.ask(
      'query ($size: Int, $name: String) { letterConnection(first: $size, filter: {name: {gt: $name}}) { nodes { name } } }',
      { size: 2, name: 'b' },
    );
    expect(data).toEqual({ letterConnection: { nodes: [{ name: 'c' }, { name: 'd' }] } });
  });

  it('of an empty table is empty', async () => {
    const { data } = await stack.ask(
      '{ hollowConnection(last: 3) { edges { cursor } nodes { id } pageInfo { endCursor hasPreviousPage } totalCount } }',
    );
    expect(data).toEqual({
      hollowConnection: {
        edges: [],
        nodes: [],
        pageInfo: { endCursor: null, hasPreviousPage: false },
        totalCount: 0,
      },
    });
  });

  it('gives each selection of a page what it asks for', async () => {
    const { data, errors } = await stack.ask(`{ letterConnection(first: 1) {
      a: edges { node { x: name } __typename } b: edges { node { x: kind } key: cursor } nodes { x: rank next { name } } __typename
    } }`);
    expect(errors).toBeUndefined();
    expect(data).toEqual({
      letterConnection: {
        a: [{ node: { x: 'a' }, __typename: 'letterEdge_2' }],
        b: [{ node: { x: 'vowel' }, key: cursors['a'] }],
        nodes: [{ x: '1.1', next: { name: 'b' } }],
        __typename: 'letterConnection',
      },
    });
  });

  it.each([
    ['nodes { name }', '', 1],
    ['edges { cursor } pageInfo { hasNextPage hasPreviousPage endCursor }', 'first: 1', 1],
    ['pageInfo { hasPreviousPage }', 'first: 1, after: <a>', 2],
    ['pageInfo { hasNextPage }', 'first: 1, after: <a>', 1],
    ['pageInfo { hasNextPage }', 'last: 1, before: <c>', 2],
    ['totalCount', 'first: 1', 1],
    ['nodes { name } totalCount', 'first: 1', 2],
    ['__typename', 'first: 1', 0],
  ])('sends for %s (%s) %d statements', async (selection, args, statements) => {
    stack.sent.statements = 0;
    const { errors } = await stack.ask(`{ letterConnection${args && `(${filledIn(args)})`} { ${selection} } }`);
    expect(errors).toBeUndefined();
    expect(stack.sent.statements).toBe(statements);
  });

  it.each([
    ['first: 1, after: <b>', 'forward', 'RangeScan'],
    ['last: 1, before: <b>', 'backward', 'RangeScan'],
    ['last: 1', 'backward', 'TableScan'],
    ['first: 1, order: {asc: name}', 'forward', 'IndexScan'],
    ['last: 1, order: {asc: name}', 'backward', 'IndexScan'],
  ])('reads what stands there only (%s)', async (args, order, operator) => {
    const indexed = await openStack(`${SETUP} DEFINE INDEX name ON letter FIELDS name;`);
    indexed.last.length = 0;
    const selection = '{ totalCount nodes { name } pageInfo { endCursor } }';
    const { data } = await indexed.ask(`{ page: letterConnection(${filledIn(args)}) ${selection} }`);
    if (operator === 'IndexScan') {
      const { endCursor } = (data as { page: Connection }).page.pageInfo;
      const place = order === 'forward' ? 'after' : 'before';
      await indexed.ask(`{ letterConnection(${args}, ${place}: "${endCursor}") ${selection} }`);
    }
    const explained = indexed.last.map((each) => ({ ...(each as Select), explain: 'plan' as const }));
    const plans = (await indexed.owner.execute(explained)).map(({ outcome }) => JSON.stringify(outcome));
    expect(plans).toHaveLength(operator === 'IndexScan' ? 4 : 2);
    for (const [at, plan] of plans.entries()) {
      expect(plan).toMatch(
        at % 2 === 1 ? '"CountRecords"' : new RegExp(`"order":"${order}"[^}]*\\},"operator":"${operator}"`),
      );
    }
  });

  it('is counted in the state that it is read in', async () => {
    await stack.ask('{ letterConnection { edges { cursor } } }');
    const before = stack.sent.snapshots;
    await stack.ask('{ letterConnection { edges { cursor } totalCount } }');
    expect(stack.sent.snapshots).toBe(before + 1);
  });

  it('follows links of all nodes at once', async () => {
    stack.sent.statements = 0;
    await stack.ask('{ letterConnection { edges { node { next { name } } } } }');
    expect(stack.sent.statements).toBe(2);
  });

  it('stays within the limits of records and values', async () => {
    const small = await openStack(SETUP, { limits: { rows: 4, values: 30 } });
    const codeOf = async (args: string, selection: string) =>
      (await small.ask(`{ letterConnection${args} { ${selection} } }`)).errors?.[0]?.message;
    expect(await codeOf('(first: 4)', 'nodes { name }')).toBeUndefined();
    expect(await codeOf('(first: 5)', 'nodes { name }')).toMatch('exceeds the limit of 4 records');
    expect(await codeOf('(last: 9)', 'nodes { name }')).toMatch('exceeds the limit of 4 records');
    expect(await codeOf('', 'nodes { name }')).toMatch('exceeds the limit of 4 records');
    expect(await codeOf('(first: 4)', 'nodes { name kind rank since big long }')).toMatch(
      'exceeds the limit of 30 values',
    );
  });

  it('has a bounded number of keys', async () => {
    const fields = Array.from({ length: 40 }, (_, at) => `DEFINE FIELD f${at} ON wide TYPE int;`).join(' ');
    const wide = await openStack(`DEFINE CONFIG GRAPHQL AUTO; DEFINE TABLE wide; ${fields}`);
    const orderBy = (keys: number) =>
      Array.from({ length: keys }).reduceRight<object | undefined>(
        (then, _, at) => ({ asc: `f${at}`, then }),
        undefined,
      );
    const ask = (keys: number) =>
      wide.ask('query ($order: _order_wide) { wideConnection(order: $order) { nodes { id } } }', {
        order: orderBy(keys),
      });
    expect((await ask(31)).errors).toBeUndefined();
    expect((await ask(32)).errors?.[0]?.message).toBe('A connection is ordered by 31 fields at most');
  });

  it('shows the records as they were', async () => {
    const version = new Date().toISOString();
    const query = `{ letterConnection(first: 1, version: "2001-01-01T00:00:00Z") { nodes { name } totalCount } }`;
    expect((await stack.ask(query)).errors?.[0]?.extensions.code).toBe(
      (await stack.ask(`{ letter(version: "${version}") { name } }`)).errors?.[0]?.extensions.code,
    );
  });
});

interface TypeText {
  readonly kind: string;
  readonly name: string | null;
  readonly ofType?: TypeText | null;
}

function textOf({ kind, name, ofType }: TypeText): string {
  if (kind === 'NON_NULL') return `${textOf(ofType as TypeText)}!`;
  return kind === 'LIST' ? `[${textOf(ofType as TypeText)}]` : (name as string);
}

describe('a record user', () => {
  const NOTES = `
    DEFINE CONFIG GRAPHQL AUTO;
    DEFINE TABLE user PERMISSIONS FOR select WHERE id = $auth.id;
    DEFINE FIELD name ON user TYPE string;
    DEFINE TABLE note PERMISSIONS FOR select WHERE shown;
    DEFINE FIELD text ON note TYPE string;
    DEFINE FIELD shown ON note TYPE bool;
    DEFINE FIELD secret ON note TYPE string PERMISSIONS FOR select NONE;
    DEFINE INDEX secrets ON note FIELDS secret;
    CREATE user:1 SET name = 'me';
    CREATE note:1 SET text = 'a', shown = true, secret = 'SECRET z';
    CREATE note:2 SET text = 'b', shown = true, secret = 'SECRET y';
    CREATE note:3 SET text = 'c', shown = false, secret = 'SECRET x';
    CREATE note:4 SET text = 'd', shown = true, secret = 'SECRET w';
    CREATE note:5 SET text = 'e', shown = false, secret = 'SECRET v';
    DEFINE ACCESS account ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM user WHERE name = $name);`;
  let notes: Stack;
  let user: Session;
  beforeAll(async () => {
    notes = await openStack(NOTES);
    user = notes.database.session({});
    await user.use('test', 'test');
    await user.signIn(objectFrom({ ns: 'test', db: 'test', ac: 'account', name: 'me' }));
  });
  const SELECTION = '{ edges { cursor node { text secret } } pageInfo { hasNextPage hasPreviousPage } totalCount }';
  const ask = async (args: string, session: Session | undefined = user) => {
    const { data, errors } = await notes.ask(`{ note: noteConnection(${args}) ${SELECTION} }`, {}, session);
    expect(errors).toBeUndefined();
    return data?.note as Connection;
  };
  const textsOf = ({ edges }: Connection) =>
    edges.map(({ node }) => (node as unknown as { text: string }).text).join('');

  it('finds what it may see, and nothing else', async () => {
    const first = await ask('first: 2');
    expect([textsOf(first), first.totalCount, first.pageInfo.hasNextPage]).toEqual(['ab', 3, true]);
    const next = await ask(`first: 1, after: "${first.edges[1]?.cursor}"`);
    expect([textsOf(next), next.pageInfo.hasNextPage, next.pageInfo.hasPreviousPage]).toEqual(['d', false, true]);
    // Only a hidden record stands behind the last one, and before c.
    const last = await ask(`last: 1, before: "${next.edges[0]?.cursor}"`);
    expect([textsOf(last), last.pageInfo.hasNextPage]).toEqual(['b', true]);
  });

  it('learns nothing from the order of hidden records, nor from cursors', async () => {
    for (const way of ['asc', 'desc']) {
      const found = await ask(`order: {${way}: secret}`);
      expect(textsOf(found)).toBe(way === 'asc' ? 'abd' : 'dba');
      for (const { cursor } of found.edges)
        expect(Buffer.from(cursor, 'base64url').toString('latin1')).not.toMatch('SECRET');
      const second = await ask(`first: 1, order: {${way}: secret}, after: "${found.edges[0]?.cursor}"`);
      expect(textsOf(second)).toBe('b');
    }
  });

  it('finds out nothing with cursors of others', async () => {
    const { edges } = await ask('order: {asc: secret}', notes.owner);
    expect(edges).toHaveLength(5);
    // Each holds a secret; whichever it is, the notes stand before it since theirs are hidden.
    for (const { cursor } of edges) {
      const behind = await ask(`order: {asc: secret}, after: "${cursor}"`);
      expect([textsOf(behind), behind.pageInfo.hasPreviousPage]).toEqual(['', true]);
      const ahead = await ask(`order: {asc: secret}, before: "${cursor}"`);
      expect([textsOf(ahead), ahead.pageInfo.hasNextPage]).toEqual(['abd', false]);
    }
  });
});

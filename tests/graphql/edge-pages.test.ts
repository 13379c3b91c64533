/** Pages and figures of the edges of records. */
import { beforeAll, describe, expect, it } from 'vitest';
import { objectFrom } from '../../src/value/value.js';
import { openStack, type Stack } from './stack.js';

const SETUP = `
  DEFINE CONFIG GRAPHQL AUTO;
  DEFINE TABLE author; DEFINE FIELD name ON author TYPE string;
  DEFINE TABLE book; DEFINE FIELD title ON book TYPE string;
  DEFINE TABLE wrote TYPE RELATION FROM author TO book PERMISSIONS FOR select WHERE year < 2003;
  DEFINE FIELD year ON wrote TYPE option<int>; DEFINE FIELD pages ON wrote TYPE option<int>;
  DEFINE TABLE user; CREATE user:1 SET name = 'me';
  DEFINE ACCESS account ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM user WHERE name = $name);
  FOR $name IN ['ann', 'bob', 'cy'] { CREATE type::record('author', $name) SET name = $name };
  FOR $title IN ['a', 'b', 'c', 'd'] { CREATE type::record('book', $title) SET title = $title };
  RELATE author:ann->wrote:1->book:a SET year = 2001, pages = 10;
  RELATE author:ann->wrote:2->book:b SET year = 2001, pages = 20;
  RELATE author:ann->wrote:3->book:c SET year = 2003, pages = 40;
  RELATE author:ann->wrote:4->book:d;
  RELATE author:bob->wrote:5->book:a SET year = 2002, pages = 5;`;

let stack: Stack;
beforeAll(async () => {
  stack = await openStack(SETUP);
});

interface Author {
  readonly name: string;
  readonly wrote: {
    readonly edges: readonly { readonly cursor: string; readonly node: { readonly out: { readonly title: string } } }[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly hasPreviousPage: boolean; readonly endCursor: string };
    readonly totalCount: number;
  };
}

async function authors(args: string): Promise<readonly Author[]> {
  const { data, errors } = await stack.ask(`{ author { name wrote: wroteConnection${args} {
    edges { cursor node { out { title } } } pageInfo { hasNextPage hasPreviousPage endCursor } totalCount
  } } }`);
  expect(errors).toBeUndefined();
  return data?.author as Author[];
}

const summary = (all: readonly Author[]) =>
  all.map(({ name, wrote: { edges, pageInfo, totalCount } }) => [
    `${name}: ${edges.map(({ node }) => node.out.title).join('')}`,
    `${pageInfo.hasPreviousPage ? '<' : ''}${pageInfo.hasNextPage ? '>' : ''}`,
    totalCount,
  ]);

describe('the edges of each record', () => {
  it('come in pages', async () => {
    expect(summary(await authors('(first: 2)'))).toEqual([
      ['ann: ab', '>', 4],
      ['bob: a', '', 1],
      ['cy: ', '', 0],
    ]);
    expect(summary(await authors('(last: 1, order: {asc: pages}, filter: {year: {gt: 0}})'))).toEqual([
      ['ann: c', '<', 3],
      ['bob: a', '', 1],
      ['cy: ', '', 0],
    ]);
    const [ann] = await authors('(first: 2, order: {desc: year})');
    const after = ann?.wrote.pageInfo.endCursor;
    expect(summary(await authors(`(first: 2, order: {desc: year}, after: "${after}")`))).toEqual([
      ['ann: ad', '<', 4],
      // The cursor is a place in the order: what bob wrote stands before it.
      ['bob: ', '<', 1],
      ['cy: ', '', 0],
    ]);
    expect(summary(await authors(`(before: "${after}", order: {desc: year})`))).toEqual([
      ['ann: c', '>', 4],
      ['bob: a', '', 1],
      ['cy: ', '', 0],
    ]);
  });

  it('are read for all records together', async () => {
    stack.sent.statements = 0;
    await authors('(first: 1)');
    // The authors, their edges, and the books.
    expect(stack.sent.statements).toBe(3);
    stack.sent.statements = 0;
    await stack.ask('{ author { wrote_aggregate { count } wroteConnection { totalCount } wrote { id } } }');
    expect(stack.sent.statements).toBe(4);
  });

  it('have figures', async () => {
    const { data, errors } = await stack.ask(`{
      author { name wrote_aggregate { count sum { pages } min { year } }
        years: wrote_aggregate(groupBy: [year], order: {desc: year}, limit: 2, where: {pages: {gt: 5}}) { group { year } count } }
      book(filter: {title: {eq: "a"}}) { wrote_incoming_aggregate { count group: sum { pages } } wrote_incomingConnection { nodes { in { name } } } }
    }`);
    expect(errors).toBeUndefined();
    expect(data).toEqual({
      author: [
        {
          name: 'ann',
          wrote_aggregate: [{ count: 4, sum: { pages: 70 }, min: { year: 2001 } }],
          years: [
            { group: { year: 2003 }, count: 1 },
            { group: { year: 2001 }, count: 2 },
          ],
        },
        { name: 'bob', wrote_aggregate: [{ count: 1, sum: { pages: 5 }, min: { year: 2002 } }], years: [] },
        { name: 'cy', wrote_aggregate: [{ count: 0, sum: { pages: null }, min: { year: null } }], years: [] },
      ],
      book: [
        {
          wrote_incoming_aggregate: [{ count: 2, group: { pages: 15 } }],
          wrote_incomingConnection: { nodes: [{ in: { name: 'ann' } }, { in: { name: 'bob' } }] },
        },
      ],
    });
  });

  it('stand within pages, too', async () => {
    const { data, errors } = await stack.ask(`{ authorConnection(first: 1) { nodes { wroteConnection(last: 1) {
      edges { node { out { wrote_incomingConnection { totalCount nodes { in { name } } } } } } } } } }`);
    expect(errors).toBeUndefined();
    const book = { wrote_incomingConnection: { totalCount: 1, nodes: [{ in: { name: 'ann' } }] } };
    expect(data).toEqual({
      authorConnection: { nodes: [{ wroteConnection: { edges: [{ node: { out: book } }] } }] },
    });
  });

  it('of a record that is gone are none', async () => {
    await stack.owner.query("CREATE author:dan SET name = 'dan'; RELATE author:dan->wrote->book:d;");
    const { data, errors } = await stack.ask(`mutation { deleteAuthor(id: "dan") {
      wrote { id } wroteConnection { nodes { id } totalCount } wrote_aggregate { count }
    } }`);
    expect(errors).toBeUndefined();
    expect(data).toEqual({
      deleteAuthor: { wrote: [], wroteConnection: { nodes: [], totalCount: 0 }, wrote_aggregate: [] },
    });
  });

  it('that a reader may not see are in no page, count or figure', async () => {
    const user = stack.database.session({});
    await user.use('test', 'test');
    await stack.owner.query(`
      DEFINE TABLE OVERWRITE author PERMISSIONS FOR select FULL; DEFINE TABLE OVERWRITE book PERMISSIONS FOR select FULL;`);
    await user.signIn(objectFrom({ ns: 'test', db: 'test', ac: 'account', name: 'me' }));
    const { data, errors } = await stack.ask(
      `{ _get_author(id: "ann") {
        wroteConnection(last: 1, order: {asc: pages}) { nodes { pages } totalCount pageInfo { hasPreviousPage hasNextPage } }
        first: wroteConnection(first: 3) { nodes { pages } pageInfo { hasNextPage } }
        wrote_aggregate { count max { pages } }
      } }`,
      {},
      user,
    );
    expect(errors).toBeUndefined();
    // What has no year is less than any in the rule, and so may be seen.
    expect(data).toEqual({
      _get_author: {
        wroteConnection: {
          nodes: [{ pages: 20 }],
          totalCount: 3,
          pageInfo: { hasPreviousPage: true, hasNextPage: false },
        },
        first: { nodes: [{ pages: 10 }, { pages: 20 }, { pages: null }], pageInfo: { hasNextPage: false } },
        wrote_aggregate: [{ count: 3, max: { pages: 20 } }],
      },
    });
  });

  it.each([
    ['wroteConnection(first: -1) { totalCount }', 'graphql_argument', 'wroteConnection'],
    ['wroteConnection(after: "x") { totalCount }', 'graphql_cursor', 'wroteConnection'],
    ['wrote_aggregate { group { year } }', 'graphql_argument', 'wrote_aggregate'],
  ])('can’t be had by %s', async (field, code, key) => {
    const { data, errors } = await stack.ask(`{ author(limit: 2) { name ${field} } }`);
    expect(errors?.map((error) => error.extensions.code)).toEqual([code, code]);
    expect(errors?.[0]?.path).toEqual(['author', 0, key]);
    expect(data).toMatchObject({ author: [{ name: 'ann', [key]: null }, { name: 'bob' }] });
  });

  it('stay within the limits', async () => {
    const small = await openStack(SETUP, { limits: { rows: 3, values: 60 } });
    const problem = async (field: string) => (await small.ask(`{ author { ${field} } }`)).errors?.[0]?.message;
    expect(await problem('wroteConnection(first: 3) { nodes { year } }')).toBeUndefined();
    expect(await problem('wroteConnection(first: 4) { nodes { year } }')).toMatch('exceeds the limit of 3 records');
    expect(await problem('wroteConnection { nodes { year } }')).toMatch('exceeds the limit of 3 records');
    expect(
      await problem(
        'wroteConnection(first: 3) { nodes { out { wroteConnection: wrote_incomingConnection { nodes { in { name } } } } } }',
      ),
    ).toMatch('exceeds the limit of 60 values');
  });
});

/** urql, with its document cache. */
import { Client, type CombinedError, cacheExchange, fetchExchange, gql, subscriptionExchange } from '@urql/core';
import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { BOOKS_QUERY, type Library, openLibrary, PLACE } from './library.js';

let library: Library;
let ann: Record<string, string>;
/** What went over the wire since the last look. */
let requests: { method: string; url: URL }[] = [];
const watched: typeof fetch = (input, init) => {
  requests.push({ method: init?.method ?? 'GET', url: new URL(String(input)) });
  return fetch(input, init);
};

function clientOf(headers: Record<string, string>, preferGetMethod: boolean | 'force' = false): Client {
  return new Client({
    url: library.url,
    exchanges: [cacheExchange, fetchExchange],
    fetch: watched,
    fetchOptions: { headers },
    preferGetMethod,
  });
}

beforeAll(async () => {
  library = await openLibrary();
  ann = await library.signUp('Ann');
});
afterAll(() => library.close());

const BOOKS = gql(BOOKS_QUERY);

describe('queries', () => {
  it('take variables and fragments, of a guest and of who has signed in', async () => {
    for (const headers of [PLACE, ann]) {
      const { data, error } = await clientOf(headers).query(BOOKS, { filter: { title: { startsWith: 'Bau' } } });
      expect(error).toBeUndefined();
      expect(data).toEqual({
        book: [
          {
            __typename: 'book',
            id: 'book:4',
            title: 'Baudolino',
            year: 2000,
            author: { __typename: 'author', id: 'author:eco', name: 'Eco' },
          },
        ],
      });
    }
  });

  it.each([
    [false, 'POST'],
    [true, 'GET'],
    ['force', 'GET'],
  ] as const)('go by GET as preferGetMethod is %s', async (preferGetMethod, method) => {
    requests = [];
    const { data } = await clientOf(ann, preferGetMethod).query(BOOKS, { limit: 1 });
    expect(data).toMatchObject({ book: [{ title: 'The Lathe of Heaven' }] });
    expect(requests).toMatchObject([{ method }]);
  });

  it('are answered from the cache the second time', async () => {
    const client = clientOf(ann);
    await client.query(BOOKS, {});
    requests = [];
    const { data } = await client.query(BOOKS, {});
    expect(data?.book).toHaveLength(5);
    expect(requests).toEqual([]);
  });
});

it('pages follow each other by their cursors', async () => {
  const query = gql`
    query Pages($after: String) {
      bookConnection(first: 2, after: $after, order: { asc: title }) {
        nodes { id title }
        pageInfo { hasNextPage endCursor }
        totalCount
      }
    }
  `;
  const client = clientOf(PLACE);
  const titles: string[] = [];
  let after: string | undefined;
  for (let more = true; more; ) {
    const { data, error } = await client.query(query, { after });
    expect(error).toBeUndefined();
    expect(data.bookConnection.totalCount).toBe(5);
    titles.push(...data.bookConnection.nodes.map(({ title }: { title: string }) => title));
    after = data.bookConnection.pageInfo.endCursor;
    more = data.bookConnection.pageInfo.hasNextPage;
  }
  expect(titles).toEqual(['Baudolino', 'Tehanu', 'The Dispossessed', 'The Lathe of Heaven', 'The Name of the Rose']);
});

describe('mutations', () => {
  const NOTES = gql`{ note { id text } }`;
  const merge = gql`mutation ($id: ID!, $text: String!) { mergeNote(id: $id, data: { text: $text }) { id text } }`;

  it('make the cache ask again for what they have changed', async () => {
    const client = clientOf(ann);
    const create = gql`mutation ($data: CreateNoteInput!) { createNote(data: $data) { id owner { name } } }`;
    const { data } = await client.mutation(create, { data: { book: 'book:1', text: 'one' } });
    expect(data?.createNote).toMatchObject({ owner: { name: 'Ann' } });
    expect((await client.query(NOTES, {})).data).toMatchObject({ note: [{ text: 'one' }] });
    await client.mutation(merge, { id: data.createNote.id, text: 'two' });
    expect((await client.query(NOTES, {})).data).toMatchObject({ note: [{ text: 'two' }] });
  });

  it('that fail have a code', async () => {
    const { data, error } = await clientOf(ann).mutation(
      gql`mutation ($text: String!) { createNote(data: { book: "1", text: $text }) { id } }`,
      { text: 'x'.repeat(101) },
    );
    expect(data).toEqual({ createNote: null });
    expect(error?.graphQLErrors).toMatchObject([{ extensions: { code: 'field_assert' }, path: ['createNote'] }]);
    // Notes of other users aren't there.
    expect((await clientOf(PLACE).mutation(merge, { id: 'note:nobody', text: 'x' })).data).toEqual({ mergeNote: null });
  });
});

it('subscriptions receive changes of one’s own records', async () => {
  const eve = await library.signUp('Eve');
  const socket = (headers: Record<string, string>) =>
    createClient({ url: library.socketUrl, webSocketImpl: WebSocket, connectionParams: headers });
  const sockets = [socket(ann), socket(eve)];
  const heard: unknown[][] = [[], []];
  const watching = sockets.map((each, at) => {
    const client = new Client({
      url: library.url,
      preferGetMethod: false,
      exchanges: [
        subscriptionExchange({
          forwardSubscription: ({ query = '', variables }) => ({
            subscribe: (sink) => ({
              unsubscribe: each.subscribe(
                { query, variables: variables ?? null },
                {
                  ...sink,
                  next: ({ data = null, errors }) => sink.next({ data, ...(errors && { errors: [...errors] }) }),
                },
              ),
            }),
          }),
        }),
      ],
    });
    const query = gql`subscription { note { action record { text } } }`;
    return client.subscription(query, {}).subscribe(({ data, error }) => heard[at]?.push(error ?? data.note));
  });
  await expect.poll(() => library.subscriptions()).toBe(2);
  for (const [headers, text] of [
    [eve, 'hers'],
    [ann, 'mine'],
  ] as const) {
    const create = gql`mutation ($text: String!) { createNote(data: { book: "1", text: $text }) { id } }`;
    expect((await clientOf(headers).mutation(create, { text })).error).toBeUndefined();
  }
  await expect.poll(() => heard.map(({ length }) => length)).toEqual([1, 1]);
  expect(heard).toMatchObject([
    [{ action: 'CREATE', record: { text: 'mine' } }],
    [{ action: 'CREATE', record: { text: 'hers' } }],
  ]);
  for (const each of watching) each.unsubscribe();
  await expect.poll(() => library.subscriptions()).toBe(0);
  await Promise.all(sockets.map((each) => each.dispose()));
});

it('subscriptions go over HTTP, too', async () => {
  const client = new Client({
    url: library.url,
    exchanges: [fetchExchange],
    fetchOptions: { headers: ann },
    preferGetMethod: false,
    fetchSubscriptions: true,
  });
  const heard: unknown[] = [];
  const query = gql`subscription ($filter: _filter_note) { note(filter: $filter) { action record { text } } }`;
  const filter = { text: { eq: 'streamed' } };
  const watching = client
    .subscription(query, { filter })
    .subscribe(({ data, error }) => heard.push(error ?? data.note));
  await expect.poll(() => library.subscriptions()).toBe(1);
  const create = gql`mutation { createNote(data: { book: "1", text: "streamed" }) { id } }`;
  expect((await clientOf(ann).mutation(create, {})).error).toBeUndefined();
  await expect.poll(() => heard).toMatchObject([{ action: 'CREATE', record: { text: 'streamed' } }]);
  watching.unsubscribe();
  await expect.poll(() => library.subscriptions()).toBe(0);
});

describe('errors', () => {
  const errorOf = async (query: string): Promise<CombinedError | undefined> =>
    (await clientOf(ann).query(query, {})).error;

  it('keep their codes', async () => {
    const error = await errorOf('{ book { nope } }');
    expect(error?.networkError).toBeUndefined();
    expect(error?.graphQLErrors).toMatchObject([{ extensions: { code: 'graphql_invalid' } }]);
  });

  it('leave the rest of the answer', async () => {
    const query = '{ good: _get_book(id: "1") { id title } bad: book(limit: -1) { id } }';
    const { data, error } = await clientOf(ann).query(query, {});
    expect(data).toMatchObject({ good: { title: 'The Dispossessed' }, bad: null });
    expect(error?.graphQLErrors).toMatchObject([{ path: ['bad'], extensions: { code: 'graphql_argument' } }]);
  });
});

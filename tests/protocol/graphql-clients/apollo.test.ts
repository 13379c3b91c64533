/** Apollo Client, with all that it is used for: its normalised cache, GET, batches, persisted queries. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApolloClient, ApolloLink, CombinedGraphQLErrors, gql, HttpLink, InMemoryCache } from '@apollo/client/core';
import { BatchHttpLink } from '@apollo/client/link/batch-http';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { relayStylePagination } from '@apollo/client/utilities';
import { OperationTypeNode, print } from 'graphql';
import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { BOOKS_QUERY, type Library, openLibrary, PLACE, passwordOf } from './library.js';

let library: Library;
let ann: Record<string, string>;
/** What went over the wire since the last look. */
const requests: { method: string; url: URL; body: unknown }[] = [];
const watched: typeof fetch = (input, init) => {
  const body = typeof init?.body === 'string' ? (JSON.parse(init.body) as unknown) : undefined;
  requests.push({ method: init?.method ?? 'GET', url: new URL(String(input)), body });
  return fetch(input, init);
};
const sent = () => requests.splice(0);

function clientWith(link: ApolloLink): ApolloClient {
  return new ApolloClient({ link, cache: new InMemoryCache() });
}
const options = (headers: Record<string, string>) => ({ uri: library.url, headers, fetch: watched });
const httpClient = (headers: Record<string, string>) => clientWith(new HttpLink(options(headers)));

beforeAll(async () => {
  library = await openLibrary();
  ann = await library.signUp('Ann');
});
afterAll(() => library.close());

const BOOKS = gql(BOOKS_QUERY);

describe('queries', () => {
  it('take variables and fragments, of a guest and of who has signed in', async () => {
    for (const headers of [PLACE, ann]) {
      const client = httpClient(headers);
      const { data } = await client.query({ query: BOOKS, variables: { filter: { author: { eq: 'author:eco' } } } });
      expect(data).toEqual({
        book: [
          {
            __typename: 'book',
            id: 'book:2',
            title: 'The Name of the Rose',
            year: 1980,
            author: { __typename: 'author', id: 'author:eco', name: 'Eco' },
          },
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

  it('fill a cache of records, each by its type and id', async () => {
    const client = httpClient(PLACE);
    await client.query({ query: BOOKS });
    const cached = client.cache.extract() as Record<string, unknown>;
    expect(cached['author:author:eco']).toEqual({ __typename: 'author', id: 'author:eco', name: 'Eco' });
    expect(cached['book:book:2']).toMatchObject({
      title: 'The Name of the Rose',
      author: { __ref: 'author:author:eco' },
    });
    // The second time nothing is asked.
    sent();
    await client.query({ query: BOOKS });
    expect(sent()).toEqual([]);
  });

  it('go by GET', async () => {
    const client = clientWith(new HttpLink({ ...options(ann), useGETForQueries: true }));
    sent();
    const { data } = await client.query({ query: BOOKS, variables: { limit: 1 } });
    expect(data).toMatchObject({ book: [{ title: 'The Lathe of Heaven' }] });
    const [request] = sent();
    expect(request?.method).toBe('GET');
    expect(request?.url.searchParams.get('operationName')).toBe('Books');
  });

  it('go together', async () => {
    const client = clientWith(new BatchHttpLink({ ...options(ann), batchInterval: 5 }));
    sent();
    const [books, nobody] = await Promise.all([
      client.query({ query: BOOKS, variables: { limit: 1 } }),
      client.query({ query: gql`{ _get_book(id: "nobody") { id } }` }),
    ]);
    expect([books.data, nobody.data]).toMatchObject([{ book: [{ id: 'book:3' }] }, { _get_book: null }]);
    expect(sent()).toMatchObject([{ method: 'POST', body: [{ operationName: 'Books' }, {}] }]);
  });
});

it('pages of a connection grow together in the cache', async () => {
  const cache = new InMemoryCache({
    typePolicies: { Query: { fields: { bookConnection: relayStylePagination(['order', 'filter']) } } },
  });
  const client = new ApolloClient({ cache, link: new HttpLink(options(ann)) });
  const query = gql`
    query Pages($after: String) {
      bookConnection(first: 2, after: $after, order: { desc: year }, filter: { year: { gt: 1971 } }) {
        edges { cursor node { id title } }
        pageInfo { hasNextPage endCursor }
        totalCount
      }
    }
  `;
  type Pages = { bookConnection: { edges: { node: { title: string } }[]; pageInfo: { endCursor: string } } };
  const shown = () => {
    const { bookConnection } = cache.readQuery<Pages>({ query }) as Pages;
    return [bookConnection.edges.map(({ node }) => node.title), bookConnection.pageInfo] as const;
  };
  const pages = client.watchQuery<Pages>({ query });
  const watching = pages.subscribe({});
  const { data } = await client.query<Pages>({ query });
  expect(shown()).toMatchObject([['Baudolino', 'Tehanu'], { hasNextPage: true }]);
  await pages.fetchMore({ variables: { after: data?.bookConnection.pageInfo.endCursor } });
  expect(shown()).toMatchObject([
    ['Baudolino', 'Tehanu', 'The Name of the Rose', 'The Dispossessed'],
    { hasNextPage: false },
  ]);
  watching.unsubscribe();
});

describe('persisted queries', () => {
  const KNOWN = gql`query Titles { book { __typename title } }`;
  const ASKED = gql`query Years { book { __typename year } }`;
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  let folder: string;
  let knowing: Library;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tessera-graphql-clients-'));
    const manifest = join(folder, 'manifest.json');
    writeFileSync(manifest, JSON.stringify({ [sha256(print(KNOWN))]: print(KNOWN) }));
    knowing = await openLibrary({ SVC_GRAPHQL_DOCUMENTS: manifest });
  });
  afterAll(async () => {
    await knowing.close();
    rmSync(folder, { recursive: true });
  });

  it('go by their hashes, and with their text when the server doesn’t know them', async () => {
    const link = (to: Library) =>
      new PersistedQueryLink({ sha256, useGETForHashedQueries: true }).concat(
        new HttpLink({ ...options(PLACE), uri: to.url }),
      );
    const client = clientWith(link(knowing));
    sent();
    expect((await client.query({ query: KNOWN })).data).toMatchObject({
      book: [{ title: 'The Dispossessed' }, {}, {}, {}, {}],
    });
    expect(sent()).toMatchObject([{ method: 'GET', body: undefined }]);
    expect((await client.query({ query: ASKED })).data).toMatchObject({ book: [{ year: 1974 }, {}, {}, {}, {}] });
    const [hashed, told] = sent();
    expect(hashed?.url.searchParams.has('query')).toBe(false);
    expect(told).toMatchObject({ method: 'POST', body: { query: print(ASKED) } });
    // A server without a manifest says so, and isn't asked by hash again.
    const plain = clientWith(link(library));
    for (const query of [KNOWN, ASKED]) await plain.query({ query });
    expect(sent().map(({ method }) => method)).toEqual(['GET', 'POST', 'POST']);
  });
});

describe('mutations', () => {
  const NOTES = gql`{ note(order: { asc: text }) { id text book { id title } } }`;
  const CREATE = gql`
    mutation Note($data: CreateNoteInput!) {
      createNote(data: $data) { id text owner { name } book { id title } }
    }
  `;

  it('sign up and in', async () => {
    const guest = httpClient(PLACE);
    const credentials = { name: 'Apollo', password: passwordOf('Apollo') };
    const signUp = gql`mutation ($credentials: object!) { signUp(access: "reader", variables: $credentials) { token } }`;
    await guest.mutate({ mutation: signUp, variables: { credentials } });
    const signIn = gql`mutation ($credentials: object!) { signIn(access: "reader", variables: $credentials) { token } }`;
    const { data } = await guest.mutate<{ signIn: { token: string } }>({
      mutation: signIn,
      variables: { credentials },
    });
    const client = httpClient({ ...PLACE, authorization: `Bearer ${data?.signIn.token}` });
    expect((await client.query({ query: gql`{ reader { name } }` })).data).toMatchObject({
      reader: [{ name: 'Apollo' }],
    });
    const wrong = { name: 'Apollo', password: 'guessed' };
    const { error } = await guest.mutate({ mutation: signIn, variables: { credentials: wrong }, errorPolicy: 'all' });
    expect(CombinedGraphQLErrors.is(error) && error.errors).toMatchObject([
      { extensions: { code: expect.any(String) } },
    ]);
  });

  it('change what the cache holds of the record', async () => {
    const client = httpClient(ann);
    const { data } = await client.mutate<{ createNote: { id: string } }>({
      mutation: CREATE,
      variables: { data: { book: '5', text: 'Dragons' } },
    });
    expect(data?.createNote).toMatchObject({ text: 'Dragons', owner: { name: 'Ann' }, book: { title: 'Tehanu' } });
    await client.query({ query: NOTES });
    sent();
    await client.mutate({
      mutation: gql`mutation ($id: ID!) { mergeNote(id: $id, data: { text: "Fewer dragons", book: "2" }) { id text book { id title } } }`,
      variables: { id: data?.createNote.id },
    });
    const { data: notes } = await client.query({ query: NOTES });
    expect(notes).toMatchObject({ note: [{ text: 'Fewer dragons', book: { title: 'The Name of the Rose' } }] });
    // Only the mutation was sent.
    expect(sent()).toHaveLength(1);
  });

  it('that fail throw with a code', async () => {
    const mutate = (data: object) => httpClient(ann).mutate({ mutation: CREATE, variables: { data } });
    const codeOf = async (data: object) => {
      const error: unknown = await mutate(data).catch((thrown) => thrown);
      return CombinedGraphQLErrors.is(error) ? error.errors[0]?.extensions?.['code'] : error;
    };
    expect(await codeOf({ book: '1', text: 'x'.repeat(101) })).toBe('field_assert');
    expect(await codeOf({ book: '1' })).toBe('graphql_variables');
    expect(await codeOf({ book: 'author:eco', text: 'x' })).toBe('graphql_argument');
  });
});

describe('subscriptions', () => {
  const ON_NOTES = gql`subscription ($filter: _filter_note) { note(filter: $filter) { action id record { id text } } }`;
  let eve: Record<string, string>;
  beforeAll(async () => {
    eve = await library.signUp('Eve');
    // The link asks for the type of browsers, which Node 20 hasn't.
    vi.stubGlobal('WebSocket', WebSocket);
  });
  afterAll(() => vi.unstubAllGlobals());

  /** Subscriptions go over a WebSocket, all else over HTTP. */
  function client(headers: Record<string, string>) {
    const socket = createClient({ url: library.socketUrl, webSocketImpl: WebSocket, connectionParams: headers });
    const link = ApolloLink.split(
      ({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION,
      new GraphQLWsLink(socket),
      new HttpLink(options(headers)),
    );
    return { apollo: clientWith(link), socket };
  }

  it('receive changes of one’s own records, and update the cache', async () => {
    const [hers, others] = [client(ann), client(eve)];
    const heard: unknown[] = [];
    const filter = { text: { startsWith: 'live' } };
    const watching = [hers, others].map(({ apollo }, at) =>
      apollo.subscribe({ query: ON_NOTES, variables: { filter } }).subscribe(({ data, error }) => {
        heard.push(at === 0 ? (data ?? error) : 'what isn’t theirs');
      }),
    );
    await expect.poll(() => library.subscriptions()).toBe(2);
    const create = gql`mutation { createNote(data: { id: "live", book: "1", text: "live: one" }) { id text } }`;
    await hers.apollo.mutate({ mutation: create });
    await expect.poll(() => heard).toHaveLength(1);
    // It is changed elsewhere.
    await library.run("UPDATE note:live SET text = 'silent'; UPDATE note:live SET text = 'live: two'");
    await expect.poll(() => heard).toHaveLength(2);
    expect(heard).toMatchObject([
      { note: { action: 'CREATE', id: 'note:live', record: { text: 'live: one' } } },
      { note: { action: 'UPDATE', id: 'note:live', record: { text: 'live: two' } } },
    ]);
    const fragment = gql`fragment Text on note { text }`;
    expect(hers.apollo.cache.readFragment({ id: 'note:note:live', fragment })).toMatchObject({ text: 'live: two' });
    for (const each of watching) each.unsubscribe();
    await expect.poll(() => library.subscriptions()).toBe(0);
    await Promise.all([hers, others].map(({ socket }) => socket.dispose()));
  });

  it('that can’t be begun end with a code', async () => {
    const { apollo, socket } = client(ann);
    const error = await new Promise((resolve) => {
      apollo.subscribe({ query: gql`subscription { note { nope } }` }).subscribe({
        next: ({ error: told }) => resolve(told),
        error: resolve,
      });
    });
    expect(CombinedGraphQLErrors.is(error) && error.errors).toMatchObject([
      { extensions: { code: 'graphql_invalid' } },
    ]);
    await socket.dispose();
  });
});

describe('errors', () => {
  const errorOf = async (client: ApolloClient, query: string, variables = {}) => {
    const { error, data } = await client.query({ query: gql(query), variables, errorPolicy: 'all' });
    if (!CombinedGraphQLErrors.is(error)) throw new Error(`no error of GraphQL: ${error}`);
    return { data, errors: error.errors };
  };

  it('keep their codes', async () => {
    const client = httpClient(ann);
    expect(await errorOf(client, '{ book { nope } }')).toMatchObject({
      errors: [{ extensions: { code: 'graphql_invalid' }, locations: [{ line: 3, column: 5 }] }],
    });
    expect(await errorOf(client, 'query ($n: Int!) { book(limit: $n) { id } }')).toMatchObject({
      errors: [{ extensions: { code: 'graphql_variables' } }],
    });
  });

  it('leave the rest of the answer', async () => {
    const query = '{ good: _get_book(id: "1") { id title } bad: book(limit: -1) { id } }';
    expect(await errorOf(httpClient(ann), query)).toMatchObject({
      data: { good: { title: 'The Dispossessed' }, bad: null },
      errors: [{ path: ['bad'], extensions: { code: 'graphql_argument' } }],
    });
  });
});

/** graphql-request, which is fetch with a few conveniences. */
import { type BatchRequestDocument, ClientError, GraphQLClient, gql } from 'graphql-request';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BOOKS_QUERY, type Library, openLibrary, PLACE, passwordOf } from './library.js';

let library: Library;
let ann: Record<string, string>;

beforeAll(async () => {
  library = await openLibrary();
  ann = await library.signUp('Ann');
});
afterAll(() => library.close());

describe('queries', () => {
  it.each(['POST', 'GET'] as const)('take variables and fragments, by %s', async (method) => {
    for (const headers of [PLACE, ann]) {
      const client = new GraphQLClient(library.url, { headers, method });
      expect(await client.request(BOOKS_QUERY, { filter: { year: { gt: 1990 } } })).toEqual({
        book: [{ id: 'book:4', title: 'Baudolino', year: 2000, author: { id: 'author:eco', name: 'Eco' } }],
      });
    }
  });

  it('go together', async () => {
    const client = new GraphQLClient(library.url, { headers: ann });
    const documents: BatchRequestDocument[] = [
      { document: BOOKS_QUERY, variables: { limit: 1 } },
      { document: '{ reader { name } }', variables: {} },
    ];
    expect(await client.batchRequests(documents)).toMatchObject([
      { data: { book: [{ title: 'The Lathe of Heaven' }] } },
      { data: { reader: [{ name: 'Ann' }] } },
    ]);
  });
});

describe('who has not signed in', () => {
  const SIGN = `mutation ($name: String!, $password: String!) {
    signUp(access: "reader", variables: {name: $name, password: $password}) { token }
  }`;
  let shut: Library;
  beforeAll(async () => {
    shut = await openLibrary({ SVC_ALLOW_GUESTS: 'false' });
  });
  afterAll(() => shut.close());

  it('may sign up and in, even where guests may do nothing else', async () => {
    const guest = new GraphQLClient(shut.url, { headers: PLACE });
    const variables = { name: 'Eve', password: passwordOf('Eve') };
    const { signUp } = await guest.request<{ signUp: { token: string } }>(SIGN, variables);
    const client = new GraphQLClient(shut.url, { headers: { ...PLACE, authorization: `Bearer ${signUp.token}` } });
    expect(await client.request('{ reader { name } }')).toEqual({ reader: [{ name: 'Eve' }] });
    const again = gql`mutation { signIn(access: "reader", variables: {name: "Eve", password: "guessed"}) { token } }`;
    const thrown: unknown = await guest.request(again).catch((error) => error);
    expect(thrown).toMatchObject({
      response: { errors: [{ path: ['signIn'], extensions: { code: 'invalid_auth' } }] },
    });
  });

  it.each([
    '{ book { id } }',
    '{ __schema { types { name } } }',
    '{ nope }',
    'query {',
    'mutation { createNote(data: {}) { id } }',
    'mutation { signUp(access: "reader") { token } createNote(data: {book: "1", text: "x"}) { id } }',
    'mutation { signIn { nope } }',
  ])('is refused all else: %s', async (query) => {
    const thrown: unknown = await new GraphQLClient(shut.url, { headers: PLACE })
      .request(query)
      .catch((error) => error);
    expect(thrown).toMatchObject({ response: { status: 403, errors: [{ extensions: { code: 'not_allowed' } }] } });
  });
});

it('mutations take variables', async () => {
  const client = new GraphQLClient(library.url, { headers: ann });
  const create = gql`mutation ($notes: [CreateNoteInput!]!) { createManyNote(data: $notes) { id text book { title } } }`;
  const notes = [
    { id: 'a', book: '1', text: 'first' },
    { id: 'b', book: '2', text: 'second' },
  ];
  expect(await client.request(create, { notes })).toEqual({
    createManyNote: [
      { id: 'note:a', text: 'first', book: { title: 'The Dispossessed' } },
      { id: 'note:b', text: 'second', book: { title: 'The Name of the Rose' } },
    ],
  });
  const remove = gql`mutation ($filter: _filter_note!) { deleteManyNote(filter: $filter) { id } }`;
  expect(await client.request(remove, { filter: { text: { startsWith: 's' } } })).toEqual({
    deleteManyNote: [{ id: 'note:b' }],
  });
});

describe('errors', () => {
  const errorOf = async (query: string): Promise<ClientError> => {
    const thrown: unknown = await new GraphQLClient(library.url, { headers: ann }).request(query).catch((e) => e);
    if (!(thrown instanceof ClientError)) throw new Error(`no error of the client: ${thrown}`);
    return thrown;
  };

  it('keep their codes and the status', async () => {
    const { response } = await errorOf('{ book { nope } }');
    expect(response.status).toBe(400);
    expect(response.errors).toMatchObject([{ extensions: { code: 'graphql_invalid' } }]);
  });

  it('leave the rest of the answer', async () => {
    const { response } = await errorOf('{ good: _get_book(id: "1") { id title } bad: book(limit: -1) { id } }');
    expect(response).toMatchObject({
      status: 200,
      data: { good: { title: 'The Dispossessed' }, bad: null },
      errors: [{ path: ['bad'], extensions: { code: 'graphql_argument' } }],
    });
  });

  it('report a malformed token', async () => {
    const headers = { ...PLACE, authorization: 'Bearer nonsense' };
    const thrown: unknown = await new GraphQLClient(library.url, { headers })
      .request('{ book { id } }')
      .catch((e) => e);
    expect(thrown).toBeInstanceOf(ClientError);
    expect((thrown as ClientError).response).toMatchObject({ status: 401 });
  });
});

/** Customers of the music shop write over GraphQL, and get the changes of others as far as they may see them. */
import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { cleanUp, ROOT } from '../support/server-process.js';
import { asRoot } from './clients.js';
import { tracks } from './shop.js';
import { first, GraphqlShop, NAMES, type Name, PEOPLE } from './shop-people.js';

/** Lists that customers make of tracks, which are their own business. */
const LISTS = `
  DEFINE TABLE list SCHEMAFULL PERMISSIONS FOR select, create, update, delete WHERE owner = $auth;
  DEFINE FIELD owner ON list TYPE record<customer> DEFAULT $auth READONLY;
  DEFINE FIELD name ON list TYPE string ASSERT $value != '';
  DEFINE FIELD best ON list TYPE option<record<track>>;
  DEFINE TABLE listed TYPE RELATION FROM list TO track SCHEMAFULL PERMISSIONS FOR select, create, update, delete WHERE in.owner = $auth;
  DEFINE FIELD place ON listed TYPE int;
  DEFINE TABLE letter SCHEMAFULL PERMISSIONS FOR create WHERE from = $auth AND about.owner = $auth, FOR select WHERE from = $auth;
  DEFINE FIELD from ON letter TYPE record<customer> DEFAULT $auth READONLY;
  DEFINE FIELD about ON letter TYPE record<list>;
  DEFINE FIELD text ON letter TYPE string;`;

let shop: GraphqlShop;
const answerTo: GraphqlShop['answerTo'] = (...asked) => shop.answerTo(...asked);
const ask = <T>(name: Name, query: string, variables?: object) => shop.ask<T>(name, query, variables);

beforeAll(async () => {
  shop = await GraphqlShop.open();
  await asRoot(shop.server.url, LISTS, ROOT);
}, 120_000);
afterAll(cleanUp);

describe('a list of tracks', () => {
  const [one, two] = tracks as unknown as [{ TrackId: number; Name: string }, { TrackId: number; Name: string }];
  const CREATE = `mutation ($data: CreateListInput!) {
    createList(data: $data) { id name owner { email password } best { name bytes } listed(order: {asc: place}) { place out { name } } }
  }`;
  const FIGURES = `{
    list { id name } listed { id } listConnection { totalCount nodes { id } } list_aggregate { count max { name } }
    listed_aggregate { count sum { place } } track(filter: {listed_incoming: {exists: true}}) { id }
    letter { id }
  }`;
  const NOTHING = {
    list: [],
    listed: [],
    listConnection: { totalCount: 0, nodes: [] },
    list_aggregate: [{ count: 0, max: { name: null } }],
    listed_aggregate: [{ count: 0, sum: { place: null } }],
    track: [],
    letter: [],
  };
  const SEEN = {
    list: [{ id: 'list:first', name: 'Mine' }],
    listed: [{}, {}],
    listConnection: { totalCount: 1, nodes: [{ id: 'list:first' }] },
    list_aggregate: [{ count: 1, max: { name: 'Mine' } }],
    listed_aggregate: [{ count: 2, sum: { place: 3 } }],
    track: [{}, {}],
    letter: [{ id: 'letter:1' }],
  };

  beforeAll(async () => {
    const data = {
      id: 'first',
      name: 'Mine',
      best: String(one.TrackId),
      listed: [
        { place: 1, out: String(two.TrackId) },
        { place: 2, out: `track:${one.TrackId}` },
      ],
    };
    expect(await ask('the first customer', CREATE, { data })).toEqual({
      id: 'list:first',
      name: 'Mine',
      owner: { email: first.Email.toLowerCase(), password: null },
      best: { name: one.Name, bytes: null },
      listed: [
        { place: 1, out: { name: two.Name } },
        { place: 2, out: { name: one.Name } },
      ],
    });
    const letter =
      'mutation { createLetter(data: {id: "1", text: "Dear shop", about: "first"}) { id about { name } } }';
    expect(await ask('the first customer', letter)).toEqual({ id: 'letter:1', about: { name: 'Mine' } });
  });

  it.each(NAMES)('is seen by its owner and the staff alone, not by others: %s', async (name) => {
    const { data } = await answerTo(name, FIGURES);
    if (name === 'the first customer' || PEOPLE[name].isStaff) expect(data).toMatchObject(SEEN);
    else expect(data).toEqual(NOTHING);
  });

  it.each(['a guest', 'the second customer', 'a viewer'] as const)('is not changed by another: %s', async (name) => {
    const before = await ask('the owner', '{ list { id name best { id } listed { id place } } }');
    const { data } = await answerTo(
      name,
      `mutation {
        updateList(id: "first", data: {name: "Theirs"}) { id name }
        mergeManyList(filter: {}, data: {name: "Theirs"}) { id }
        upsertList(id: "first", data: {name: "Theirs"}) { id }
        deleteList(id: "first") { id name }
        deleteManyListed(filter: {}) { id }
        relateListed(in: "first", out: "1", data: {place: 9}) { id }
        createTrack(data: {id: "mine", name: "x", media_type: "1", milliseconds: 1, unit_price: "0"}) { id }
        updateCustomer(id: "${first.CustomerId}", data: {phone: "1"}) { phone }
        deleteManyInvoice(filter: {}) { id }
      }`,
    );
    for (const [field, value] of Object.entries(data ?? {})) {
      expect([field, value ?? []]).toEqual([field, []]);
    }
    expect(Object.keys(data ?? {})).toHaveLength(9);
    expect(await ask('the owner', '{ list { id name best { id } listed { id place } } }')).toEqual(before);
  });

  it('can’t be named, nested or written about by others', async () => {
    const secrets = [
      // A list of another customer, and what goes with it.
      [CREATE, { data: { name: 'x', owner: `customer:${first.CustomerId}` } }],
      ['mutation { createLetter(data: {text: "x", about: "first"}) { about { name } } }', {}],
      ['mutation { createLetter(data: {text: "x", about_create: {id: "first", name: "x"}}) { about { name } } }', {}],
      [
        'mutation { createList(data: {name: "x", listed: [{place: 1, out_create: {name: "x", media_type: "1", milliseconds: 1, unit_price: "0"}}]}) { id } }',
        {},
      ],
    ] as const;
    for (const [mutation, variables] of secrets) {
      const { data, errors } = await answerTo('the second customer', mutation, variables);
      expect([mutation, Object.values(data ?? {}).filter((value) => value !== null)]).toEqual([mutation, []]);
      expect(JSON.stringify(errors ?? [])).not.toContain('Mine');
    }
    const { data } = await answerTo(
      'the owner',
      '{ list_aggregate { count } letter_aggregate { count } track_aggregate { count } }',
    );
    expect(data).toEqual({
      list_aggregate: [{ count: 1 }],
      letter_aggregate: [{ count: 1 }],
      track_aggregate: [{ count: tracks.length }],
    });
  });

  it('keeps all or nothing of what is nested in it', async () => {
    const wrong = {
      name: 'Half',
      listed: [
        { place: 1, out: '1' },
        { place: 2, out: 'artist:1' },
      ],
    };
    const { data, errors } = await answerTo('the first customer', CREATE, { data: wrong });
    expect([data, errors]).toMatchObject([{ createList: null }, [{ extensions: { code: 'graphql_argument' } }]]);
    const empty = { name: '', listed: [{ place: 1, out: '1' }] };
    expect((await answerTo('the first customer', CREATE, { data: empty })).errors).toMatchObject([
      { extensions: { code: 'field_assert' } },
    ]);
    expect(await ask('the first customer', '{ listed_aggregate { count } }')).toEqual([{ count: 2 }]);
  });

  it('notifies those alone of its changes who see it', async () => {
    const query = 'subscription { list { action id record { name best { name bytes } } } }';
    const sockets = NAMES.map((name) => {
      const connectionParams = shop.headers.get(name);
      return createClient({
        url: `${shop.server.url.replace('http', 'ws')}/graphql`,
        webSocketImpl: WebSocket,
        ...(connectionParams && { connectionParams }),
      });
    });
    const heard = new Map<Name, unknown[]>(NAMES.map((name) => [name, []]));
    for (const [at, name] of NAMES.entries()) {
      const told = (value: unknown) => heard.get(name)?.push(value);
      sockets[at]?.subscribe(
        { query },
        { next: ({ data, errors }) => told(errors ?? data?.['list']), error: told, complete: () => {} },
      );
    }
    const lives = 'RETURN object::len((INFO FOR TABLE list).lives)';
    await expect.poll(() => asRoot(shop.server.url, lives, ROOT)).toEqual([NAMES.length]);
    const create = 'mutation ($name: String!) { createList(data: {name: $name, best: "1"}) { id } }';
    const { id: theirs } = await ask<{ id: string }>('the second customer', create, { name: 'Theirs' });
    const { id: mine } = await ask<{ id: string }>('the first customer', create, { name: 'Also mine' });
    await ask('the first customer', 'mutation ($id: ID!) { mergeList(id: $id, data: {best: "2"}) { id } }', {
      id: mine,
    });
    for (const [name, id] of [
      ['the second customer', theirs],
      ['the first customer', mine],
    ] as const) {
      await ask(name, 'mutation ($id: ID!) { deleteList(id: $id) { id } }', { id });
    }
    const event =
      (action: string, id: string, name: string, { Name, Bytes }: { Name: string; Bytes: number }) =>
      (staff: boolean) => ({
        action,
        id,
        record: { name, best: { name: Name, bytes: staff ? Bytes : null } },
      });
    const [trackOne, trackTwo] = tracks as unknown as [(typeof tracks)[number], (typeof tracks)[number]];
    const ofTheirs = [
      event('CREATE', theirs, 'Theirs', trackOne),
      event('DELETE', theirs, 'Theirs', trackOne),
    ] as const;
    const ofMine = [
      event('CREATE', mine, 'Also mine', trackOne),
      event('UPDATE', mine, 'Also mine', trackTwo),
      event('DELETE', mine, 'Also mine', trackTwo),
    ] as const;
    const all = [ofTheirs[0], ofMine[0], ofMine[1], ofTheirs[1], ofMine[2]];
    const expected = {
      'a guest': [],
      'the first customer': ofMine.map((of) => of(false)),
      'the second customer': ofTheirs.map((of) => of(false)),
      'a viewer': all.map((of) => of(true)),
      'the owner': all.map((of) => of(true)),
    };
    await expect.poll(() => Object.fromEntries(heard)).toEqual(expected);
    await Promise.all(sockets.map((socket) => socket.dispose()));
    await expect.poll(() => asRoot(shop.server.url, lives, ROOT)).toEqual([0]);
    expect(Object.fromEntries(heard)).toEqual(expected);
  });

  it('is changed and taken away by its owner, with its edges', async () => {
    const change = 'mutation { mergeList(id: "first", data: {name: "Still mine"}) { name } }';
    expect(await ask('the first customer', change)).toEqual({ name: 'Still mine' });
    const more = 'mutation { relateListed(in: "first", out: "3", data: {place: 3}) { place in { name } } }';
    expect(await ask('the first customer', more)).toEqual({ place: 3, in: { name: 'Still mine' } });
    expect(await ask('the first customer', 'mutation { deleteList(id: "first") { id } }')).toEqual({
      id: 'list:first',
    });
    expect(await ask('the owner', '{ listed_aggregate { count } }')).toEqual([{ count: 0 }]);
  });
});

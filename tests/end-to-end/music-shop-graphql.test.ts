/** The music shop over GraphQL, by who is asking: queries, pages, figures, mutations and subscriptions. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asRoot, SHOP_HEADERS, send, tokenOf } from './clients.js';
import { cleanUp, ROOT, type ServerProcess, startServer } from './server.js';
import {
  albums,
  type CustomerRow,
  credentialsOf,
  customers,
  employees,
  invoiceLines,
  invoices,
  loadShop,
  playlistTracks,
  STAFF_PASSWORD,
  salesOf,
  tracks,
} from './shop.js';

const [first, second] = customers.filter((customer) => salesOf(customer).lines.length > 0) as [
  CustomerRow,
  CustomerRow,
];

/** Somebody, and the customers whose record and sales they see. */
interface Person {
  readonly sees: (customer: CustomerRow) => boolean;
  readonly isStaff: boolean;
  readonly signIn: () => Promise<string | undefined>;
}

const staff = (user: string | undefined): Person => ({
  sees: () => true,
  isStaff: true,
  signIn: () =>
    tokenOf(server.url, 'signin', { NS: 'shop', DB: 'music', user: user?.toLowerCase(), pass: STAFF_PASSWORD }),
});
const customer = (me: CustomerRow): Person => ({
  sees: (other) => other === me,
  isStaff: false,
  signIn: () => tokenOf(server.url, 'signup', credentialsOf(me)),
});

const PEOPLE = {
  'a guest': { sees: () => false, isStaff: false, signIn: async () => undefined },
  'the first customer': customer(first),
  'the second customer': customer(second),
  'a viewer': staff(employees.at(2)?.FirstName),
  'the owner': staff(employees[0]?.FirstName),
} satisfies Record<string, Person>;
type Name = keyof typeof PEOPLE;
const NAMES = Object.keys(PEOPLE) as Name[];

let server: ServerProcess;
const headers = new Map<Name, Record<string, string>>();

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

beforeAll(async () => {
  server = await startServer(undefined, { SVC_EXPERIMENTAL_GRAPHQL: 'true', SVC_ALLOW_GUESTS: 'true' });
  await loadShop(server.url);
  await asRoot(server.url, LISTS, ROOT);
  for (const name of NAMES) {
    const token = await PEOPLE[name].signIn();
    headers.set(name, { ...SHOP_HEADERS, ...(token !== undefined && { authorization: `Bearer ${token}` }) });
  }
}, 120_000);
afterAll(cleanUp);

interface Answer {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly { readonly message: string; readonly extensions: { readonly code: string } }[];
}

async function answerTo(name: Name, query: string, variables: object = {}): Promise<Answer> {
  const own = { accept: '*/*', 'content-type': 'application/json', ...headers.get(name) };
  const { text } = await send(`${server.url}/graphql`, own, JSON.stringify({ query, variables }));
  return JSON.parse(text) as Answer;
}

/** The only root field's value, or that called `it`. @throws Error with the messages of errors */
async function ask<T>(name: Name, query: string, variables: object = {}): Promise<T> {
  const { data, errors } = await answerTo(name, query, variables);
  if (errors !== undefined) throw new Error(JSON.stringify(errors));
  return Object.values(data ?? {})[0] as T;
}

const idsOf = (rows: readonly { readonly id: string }[]): string[] => rows.map(({ id }) => id);
const cents = (total: number | string): number => Math.round(Number(total) * 100);

function groupedBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row]);
  return groups;
}
const byId = (a: string, b: string) => Number(a.split(':')[1]) - Number(b.split(':')[1]);

describe.each(NAMES)('%s', (name) => {
  const { sees, isStaff } = PEOPLE[name];
  const buyers = customers.filter(sees);
  const own = new Set(buyers.map(({ CustomerId }) => CustomerId));
  const ownInvoices = invoices.filter(({ CustomerId }) => own.has(CustomerId));
  const ownLines = ((seen) => invoiceLines.filter(({ InvoiceId }) => seen.has(InvoiceId)))(
    new Set(ownInvoices.map(({ InvoiceId }) => InvoiceId)),
  );
  /** By table, which records are seen. */
  const SEEN: Readonly<Record<string, readonly string[]>> = {
    customer: buyers.map(({ CustomerId }) => `customer:${CustomerId}`),
    invoice: ownInvoices.map(({ InvoiceId }) => `invoice:${InvoiceId}`),
    invoice_line: ownLines.map(({ InvoiceLineId }) => `invoice_line:${InvoiceLineId}`),
    employee: isStaff ? employees.map((_, at) => `employee:${at + 1}`) : [],
    track: tracks.map(({ TrackId }) => `track:${TrackId}`),
    album: albums.map(({ AlbumId }) => `album:${AlbumId}`),
  };

  it.each(Object.keys(SEEN))('sees of %s the same in lists, pages and figures', async (table) => {
    const seen = [...(SEEN[table] ?? [])].sort(byId);
    expect(idsOf(await ask(name, `{ ${table}(limit: 5000, order: {asc: id}) { id } }`))).toEqual(seen);
    expect(await ask(name, `{ ${table}_aggregate { count } }`)).toEqual([{ count: seen.length }]);
    const paged: string[] = [];
    const size = Math.max(1, Math.ceil(seen.length / 4));
    for (let after: string | null = null, more = true; more; ) {
      const page: Page = await ask(
        name,
        `query ($size: Int, $after: String) { ${table}Connection(first: $size, after: $after) {
          edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } totalCount } }`,
        { size, after },
      );
      expect(page.totalCount).toBe(seen.length);
      expect(page.pageInfo.hasPreviousPage).toBe(after !== null);
      paged.push(...page.edges.map(({ node }) => node.id));
      after = page.pageInfo.endCursor;
      more = page.pageInfo.hasNextPage;
    }
    expect(paged).toEqual(seen);
  });

  it('finds no more by id, by filter or by link', async () => {
    const all = invoices.slice(0, 60);
    const fields = all.map(({ InvoiceId: id }) => `i${id}: _get_invoice(id: "${id}") { id customer { email } }`);
    for (let at = 0; at < fields.length; at += 30) {
      const { data } = await answerTo(name, `{ ${fields.slice(at, at + 30).join(' ')} }`);
      for (const { InvoiceId, CustomerId } of all.slice(at, at + 30)) {
        const buyer = customers.find((each) => each.CustomerId === CustomerId);
        const seen = { id: `invoice:${InvoiceId}`, customer: { email: buyer?.Email.toLowerCase() } };
        expect(data?.[`i${InvoiceId}`]).toEqual(own.has(CustomerId) ? seen : null);
      }
    }
    const emails = customers.map(({ Email }) => Email.toLowerCase());
    const found = await ask<{ customer: { email: string } }[]>(
      name,
      `query ($emails: [String!]) { invoice(filter: {customer: {is: {email: {in: $emails}}}}, limit: 1000) { customer { email } } }`,
      { emails },
    );
    expect(found).toHaveLength(ownInvoices.length);
    const any = `{ a: _get(id: "customer:${first.CustomerId}") { id ... on customer { email support { email } } } }`;
    expect(await ask(name, any)).toEqual(
      sees(first)
        ? {
            id: `customer:${first.CustomerId}`,
            email: first.Email.toLowerCase(),
            support: isStaff ? { email: expect.stringContaining('@') } : null,
          }
        : null,
    );
  });

  it('filters sales by the tracks that were sold', async () => {
    const dear = new Set(ownInvoices.filter(({ Total }) => cents(Total) > 500).map(({ InvoiceId }) => InvoiceId));
    const long = new Set(tracks.filter(({ Milliseconds }) => Milliseconds > 250_000).map(({ TrackId }) => TrackId));
    const expected = ownLines.filter(({ InvoiceId, TrackId }) => dear.has(InvoiceId) && long.has(TrackId));
    const found = await ask<{ id: string; track: { album: { artist: { name: string } } } }[]>(
      name,
      `{ invoice_line(limit: 5000, filter: {
          invoice: {is: {total: {gt: "5"}}}, track: {is: {milliseconds: {gt: 250000}}}
        }) { id track { album { artist { name } } } } }`,
    );
    expect(idsOf(found).sort(byId)).toEqual(
      expected.map(({ InvoiceLineId }) => `invoice_line:${InvoiceLineId}`).sort(byId),
    );
    for (const { track } of found) expect(track.album.artist.name).not.toBe('');
  });

  it('has figures of the own sales alone', async () => {
    const groups = await ask<{ count: number; group: { customer: string }; sum: { total: string } }[]>(
      name,
      '{ invoice_aggregate(groupBy: [customer], order: {asc: customer}) { count group { customer } sum { total } max { total } } }',
    );
    const expected = groupedBy(ownInvoices, ({ CustomerId }) => `customer:${CustomerId}`);
    expect(new Map(groups.map(({ group, count, sum }) => [group.customer, [count, cents(sum.total)]]))).toEqual(
      new Map(
        Array.from(expected, ([id, rows]) => [
          id,
          [rows.length, rows.reduce((sum, { Total }) => sum + cents(Total), 0)],
        ]),
      ),
    );
    const [emails] = await ask<[object]>(
      name,
      '{ customer_aggregate { min { email } max { email } distinct { support } } }',
    );
    const sorted = buyers.map(({ Email }) => Email.toLowerCase()).sort();
    expect(emails).toEqual({
      min: { email: sorted[0] ?? null },
      max: { email: sorted.at(-1) ?? null },
      distinct: { support: isStaff ? expect.any(Number) : 0 },
    });
  });

  it('walks the catalogue by its relations', async () => {
    const sizes = groupedBy(playlistTracks, ({ PlaylistId }) => `playlist:${PlaylistId}`);
    const large = [...sizes].filter(([, edges]) => edges.length > 20).map(([id]) => id);
    const found = await ask<Playlist[]>(
      name,
      `{ playlist(filter: {playlist_track: {count: {gt: 20}}}) {
          id playlist_track(limit: 3) { out { name } } playlist_trackConnection(first: 1) { totalCount } playlist_track_aggregate { count }
        } }`,
    );
    expect(idsOf(found).sort(byId)).toEqual(large.sort(byId));
    for (const { id, playlist_track, playlist_trackConnection, playlist_track_aggregate } of found) {
      const size = sizes.get(id)?.length;
      expect(playlist_track).toHaveLength(3);
      expect([playlist_trackConnection.totalCount, playlist_track_aggregate[0].count]).toEqual([size, size]);
    }
  });

  it(`${isStaff ? 'sees' : 'is told nothing of'} what the shop knows about its files`, async () => {
    const known = [...tracks].sort((a, b) => b.Bytes - a.Bytes || a.TrackId - b.TrackId);
    const inOrder = (isStaff ? known : tracks).slice(0, 5).map(({ TrackId }) => `track:${TrackId}`);
    const { data } = await answerTo(
      name,
      `{ hidden: track(filter: {bytes: {gt: 0}}, limit: 5000) { id }
        lines: invoice_line(filter: {track: {is: {bytes: {gt: 0}}}}, limit: 5000) { id }
        listed: track(order: {desc: bytes}, limit: 5) { id bytes }
        paged: trackConnection(order: {desc: bytes, then: {asc: id}}, first: 5) { edges { cursor node { id bytes } } }
        all: track_aggregate { sum { bytes } min { bytes } max { bytes } countOf { bytes } distinct { bytes } }
        groups: track_aggregate(groupBy: [bytes], limit: 10000) { count }
      }`,
    );
    const seen = (value: unknown) => (isStaff ? value : null);
    const total = isStaff ? tracks.length : 0;
    const different = new Set(known.map(({ Bytes }) => Bytes)).size;
    expect(data).toMatchObject({
      hidden: { length: total },
      lines: { length: isStaff ? invoiceLines.length : 0 },
      all: [
        {
          sum: { bytes: seen(known.reduce((sum, { Bytes }) => sum + Bytes, 0)) },
          min: { bytes: seen(known.at(-1)?.Bytes) },
          max: { bytes: seen(known[0]?.Bytes) },
          countOf: { bytes: total },
          distinct: { bytes: isStaff ? different : 0 },
        },
      ],
      groups: { length: isStaff ? different : 1 },
    });
    const { listed, paged } = data as { listed: Track[]; paged: { edges: { cursor: string; node: Track }[] } };
    const shown = isStaff ? known.slice(0, 5).map(({ Bytes }) => Bytes) : new Array(5).fill(null);
    expect([listed.map(({ bytes }) => bytes), paged.edges.map(({ node }) => node.bytes)]).toEqual([shown, shown]);
    expect(paged.edges.map(({ node }) => node.id)).toEqual(inOrder);
    if (!isStaff) expect(idsOf(listed)).toEqual(inOrder);
  });
});

interface Playlist {
  readonly id: string;
  readonly playlist_track: readonly object[];
  readonly playlist_trackConnection: { readonly totalCount: number };
  readonly playlist_track_aggregate: readonly [{ readonly count: number }];
}

interface Track {
  readonly id: string;
  readonly bytes: number | null;
}

interface Page {
  readonly edges: readonly { readonly cursor: string; readonly node: { readonly id: string } }[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly endCursor: string | null;
  };
  readonly totalCount: number;
}

it('a cursor of one customer’s pages tells another nothing', async () => {
  const query = `query ($first: Int, $after: String) { invoiceConnection(first: $first, after: $after, order: {asc: total}) {
    edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage endCursor } totalCount } }`;
  const theirs = await ask<Page>('the second customer', query, { first: 100 });
  expect(theirs.edges.length).toBeGreaterThan(1);
  const own = new Set(salesOf(first).invoices);
  for (const { cursor } of theirs.edges) {
    const { edges, totalCount } = await ask<Page>('the first customer', query, { after: cursor });
    expect(totalCount).toBe(own.size);
    for (const { node } of edges) expect(own).toContain(node.id);
  }
});

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

  it.each(['a guest', 'the second customer', 'a viewer'] as const)('is changed by nobody else: %s', async (name) => {
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

  it('is nobody else’s to name, to nest or to write about', async () => {
    const secrets = [
      // A list of somebody else's, and what goes with it.
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
    expect(await ask('the owner', '{ list_aggregate { count } letter_aggregate { count } }')).toEqual([{ count: 1 }]);
    expect(await ask('the owner', '{ letter_aggregate { count } }')).toEqual([{ count: 1 }]);
    expect(await ask('the owner', '{ track_aggregate { count } }')).toEqual([{ count: tracks.length }]);
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

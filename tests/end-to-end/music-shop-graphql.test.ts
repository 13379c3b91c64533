/** The music shop over GraphQL, by who is asking: queries, pages and figures. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cleanUp } from '../support/server-process.js';
import { albums, customers, employees, invoiceLines, invoices, playlistTracks, salesOf, tracks } from './shop.js';
import { first, GraphqlShop, NAMES, type Name, PEOPLE } from './shop-people.js';

let shop: GraphqlShop;
const answerTo: GraphqlShop['answerTo'] = (...asked) => shop.answerTo(...asked);
const ask = <T>(name: Name, query: string, variables?: object) => shop.ask<T>(name, query, variables);

beforeAll(async () => {
  shop = await GraphqlShop.open();
}, 120_000);
afterAll(cleanUp);

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

  it(`${isStaff ? 'sees' : 'sees nothing of'} what the shop knows about its files`, async () => {
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

it('a cursor of one customer’s pages reveals nothing to another', async () => {
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

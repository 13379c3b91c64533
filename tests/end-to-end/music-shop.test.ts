/** The main job: a shop is loaded, its customers sign up and in, and each sees their own rows, whichever way they ask. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cleanUp, ROOT, type ServerProcess, startServer } from '../support/server-process.js';
import { asRoot, basic, type Client, RpcSocket, SHOP_HEADERS, send, tokenOf, WAYS } from './clients.js';
import {
  type CustomerRow,
  credentialsOf,
  customers,
  employees,
  invoiceLines,
  invoices,
  loadShop,
  STAFF_PASSWORD,
  salesOf,
  tracks,
} from './shop.js';

const [first, second] = customers.filter((customer) => salesOf(customer).lines.length > 0) as [
  CustomerRow,
  CustomerRow,
];
const others = (me: CustomerRow) => customers.filter((customer) => customer !== me);

let server: ServerProcess;
let printed: string;
beforeAll(async () => {
  server = await startServer(undefined, { SVC_EXPERIMENTAL_GRAPHQL: 'true' });
  printed = await loadShop(server.url);
}, 120_000);
afterAll(cleanUp);

it('loads every record', async () => {
  expect(printed).toMatch(/records in shop\/music\n$/);
  const count = (table: string) => `(SELECT count() FROM ${table} GROUP ALL)[0].count`;
  const text = `RETURN [${['track', 'customer', 'invoice', 'invoice_line'].map(count).join(', ')}]`;
  const loaded = [tracks.length, customers.length, invoices.length, invoiceLines.length];
  expect(await asRoot(server.url, text, ROOT)).toEqual([loaded]);
});

describe('a customer', () => {
  it('signs up over HTTP with the record that was there before', async () => {
    await tokenOf(server.url, 'signup', credentialsOf(first));
    const records = 'SELECT VALUE id FROM customer WHERE password != NONE';
    expect(await asRoot(server.url, records, ROOT)).toEqual([[`customer:${first.CustomerId}`]]);
  });

  it('signs up over WebSocket and is signed in with it', async () => {
    const socket = await RpcSocket.open(server.rpcUrl);
    const { NS, DB, AC, ...variables } = credentialsOf(second);
    const token = await socket.ask('signup', { namespace: NS, database: DB, access: AC, variables });
    expect(token).toEqual(expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/));
    expect(await socket.query('RETURN $auth')).toEqual([`customer:${second.CustomerId}`]);
    socket.close();
  });

  it('signs in over WebSocket', async () => {
    const socket = await RpcSocket.open(server.rpcUrl);
    await socket.ask('signin', credentialsOf(first));
    const [session] = (await socket.query('RETURN $session')) as [Record<string, unknown>];
    expect(Object.keys(session).sort()).toEqual(['ac', 'db', 'exp', 'id', 'ip', 'ns', 'or', 'rd', 'tk']);
    const rd = `customer:${first.CustomerId}`;
    expect(session).toMatchObject({ ns: 'shop', db: 'music', ac: 'customer', rd, exp: expect.any(Number) });
    expect(session['tk']).toMatchObject({ iss: 'Tessera', NS: 'shop', DB: 'music', AC: 'customer', ID: rd });
    socket.close();
  });

  it.each([
    ['a password that is too short', { email: 'a@shop.example', password: 'short' }, 'thrown', /at least 8/],
    ['an address that is taken', { email: first.Email, password: 'long enough' }, 'thrown', /an account already/],
    ['an address that is none', { email: 'nobody', password: 'long enough' }, 'record_access_signup_query_failed', /./],
  ])('does not sign up with %s', async (_what, variables, code, message) => {
    const body = { ...credentialsOf(first), ...variables };
    const { status, text } = await send(`${server.url}/signup`, { accept: 'application/json' }, JSON.stringify(body));
    expect(status).toBe(400);
    expect(JSON.parse(text)).toMatchObject({ error: code, information: expect.stringMatching(message) });
  });
});

describe.each(Object.entries(WAYS))('over %s', (_name, connect) => {
  const clients = new Map<CustomerRow, Client>();
  beforeAll(async () => {
    for (const customer of [first, second]) {
      clients.set(customer, await connect(server.url, await tokenOf(server.url, 'signin', credentialsOf(customer))));
    }
  });
  afterAll(async () => {
    for (const client of clients.values()) await client.close();
  });
  const query = async (customer: CustomerRow, text: string) => (await clients.get(customer)?.query(text))?.at(-1);

  it.each([first, second])('a customer sees exactly their own rows (%#)', async (customer) => {
    const { invoices: own, lines } = salesOf(customer);
    expect(await query(customer, 'SELECT VALUE id FROM customer')).toEqual([`customer:${customer.CustomerId}`]);
    expect(await query(customer, 'SELECT VALUE id FROM invoice ORDER BY id')).toEqual(own);
    expect(await query(customer, 'SELECT VALUE id FROM invoice_line ORDER BY id')).toEqual(lines);
    expect(await query(customer, 'SELECT count() FROM invoice GROUP ALL')).toEqual([{ count: own.length }]);
    expect(await query(customer, 'SELECT * FROM employee')).toEqual([]);
    const foreign = invoices.filter(({ CustomerId }) => CustomerId !== customer.CustomerId).slice(0, 20);
    const ids = foreign.map(({ InvoiceId }) => `invoice:${InvoiceId}`).join(', ');
    expect(await query(customer, `SELECT * FROM ${ids}`)).toEqual([]);
    expect(await query(customer, `SELECT * FROM invoice WHERE customer != $auth`)).toEqual([]);
  });

  it('hidden fields and foreign rows show nowhere', async () => {
    const answers = [
      'SELECT * FROM customer',
      'SELECT *, password, support, support.* FROM customer FETCH support',
      'SELECT VALUE [password, support] FROM customer',
      'SELECT * FROM invoice FETCH customer, customer.support',
      'SELECT *, invoice.*, invoice.customer.*, track.*, track.bytes AS size FROM invoice_line FETCH invoice, track',
      'SELECT customer.{ email, password, support } FROM invoice',
      'SELECT id, bytes FROM track ORDER BY bytes DESC LIMIT 5',
      'SELECT math::max(bytes) AS most, array::group(bytes) AS sizes FROM track GROUP ALL',
      'SELECT ->playlist_track->track.bytes AS sizes FROM playlist LIMIT 3',
      `SELECT * FROM ${customers.map(({ CustomerId }) => `customer:${CustomerId}`).join(', ')}`,
      'RETURN [$auth.*, $auth.password, $auth.support.email, employee:1.*, employee:1.email]',
      'UPDATE customer SET phone = "1" RETURN BEFORE',
      'UPDATE customer SET phone = "2" RETURN DIFF',
      'UPDATE customer SET company = password ?? "hidden" RETURN AFTER',
    ].map((text) => query(first, text));
    const text = JSON.stringify(await Promise.all(answers));
    expect(text).not.toContain('argon2');
    for (const { Email } of [...others(first), ...employees]) expect(text).not.toContain(Email.toLowerCase());
    for (const { Bytes } of tracks) expect(text).not.toContain(`:${Bytes}`);
    expect(text).toContain(first.Email.toLowerCase());
  });

  it('a hidden field cannot be found out by asking about it', async () => {
    expect(await query(first, 'SELECT id FROM track WHERE bytes > 0')).toEqual([]);
    expect(await query(first, 'SELECT id FROM customer WHERE password != NONE')).toEqual([]);
    expect(await query(first, 'SELECT id FROM invoice_line WHERE track.bytes > 0')).toEqual([]);
  });

  it('a customer stays in this database', async () => {
    for (const statement of ['SELECT * FROM customer', 'CREATE customer', 'DEFINE TABLE mine']) {
      await expect(query(first, `USE NS elsewhere DB music; ${statement}`)).rejects.toThrow(/permission/i);
    }
    expect(await query(first, 'RETURN [session::ns(), session::db()]')).toEqual(['shop', 'music']);
    const [root] = (await asRoot(server.url, 'INFO FOR ROOT', ROOT)) as [{ namespaces: object }];
    expect(root.namespaces).not.toHaveProperty('elsewhere');
  });

  it('a customer changes their own record and no more', async () => {
    const city = 'Łódź 🏙';
    expect(await query(first, `UPDATE customer SET city = "${city}", password = "x", support = NONE`)).toMatchObject([
      { id: `customer:${first.CustomerId}`, city },
    ]);
    expect(await query(first, `UPDATE customer:${second.CustomerId} SET city = "${city}"`)).toEqual([]);
    expect(await query(first, 'DELETE customer')).toEqual([]);
    expect(await query(first, 'DELETE invoice')).toEqual([]);
    expect(await query(first, 'CREATE invoice SET customer = $auth, date = time::now(), total = 0')).toEqual([]);
    expect(await query(first, 'UPDATE artist SET name = "mine"')).toEqual([]);
    await expect(query(first, 'DEFINE TABLE mine')).rejects.toThrow('Not enough permissions');
    await expect(query(first, 'INFO FOR DB')).rejects.toThrow('Not enough permissions');
    const check = `SELECT password != NONE AS password, support != NONE AS support FROM ONLY customer:${first.CustomerId}`;
    expect(await asRoot(server.url, check, ROOT)).toEqual([{ password: true, support: true }]);
    expect(await asRoot(server.url, `SELECT VALUE id FROM customer WHERE city = "${city}"`, ROOT)).toEqual([
      [`customer:${first.CustomerId}`],
    ]);
  });
});

describe('over GraphQL', () => {
  const tokens = new Map<CustomerRow, string>();
  beforeAll(async () => {
    for (const customer of [first, second]) {
      tokens.set(customer, await tokenOf(server.url, 'signin', credentialsOf(customer)));
    }
  });
  const ask = async (customer: CustomerRow, accept: string, query: string) => {
    const headers = { accept, authorization: `Bearer ${tokens.get(customer)}`, ...SHOP_HEADERS };
    const contentType = { 'content-type': 'application/json' };
    const { status, text } = await send(
      `${server.url}/graphql`,
      { ...headers, ...contentType },
      JSON.stringify({ query }),
    );
    return { status, text, body: JSON.parse(text) as unknown };
  };
  const RESULTS = 'application/json';
  const STANDARD = 'application/graphql-response+json';
  const ids = (list: readonly string[]) => list.map((id) => ({ id }));

  it.each([first, second])('a customer sees exactly their own rows (%#)', async (customer) => {
    const query = '{ customer { id } invoice(limit: 1000) { id } invoice_line(limit: 1000) { id } employee { id } }';
    const { invoices: own, lines } = salesOf(customer);
    const expected = {
      customer: ids([`customer:${customer.CustomerId}`]),
      invoice: expect.arrayContaining(ids(own)),
      invoice_line: expect.arrayContaining(ids(lines)),
      employee: [],
    };
    const standard = await ask(customer, STANDARD, query);
    expect(standard).toMatchObject({ status: 200, body: { data: expected } });
    const data = (standard.body as { data: Record<string, unknown[]> }).data;
    expect([data['invoice']?.length, data['invoice_line']?.length]).toEqual([own.length, lines.length]);

    const results = await ask(customer, RESULTS, query);
    const entry = (result: unknown) => ({ status: 'OK', time: expect.stringMatching(/^[\d.]+(ns|µs|ms|s)$/), result });
    expect(results).toMatchObject({ status: 200, body: Object.values(data).map(entry) });
  });

  it('follows links, filters and fetches one record', async () => {
    const [id = ''] = salesOf(first).invoices;
    const query = `{ one: _get_invoice(id: "${id}") { id customer { email } }
      long: track(filter: { milliseconds: { milliseconds_gt: 200000 } }, limit: 3) { milliseconds album { title artist { name } } } }`;
    const { body } = await ask(first, STANDARD, query);
    expect(body).toMatchObject({ data: { one: { id, customer: { email: first.Email.toLowerCase() } } } });
    const { long } = (body as { data: { long: { milliseconds: number; album: { title: string } }[] } }).data;
    expect(long).toHaveLength(3);
    for (const { milliseconds, album } of long) {
      expect(milliseconds).toBeGreaterThan(200_000);
      expect(album.title).not.toBe('');
    }
  });

  it.each([RESULTS, STANDARD])('hidden fields and foreign rows show nowhere (%s)', async (accept) => {
    const foreign = salesOf(second).invoices[0];
    const texts = await Promise.all(
      [
        '{ customer { id email password support { id email } } }',
        '{ invoice(limit: 1000) { customer { email password support { email first_name } } } }',
        '{ track(limit: 100) { id bytes } }',
        '{ track(filter: { bytes: { gt: 0 } }, limit: 100) { id } }',
        '{ customer(filter: { password: { ne: "" } }) { id } employee { email } }',
        `{ _get_invoice(id: "${foreign}") { id total customer { email } } _get_customer(id: "customer:${second.CustomerId}") { email } }`,
      ].map(async (query) => (await ask(first, accept, query)).text),
    );
    const all = texts.join('\n');
    expect(all).not.toContain('argon2');
    expect(all).not.toMatch(/"bytes": ?\d/);
    for (const { Email } of [...others(first), ...employees]) expect(all).not.toContain(Email.toLowerCase());
    expect(all).toContain(first.Email.toLowerCase());
    expect(texts[3]).not.toContain('track:');
  });

  it.each([
    ['a syntax error', '{ customer { id ', 400],
    ['an unknown field', '{ customer { nope } }', 400],
    ['a deep query', `{ invoice ${'{ customer '.repeat(2_000)} { id } ${'}'.repeat(2_001)}`, 400],
    ['deep brackets', '{'.repeat(100_000), 400],
  ])('answers %s', async (_what, query, status) => {
    const results = await ask(first, RESULTS, query);
    expect(results).toMatchObject({ status, body: [{ status: 'ERR', result: expect.any(String) }] });
    const standard = await ask(first, STANDARD, query);
    expect(standard).toMatchObject({ status, body: { errors: [{ message: expect.any(String) }] } });
  });

  it('wants its headers, and a config in the database', async () => {
    const post = async (headers: Record<string, string>) => {
      const own = {
        authorization: `Bearer ${await tokenOf(server.url, 'signin', ROOT)}`,
        'content-type': 'application/json',
      };
      const { status, text } = await send(`${server.url}/graphql`, { ...own, ...headers }, '{"query":"{artist{id}}"}');
      return { status, error: (JSON.parse(text) as { error: unknown }).error };
    };
    expect(await post({ accept: RESULTS })).toEqual({ status: 400, error: 'namespace_empty' });
    expect(await post({ accept: RESULTS, 'svc-ns': 'shop' })).toEqual({ status: 400, error: 'database_empty' });
    expect(await post({ accept: 'text/html', ...SHOP_HEADERS })).toEqual({ status: 406, error: 'not_acceptable' });
    await asRoot(server.url, 'DEFINE DATABASE empty', ROOT);
    const elsewhere = { 'svc-ns': 'shop', 'svc-db': 'empty' };
    expect(await post({ accept: RESULTS, ...elsewhere })).toMatchObject({ status: 400 });
  });

  it('needs nothing but what the interface asks for: Accept, namespace, database and credentials', async () => {
    const headers = { accept: RESULTS, ...basic(ROOT.user, ROOT.pass), ...SHOP_HEADERS };
    const { status, text } = await send(`${server.url}/graphql`, headers, '{"query":"{ genre(limit: 1) { id } }"}');
    expect({ status, body: JSON.parse(text) }).toMatchObject({ status: 200, body: [{ status: 'OK', result: [{}] }] });
  });
});

describe('the staff', () => {
  const signedIn = (user: string) => ({
    ...basic(user.toLowerCase(), STAFF_PASSWORD),
    ...SHOP_HEADERS,
    'svc-auth-ns': 'shop',
    'svc-auth-db': 'music',
    accept: 'application/json',
  });
  const run = async (user: string, text: string) => {
    const { text: body } = await send(`${server.url}/sql`, signedIn(user), text);
    return JSON.parse(body) as { status: string; result: unknown }[];
  };
  const all = { status: 'OK', result: [{ count: invoices.length }] };
  const refused = { status: 'ERR', result: 'IAM error: Not enough permissions to perform this action' };
  const manager = employees[0]?.FirstName ?? '';
  const agent = employees.at(2)?.FirstName ?? '';

  it('a viewer reads everything and changes nothing', async () => {
    const text = `SELECT count() FROM invoice GROUP ALL; SELECT VALUE bytes FROM ONLY track:1; UPDATE artist:1 SET name = "x";
      CREATE artist SET name = "x"; DELETE invoice; DEFINE TABLE note; REMOVE TABLE invoice; SELECT VALUE id FROM artist WHERE name = "x"`;
    expect(await run(agent, text)).toMatchObject([
      all,
      { result: expect.any(Number) },
      { status: 'OK', result: [] },
      { status: 'OK', result: [] },
      { status: 'OK', result: [] },
      refused,
      refused,
      { status: 'OK', result: [] },
    ]);
    expect(await run(agent, 'SELECT count() FROM invoice GROUP ALL')).toMatchObject([all]);
  });

  it('an editor defines tables but no users', async () => {
    const editor = employees[1]?.FirstName ?? '';
    const text = 'DEFINE TABLE note; DEFINE USER spy ON DATABASE PASSWORD "12345678" ROLES OWNER; REMOVE TABLE note';
    expect(await run(editor, text)).toMatchObject([{ status: 'OK' }, refused, { status: 'OK' }]);
  });

  it('an owner defines tables and users, in this database only', async () => {
    const text = `DEFINE TABLE note; CREATE note:1 SET text = "hello"; REMOVE TABLE note;
      DEFINE USER temp ON DATABASE PASSWORD "12345678" ROLES VIEWER; REMOVE USER temp ON DATABASE;
      DEFINE NAMESPACE other; INFO FOR ROOT; DEFINE USER spy ON ROOT PASSWORD "12345678" ROLES OWNER`;
    const ok = { status: 'OK' };
    expect(await run(manager, text)).toMatchObject([ok, ok, ok, ok, ok, refused, refused, refused]);
  });
});

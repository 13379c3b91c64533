/** GraphQL over HTTP as clients meet it: GET, batches, foreign pages, the schema as text, the page for browsers. */
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readGraphqlSchema } from '../../src/cli/graphql-schema.js';
import type { RunningServer } from '../../src/server/server.js';
import { ROOT, startTestServer } from '../support/server.js';

const JSON_TYPE = 'application/json';
const RESPONSE_TYPE = 'application/graphql-response+json';
const authorization = `Basic ${Buffer.from(`${ROOT.username}:${ROOT.password}`).toString('base64')}`;
const HEADERS = { 'svc-ns': 'test', 'svc-db': 'test', authorization, accept: RESPONSE_TYPE };

const SETUP = `DEFINE CONFIG GRAPHQL AUTO; DEFINE TABLE person SCHEMAFULL COMMENT 'Somebody';
  DEFINE FIELD name ON person TYPE string; CREATE person:1 SET name = 'Ann'; CREATE person:2 SET name = 'Bob'`;

let server: RunningServer;
let off: RunningServer;
const call = (path: string, headers: Record<string, string>, init: RequestInit = {}) =>
  fetch(`${server.url}${path}`, { ...init, headers });
const get = (parameters: Record<string, string>, headers: Record<string, string> = HEADERS) =>
  call(`/graphql?${new URLSearchParams(parameters)}`, headers);
const post = (body: unknown, headers: Record<string, string> = {}) =>
  call(
    '/graphql',
    { ...HEADERS, 'content-type': JSON_TYPE, ...headers },
    { method: 'POST', body: JSON.stringify(body) },
  );
const sql = (text: string, database = 'test') =>
  call('/sql', { ...HEADERS, 'svc-db': database, accept: JSON_TYPE }, { method: 'POST', body: text });

beforeAll(async () => {
  server = await startTestServer({ SVC_EXPERIMENTAL_GRAPHQL: 'true', SVC_MAX_GRAPHQL_BATCH: '3' });
  off = await startTestServer();
  expect((await sql(SETUP)).status).toBe(200);
  await sql('DEFINE CONFIG GRAPHQL AUTO INTROSPECTION NONE; DEFINE TABLE t', 'silent');
});
afterAll(() => Promise.all([server.close(), off.close()]));

describe('GET /graphql', () => {
  it('runs a query', async () => {
    const answer = await get({
      query: 'query one($id: ID!) { _get_person(id: $id) { name } } query two { person { id } }',
      variables: '{"id": "2"}',
      operationName: 'one',
      extensions: '{}',
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(await answer.json()).toEqual({ data: { _get_person: { name: 'Bob' } } });
  });

  it('answers in the form that is asked for', async () => {
    const answer = await get({ query: '{ person { name } }' }, { ...HEADERS, accept: JSON_TYPE });
    expect(await answer.json()).toMatchObject([{ status: 'OK', result: [{ name: 'Ann' }, { name: 'Bob' }] }]);
    expect((await get({ query: '{ person { name } }' }, { ...HEADERS, accept: 'image/png' })).status).toBe(406);
  });

  it.each([
    ['mutation { deletePerson(id: "9") { id } }', undefined],
    ['query a { person { id } } mutation b { x }', 'b'],
  ])('doesn’t run %s', async (query, operationName) => {
    await post({ query, ...(operationName && { operationName }) });
    for (const accept of [RESPONSE_TYPE, JSON_TYPE, '*/*']) {
      const answer = await get({ query, ...(operationName && { operationName }) }, { ...HEADERS, accept });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
      expect(await answer.text()).toMatch(/GET is for queries only: send a mutation by POST/);
    }
    // A document with a mutation in it may be read from all the same.
    if (operationName === 'b') expect((await get({ query, operationName: 'a' })).status).not.toBe(405);
  });

  it.each([
    [{}, 'graphql_request'],
    [{ query: '' }, 'graphql_request'],
    [{ query: '{ person { id } }', variables: '{' }, 'json_invalid'],
    [{ query: '{ person { id } }', variables: '[]' }, 'graphql_request'],
    [{ query: '{ person { id } }', extensions: '1' }, 'graphql_request'],
  ])('refuses %j', async (parameters, code) => {
    const answer = await get(parameters);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ errors: [{ extensions: { code } }] });
  });

  it('refuses a name that is given twice, and who hasn’t signed in', async () => {
    const twice = await call('/graphql?query={a}&query={b}', HEADERS);
    expect([twice.status, await twice.json()]).toMatchObject([400, { error: 'query_parameter_invalid' }]);
    const { authorization: _, ...guest } = HEADERS;
    expect((await get({ query: '{ person { id } }' }, guest)).status).toBe(403);
  });
});

describe('a batch', () => {
  const names = { query: '{ person { name } }' };

  it('is answered one after the other, each in the standard form', async () => {
    for (const accept of [RESPONSE_TYPE, JSON_TYPE]) {
      const answer = await post([names, { query: '{ nothing }' }, { variables: {} }], { accept });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toContain(accept);
      expect(await answer.json()).toMatchObject([
        { data: { person: [{ name: 'Ann' }, { name: 'Bob' }] } },
        { errors: [{ extensions: { code: 'graphql_invalid' } }] },
        { errors: [{ extensions: { code: 'graphql_request' } }] },
      ]);
    }
  });

  it.each([
    ['of nothing', [], 'graphql_request'],
    ['of too many', [names, names, names, names], 'graphql_limit'],
  ])('%s is refused', async (_, batch, code) => {
    const answer = await post(batch);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ errors: [{ extensions: { code } }] });
    expect((await post(batch, { accept: '*/*' })).status).toBe(400);
  });

  it('within another is refused', async () => {
    expect(await (await post([[names]])).json()).toMatchObject([
      { errors: [{ extensions: { code: 'graphql_request' } }] },
    ]);
  });

  it('has what one request may have', async () => {
    const frugal = await startTestServer({ SVC_EXPERIMENTAL_GRAPHQL: 'true', SVC_MAX_GRAPHQL_VALUES: '10' });
    const send = (path: string, body: string) =>
      fetch(`${frugal.url}${path}`, { method: 'POST', headers: { ...HEADERS, 'content-type': JSON_TYPE }, body });
    await fetch(`${frugal.url}/sql`, { method: 'POST', headers: { ...HEADERS, accept: JSON_TYPE }, body: SETUP });
    const answer = await send('/graphql', JSON.stringify(Array(6).fill({ query: '{ person { name } }' })));
    const codes = ((await answer.json()) as { errors?: { extensions: { code: string } }[] }[]).map(
      ({ errors }) => errors?.[0]?.extensions.code,
    );
    expect(codes[0]).toBe(undefined);
    expect(codes.at(-1)).toBe('graphql_limit');
    await frugal.close();
  });

  it('can be switched off', async () => {
    const single = await startTestServer({ SVC_EXPERIMENTAL_GRAPHQL: 'true', SVC_MAX_GRAPHQL_BATCH: '1' });
    const answer = await fetch(`${single.url}/graphql`, {
      method: 'POST',
      headers: { ...HEADERS, 'content-type': JSON_TYPE },
      body: JSON.stringify([names]),
    });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('--max-graphql-batch');
    await single.close();
  });
});

/** What a browser sends to foreign servers without asking them first: three types, and no headers of its own. */
describe('a foreign page', () => {
  const body = '{"query": "{ person { name } }"}';
  const boundary = 'multipart/form-data; boundary=x';
  it.each(['text/plain', 'application/x-www-form-urlencoded', boundary, 'TEXT/PLAIN; charset=utf-8', ''])(
    'can’t post as %j',
    async (type) => {
      for (const accept of [RESPONSE_TYPE, JSON_TYPE, '*/*']) {
        const headers = { ...HEADERS, accept, origin: 'https://elsewhere.example', 'content-type': type };
        const answer = await call('/graphql', headers, { method: 'POST', body: Buffer.from(body) });
        expect(answer.status).toBe(415);
      }
    },
  );

  it('can’t post without its origin either, where the browser says that it is a page', async () => {
    for (const site of ['cross-site', 'same-site', 'none']) {
      const headers = { ...HEADERS, accept: '*/*', 'sec-fetch-site': site, 'content-type': 'text/plain' };
      expect((await call('/graphql', headers, { method: 'POST', body })).status).toBe(415);
    }
  });

  it('can’t post as a guest', async () => {
    const { authorization: _, ...guest } = HEADERS;
    const headers = { ...guest, accept: '*/*', 'content-type': 'text/plain' };
    expect((await call('/graphql', headers, { method: 'POST', body })).status).not.toBe(200);
  });

  it('can’t say where either', async () => {
    const headers = { accept: JSON_TYPE, authorization, 'content-type': 'text/plain' };
    const answer = await call('/graphql', headers, { method: 'POST', body });
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: 'namespace_empty' }]);
  });
});

/** Sends headers as they are given and none besides, as `curl` does and `fetch` doesn't; answers with the status. */
function postBare(headers: Record<string, string>, body: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const posted = request(`${server.url}/graphql`, { method: 'POST', headers }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode));
    });
    posted.on('error', reject).end(body);
  });
}

/** Neither a page nor a browser sends these of itself. */
describe('credentials of one’s own', () => {
  const body = '{"query": "{ person { name } }"}';
  const TYPES = ['text/plain', 'application/x-www-form-urlencoded', 'TEXT/PLAIN; charset=utf-8', undefined];
  it.each(TYPES)('make %j do, as a password without a browser, or as a token', async (type) => {
    const signedIn = await fetch(`${server.url}/signin`, {
      method: 'POST',
      headers: { 'content-type': JSON_TYPE, accept: JSON_TYPE },
      body: JSON.stringify({ user: ROOT.username, pass: ROOT.password }),
    });
    const { token } = (await signedIn.json()) as { token: string };
    const page = { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' };
    for (const more of [{}, { authorization: `Bearer ${token}` }, { ...page, authorization: `Bearer ${token}` }]) {
      for (const accept of [RESPONSE_TYPE, JSON_TYPE, '*/*']) {
        const headers = { ...HEADERS, accept, ...(type !== undefined && { 'content-type': type }), ...more };
        expect([type, accept, await postBare(headers, body)]).toEqual([type, accept, 200]);
      }
    }
    for (const mark of Object.entries(page)) {
      const headers = { ...HEADERS, accept: '*/*', ...(type !== undefined && { 'content-type': type }) };
      expect([mark, await postBare({ ...headers, ...Object.fromEntries([mark]) }, body)]).toEqual([mark, 415]);
    }
  });

  it('don’t make another type JSON', async () => {
    for (const type of ['text/html', 'application/graphql', 'multipart/form-data; boundary=x']) {
      const answer = await call('/graphql', { ...HEADERS, 'content-type': type }, { method: 'POST', body });
      expect(answer.status).toBe(415);
    }
  });
});

describe('GET /graphql/schema.graphql', () => {
  const schema = (headers: Record<string, string> = {}) => call('/graphql/schema.graphql', { ...HEADERS, ...headers });

  it('is the schema, which the command line prints as well', async () => {
    const answer = await schema();
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    const text = await answer.text();
    expect(text).toContain('"""Somebody"""\ntype person implements record & Node {');
    for (const scheme of ['http', 'ws']) {
      expect(await read(server.url.replace('http', scheme), 'test')).toBe(text);
    }
  });

  it('has a tag that changes with it', async () => {
    const etag = (await schema()).headers.get('etag') ?? '';
    for (const known of [etag, `"x", W/${etag}`, '*']) {
      const again = await schema({ 'if-none-match': known });
      expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
    }
    await sql('DEFINE FIELD age ON person TYPE option<int>');
    const changed = await schema({ 'if-none-match': etag });
    expect(changed.status).toBe(200);
    expect(await changed.text()).toContain('age: Int');
  });

  it('isn’t served where introspection is switched off, nor to guests, nor without GraphQL', async () => {
    const silent = await schema({ 'svc-db': 'silent' });
    expect([silent.status, await silent.json()]).toMatchObject([403, { error: 'graphql_introspection_disabled' }]);
    const { authorization: _, ...guest } = HEADERS;
    expect((await call('/graphql/schema.graphql', guest)).status).toBe(403);
    expect((await fetch(`${off.url}/graphql/schema.graphql`, { headers: HEADERS })).status).toBe(404);
    await expect(read(server.url, 'silent')).rejects.toThrow('Introspection is switched off');
    await expect(read(off.url, 'test')).rejects.toThrow('GraphQL is switched off');
  });

  const read = (endpoint: string, db: string) => {
    const { username: user, password: pass } = ROOT;
    return readGraphqlSchema({ endpoint, user, pass, ns: 'test', db, authLevel: 'root' });
  };
});

describe('GET /graphql in a browser', () => {
  const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

  it('is a page that may talk to this server only', async () => {
    const answer = await call('/graphql', BROWSER);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|http|\*/);
    const page = await answer.text();
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1];
    expect(page).toContain(`nonce="${nonce}"`);
    expect((await (await call('/graphql', BROWSER)).text()).includes(`${nonce}`)).toBe(false);

    const files = [...page.matchAll(/(?:src|href)="(\/graphql\/[^"]+)"/g)].map(([, path = '']) => path);
    expect(files.length).toBe(2);
    for (const path of files) {
      const file = await call(path, {});
      expect(file.status).toBe(200);
      expect(file.headers.get('cache-control')).toContain('immutable');
      expect((await file.arrayBuffer()).byteLength).toBeGreaterThan(1000);
      const etag = file.headers.get('etag') ?? '';
      expect((await call(path, { 'if-none-match': etag })).status).toBe(304);
    }
  });

  it('answers queries of browsers as those of other clients', async () => {
    const answer = await get({ query: '{ person { id } }' }, { ...HEADERS, ...BROWSER });
    expect(answer.headers.get('content-type')).toContain(JSON_TYPE);
    expect(await answer.json()).toMatchObject({ data: { person: [{}, {}] } });
  });

  it.each(['index.html', 'page.js', '..%2f..%2fpackage.json', '%2e%2e/package.json', '__proto__', ''])(
    'serves no file %j',
    async (name) => {
      const answer = await call(`/graphql/${name}`, HEADERS);
      expect([400, 404]).toContain(answer.status);
      expect(await answer.text()).not.toContain('tesseradb');
    },
  );

  it('isn’t there without GraphQL', async () => {
    const answer = await fetch(`${off.url}/graphql`, { headers: BROWSER });
    expect([answer.status, await answer.json()]).toMatchObject([404, { error: 'graphql_disabled' }]);
  });
});

describe('signing in', () => {
  it('needs no sign-in, and its token opens the rest', async () => {
    await sql(`DEFINE TABLE reader PERMISSIONS FOR select WHERE id = $auth.id; DEFINE FIELD name ON reader TYPE string;
      DEFINE ACCESS readers ON DATABASE TYPE RECORD SIGNUP (CREATE reader SET name = $name) SIGNIN (SELECT * FROM reader WHERE name = $name)`);
    const { authorization: _, ...nobody } = HEADERS;
    const ask = async (query: string, more: Record<string, string> = {}) => {
      const headers = { ...nobody, 'content-type': JSON_TYPE, ...more };
      const answer = await call('/graphql', headers, { method: 'POST', body: JSON.stringify({ query }) });
      return (await answer.json()) as { data?: { signUp: { token: string } }; errors?: unknown };
    };
    const { data } = await ask('mutation { signUp(access: "readers", variables: {name: "Cy"}) { token } }');
    const bearer = { authorization: `Bearer ${data?.signUp.token}` };
    expect(await ask('{ reader { name } }', bearer)).toEqual({ data: { reader: [{ name: 'Cy' }] } });
    expect(await ask('mutation { signOut }', bearer)).toEqual({ data: { signOut: true } });
    expect(await ask('{ reader { name } }', bearer)).not.toHaveProperty('data');
    expect(await ask('{ reader { name } }')).not.toHaveProperty('data');
  });
});

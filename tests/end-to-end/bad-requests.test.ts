/** Requests that are wrong in every way: each gets its documented error, and the server and its data outlive them all. */
import { request as httpRequest } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { cleanUp, ROOT, type ServerProcess, startServer } from '../support/server-process.js';
import { asRoot, basic, FORMATS, RpcSocket, SHOP, SHOP_HEADERS, send, tokenOf } from './clients.js';

let server: ServerProcess;
let token: string;
beforeAll(async () => {
  server = await startServer(undefined, { SVC_EXPERIMENTAL_GRAPHQL: 'true' });
  await asRoot(
    server.url,
    'DEFINE TABLE kept; CREATE kept:1 SET text = "still here"; DEFINE CONFIG GRAPHQL AUTO',
    ROOT,
  );
  token = await tokenOf(server.url, 'signin', ROOT);
}, 60_000);
afterAll(cleanUp);

afterEach(async () => {
  expect(server.isAlive()).toBe(true);
  expect(await asRoot(server.url, 'SELECT VALUE text FROM kept', ROOT)).toEqual([['still here']]);
});

const JSON_TYPES = { accept: 'application/json', 'content-type': 'application/json' };
const CBOR_TYPES = { accept: 'application/cbor', 'content-type': 'application/cbor' };
const DEEP = 100_000;
const nested = (open: string, close: string) => open.repeat(DEEP) + close.repeat(DEEP);
const latin1 = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'));

describe('over HTTP', () => {
  type Body = string | Uint8Array<ArrayBuffer>;
  const signedIn = () => ({ authorization: `Bearer ${token}`, ...SHOP_HEADERS });
  const cases: readonly (readonly [
    what: string,
    path: string,
    headers: Record<string, string>,
    body: Body,
    status: number,
    error: string,
  ])[] = [
    ['a wrong password', '/signin', JSON_TYPES, '{"user":"root","pass":"wrong"}', 401, 'invalid_auth'],
    ['an unknown user', '/signin', JSON_TYPES, '{"user":"nobody","pass":"wrong"}', 401, 'invalid_auth'],
    ['an unknown namespace', '/signin', JSON_TYPES, '{"NS":"nope","user":"a","pass":"b"}', 401, 'invalid_auth'],
    ['an unknown access', '/signin', JSON_TYPES, '{"NS":"shop","DB":"music","AC":"nope"}', 401, 'invalid_auth'],
    ['no password', '/signin', JSON_TYPES, '{"user":"root"}', 400, 'missing_user_or_pass'],
    ['no credentials', '/signin', JSON_TYPES, '{}', 400, 'missing_user_or_pass'],
    ['credentials of another type', '/signin', JSON_TYPES, '{"user":1,"pass":[]}', 400, 'malformed_credentials'],
    ['credentials that are a list', '/signin', JSON_TYPES, '[]', 400, 'malformed_request'],
    ['half of a JSON text', '/signin', JSON_TYPES, '{"user":"root","pa', 400, 'json_invalid'],
    ['nothing', '/signin', JSON_TYPES, '', 400, 'json_invalid'],
    ['no access method', '/signup', JSON_TYPES, '{"NS":"shop","DB":"music"}', 400, 'invalid_signup'],
    ['credentials of 5 KiB', '/signin', JSON_TYPES, `{"user":"${'x'.repeat(5000)}"}`, 413, 'body_too_large'],
    ['a wrong content type', '/signin', { 'content-type': 'text/xml' }, '<a/>', 415, 'unsupported_media_type'],
    ['an unknown type of answer', '/sql', { accept: 'text/html' }, 'RETURN 1', 406, 'not_acceptable'],
    ['nobody signed in', '/sql', { authorization: '' }, 'RETURN 1', 403, 'not_allowed'],
    ['a wrong token', '/sql', { authorization: 'Bearer a.b.c' }, 'RETURN 1', 401, 'invalid_auth'],
    ['a wrong scheme', '/sql', { authorization: 'Digest x' }, 'RETURN 1', 401, 'unsupported_authorization'],
    ['a wrong Basic password', '/sql', basic('root', 'wrong'), 'RETURN 1', 401, 'invalid_auth'],
    ['two namespaces', '/sql', { 'surreal-ns': 'other' }, 'RETURN 1', 400, 'header_conflict'],
    ['a parse error', '/sql', {}, 'CREATE kept:2; SELECT FROM WHERE', 400, 'parse_error'],
    ['NUL in a text', '/sql', {}, 'RETURN "a\u0000b"', 400, 'parse_error'],
    ['NUL between words', '/sql', {}, 'RETURN \u0000 1', 400, 'parse_error'],
    ['NUL in a name', '/signin', JSON_TYPES, '{"user":"ro\\u0000ot","pass":"x"}', 401, 'invalid_auth'],
    ['a deep expression', '/sql', {}, `RETURN ${nested('(', ')')}`, 400, 'query_too_deep'],
    ['a deep list', '/sql', {}, `RETURN ${nested('[', ']')}`, 400, 'query_too_deep'],
    ['deep subqueries', '/sql', {}, `${'SELECT * FROM ('.repeat(DEEP / 2)}`, 400, 'query_too_deep'],
    ['a deep type', '/sql', {}, `RETURN <${'array<'.repeat(DEEP)}`, 400, 'query_too_deep'],
    ['a long chain', '/sql', {}, `RETURN ${'!'.repeat(DEEP)}1`, 400, 'query_too_deep'],
    ['text that is not UTF-8', '/sql', {}, latin1('RETURN "\xff\xfe"'), 400, 'malformed_request'],
    ['a body of 2 MiB', '/sql', {}, `RETURN "${'x'.repeat(2 ** 21)}"`, 413, 'body_too_large'],
    ['JSON that is cut off', '/rpc', JSON_TYPES, '{"id":1,"method":"que', 400, 'json_invalid'],
    ['JSON that is deep', '/rpc', JSON_TYPES, nested('[', ']'), 400, 'nesting_too_deep'],
    ['JSON that is not UTF-8', '/rpc', JSON_TYPES, latin1('{"method":"\xc3\x28"}'), 400, 'malformed_request'],
    ['CBOR that is cut off', '/rpc', CBOR_TYPES, new Uint8Array([0xa3, 0x62, 0x69]), 400, 'cbor_invalid'],
    ['CBOR that is deep', '/rpc', CBOR_TYPES, new Uint8Array(DEEP).fill(0x81), 400, 'nesting_too_deep'],
    [
      'CBOR with a huge length',
      '/rpc',
      CBOR_TYPES,
      new Uint8Array([0x9b, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]),
      400,
      'cbor_invalid',
    ],
    ['RPC of another type', '/rpc', { 'content-type': 'text/plain' }, '{}', 415, 'unsupported_media_type'],
    ['an unknown address', '/nowhere', {}, '', 404, 'route_missing'],
    ['a method that does not fit', '/health', {}, '', 405, 'http_method_unsupported'],
  ];

  it.each(cases)('%s at %s', async (_what, path, headers, body, status, error) => {
    const all: Record<string, string> = { accept: 'application/json', ...signedIn(), ...headers };
    if (all['authorization'] === '') delete all['authorization'];
    const answer = await send(`${server.url}${path}`, all, body);
    const found =
      answer.headers.get('content-type') === 'application/cbor'
        ? FORMATS.CBOR.decode(answer.bytes)
        : JSON.parse(answer.text);
    expect({ status: answer.status, error: (found as { error: unknown }).error }).toEqual({ status, error });
    expect(answer.text).not.toContain(token);
    if (status === 401) expect(answer.headers.get('www-authenticate')).toMatch(/^(Bearer|Basic)/);
  });

  it('a parse error runs nothing of the text', async () => {
    expect(await asRoot(server.url, 'SELECT * FROM kept:2', ROOT)).toEqual([[]]);
  });

  it('an unknown namespace is empty for root', async () => {
    const headers = {
      accept: 'application/json',
      authorization: `Bearer ${token}`,
      'svc-ns': 'nope',
      'svc-db': 'nope',
    };
    const { status, text } = await send(`${server.url}/sql`, headers, 'SELECT * FROM kept');
    expect({ status, entry: JSON.parse(text)[0] }).toMatchObject({ status: 200, entry: { status: 'ERR' } });
  });

  it('without headers there is nowhere to run', async () => {
    const headers = { accept: 'application/json', authorization: `Bearer ${token}` };
    const { status, text } = await send(`${server.url}/sql`, headers, 'SELECT * FROM kept; RETURN 1');
    expect({ status, entries: JSON.parse(text) }).toMatchObject({
      status: 200,
      entries: [
        { status: 'ERR', result: 'Specify a namespace to use' },
        { status: 'OK', result: 1 },
      ],
    });
  });

  it('keeps NUL bytes and __proto__ as the data they are', async () => {
    const params = ['odd:1', JSON.parse('{"__proto__":{"polluted":1},"constructor":2,"toString":3,"nul":"a\\u0000b"}')];
    const body = JSON.stringify({ id: 1, method: 'create', params });
    const { text } = await send(`${server.url}/rpc`, { ...JSON_TYPES, ...signedIn() }, body);
    const stored = '"__proto__":{"polluted":1},"constructor":2,"id":"odd:1","nul":"a\\u0000b","toString":3';
    expect(text).toContain(stored);
    expect(
      (await send(`${server.url}/sql`, { ...signedIn(), accept: 'application/json' }, 'SELECT * FROM odd')).text,
    ).toContain(stored);
    expect(await asRoot(server.url, 'RETURN {}.polluted', ROOT)).toEqual([null]);
    expect(await asRoot(server.url, 'CREATE odd:`__proto__`; RETURN {}.polluted', ROOT)).toHaveLength(2);
    expect(await asRoot(server.url, 'DELETE odd RETURN NONE', ROOT)).toEqual([[]]);
  });

  it('survives a client that goes away in the middle of its body', async () => {
    for (let count = 0; count < 20; count++) {
      const { hostname, port } = new URL(server.url);
      const headers = { 'content-length': '1000', ...signedIn() };
      const request = httpRequest({ host: hostname, port, path: '/sql', method: 'POST', headers });
      const closed = new Promise((resolve) => request.on('close', resolve).on('error', resolve));
      request.write('CREATE half', () => request.destroy());
      await closed;
    }
    expect(await asRoot(server.url, 'RETURN 1', ROOT)).toEqual([1]);
  });
});

describe('over RPC', () => {
  const cases = [
    ['an unknown method', { id: 1, method: 'nope' }, -32601],
    ['a method of an object', { id: 1, method: 'constructor' }, -32601],
    ['no method', { id: 1 }, -32600],
    ['params that are no list', { id: 1, method: 'query', params: 5 }, -32603],
    ['too few params', { id: 1, method: 'query', params: [] }, -32603],
    ['a query that is no text', { id: 1, method: 'query', params: [{ a: 1 }] }, -32603],
    ['variables that are no object', { id: 1, method: 'query', params: ['RETURN 1', 5] }, -32603],
    ['a protected variable', { id: 1, method: 'let', params: ['auth', 1] }, -32603],
    ['a parse error', { id: 1, method: 'query', params: ['SEL ECT'] }, -32000],
    ['a wrong password', { id: 1, method: 'signin', params: [{ user: 'root', pass: 'wrong' }] }, -32002],
    ['a token that is none', { id: 1, method: 'authenticate', params: ['nonsense'] }, undefined],
    [
      'an unknown transaction',
      { id: 1, method: 'commit', params: ['018f4e3a-7c1b-7def-8123-456789abcdef'] },
      undefined,
    ],
  ] as const;

  it.each(
    Object.entries(FORMATS).flatMap(([name, format]) =>
      cases.map(([what, ...row]) => [name, what, format, ...row] as const),
    ),
  )('%s: %s', async (_name, _what, format, message, code) => {
    const socket = await RpcSocket.open(server.rpcUrl, format);
    await socket.ask('signin', ROOT);
    socket.sendRaw(format.encode({ ...message, id: 'mine' }));
    await expect
      .poll(() => socket.stray(), { timeout: 5_000, interval: 10 })
      .toMatchObject({
        id: 'mine',
        error: { code: code ?? expect.any(Number), message: expect.any(String), kind: expect.any(String) },
      });
    // The connection goes on, and its session with it.
    expect(await socket.query('RETURN 1')).toEqual([1]);
    socket.close();
  });

  it.each([
    ['JSON that is cut off', FORMATS.JSON, '{"id":1,'],
    ['JSON that is deep', FORMATS.JSON, nested('[', ']').slice(0, 60_000)],
    ['a JSON number', FORMATS.JSON, '5'],
    ['CBOR that is cut off', FORMATS.CBOR, new Uint8Array([0xa3, 0x62, 0x69])],
    ['CBOR that is deep', FORMATS.CBOR, new Uint8Array(60_000).fill(0x81)],
    ['an unknown CBOR tag', FORMATS.CBOR, new Uint8Array([0xda, 0xff, 0xff, 0, 0, 0x01])],
    ['no bytes', FORMATS.CBOR, new Uint8Array()],
  ])('%s is answered, and the connection goes on', async (_what, format, bytes) => {
    const socket = await RpcSocket.open(server.rpcUrl, format);
    socket.sendRaw(bytes);
    const answer = { error: { code: expect.any(Number), message: expect.any(String) } };
    await expect.poll(() => socket.stray(), { timeout: 5_000, interval: 10 }).toMatchObject(answer);
    expect(await socket.call('ping')).toMatchObject({ result: null });
    socket.close();
  });

  it('a message that is too large ends the connection, and no other', async () => {
    const other = await RpcSocket.open(server.rpcUrl);
    const socket = await RpcSocket.open(server.rpcUrl);
    await expect(socket.call('ping', 'x'.repeat(100_000))).rejects.toThrow('The connection is gone');
    expect(await other.call('ping')).toMatchObject({ result: null });
    await expect(RpcSocket.open(server.rpcUrl).then((again) => again.ask('ping'))).resolves.toBeNull();
    other.close();
  });

  it('a query without an end is stopped by its own limits', async () => {
    const socket = await RpcSocket.open(server.rpcUrl);
    await socket.ask('signin', ROOT);
    await socket.ask('use', SHOP.namespace, SHOP.database);
    const [entry] = (await socket.ask(
      'query',
      'SELECT * FROM kept WHERE (FOR $i IN 0..100000000 {}) TIMEOUT 50ms',
    )) as [{ status: string; result: string }];
    expect(entry).toMatchObject({ status: 'ERR', result: expect.stringContaining('exceeded the timeout') });
    await socket.query('DEFINE FUNCTION fn::again($n: int) { RETURN fn::again($n + 1) }');
    const [deep] = (await socket.ask('query', 'fn::again(0)')) as [{ status: string; result: string }];
    expect(deep).toMatchObject({ status: 'ERR', result: expect.stringMatching(/depth/i) });
    socket.close();
  });
});

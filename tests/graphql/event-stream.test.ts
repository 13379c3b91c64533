/** GraphQL as server-sent events, with the client that people use and with bare requests. */
import { connect } from 'node:net';
import { createClient } from 'graphql-sse';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { objectFrom } from '../../src/value/value.js';
import { LiveServer, quiet } from '../support/graphql-live-server.js';
import { run } from '../support/world.js';

let server: LiveServer;
beforeEach(async () => {
  server = await LiveServer.open();
});
afterEach(() => server.close());

const ALL = 'subscription { note { action id record { text } } }';
const HEADERS = { 'svc-ns': 'test', 'svc-db': 'test', accept: 'text/event-stream', 'content-type': 'application/json' };

const post = (body: unknown, headers: Record<string, string> = {}) =>
  fetch(`http://${server.address}/graphql`, {
    method: 'POST',
    headers: { ...HEADERS, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

/** Reads a stream as it comes. */
function reader(response: Response) {
  const stream = (response.body as ReadableStream<Uint8Array>).getReader();
  const heard = { text: '', end: undefined as string | undefined };
  void (async () => {
    const decoder = new TextDecoder();
    try {
      for (let { done, value } = await stream.read(); !done; { done, value } = await stream.read()) {
        heard.text += decoder.decode(value, { stream: true });
      }
      heard.end = 'ended';
    } catch {
      heard.end = 'cut off';
    }
  })();
  return { heard, stop: () => stream.cancel() };
}

const COMPLETE = 'event: complete\ndata:\n\n';
const next = (json: string) => `event: next\ndata: ${json}\n\n`;
const event = (action: string, id: string, text: string) =>
  next(`{"data":{"note":{"action":"${action}","id":"${id}","record":{"text":"${text}"}}}}`);

describe('a stream', () => {
  it('sends changes until the client goes away', async () => {
    const token = server.world.tokenOf(await server.world.person('ann'));
    const response = await post({ query: ALL }, { authorization: `Bearer ${token}` });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(response.headers.get('cache-control')).toBe('no-store');
    const { heard, stop } = reader(response);
    await expect.poll(() => server.lives()).toHaveLength(1);
    await run(server.world.owner, "CREATE note:1 SET owner = user:ann, text = 'a\\nb'; CREATE note:2; DELETE note:1");
    const text = 'a\\nb';
    await expect.poll(() => heard.text).toBe(event('CREATE', 'note:1', text) + event('DELETE', 'note:1', text));
    await stop();
    await expect.poll(() => server.lives()).toEqual([]);
  });

  it('begins by GET, too', async () => {
    const query = new URLSearchParams({ query: ALL });
    const response = await fetch(`http://${server.address}/graphql?${query}`, { headers: HEADERS });
    const { heard, stop } = reader(response);
    await expect.poll(() => server.lives()).toHaveLength(1);
    await run(server.world.owner, "CREATE note:1 SET public = true, text = 'a'");
    await expect.poll(() => heard.text).toBe(event('CREATE', 'note:1', 'a'));
    await stop();
  });

  it.each([
    ['{ note { id } }', '{"data":{"note":[]}}'],
    ['{ nothing }', 'Cannot query field \\"nothing\\"'],
    ['{ note', 'graphql_syntax'],
    ['subscription { note(filter: {text: null}) { id } }', 'graphql_argument'],
    ['query a { note { id } } query b { note { id } }', 'graphql_operation'],
  ])('answers %s once', async (query, text) => {
    const answer = await (await post({ query })).text();
    expect(answer.startsWith('event: next\ndata: {')).toBe(true);
    expect(answer).toContain(text);
    expect(answer.endsWith(COMPLETE)).toBe(true);
  });

  it.each<[number, () => Promise<Response>]>([
    [400, () => post('{')],
    [400, () => post([])],
    [400, () => post({ query: ALL }, { 'svc-ns': '' })],
    [401, () => post({ query: ALL }, { authorization: 'Bearer x' })],
    [415, () => post({ query: ALL }, { 'content-type': 'text/plain' })],
  ])('does not begin with the status %i', async (status, send) => {
    expect((await send()).status).toBe(status);
    expect(await server.lives()).toEqual([]);
  });

  it('does not write by GET', async () => {
    const query = new URLSearchParams({ query: 'mutation { deleteNote(id: "1") { id } }' });
    const response = await fetch(`http://${server.address}/graphql?${query}`, { headers: HEADERS });
    expect(await response.text()).toContain('graphql_query_only');
  });

  it('is for those alone who would not take JSON', async () => {
    const json = 'application/graphql-response+json';
    const response = await post({ query: '{ note { id } }' }, { accept: `${json}, text/event-stream` });
    expect(response.headers.get('content-type')).toContain(json);
    const refused = await post({ query: ALL }, { accept: `${json}, text/event-stream` });
    expect(await refused.json()).toMatchObject({ errors: [{ extensions: { code: 'graphql_not_streamed' } }] });
  });

  it('counts as a connection as long as it lasts', async () => {
    await server.close();
    server = await LiveServer.open({ options: { limits: { connectionsPerAddress: 1 } } });
    const { stop } = reader(await post({ query: ALL }));
    expect((await post({ query: ALL })).status).toBe(503);
    await stop();
    await expect.poll(async () => (await post({ query: '{ note { id } }' })).status).toBe(200);
  });
});

test('the official client', async () => {
  const token = server.world.tokenOf(await server.world.person('ann'));
  const { accept: _, 'content-type': __, ...headers } = HEADERS;
  const client = createClient({
    url: `http://${server.address}/graphql`,
    headers: { ...headers, authorization: `Bearer ${token}` },
    retryAttempts: 0,
  });
  const answers = client.iterate({ query: ALL });
  const first = answers.next();
  await expect.poll(() => server.lives()).toHaveLength(1);
  await run(server.world.owner, "CREATE note:1 SET owner = user:ann, text = 'a'");
  expect(await first).toEqual({
    done: false,
    value: { data: { note: { action: 'CREATE', id: 'note:1', record: { text: 'a' } } } },
  });
  await answers.return?.();
  await expect.poll(() => server.lives()).toEqual([]);
  expect(await client.iterate({ query: '{ note { id } }' }).next()).toMatchObject({
    value: { data: { note: [{ id: 'note:1' }] } },
  });
});

describe('a stream ends', () => {
  const open = async () => {
    await run(
      server.world.owner,
      `DEFINE ACCESS OVERWRITE people ON DATABASE TYPE RECORD SIGNUP (CREATE type::record('user', $name) SET name = $name)
         SIGNIN (SELECT * FROM user WHERE name = $name) DURATION FOR SESSION 1h`,
    );
    const token = server.world.tokenOf(await server.world.person('ann'));
    const opened = reader(await post({ query: ALL }, { authorization: `Bearer ${token}` }));
    await expect.poll(() => server.lives()).toHaveLength(1);
    return opened;
  };

  test.each<[string, string, () => unknown]>([
    ['the session expires', 'session_expired', () => server.environment.advance(3_600_000)],
    ['the user is removed', 'session_expired', () => run(server.world.owner, 'DELETE user:ann')],
    ['the table is removed', 'table_missing', () => run(server.world.owner, 'REMOVE TABLE note')],
  ])('when %s', async (_, code, end) => {
    const { heard } = await open();
    await end();
    await expect.poll(() => heard.end).toBe('ended');
    expect(heard.text).toContain(`"code":"${code}"`);
    expect(heard.text.endsWith(COMPLETE)).toBe(true);
  });

  test('unfinished when the server shuts down', async () => {
    const { heard } = await open();
    await server.app.close();
    await expect.poll(() => heard.end).toBeDefined();
    expect(heard.text).not.toContain('complete');
  });

  test('with its client, and a hundred of them leave nothing behind', async () => {
    for (let round = 0; round < 100; round++) {
      const { stop } = reader(await post({ query: ALL }));
      await stop();
    }
    await expect.poll(() => server.lives()).toEqual([]);
  });
});

test('heartbeats go out between events, and who reads nothing is cut off', async () => {
  await server.close();
  server = await LiveServer.open({ options: { pingInterval: 1_000 } });
  const { heard, stop } = reader(await post({ query: ALL }));
  await expect.poll(() => server.lives()).toHaveLength(1);
  server.environment.advance(1_000);
  await expect.poll(() => heard.text).toBe(':\n\n');
  await stop();
  await expect.poll(() => server.lives()).toEqual([]);

  const [host = '', port] = server.address.split(':');
  const lazy = connect(Number(port), host);
  const body = JSON.stringify({ query: ALL });
  const head = Object.entries({ ...HEADERS, host, 'content-length': body.length }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  lazy.write(`POST /graphql HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n${body}`);
  lazy.on('error', () => {});
  await expect.poll(() => server.lives()).toHaveLength(1);
  lazy.pause();
  await run(
    server.world.owner,
    'FOR $i IN 0..30 { CREATE note SET public = true, text = $text }',
    objectFrom({ text: 'x'.repeat(1_000_000) }),
  );
  await quiet();
  await expect
    .poll(async () => {
      server.environment.advance(1_000);
      await quiet();
      return server.lives();
    })
    .toEqual([]);
  lazy.destroy();
});

/** GraphQL over WebSockets, with the client that people use and with bare sockets. */
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { objectFrom } from '../../src/value/value.js';
import { type Heard, LiveServer } from '../support/graphql-live-server.js';
import { atLeast } from '../support/timeouts.js';
import { run } from '../support/world.js';

let server: LiveServer;
beforeEach(async () => {
  server = await LiveServer.open();
});
afterEach(() => server.close());

const ALL = 'subscription { note { action id record { text } } }';
const INIT = { type: 'connection_init', payload: { 'svc-ns': 'test', 'svc-db': 'test' } };
const ACK = { type: 'connection_ack' };
const subscribe = (id: string, query = ALL, variables?: object) => ({
  id,
  type: 'subscribe',
  payload: { query, variables },
});

async function tokenOf(name: string): Promise<string> {
  return server.world.tokenOf(await server.world.person(name)) ?? '';
}

/** What a client gets of a subscription, and a promise of its end. */
function listen(client: ReturnType<LiveServer['client']>, query = ALL) {
  const heard: unknown[] = [];
  let stop = () => {};
  const end = new Promise<unknown>((resolve) => {
    stop = client.subscribe(
      { query },
      { next: (value) => heard.push(value), error: resolve, complete: () => resolve('complete') },
    );
  });
  return { heard, end, stop: () => stop() };
}

describe('the official client', () => {
  it('receives changes until it completes the subscription', async () => {
    const client = server.client({ Authorization: `Bearer ${await tokenOf('ann')}` });
    const { heard, end, stop } = listen(client);
    await expect.poll(() => server.lives()).toHaveLength(1);
    await run(
      server.world.owner,
      "CREATE note:1 SET owner = user:ann, text = 'a'; CREATE note:2 SET text = 'hidden'; UPDATE note:1 SET text = 'b'; DELETE note:1",
    );
    await expect.poll(() => heard).toHaveLength(3);
    expect(heard).toEqual([
      { data: { note: { action: 'CREATE', id: 'note:1', record: { text: 'a' } } } },
      { data: { note: { action: 'UPDATE', id: 'note:1', record: { text: 'b' } } } },
      { data: { note: { action: 'DELETE', id: 'note:1', record: { text: 'b' } } } },
    ]);
    stop();
    expect(await end).toBe('complete');
    await expect.poll(() => server.lives()).toEqual([]);
    await client.dispose();
  });

  it('runs queries', async () => {
    const client = server.client({ token: await tokenOf('ann') });
    await run(server.world.owner, "CREATE note:1 SET owner = user:ann, text = 'a'");
    const answers: unknown[] = [];
    for await (const answer of client.iterate({ query: '{ note { text } }' })) answers.push(answer);
    expect(answers).toEqual([{ data: { note: [{ text: 'a' }] } }]);
    await expect(client.iterate({ query: '{ nothing }' }).next()).rejects.toMatchObject([
      { message: 'Cannot query field "nothing" on type "Query".', extensions: { code: 'graphql_invalid' } },
    ]);
    await client.dispose();
  });

  it('names documents by their ids', async () => {
    await server.close();
    server = await LiveServer.open({}, { trusted: { documents: new Map([['a', '{ note { text } }']]), only: true } });
    const client = server.client({ token: await tokenOf('ann') });
    const extensions = { persistedQuery: { version: 1, sha256Hash: 'a' } };
    const { value } = await client.iterate({ query: '', extensions }).next();
    expect(value).toEqual({ data: { note: [] } });
    await expect(client.iterate({ query: '{ note { id } }' }).next()).rejects.toMatchObject([
      { extensions: { code: 'graphql_document_untrusted' } },
    ]);
    await client.dispose();
  });

  it.each([
    ['a wrong password', { Authorization: `Basic ${btoa('root:wrong')}` }, 4403],
    ['a wrong token', { token: 'a.b.c' }, 4403],
    ['no known scheme', { Authorization: 'Digest x' }, 4403],
    ['two namespaces', { 'surreal-ns': 'other' }, 4400],
    ['a namespace that is none', { 'svc-ns': '' }, 4400],
    ['a number as database', { 'svc-db': 5 }, 4400],
  ])('is refused with %s', async (_, params, code) => {
    const closed = new Promise((resolve) => {
      const client = server.client(params, resolve);
      client.subscribe({ query: ALL }, { next: () => {}, error: () => {}, complete: () => {} });
    });
    expect(await closed).toMatchObject({ code });
  });
});

describe('who asks and where', () => {
  const typename = async (path: string, headers: Record<string, string>, payload?: object) => {
    const { say, heard } = await server.socket(path, headers);
    say({ type: 'connection_init', ...(payload && { payload }) }, subscribe('1', '{ note { text } }'));
    await expect.poll(() => heard.length).toBeGreaterThan(1);
    return heard[1];
  };
  const EMPTY = { id: '1', type: 'next', payload: { data: { note: [] } } };

  it.each([
    ['the upgrade has headers', '/graphql', { 'svc-ns': 'test', 'Surreal-DB': 'test' }, undefined],
    ['the query string says so', '/graphql/?ns=test&db=test', {}, undefined],
    ['the payload says so', '/graphql', {}, { 'Surreal-NS': 'test', 'svc-db': 'test' }],
    ['the payload says the rest', '/graphql?ns=test', {}, { db: 'test' }],
    ['the payload knows better', '/graphql?ns=other', {}, INIT.payload],
  ])('is known when %s', async (_, path, headers, payload) => {
    expect(await typename(path, headers as Record<string, string>, payload)).toEqual(EMPTY);
  });

  it('is known from a token alone', async () => {
    const authorization = `Bearer ${await tokenOf('ann')}`;
    expect(await typename('/graphql', { authorization })).toEqual(EMPTY);
    expect(await typename('/graphql', {}, { AUTHORIZATION: authorization })).toEqual(EMPTY);
  });

  it.each([
    ['/graphql', { authorization: 'Bearer wrong' }, undefined, '401'],
    ['/graphql?ns=a', { 'svc-ns': 'b' }, undefined, '400'],
    ['/graphql', {}, 'json', '400'],
    ['/graphql', {}, '', '400'],
    ['/graphql/x', {}, undefined, '404'],
  ])('refuses the upgrade (%#)', async (path, headers, protocol, status) => {
    await expect(server.socket(path, headers as Record<string, string>, protocol)).rejects.toThrow(status);
  });

  it('refuses foreign pages, too many connections, and all where GraphQL is off', async () => {
    await server.close();
    server = await LiveServer.open({
      options: { allowedOrigins: ['https://good'], limits: { connectionsPerAddress: 1 } },
    });
    await expect(server.socket('/graphql', { origin: 'https://evil' })).rejects.toThrow('403');
    await server.socket();
    await expect(server.socket('/rpc', {}, 'json')).rejects.toThrow('503');
    await server.close();
    server = await LiveServer.open({ graphqlSocket: undefined });
    await expect(server.socket()).rejects.toThrow('404');
  });
});

describe('the protocol', () => {
  it.each<[string, unknown[], number]>([
    ['who subscribes before it is known', [subscribe('1')], 4401],
    ['who says twice who it is', [INIT, INIT], 4429],
    ['who says no namespace', [{ type: 'connection_init' }], 4400],
    ['who gives an id twice', [INIT, subscribe('1'), subscribe('1')], 4409],
    ['what is no JSON', ['{'], 4400],
    ['what is too deep', [`${'['.repeat(10_000)}`], 4400],
    ['what is no message', ['[]'], 4400],
    ['an unknown kind of message', [INIT, { type: 'start', id: '1', payload: {} }], 4400],
    ['a subscription without a query', [INIT, { type: 'subscribe', id: '1', payload: {} }], 4400],
    ['a message of the server', [INIT, { type: 'connection_ack' }], 4400],
  ])('closes for %s', async (_, messages, code) => {
    const { say, heard } = await server.socket();
    say(...messages);
    await expect.poll(() => heard.at(-1)).toMatchObject({ code });
    await expect.poll(() => server.lives()).toEqual([]);
  });

  it('closes for binary messages', async () => {
    const { socket, heard } = await server.socket();
    socket.send(Buffer.from(JSON.stringify(INIT)));
    await expect.poll(() => heard).toEqual([{ code: 1003, reason: 'This connection speaks JSON, in text messages' }]);
  });

  it('closes for who does not say who it is', async () => {
    const { heard } = await server.socket();
    const known = await server.socket();
    known.say(INIT);
    await expect.poll(() => known.heard).toEqual([ACK]);
    server.environment.advance(3_000);
    await expect.poll(() => heard.at(-1)).toMatchObject({ code: 4408 });
    expect(known.heard).toEqual([ACK]);
  });

  it('answers pings at any time', async () => {
    const { say, heard } = await server.socket();
    say({ type: 'ping', payload: { a: 1 } }, INIT, { type: 'ping' });
    await expect.poll(() => heard).toEqual([{ type: 'pong', payload: { a: 1 } }, ACK, { type: 'pong' }]);
  });

  it('answers in the order of messages, and keeps integers whole', async () => {
    const { say, heard, socket } = await server.socket();
    const raw: string[] = [];
    socket.on('message', (data) => raw.push(String(data)));
    const query = 'query ($n: Int) { note(filter: {size: {eq: $n}}) { size } }';
    const big = `{"id":"b","type":"subscribe","payload":{"query":"${query}","variables":{"n":9223372036854775807}}}`;
    await run(
      server.world.owner,
      'CREATE note SET public = true, size = 9223372036854775807; CREATE note SET public = true, size = 9223372036854775806',
    );
    say(
      INIT,
      subscribe('s'),
      big,
      subscribe('a', '{ nothing }'),
      { id: 's', type: 'complete' },
      subscribe('s', '{ note(limit: 0) { id } }'),
    );
    await expect
      .poll(() => heard.map((each) => `${'type' in each && each['type']} ${'id' in each && each['id']}`))
      .toEqual(['connection_ack false', 'next b', 'complete b', 'error a', 'next s', 'complete s']);
    expect(raw[1]).toBe('{"id":"b","type":"next","payload":{"data":{"note":[{"size":9223372036854775807}]}}}');
  });

  it('reports the client’s errors alone, and goes on', async () => {
    const { say, heard } = await server.socket();
    const typed = { id: '2', type: 'subscribe', payload: { query: '{ a }', variables: {}, operationName: 'x' } };
    say(
      INIT,
      subscribe('1', 'subscription { note(filter: {text: null}) { id } }'),
      typed,
      subscribe('3', '{ note(limit: -1) { id } }'),
    );
    await expect.poll(() => heard).toHaveLength(5);
    expect(heard.slice(1)).toMatchObject([
      {
        id: '1',
        type: 'error',
        payload: [{ path: ['note'], locations: [{ line: 1, column: 16 }], extensions: { code: 'graphql_argument' } }],
      },
      { id: '2', type: 'error', payload: [{ extensions: { code: 'graphql_operation' } }] },
      { id: '3', type: 'next', payload: { data: { note: null }, errors: [{ path: ['note'] }] } },
      { id: '3', type: 'complete' },
    ]);
  });
});

describe('limits', () => {
  test('of subscriptions', async () => {
    await server.close();
    server = await LiveServer.open({}, { subscriptions: 2 });
    const { say, heard } = await server.socket();
    say(INIT, subscribe('1'), subscribe('2'), subscribe('3'));
    await expect
      .poll(() => heard.at(-1))
      .toMatchObject({ id: '3', type: 'error', payload: [{ extensions: { code: 'too_many_live_queries' } }] });
    say({ id: '1', type: 'complete' }, subscribe('4'));
    await expect.poll(() => server.lives()).toHaveLength(2);
    expect(heard).toHaveLength(2);
  });

  test('of messages, before sign-in and afterwards', async () => {
    await server.close();
    server = await LiveServer.open({ options: { limits: { guestMessage: 1_000, message: 10_000 } } });
    const long = (length: number) => subscribe('1', `{ note { id } } #${'x'.repeat(length)}`);
    const guest = await server.socket();
    guest.say(INIT, long(1_000));
    await expect.poll(() => guest.heard.at(-1)).toMatchObject({ code: 1009 });
    const user = await server.socket();
    user.say({ type: 'connection_init', payload: { token: await tokenOf('ann') } });
    await expect.poll(() => user.heard).toEqual([ACK]);
    user.say(long(5_000));
    await expect.poll(() => user.heard).toHaveLength(3);
    user.say(long(10_000));
    await expect.poll(() => user.heard.at(-1)).toMatchObject({ code: 1009 });
  });

  test('of time, to sign in and without a message', async () => {
    await server.close();
    server = await LiveServer.open({ options: { signInTimeout: 5_000, idleTimeout: 50_000, pingInterval: 30_000 } });
    const guest = await server.socket();
    const user = await server.socket();
    guest.say(INIT);
    user.say({ type: 'connection_init', payload: { token: await tokenOf('ann') } });
    await expect.poll(() => [guest.heard, user.heard]).toEqual([[ACK], [ACK]]);
    server.environment.advance(5_000);
    await expect.poll(() => guest.heard.at(-1)).toMatchObject({ code: 1008 });
    expect(user.heard).toEqual([ACK]);
    const ping = new Promise((resolve) => user.socket.once('ping', resolve));
    server.environment.advance(25_000);
    await ping;
    server.environment.advance(30_000);
    await expect.poll(() => (user.heard.at(-1) as { code?: number })?.code).toBeOneOf([1006, 1008]);
  });
});

describe('a subscription over a socket ends', () => {
  const OPEN = 'subscription { note { id } }';
  const listening = async (): Promise<{
    heard: Heard[];
    say: (...messages: unknown[]) => void;
    socket: { close(): void };
  }> => {
    const opened = await server.socket();
    opened.say({ type: 'connection_init', payload: { token: await tokenOf('ann') } }, subscribe('1', OPEN));
    await expect.poll(() => server.lives()).toHaveLength(1);
    return opened;
  };

  test.each<[string, string, () => unknown]>([
    ['the token expires', 'session_expired', () => server.environment.advance(3_600_000 * 24 * 365)],
    ['the user is removed', 'session_expired', () => run(server.world.owner, 'DELETE user:ann')],
    ['the table is removed', 'table_missing', () => run(server.world.owner, 'REMOVE TABLE note')],
  ])('when %s', async (_, code, end) => {
    if (code === 'session_expired') {
      await run(
        server.world.owner,
        `DEFINE ACCESS OVERWRITE people ON DATABASE TYPE RECORD SIGNUP (CREATE type::record('user', $name) SET name = $name)
           SIGNIN (SELECT * FROM user WHERE name = $name) DURATION FOR SESSION 1h`,
      );
    }
    const { heard } = await listening();
    await end();
    const last =
      code === 'session_expired'
        ? { code: 4403, reason: 'The session has expired' }
        : { id: '1', type: 'error', payload: [{ extensions: { code } }] };
    await expect.poll(() => heard.at(-1)).toMatchObject(last);
  });

  test('when a client asks for something after its session, whose end closes the connection', async () => {
    await run(
      server.world.owner,
      `DEFINE ACCESS OVERWRITE people ON DATABASE TYPE RECORD SIGNUP (CREATE type::record('user', $name) SET name = $name)
         SIGNIN (SELECT * FROM user WHERE name = $name) DURATION FOR SESSION 1h`,
    );
    const { say, heard } = await server.socket();
    say({ type: 'connection_init', payload: { token: await tokenOf('ann') } });
    await expect.poll(() => heard).toEqual([ACK]);
    await server.environment.advance(3_600_000);
    say(subscribe('1', '{ note { id } }'));
    await expect.poll(() => heard.slice(1)).toEqual([{ code: 4403, reason: 'The session has expired' }]);
  });

  test('and is begun again by the official client, which then says who it is now', async () => {
    await run(
      server.world.owner,
      `DEFINE ACCESS OVERWRITE people ON DATABASE TYPE RECORD SIGNUP (CREATE type::record('user', $name) SET name = $name)
         SIGNIN (SELECT * FROM user WHERE name = $name) DURATION FOR TOKEN 1w, FOR SESSION 1h`,
    );
    const client = server.client({ token: await tokenOf('ann') }, undefined, {
      retryAttempts: 1,
      retryWait: async () => {},
    });
    const { heard } = listen(client);
    await expect.poll(() => server.lives()).toHaveLength(1);
    const [first] = await server.lives();
    server.environment.advance(3_600_000);
    await expect.poll(async () => (await server.lives()).filter((id) => id !== first)).toHaveLength(1);
    await run(server.world.owner, "CREATE note:1 SET owner = user:ann, text = 'later'");
    await expect.poll(() => heard).toMatchObject([{ data: { note: { id: 'note:1' } } }]);
    await client.dispose();
  });

  test('with its socket', async () => {
    const { socket } = await listening();
    socket.close();
    await expect.poll(() => server.lives()).toEqual([]);
  });

  test('when the server shuts down', async () => {
    const { heard } = await listening();
    const closing = server.app.close();
    await expect.poll(() => heard.at(-1)).toEqual({ code: 1001, reason: 'The server is shutting down' });
    await closing;
  });

  test('and a thousand of them leave nothing behind', async () => {
    const { say, heard } = await listening();
    for (let round = 0; round < 1_000; round++) say(subscribe('x', OPEN), { id: 'x', type: 'complete' });
    say({ type: 'ping' });
    await expect.poll(() => heard.at(-1), { timeout: 20_000 }).toEqual({ type: 'pong' });
    await expect.poll(() => server.lives()).toHaveLength(1);
    await run(server.world.owner, 'CREATE note:1 SET public = true');
    await expect
      .poll(() => heard.at(-1))
      .toEqual({ id: '1', type: 'next', payload: { data: { note: { id: 'note:1' } } } });
    expect(heard).toHaveLength(3);
  });
});

test('a client that reads nothing holds up no other client, and is closed with a reason', {
  timeout: atLeast(60_000),
}, async () => {
  await server.close();
  server = await LiveServer.open({ options: { limits: { sendBuffer: 10_000 } } });
  const lazy = await server.socket();
  const other = await server.socket();
  for (const { say } of [lazy, other]) say(INIT, subscribe('1'));
  await expect.poll(() => server.lives()).toHaveLength(2);
  await expect.poll(() => [lazy.heard, other.heard]).toEqual([[ACK], [ACK]]);
  lazy.socket.pause();
  // So much at a time as waits for one client without its being cut off.
  for (let round = 0; round < 5; round++) {
    const before = other.heard.length;
    await run(
      server.world.owner,
      'FOR $i IN 0..20 { CREATE note SET public = true, text = $text }',
      objectFrom({ text: 'x'.repeat(1_000_000) }),
    );
    await expect.poll(() => other.heard.length, { timeout: 20_000 }).toBe(before + 20);
  }
  await expect.poll(() => server.lives()).toHaveLength(1);
  lazy.socket.resume();
  await expect
    .poll(() => lazy.heard.at(-1), { timeout: 20_000 })
    .toMatchObject({ type: 'error', payload: [{ extensions: { code: 'live_queries_behind' } }] });
  expect(lazy.heard.length).toBeLessThan(other.heard.length);
});

/** Sessions that a user ends, and the effect on their sockets, their live queries and their tokens, on the real server. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newClient } from '../support/official-client.js';
import { cleanUp, ROOT, type ServerProcess, startServerWith } from '../support/server-process.js';
import { asRoot, RpcSocket, SHOP, SHOP_HEADERS, send, tokenOf } from './clients.js';

let server: ServerProcess;
beforeAll(async () => {
  server = await startServerWith([
    'memory',
    ...['--user', ROOT.user, '--pass', ROOT.pass, '--allow-experimental', 'graphql'],
  ]);
  await asRoot(
    server.url,
    `DEFINE TABLE person PERMISSIONS FOR select WHERE id = $auth;
     DEFINE TABLE note PERMISSIONS FULL; DEFINE FIELD text ON note TYPE string; DEFINE CONFIG GRAPHQL AUTO;
     DEFINE ACCESS people ON DATABASE TYPE RECORD
       SIGNUP (CREATE type::record('person', $name)) SIGNIN (SELECT * FROM type::record('person', $name)) WITH REFRESH;`,
    ROOT,
  );
}, 60_000);
afterAll(cleanUp);

const expired = { error: { code: -32000, message: 'The session has expired' } };
const root = (text: string) => asRoot(server.url, text, ROOT);

interface Person {
  readonly socket: RpcSocket;
  readonly access: string;
  readonly refresh: string;
  /** The id of a live query on notes. */
  readonly live: string;
}

let nobodyYet = 0;
/** A new user, who listens to notes. */
async function join(): Promise<Person & { readonly record: string }> {
  const name = `person${nobodyYet++}`;
  const socket = await RpcSocket.open(server.rpcUrl);
  const body = { NS: SHOP.namespace, DB: SHOP.database, AC: 'people', name };
  const { access, refresh } = (await socket.ask('signup', body)) as { access: string; refresh: string };
  return { socket, access, refresh, live: await listen(socket), record: `person:${name}` };
}

async function listen(socket: RpcSocket): Promise<string> {
  const [live] = await socket.query('LIVE SELECT * FROM note');
  return live as string;
}

async function sessionOf(socket: RpcSocket): Promise<string> {
  const [list] = (await socket.query('INFO FOR SESSIONS')) as [{ current: boolean; id: string }[]];
  return list.find(({ current }) => current)?.id as string;
}

/** What the last message that answers no request says of which live query. */
const told = (socket: RpcSocket) => socket.stray()?.result as { action: string; id: string } | undefined;

async function isOver({ socket, live }: Pick<Person, 'socket' | 'live'>): Promise<void> {
  expect(await socket.call('query', 'SELECT * FROM note')).toMatchObject(expired);
  expect(await socket.call('info')).toMatchObject(expired);
  await expect.poll(() => told(socket)).toMatchObject({ action: 'KILLED', id: live });
}

/** That a token opens nothing, whichever way it comes. */
async function isWorthless(token: string): Promise<void> {
  const headers = { accept: 'application/json', authorization: `Bearer ${token}`, ...SHOP_HEADERS };
  const json = { ...headers, 'content-type': 'application/json' };
  const refused = { status: 401, text: expect.stringContaining('There was a problem with authentication') };
  expect(await send(`${server.url}/sql`, headers, 'RETURN 1')).toMatchObject(refused);
  expect(await send(`${server.url}/graphql`, json, '{"query":"{ note { text } }"}')).toMatchObject(refused);
  expect(await send(`${server.url}/rpc`, json, '{"id":1,"method":"query","params":["RETURN 1"]}')).toMatchObject(
    refused,
  );
  const socket = await RpcSocket.open(server.rpcUrl);
  expect(await socket.call('authenticate', token)).toMatchObject({
    error: { code: -32002, message: 'There was a problem with authentication' },
  });
  socket.close();
  const client = newClient();
  await client.connect(server.rpcUrl, { reconnect: false, ...SHOP });
  await expect(client.authenticate(token)).rejects.toThrow('There was a problem with authentication');
  await client.close();
}

async function isGood(token: string): Promise<void> {
  const headers = { accept: 'application/json', authorization: `Bearer ${token}`, ...SHOP_HEADERS };
  expect(await send(`${server.url}/sql`, headers, 'RETURN 1')).toMatchObject({ status: 200 });
}

describe('one session', () => {
  it('ends at once, with its live query and its tokens, and no other does', async () => {
    const ann = await join();
    const bob = await join();
    const second = await RpcSocket.open(server.rpcUrl);
    const body = { NS: SHOP.namespace, DB: SHOP.database, AC: 'people', name: ann.record.slice('person:'.length) };
    const { access } = (await second.ask('signin', body)) as { access: string };
    await isGood(ann.access);

    await root(`KILL SESSION u'${await sessionOf(ann.socket)}'`);
    await isOver(ann);
    await isWorthless(ann.access);
    expect(await bob.socket.call('refresh', { access: ann.access, refresh: ann.refresh })).toHaveProperty('error');

    expect(await second.query('RETURN $auth')).toEqual([ann.record]);
    await isGood(access);
    expect(await bob.socket.query('RETURN $auth')).toEqual([bob.record]);
    await root("CREATE note SET text = 'for who is left'");
    await expect.poll(() => told(bob.socket)).toMatchObject({ action: 'CREATE', id: bob.live });
    expect(told(ann.socket)).toMatchObject({ action: 'KILLED' });
    for (const socket of [ann.socket, bob.socket, second]) socket.close();
  });

  it('may be signed in again on the same socket', async () => {
    const { socket, record } = await join();
    await root(`KILL SESSION u'${await sessionOf(socket)}'`);
    expect(await socket.call('query', 'RETURN 1')).toMatchObject(expired);
    expect(await socket.call('ping')).toMatchObject({ result: null });
    const name = record.slice('person:'.length);
    await socket.ask('signin', { NS: SHOP.namespace, DB: SHOP.database, AC: 'people', name });
    expect(await socket.query('RETURN $auth')).toEqual([record]);
    socket.close();
  });
});

describe('all sessions of a user', () => {
  it('end by the statement of the user, and by that of an owner', async () => {
    const kills = {
      own: ({ socket }: Person) => socket.call('query', 'KILL SESSIONS'),
      owner: (_: Person, record: string) => root(`KILL SESSIONS FOR RECORD ${record}`),
    };
    for (const kill of Object.values(kills)) {
      const first = await join();
      const socket = await RpcSocket.open(server.rpcUrl);
      await socket.ask('authenticate', first.access);
      const second = { socket, live: await listen(socket) };
      const bystander = await join();
      await kill(first, first.record);
      await isOver(first);
      await isOver(second);
      await isWorthless(first.access);
      expect(await bystander.socket.query('RETURN $auth')).toEqual([bystander.record]);
      for (const each of [first, second, bystander]) each.socket.close();
    }
  });

  it('of a system user, too', async () => {
    await root("DEFINE USER OVERWRITE editor ON DATABASE PASSWORD 'a password' ROLES EDITOR");
    const body = { NS: SHOP.namespace, DB: SHOP.database, user: 'editor', pass: 'a password' };
    const socket = await RpcSocket.open(server.rpcUrl);
    const token = (await socket.ask('signin', body)) as string;
    const live = await listen(socket);
    await root('KILL SESSIONS FOR USER editor ON DATABASE');
    await isOver({ socket, live });
    await isWorthless(token);
    await isGood(await tokenOf(server.url, 'signin', body));
    socket.close();
  });
});

describe('what a session rests on', () => {
  const body = { NS: SHOP.namespace, DB: SHOP.database, user: 'keeper', pass: 'the first password' };
  beforeEach(() => root(`DEFINE USER OVERWRITE keeper ON DATABASE PASSWORD '${body.pass}' ROLES EDITOR`));

  it.each([
    "ALTER USER keeper ON DATABASE PASSWORD 'the second password'",
    "DEFINE USER OVERWRITE keeper ON DATABASE PASSWORD 'the second password' ROLES EDITOR",
    'REMOVE USER keeper ON DATABASE',
  ])('acts on open sockets at once: %s', async (change) => {
    const socket = await RpcSocket.open(server.rpcUrl);
    const token = (await socket.ask('signin', body)) as string;
    const live = await listen(socket);
    await root(change);
    await isOver({ socket, live });
    await isWorthless(token);
    expect(await socket.call('signin', body)).toHaveProperty(
      'error.message',
      'There was a problem with authentication',
    );
    socket.close();
  });

  it('gives roles of now', async () => {
    const socket = await RpcSocket.open(server.rpcUrl);
    await socket.ask('signin', body);
    await socket.query('DEFINE TABLE made_by_an_editor');
    await root('ALTER USER keeper ON DATABASE ROLES VIEWER');
    expect(await socket.call('query', 'DEFINE TABLE made_by_a_viewer')).toMatchObject({
      result: [{ status: 'ERR', result: 'IAM error: Not enough permissions to perform this action' }],
    });
    socket.close();
  });
});

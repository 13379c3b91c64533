/** Thousands of calls and a thousand connections at once: each is answered with its own identity. */
import { Agent, request } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isInTurn } from '../support/runs-all.js';
import { cleanUp, ROOT, type ServerProcess, startServerWith } from '../support/server-process.js';
import { asRoot, basic, FORMATS, RpcSocket, SHOP, SHOP_HEADERS, tokenOf } from './clients.js';

const CALLS = 10_000;
const PEOPLE = 20;
const SOCKETS = 1_000;
/** What the two processes need besides the sockets. */
const OTHER_FILES = 200;

let server: ServerProcess;
let rootToken: string;
beforeAll(async () => {
  server = await startServerWith([
    'memory',
    ...['--user', ROOT.user, '--pass', ROOT.pass, '--allow-guests', '--allow-experimental', 'graphql'],
    ...['--max-connections-per-address', '2000', '--signup-rate', 'none', '--signup-rate-database', 'none'],
  ]);
  await asRoot(
    server.url,
    `DEFINE TABLE person PERMISSIONS FOR select WHERE id = $auth;
     DEFINE TABLE note PERMISSIONS FOR select WHERE owner = $auth;
     DEFINE FIELD owner ON note TYPE record<person>; DEFINE FIELD text ON note TYPE string; DEFINE INDEX owner ON note FIELDS owner;
     DEFINE CONFIG GRAPHQL AUTO;
     DEFINE TABLE news PERMISSIONS FOR select FULL;
     DEFINE ACCESS people ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM type::record('person', $name)) SIGNUP {
       LET $person = CREATE ONLY type::record('person', $name);
       CREATE note SET owner = $person.id, text = $name;
       RETURN $person
     };`,
    ROOT,
  );
  rootToken = await tokenOf(server.url, 'signin', ROOT);
}, 60_000);
afterAll(cleanUp);

const credentials = (name: string) => ({ NS: SHOP.namespace, DB: SHOP.database, AC: 'people', name });

/** A caller over HTTP, and the identity that the server must find. */
interface Caller {
  readonly headers: Readonly<Record<string, string>>;
  readonly auth: string | null;
  readonly tokenId: string | null;
  readonly notes: readonly string[];
  readonly isOwner: boolean;
}

/** What each request asks: who it is, by every account that there is of it. */
const WHO = `RETURN [$call, $auth, $token.ID, $session.rd, $session.tk.ID, $left];
  SELECT VALUE text FROM note ORDER BY text; INFO FOR ROOT`;
const isDenied = { status: 'ERR', result: 'IAM error: Not enough permissions to perform this action' };

function expectedOf({ auth, tokenId, notes, isOwner }: Caller, call: number): object[] {
  return [
    { result: [call, auth, tokenId, auth, tokenId, null] },
    { status: 'OK', result: notes },
    isOwner ? { status: 'OK', result: { namespaces: expect.anything() } } : isDenied,
  ];
}

/** Requests of all users share connections, so that each follows one of another user. */
const agent = new Agent({ keepAlive: true, maxSockets: 40 });
afterAll(() => agent.destroy());

function post(path: string, headers: Readonly<Record<string, string>>, body: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const json = { accept: 'application/json', 'content-type': 'application/json', 'content-length': body.length };
    const sent = request(
      `${server.url}${path}`,
      { agent, method: 'POST', headers: { ...json, ...headers } },
      (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part) => parts.push(part));
        answer.on('end', () => resolve(JSON.parse(Buffer.concat(parts).toString())));
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

const rpc = (caller: Caller, method: string, ...params: unknown[]) =>
  post('/rpc', caller.headers, JSON.stringify({ id: 1, method, params }));

/** The calls, in rotation, each with the expected answer for each identity. */
const CALLS_OF_ALL: readonly ((caller: Caller, call: number) => Promise<void>)[] = [
  async (caller, call) => {
    const told = await post(`/sql?call=${call}`, caller.headers, WHO.replace('$call', '<int> $call'));
    expect(told).toMatchObject(expectedOf(caller, call));
  },
  async (caller, call) => {
    expect(await rpc(caller, 'query', WHO, { call })).toMatchObject({ result: expectedOf(caller, call) });
  },
  async (caller) => {
    const told = await post('/graphql', caller.headers, '{"query":"{ note(order: {asc: text}) { text } }"}');
    expect(told).toMatchObject([{ result: caller.notes.map((text) => ({ text })) }]);
  },
  // These would change a session if there were one that outlives its request.
  async (caller) => {
    expect(await rpc(caller, 'let', 'left', caller.tokenId)).toMatchObject({ result: null });
  },
  async (caller, call) => {
    expect(await rpc(caller, 'query', `LET $left = 1; ${WHO}`, { call })).toHaveProperty('result');
  },
  async (caller) => {
    const [method, parameter] = caller.isOwner ? ['signin', credentials('ann00')] : ['authenticate', rootToken];
    expect(await rpc(caller, method as string, parameter)).toHaveProperty('result');
    expect(await rpc(caller, 'invalidate')).toHaveProperty('result');
  },
  async (caller) => {
    expect(await rpc(caller, 'use', 'other', 'place')).toHaveProperty('result');
  },
];

// In turns with other long tests.
const inTurn = it.skipIf(!isInTurn(1));

inTurn(`${CALLS} calls over HTTP are each answered as who made them`, { timeout: 180_000 }, async () => {
  const names = Array.from({ length: PEOPLE }, (_, at) => `ann${String(at).padStart(2, '0')}`);
  const people = await Promise.all(
    names.map(async (name): Promise<Caller> => {
      const headers = { authorization: `Bearer ${await tokenOf(server.url, 'signup', credentials(name))}` };
      return { headers, auth: `person:${name}`, tokenId: `person:${name}`, notes: [name], isOwner: false };
    }),
  );
  const root = { auth: null, tokenId: ROOT.user, notes: names, isOwner: true };
  const guest = { headers: SHOP_HEADERS, auth: null, tokenId: null, notes: [], isOwner: false };
  const rootCallers = [
    { ...root, headers: { ...SHOP_HEADERS, ...basic(ROOT.user, ROOT.pass) } },
    { ...root, headers: { ...SHOP_HEADERS, authorization: `Bearer ${rootToken}` } },
  ];
  const callers: readonly Caller[] = people.flatMap((person, at) => [
    person,
    guest,
    rootCallers[at % 2] as Caller,
    guest,
  ]);
  await Promise.all(
    Array.from({ length: CALLS }, (_, call) => {
      const act = CALLS_OF_ALL[call % CALLS_OF_ALL.length];
      return act?.(callers[(call * 7) % callers.length] as Caller, call);
    }),
  );
});

/** A connection, and what the server must take it for; who that is changes from round to round. */
interface Connection {
  readonly socket: RpcSocket;
  readonly name: string;
  auth: string | null;
}

const BECOME: readonly ((connection: Connection) => Promise<unknown>)[] = [
  ({ socket, name }) => socket.ask('signin', credentials(name)),
  ({ socket }) => socket.ask('authenticate', rootToken),
  ({ socket }) => socket.ask('invalidate'),
];

inTurn(`${SOCKETS} connections each see their own session`, { timeout: 180_000 }, async () => {
  const { userLimits } = process.report.getReport() as {
    userLimits?: { open_files: { soft: number | 'unlimited' } };
  };
  const files = Number(userLimits?.open_files.soft ?? Number.NaN);
  expect(files < SOCKETS + OTHER_FILES, `only ${files} open files are allowed`).toBe(false);

  const connections: Connection[] = [];
  while (connections.length < SOCKETS) {
    const some = Array.from({ length: 50 }, async (_, at): Promise<Connection> => {
      const name = `client${connections.length + at}`;
      const headers = { 'svc-id': name, origin: `http://${name}.example` };
      const socket = await RpcSocket.open(server.rpcUrl, at % 2 === 0 ? FORMATS.JSON : FORMATS.CBOR, headers);
      await socket.ask('signup', credentials(name));
      await socket.ask('let', 'mine', name);
      return { socket, name, auth: null };
    });
    connections.push(...(await Promise.all(some)));
  }

  for (let round = 0; round < BECOME.length; round++) {
    await Promise.all(
      connections.map(async (connection, at) => {
        const kind = (round + at) % BECOME.length;
        const { socket, name } = connection;
        await BECOME[kind]?.(connection);
        await socket.ask('use', SHOP.namespace, SHOP.database);
        const auth = kind === 0 ? `person:${name}` : null;
        connection.auth = auth;
        const tokenId = [auth, ROOT.user, null][kind];
        const [told, notes] = await socket.query(
          `RETURN [$auth, $token.ID, $session.rd, $session.tk.ID, $session.id, $session.or, $session.db, $mine];
           RETURN count(SELECT * FROM note)`,
        );
        expect(told).toEqual([auth, tokenId, auth, tokenId, name, `http://${name}.example`, SHOP.database, name]);
        expect(notes).toBe([1, SOCKETS + PEOPLE, 0][kind]);
      }),
    );
  }

  // Their notifications are their own as well.
  await Promise.all(connections.map(({ socket }) => socket.query('LIVE SELECT VALUE [$auth, $session.id] FROM news')));
  await asRoot(server.url, 'CREATE news', ROOT);
  await expect
    .poll(() => connections.every(({ socket }) => socket.stray() !== undefined), { timeout: 20_000 })
    .toBe(true);
  for (const { socket, name, auth } of connections) {
    expect(socket.stray()).toMatchObject({ result: { action: 'CREATE', result: [auth, name] } });
    socket.close();
  }
});

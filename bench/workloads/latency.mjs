// How long small reads of many clients take, while one client scans all rows again and again and others sign in, with wrong passwords, too.
// Latency is judged at a steady rate. Clients that ask again as soon as they are answered measure how much the machine can do instead: then
// the more there are, the longer each waits.
import { call, http, webSocket } from '../harness/asking.mjs';
import { OWNER, startCommand } from '../harness/command.mjs';
import { latenciesAtRate } from '../harness/open-load.mjs';
import { postBytes } from '../harness/raw-client.mjs';
import { temporaryFolder } from '../harness/temporary-folder.mjs';

const CLIENTS = [64, 512];
const SIGNING_IN = 16;
const IDLE = 1_000;
const BATCH = 1_000;
/** Reads a second of all clients together. */
const RATE = 2_000;
/** Milliseconds of a round, of one that only shows that it works, and until a server is warm. */
const LONG = 4_000;
const SHORT = 200;
const WARMING = 3_000;
/** With fewer rows no request is delayed. */
const MANY = 10_000;

const SCANS = [
  'SELECT count() FROM person WHERE age > 50 GROUP ALL',
  'SELECT city, count(), math::mean(age) AS age FROM person GROUP BY city',
  'SELECT * FROM person ORDER BY score LIMIT 10',
  'RETURN count((SELECT id, score FROM person ORDER BY score))',
  'SELECT id, score FROM person',
];
const ACCESS = `DEFINE ACCESS account ON DATABASE TYPE RECORD
  SIGNIN (SELECT * FROM user WHERE email = $email AND crypto::argon2::compare(pass, $pass));
  CREATE user:1 SET email = 'ada', pass = crypto::argon2::generate('right')`;
const rowsFrom = (from, to) => `INSERT INTO person (<array>${from}..${to}).map(|$n| {
  id: $n, name: 'person ' + <string>$n, age: $n % 100, active: $n % 3 = 0, city: $n * 7919 % 1000, score: $n * 7919 % 1000003
}) RETURN NONE`;

const JSON_TYPE = { accept: 'application/json', 'content-type': 'application/json' };
const account = (pass) => ({ ns: 'bench', db: 'bench', ac: 'account', email: 'ada', pass });
const SIGN_INS = [OWNER, { ...OWNER, pass: 'wrong' }, account('right'), account('wrong')].map((body) =>
  postBytes('/signin', JSON_TYPE, JSON.stringify(body)),
);

const servers = new WeakMap();
/** A server with so many rows, in memory or on disk, and an owner's token; it runs as long as `opened` is open. */
async function serverOf(opened, rows) {
  const known = servers.get(opened);
  if (known !== undefined) return known;
  const store = opened.folder === undefined ? 'memory' : opened.also(folderToClose()).path;
  const started = await startCommand(store, '--max-connections-per-address', '5000', '--query-timeout', '600s');
  opened.also({ close: started.stop });
  const asking = await http(started.port);
  const token = /"token":"([^"]+)"/.exec(demand(await asking.ask(SIGN_INS[0])))[1];
  asking.close();
  const first = [call('authenticate', token), call('use', 'bench', 'bench')];
  const server = { ...started, token, first, scans: inTurn(SCANS.map((text) => call('query', text))) };
  const owner = await ownerOf(server);
  for (let from = 0; from < rows; from += BATCH) {
    demand(await owner.ask(call('query', rowsFrom(from, Math.min(from + BATCH, rows)))));
  }
  demand(await owner.ask(call('query', ACCESS)));
  owner.close();
  if (rows >= MANY) {
    for (const transport of Object.keys(TRANSPORTS)) await latencies(server, rows, transport, 8, WARMING, withoutPause);
  }
  servers.set(opened, server);
  return server;
}

/** One after the other, without end: a round goes on where the last one ended. */
function inTurn(items) {
  let n = 0;
  return () => items[n++ % items.length];
}

function folderToClose() {
  const { path, remove } = temporaryFolder();
  return { path, close: remove };
}

/** A WebSocket of the owner. */
const ownerOf = ({ port, first }) => webSocket(port, ...first);

function demand(answer) {
  if (answer === undefined || /"ERR"|"error"/.test(answer)) throw new Error(answer);
  return answer;
}

/** How many small connections are opened at once. */
const OPENED_AT_ONCE = 32;
async function several(count, open) {
  const all = [];
  while (all.length < count) {
    all.push(...(await Promise.all(Array.from({ length: Math.min(OPENED_AT_ONCE, count - all.length) }, open))));
  }
  return all;
}

/** What small reads are asked through. */
const TRANSPORTS = {
  WebSocket: (server) => ({
    open: () => ownerOf(server),
    read: (id) => call('query', `SELECT * FROM person:${id}`),
  }),
  HTTP: ({ port, token }) => {
    const headers = { accept: 'application/json', 'surreal-ns': 'bench', 'surreal-db': 'bench' };
    return {
      open: () => http(port),
      read: (id) => postBytes('/sql', { ...headers, authorization: `Bearer ${token}` }, `SELECT * FROM person:${id}`),
    };
  },
};

/** Sends requests one after the other until it is stopped. */
function again(asking, next) {
  let isOver = false;
  const done = (async () => {
    while (!isOver) await asking.ask(next());
  })();
  return () => {
    isOver = true;
    asking.close();
    return done;
  };
}

/**
 * How clients ask: the milliseconds that each of their requests takes.
 * @typedef {{ask: (request: Uint8Array) => Promise<string | undefined>}} Client
 * @type {Record<string, (clients: readonly Client[], request: () => Uint8Array, milliseconds: number) => Promise<number[]>>}
 */
const MANNERS = {
  [`at ${RATE.toLocaleString('en')} a second`]: (clients, request, milliseconds) =>
    latenciesAtRate(clients, request, RATE, milliseconds, demand),
  'without pause': withoutPause,
};

async function withoutPause(clients, request, milliseconds) {
  const times = [];
  const end = performance.now() + milliseconds;
  const ask = async (client) => {
    while (performance.now() < end) {
      const began = performance.now();
      demand(await client.ask(request()));
      times.push(performance.now() - began);
    }
  };
  await Promise.all(clients.map(ask));
  return times;
}

async function latencies(server, rows, transport, count, milliseconds, manner) {
  const { open, read } = TRANSPORTS[transport](server);
  const clients = await several(count, open);
  const stops = [again(await ownerOf(server), server.scans)];
  for (const [n, asking] of (await several(SIGNING_IN, () => http(server.port))).entries()) {
    stops.push(again(asking, () => SIGN_INS[n % SIGN_INS.length]));
  }
  let random = 1;
  const anyRow = () => {
    random = (random * 48_271) % 2_147_483_647;
    return read(random % rows);
  };
  const times = await manner(clients, anyRow, milliseconds);
  for (const client of clients) client.close();
  await Promise.all(stops.map((stop) => stop()));
  times.sort((a, b) => a - b);
  const at = (share) => times[Math.floor((times.length - 1) * share)] * 1e6;
  return { p50: at(0.5), p99: at(0.99) };
}

const only = ['tessera:memory', 'tessera:lmdb'];

/** @type {import('../harness/contract.mjs').Workload[]} */
export const LATENCY = [
  ...Object.entries(MANNERS).flatMap(([manner, ask]) =>
    Object.keys(TRANSPORTS).flatMap((transport) =>
      CLIENTS.map((count) => ({
        name: `reads of ${count} clients over ${transport} ${manner}, amid scans and sign-ins`,
        only,
        figure: 'p99',
        rounds: 5,
        surrealql: () => undefined,
        sample: async (opened, { rows }) =>
          latencies(await serverOf(opened, rows), rows, transport, count, rows < MANY ? SHORT : LONG, ask),
      })),
    ),
  ),
  {
    name: 'idle WebSocket, signed in',
    only: ['tessera:memory'],
    figure: 'memory',
    rounds: 3,
    surrealql: () => undefined,
    sample: async (opened, { rows }) => {
      const server = await serverOf(opened, rows);
      const before = (await server.memory()).heapUsed;
      const sockets = await several(IDLE, () => ownerOf(server));
      const memory = ((await server.memory()).heapUsed - before) / IDLE;
      for (const socket of sockets) socket.close();
      return { memory };
    },
  },
];

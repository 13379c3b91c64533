// What hostile clients do, each again and again: as a guest, or as a record user who has signed in.
import { once } from 'node:events';
import { connected, frame, upgraded } from '../harness/raw-client.mjs';

const KIB = 1024;
const MIB = 1024 * KIB;

/** Two and a half million numbers, and a text of 8 MiB: more than one function makes at once. */
const MANY = 'array::concat(<array> 0..1000000, <array> 0..1000000, <array> 0..500000)';
const LONG = `(${Array(8).fill('string::repeat("abcdefgh", 131072)').join(' + ')})`;

/** A server under attack. @typedef {{port: number, token: string, password: string}} Server */

const PLACE = { 'surreal-ns': 'soak', 'surreal-db': 'soak', accept: 'application/json' };

/** An RPC message in CBOR: `{method, params: [name, [{}, {}, …]]}`, or without the name; of indefinite length if `isOpen`. */
export function emptyObjects(method, count, name, isOpen = false) {
  const head = [0xa2, ...text('method'), ...text(method), ...text('params'), 0x80 | (name === undefined ? 1 : 2)];
  const bytes = Buffer.alloc(count, 0xa0);
  const length = Buffer.from([0x9a, 0, 0, 0, 0]);
  length.writeUInt32BE(count, 1);
  const before = Buffer.concat([Buffer.from(head), Buffer.from(name === undefined ? [] : text(name))]);
  return isOpen
    ? Buffer.concat([before, Buffer.from([0x9f]), bytes, Buffer.from([0xff])])
    : Buffer.concat([before, length, bytes]);
}

const text = (characters) => [0x60 | characters.length, ...Buffer.from(characters)];

async function post(port, path, headers, body) {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { ...PLACE, ...headers },
    body,
  });
  await answer.arrayBuffer();
}

/** A statement of the record user. */
const asUser = (statement) => (server) =>
  post(
    server.port,
    '/sql',
    { authorization: `Bearer ${server.token}` },
    typeof statement === 'string' ? statement : statement(),
  );

/** Opens a WebSocket, hands it over, and cuts it without a word. */
async function overSocket({ port }, protocol, use) {
  const socket = await upgraded(port, '/rpc', protocol);
  socket.on('error', () => {});
  socket.resume();
  await use(socket);
  socket.destroy();
}

const rpc = (method, ...params) => frame(JSON.stringify({ id: 1, method, params }));
const pause = (milliseconds) => new Promise((resume) => setTimeout(resume, milliseconds));

/** A frame of any size, masked with zeros. */
function longFrame(payload) {
  const head = Buffer.alloc(14);
  head[0] = 0x82;
  head[1] = 0xff;
  head.writeBigUInt64BE(BigInt(payload.length), 2);
  return Buffer.concat([head, payload]);
}

const signedIn = ({ token }) => [rpc('use', 'soak', 'soak'), rpc('authenticate', token)];

/** @type {Readonly<Record<string, (server: Server) => Promise<unknown>>>} */
export const ATTACKS = {
  'variables of a guest': (server) =>
    overSocket(server, 'cbor', async (socket) => {
      for (let n = 0; n < 200; n++) socket.write(longFrame(emptyObjects('let', 60_000, `w${n % 1000}`)));
      await pause(500);
    }),
  'large CBOR of a guest': (server) =>
    post(server.port, '/rpc', { 'content-type': 'application/cbor' }, emptyObjects('ping', 4 * MIB - 64)),
  'a text of many statements of a guest': (server) => post(server.port, '/sql', {}, '1;'.repeat(500 * KIB)),
  'large CBOR': (server) =>
    post(
      server.port,
      '/rpc',
      { 'content-type': 'application/cbor', authorization: `Bearer ${server.token}` },
      emptyObjects('ping', 4 * MIB - 64, undefined, true),
    ),
  'a text of many statements': asUser('1;'.repeat(500 * KIB)),
  'bodies that never end': async ({ port }) => {
    const sockets = await Promise.all(Array.from({ length: 50 }, () => connected(port)));
    for (const socket of sockets) {
      socket.on('error', () => {});
      socket.write(
        `POST /rpc HTTP/1.1\r\nhost: x\r\ncontent-type: application/cbor\r\ncontent-length: ${4 * MIB - 1}\r\n\r\n`,
      );
      socket.write(Buffer.alloc(3.9 * MIB));
    }
    await pause(1_000);
    for (const socket of sockets) socket.destroy();
  },
  'wrong passwords': ({ port }) =>
    post(
      port,
      '/signin',
      { 'content-type': 'application/json' },
      JSON.stringify({ user: 'root', pass: `wrong ${Math.random()}` }),
    ),
  'a product': asUser(
    'SELECT * FROM {a: <array> 0..2000, b: <array> 0..2000, c: <array> 0..2000} SPLIT a, b, c TIMEOUT 1s',
  ),
  'a list of long texts': asUser(
    'LET $s = string::repeat("a", 1000000); (<array> 0..40000).map(|$x| string::uppercase($s)).len()',
  ),
  'a random order of many': asUser(`SELECT * FROM ${MANY} ORDER BY rand() LIMIT 1 TIMEOUT 2s`),
  'medians of many': asUser(`RETURN math::median(${MANY})`),
  'long texts': asUser(`LET $s = ${LONG}; RETURN string::reverse(string::uppercase($s)); RETURN crypto::sha512($s)`),
  'similar texts': asUser('RETURN string::similarity::jaro(string::repeat("ab", 2000), string::repeat("ba", 2000))'),
  'texts that never come again': asUser(() => `RETURN { v${Math.random().toString(36).slice(2)}: ${Math.random()} }`),
  'a large answer that nobody reads': async (server) => {
    const socket = await connected(server.port);
    socket.on('error', () => {});
    const query = 'SELECT { a: $this, b: "some text" } FROM <array> 0..1000000';
    socket.write(
      `POST /sql HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${server.token}\r\nsurreal-ns: soak\r\nsurreal-db: soak\r\n` +
        `accept: application/json\r\ncontent-length: ${query.length}\r\n\r\n${query}`,
    );
    await pause(2_000);
    socket.destroy();
  },
  'transactions that are left open': (server) =>
    overSocket(server, 'json', async (socket) => {
      for (const message of signedIn(server)) socket.write(message);
      for (let n = 0; n < 64; n++) socket.write(rpc('begin'));
      await pause(300);
    }),
  'connections cut within begin': (server) =>
    overSocket(server, 'json', async (socket) => {
      for (const message of signedIn(server)) socket.write(message);
      socket.write(rpc('begin'));
    }),
  'a hot record': asUser('BEGIN; UPDATE hot:1 SET n += 1; LET $x = (<array> 0..20000).map(|$x| $x * 2); COMMIT'),
  'live queries that are cut off': (server) =>
    overSocket(server, 'json', async (socket) => {
      for (const message of signedIn(server)) socket.write(message);
      for (let n = 0; n < 20; n++) socket.write(rpc('query', 'LIVE SELECT * FROM note'));
      await pause(200);
    }),
  'noise instead of frames': async ({ port }) => {
    const socket = await upgraded(port, '/rpc', 'json');
    socket.on('error', () => {});
    socket.write(Buffer.from(Array.from({ length: 512 }, () => Math.floor(Math.random() * 256))));
    await Promise.race([once(socket, 'close'), pause(200)]);
    socket.destroy();
  },
  'scripts that recurse': asUser('RETURN function() { const f = (n) => [f(n + 1)]; return f(0); }'),
};

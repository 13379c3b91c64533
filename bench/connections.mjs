// What an idle WebSocket costs in memory, and whether many busy clients are served alike, over WebSocket and HTTP.
//
//   npm run build && cd bench && npm ci && npm run connections
import { httpConnection, postBytes, frame as textFrame, webSocketConnection } from './harness/raw-client.mjs';
import { startServer } from './servers/start.mjs';

const IDLE = 2_000;
const BUSY = 200;
const MILLISECONDS = 3_000;

// Garbage isn't what a connection costs.
process.env.SERVER_FLAGS ??= '--expose-gc';
const ADDRESS = ['--bind', '127.0.0.1:8766', '--max-connections-per-address', '5000'];
const tessera = await startServer(
  process.env.TESSERA ?? '../dist/cli/main.js',
  ...['start', 'memory', '--user', 'root', '--pass', 'secret', ...ADDRESS],
);
const echo = await startServer('bare-web-socket.mjs');
const call = (method, ...params) => textFrame(JSON.stringify({ id: 1, method, params }));

async function several(count, open) {
  const opened = [];
  while (opened.length < count) opened.push(...(await Promise.all(Array.from({ length: 100 }, open))));
  return opened;
}

/** Kilobytes of a server's memory for each of many sockets that do nothing. */
async function idleCost(server, path, first) {
  const open = async () => {
    const socket = await webSocketConnection(server.port, path);
    for (const frame of first) await socket.ask(frame);
    return socket;
  };
  for (const socket of await several(100, open)) socket.close();
  const before = await server.memory();
  const sockets = await several(IDLE, open);
  const after = await server.memory();
  for (const socket of sockets) socket.close();
  const each = (of) => ((of(after) - of(before)) / IDLE / 1024).toFixed(1);
  return { heap: each(({ heapUsed }) => heapUsed), resident: each(({ rss }) => rss) };
}
const signIn = call('signin', { user: 'root', pass: 'secret' });
const report = ({ heap, resident }) => `${heap} KiB of heap, ${resident} KiB resident`;
const place = call('use', 'bench', 'bench');
console.log(`idle WebSocket, signed in: ${report(await idleCost(tessera, '/rpc', [signIn, place]))}`);
console.log(`idle WebSocket, bare echo: ${report(await idleCost(echo, '/', []))}`);

/** Every client asks again and again; each counts its answers and how long they took. */
async function fairness(name, clients, request) {
  const counts = clients.map(() => 0);
  const times = [];
  const end = performance.now() + MILLISECONDS;
  await Promise.all(
    clients.map(async (client, at) => {
      while (performance.now() < end) {
        const began = performance.now();
        await client.ask(request);
        times.push(performance.now() - began);
        counts[at]++;
      }
    }),
  );
  counts.sort((a, b) => a - b);
  times.sort((a, b) => a - b);
  const quantile = (of, share) => of[Math.floor((of.length - 1) * share)];
  const latency = [0.5, 0.99, 1].map((share) => quantile(times, share).toFixed(1)).join(' / ');
  const answers = [0, 0.5, 1].map((share) => quantile(counts, share)).join(' / ');
  console.log(`${name}: answers a client ${answers} (least / median / most), ms ${latency} (median / 99% / longest)`);
}
const QUERY = 'SELECT * FROM person:1';
const sockets = await several(BUSY, () => webSocketConnection(tessera.port, '/rpc'));
for (const socket of sockets) {
  await socket.ask(signIn);
  await socket.ask(place);
}
await sockets[0].ask(call('query', "CREATE person:1 SET name = 'Ada', age = 36"));
await fairness(`${BUSY} over WebSocket`, sockets, call('query', QUERY));
const http = await several(BUSY, () => httpConnection(tessera.port));
const basic = `Basic ${Buffer.from('root:secret').toString('base64')}`;
const headers = { accept: 'application/json', 'svc-ns': 'bench', 'svc-db': 'bench', authorization: basic };
await http[0].ask(postBytes('/sql', headers, QUERY));
await fairness(`${BUSY} over HTTP      `, http, postBytes('/sql', headers, QUERY));
echo.stop();
tessera.stop();
process.exit(0);

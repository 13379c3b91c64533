// Measures what metrics cost a request of RETURN 1 over WebSockets and over HTTP: servers that count and servers that don't, in one process, in turns, by
// the processor time of that process; the client is another one. Needs a build (`npm run build`).
//
//     node bench/observability-sockets.mjs --rounds 300 [--base FOLDER]
import { fork } from 'node:child_process';
import { Agent, request } from 'node:http';
import { loadavg } from 'node:os';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { WebSocket } from 'ws';
import { readOptions } from '../scripts/options.mjs';

const HELP = `Measures what metrics cost a request of RETURN 1 over WebSockets and over HTTP, by the server's processor time, in turns in one process. Needs a build.

  --rounds N       rounds (300), of which each has a turn for each variant
  --base FOLDER    the dist of another build, to compare with
  -h, --help       prints this`;
const { values } = readOptions(HELP, {
  options: { rounds: { type: 'string', default: '300' }, base: { type: 'string' } },
});
const WARM_UP = 30;
/** Requests of a turn, and how many are under way at once. */
const REQUESTS = { websocket: 2_000, http: 500 };
const AT_ONCE = 8;

const here = new URL('../dist/', import.meta.url).href;
const base = values.base === undefined ? undefined : pathToFileURL(`${values.base}/`).href;
const variants = [
  { name: 'nothing counted', folder: here, counts: false },
  { name: 'metrics', folder: here, counts: true },
  ...(base === undefined
    ? []
    : [
        { name: 'base, nothing counted', folder: base, counts: false },
        { name: 'base, metrics', folder: base, counts: true },
      ]),
];

/** Starts a server of a build on a free port; answers the port. */
async function startServer({ folder, counts }) {
  const load = (name) => import(new URL(name, folder).href);
  const { MemoryEngine } = await load('storage/memory/memory.js');
  const { openDatabase } = await load('session/database/database.js');
  const { ServerMetrics } = await load('metrics/server-metrics.js');
  const { createHttpServer } = await load('http/server.js');
  const metrics = counts ? new ServerMetrics() : undefined;
  const database = await openDatabase(new MemoryEngine(), { metrics, unauthenticated: true });
  const app = createHttpServer({ database, metrics });
  await app.listen({ host: '127.0.0.1', port: 0 });
  return app.server.address().port;
}

/** The process of the servers: says its ports, and answers each message with the microseconds of processor time since the last. */
async function serve() {
  const ports = [];
  for (const variant of variants) ports.push(await startServer(variant));
  let last = process.cpuUsage();
  process.on('message', () => {
    const { user, system } = process.cpuUsage(last);
    last = process.cpuUsage();
    process.send(user + system);
  });
  process.send(ports);
}

const message = (child) => new Promise((resolve) => child.once('message', resolve));

/** Sends requests over a WebSocket, some at once, until all are answered. */
async function overWebSocket(port) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/rpc`, 'json');
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return (count) =>
    new Promise((resolve, reject) => {
      let sent = 0;
      let answered = 0;
      const send = () => socket.send(JSON.stringify({ id: ++sent, method: 'query', params: ['RETURN 1'] }));
      const onMessage = (data) => {
        if (data.includes('"error"')) reject(new Error(String(data)));
        if (++answered === count) {
          socket.off('message', onMessage);
          resolve();
        } else if (sent < count) send();
      };
      socket.on('message', onMessage);
      while (sent < AT_ONCE) send();
    });
}

/** The same by `POST /sql`, over as many connections as there are requests at once. */
async function overHttp(port) {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const options = { port, host: '127.0.0.1', path: '/sql', method: 'POST', agent };
  const ask = () =>
    new Promise((resolve, reject) => {
      request(options, (answer) => {
        if (answer.statusCode !== 200) reject(new Error(`status ${answer.statusCode}`));
        answer.resume().once('end', resolve);
      })
        .on('error', reject)
        .end('RETURN 1');
    });
  return async (count) => {
    let sent = 0;
    const client = async () => {
      while (sent++ < count) await ask();
    };
    await Promise.all(Array.from({ length: AT_ONCE }, client));
  };
}

const quantile = (list, share) => [...list].sort((a, b) => a - b)[Math.floor(list.length * share)];

async function measure(child, transport, askers) {
  const times = variants.map(() => []);
  for (let round = -WARM_UP; round < Number(values.rounds); round++) {
    // Each variant comes first as often as any other.
    const order = variants.map((_, at) => (at + Math.abs(round)) % variants.length);
    for (const at of order) {
      child.send('begin');
      await message(child);
      await askers[at](REQUESTS[transport]);
      child.send('end');
      const used = await message(child);
      if (round >= 0) times[at].push(used / REQUESTS[transport]);
    }
  }
  console.log(transport);
  const [floor] = times;
  for (const [at, { name }] of variants.entries()) {
    const ratios = times[at].map((time, round) => time / floor[round]);
    const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => quantile(ratios, share).toFixed(3));
    console.log(
      `  ${name.padEnd(24)} ${quantile(times[at], 0.5).toFixed(2)} µs of processor time a request, ${middle} times (quartiles of rounds ${low}, ${high})`,
    );
  }
}

if (process.send !== undefined) {
  await serve();
} else {
  const child = fork(fileURLToPath(import.meta.url), process.argv.slice(2));
  const ports = await message(child);
  for (const [transport, connect] of [
    ['websocket', overWebSocket],
    ['http', overHttp],
  ])
    await measure(child, transport, await Promise.all(ports.map(connect)));
  console.log(
    `load of the machine: ${loadavg()
      .map((load) => load.toFixed(1))
      .join(', ')}`,
  );
  child.kill();
  process.exit();
}

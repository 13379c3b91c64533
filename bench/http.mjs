// Requests a second over HTTP and WebSocket, beside a bare echo of the libraries that Tessera serves with: the same frames, the same
// client, alternating rounds, medians. Everything on the loopback interface; the servers are processes of their own.
//
//   npm run build && cd bench && npm ci && npm run http
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

// The versions that Tessera itself uses.
const { WebSocket } = createRequire(new URL('../package.json', import.meta.url))('ws');
const CONNECTIONS = 16;
const ROUNDS = 5;
const MILLISECONDS = 1_500;

async function start(...args) {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  for await (const chunk of child.stdout) {
    text += chunk;
    const port = /127\.0\.0\.1:(\d+)/.exec(text)?.[1];
    if (port !== undefined) {
      child.stdout.resume();
      return { child, port: Number(port) };
    }
  }
  throw new Error(`no address in: ${text}`);
}

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const echo = await start(here('echo-server.mjs'));
const tessera = await start(
  here('../dist/cli/main.js'),
  'start',
  'memory',
  '--user',
  'root',
  '--pass',
  'secret',
  '--bind',
  '127.0.0.1:8765',
);

async function post(agent, port, path, headers, body) {
  const sent = request({ agent, port, host: '127.0.0.1', path, method: 'POST', headers });
  sent.end(body);
  const [response] = await once(sent, 'response');
  let text = '';
  for await (const chunk of response) text += chunk;
  return text;
}

const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
const place = { accept: 'application/json', 'svc-ns': 'bench', 'svc-db': 'bench' };
const { token } = JSON.parse(
  await post(
    agent,
    tessera.port,
    '/signin',
    { ...place, 'content-type': 'application/json' },
    '{"user":"root","pass":"secret"}',
  ),
);
const headers = { ...place, authorization: `Bearer ${token}` };
await post(agent, tessera.port, '/sql', headers, "CREATE person:1 SET name = 'Ada', age = 36");

/** Runs `work` on every connection for a while; gives requests a second. */
async function rate(work) {
  const end = performance.now() + MILLISECONDS;
  let count = 0;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async (_, connection) => {
      while (performance.now() < end) {
        await work(connection);
        count++;
      }
    }),
  );
  return (count * 1_000) / MILLISECONDS;
}

async function sockets(port, path, first) {
  return Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, ['json']);
      await once(socket, 'open');
      for (const frame of first) {
        socket.send(frame);
        await once(socket, 'message');
      }
      return async (frame) => {
        socket.send(frame);
        await once(socket, 'message');
      };
    }),
  );
}
const echoSockets = await sockets(echo.port, '/', []);
const tesseraSockets = await sockets(tessera.port, '/rpc', [
  JSON.stringify({ id: 1, method: 'authenticate', params: [token] }),
  JSON.stringify({ id: 2, method: 'use', params: ['bench', 'bench'] }),
]);
const frame = (text) => JSON.stringify({ id: 1, method: 'query', params: [text] });

const CASES = [
  [
    'POST /sql RETURN 1',
    () => post(agent, tessera.port, '/sql', headers, 'RETURN 1'),
    () => post(agent, echo.port, '/', headers, 'RETURN 1'),
  ],
  [
    'POST /sql read one',
    () => post(agent, tessera.port, '/sql', headers, 'SELECT * FROM person:1'),
    () => post(agent, echo.port, '/', headers, 'SELECT * FROM person:1'),
  ],
  ['WebSocket RETURN 1', (at) => tesseraSockets[at](frame('RETURN 1')), (at) => echoSockets[at](frame('RETURN 1'))],
  [
    'WebSocket read one',
    (at) => tesseraSockets[at](frame('SELECT * FROM person:1')),
    (at) => echoSockets[at](frame('SELECT * FROM person:1')),
  ],
];
const median = (numbers) => numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
console.log(`${'case'.padEnd(22)}${'tessera/s'.padStart(12)}${'echo/s'.padStart(12)}${'echo/tessera'.padStart(14)}`);
for (const [name, ours, bare] of CASES) {
  const rates = { ours: [], bare: [] };
  for (let round = 0; round < ROUNDS; round++) {
    rates.ours.push(await rate(ours));
    rates.bare.push(await rate(bare));
  }
  const [a, b] = [median(rates.ours), median(rates.bare)];
  console.log(
    `${name.padEnd(22)}${a.toFixed(0).padStart(12)}${b.toFixed(0).padStart(12)}${(b / a).toFixed(2).padStart(14)}`,
  );
}
echo.child.kill();
tessera.child.kill();
process.exit(0);

// Friendly and hostile clients together for a while; then the hostile ones leave, and the server is given a minute to become as it was.
// The hostile ones come from other machines, as it were: they have a lower priority than the server and the friendly ones.
// What it is compared with is the server after a few seconds of the same attacks and as much rest: code that has run once stays compiled.
//
//     npm run build && node bench/soak/run.mjs --minutes 10 [--memory] [--only "hot record"]
//
// Prints what friendly requests took, and the heap and external memory after a collection before, at the end of, and after the attacks.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readOptions } from '../../scripts/options.mjs';
import { latenciesAtRate } from '../harness/open-load.mjs';
import { frame, payloadOf, webSocketConnection } from '../harness/raw-client.mjs';
import { startServer } from '../servers/start.mjs';

const HELP = `Friendly and hostile clients together for a while; then the hostile ones leave. Needs a build.

  node bench/soak/run.mjs [options]

  --minutes N    how long the attacks go on (10)
  --warm-up N    seconds of friendly clients alone before them (15)
  --rest N       seconds of rest behind them (60)
  --rate N       friendly requests a second (200)
  --memory       a server in memory, rather than on disk
  --only WORD    attacks whose name holds it (all)
  -h, --help     prints this`;

const { values } = readOptions(HELP, {
  options: {
    minutes: { type: 'string', default: '10' },
    rest: { type: 'string', default: '60' },
    'warm-up': { type: 'string', default: '15' },
    rate: { type: 'string', default: '200' },
    memory: { type: 'boolean', default: false },
    only: { type: 'string', default: 'all' },
  },
});
const MIB = 2 ** 20;
const CLIENTS = 16;
const folder = mkdtempSync(join(tmpdir(), 'tessera-soak-'));
process.env.SERVER_FLAGS = `--expose-gc ${process.env.SERVER_FLAGS ?? '--max-old-space-size=512'}`;
const server = await startServer(
  fileURLToPath(new URL('../../dist/bin/tessera.js', import.meta.url)),
  ...['start', values.memory ? 'memory' : folder, '--bind', '127.0.0.1:0', '--user', 'root', '--pass', 'secret'],
  ...['--allow-scripting', '--allow-guests', '--log', 'error', '--ping-interval', '1h'],
);

const SCHEMA = `
DEFINE NAMESPACE soak; USE NS soak; DEFINE DATABASE soak; USE DB soak;
DEFINE TABLE person SCHEMALESS PERMISSIONS FOR select WHERE id = $auth;
DEFINE TABLE note SCHEMALESS PERMISSIONS FOR select, create, update, delete WHERE owner = $auth;
DEFINE FIELD owner ON note DEFAULT $auth;
DEFINE INDEX note_owner ON note FIELDS owner;
DEFINE TABLE hot PERMISSIONS FULL;
CREATE hot:1 SET n = 0;
DEFINE ACCESS person ON DATABASE TYPE RECORD
  SIGNUP (CREATE person SET name = $name) SIGNIN (SELECT * FROM person WHERE name = $name) DURATION FOR TOKEN 6h;
`;

async function ask(path, headers, body) {
  const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, {
    method: 'POST',
    headers: { accept: 'application/json', ...headers },
    body,
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

async function signUp(name) {
  const body = JSON.stringify({ NS: 'soak', DB: 'soak', AC: 'person', name });
  return (await ask('/signup', { 'content-type': 'application/json' }, body)).token;
}

const root = { authorization: `Basic ${Buffer.from('root:secret').toString('base64')}` };
await ask('/sql', root, SCHEMA);
const [friend, foe] = [await signUp('friend'), await signUp('foe')];

const clients = await Promise.all(
  Array.from({ length: CLIENTS }, async () => {
    const client = await webSocketConnection(server.port, '/rpc', 'json');
    for (const [method, ...params] of [
      ['use', 'soak', 'soak'],
      ['authenticate', friend],
    ])
      await client.ask(frame(JSON.stringify({ id: 0, method, params })));
    return {
      ask: async (request) => {
        const answer = await client.ask(request);
        return answer && payloadOf(answer).toString();
      },
    };
  }),
);

let asked = 0;
const REQUESTS = [
  () => ['query', 'SELECT * FROM note WHERE owner = $auth LIMIT 10'],
  () => ['query', `UPSERT note:${asked % 500} SET owner = $auth, n = ${asked}`],
  () => ['query', `SELECT * FROM note:${(asked * 7) % 500}`],
  () => ['ping'],
];
function nextRequest() {
  const [method, ...params] = REQUESTS[asked++ % REQUESTS.length]();
  return frame(JSON.stringify({ id: asked, method, params }));
}
let failed = 0;
function check(answer) {
  if (answer?.includes('"result"') && !answer.includes('"ERR"')) return;
  failed++;
  if (failed <= 5) console.log(`a friendly request failed: ${answer?.slice(0, 300)}`);
  if (answer === undefined) throw new Error('the server hung up');
}
const friendly = (milliseconds) => latenciesAtRate(clients, nextRequest, Number(values.rate), milliseconds, check);

function percentiles(times) {
  const sorted = times.sort((a, b) => a - b);
  const at = (part) => sorted[Math.floor(part * (sorted.length - 1))].toFixed(1);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, p99.9 ${at(0.999)} ms, greatest ${at(1)} ms of ${sorted.length}`;
}

async function usage() {
  const { memory } = await server.ask('usage');
  const file = values.memory ? 0 : (statSync(join(folder, 'data.mdb'), { throwIfNoEntry: false })?.size ?? 0);
  return { heap: memory.heapUsed, external: memory.external, rss: memory.rss, file };
}
const mib = (bytes) => `${(bytes / MIB).toFixed(1)} MiB`;
const say = (when, { heap, external, rss, file }) =>
  console.log(`${when}: heap ${mib(heap)}, external ${mib(external)}, resident ${mib(rss)}, file ${mib(file)}`);

function attack() {
  const process = fork(
    fileURLToPath(new URL('hostile.mjs', import.meta.url)),
    [JSON.stringify({ port: server.port, token: foe }), values.only],
    { execArgv: ['--max-old-space-size=1024'] },
  );
  setPriority(process.pid, constants.priority.PRIORITY_LOW);
  return process;
}

console.log(`in quiet: ${percentiles(await friendly(20_000))}`);
say('fresh', await usage());
const first = attack();
await friendly(Number(values['warm-up']) * 1_000);
first.kill();
await friendly(Number(values.rest) * 1_000);
const before = await usage();
say('before', before);

const hostile = attack();
const minutes = Number(values.minutes);
const times = [];
for (let minute = 0; minute < minutes; minute++) {
  const some = await friendly(Math.min(1, minutes - minute) * 60_000);
  times.push(...some);
  console.log(`minute ${minute + 1}: ${percentiles([...some])}`);
}
console.log(`under attack: ${percentiles(times)}; failed: ${failed}`);
hostile.send('tried');
const [tried] = await once(hostile, 'message');
console.log(
  Object.entries(tried)
    .map(([name, count]) => `${count} × ${name}`)
    .join(', '),
);
hostile.kill();
say('at the end of the attacks', await usage());
console.log(`afterwards: ${percentiles(await friendly(Number(values.rest) * 1_000))}`);
const after = await usage();
say('a while after', after);
const grown = (what) => `${what} ${(after[what] / before[what]).toFixed(2)}`;
console.log(`after beside before: ${grown('heap')}, ${grown('external')}`);
server.stop();
await new Promise((resume) => setTimeout(resume, 1_500));
rmSync(folder, { recursive: true, force: true });
process.exit(failed === 0 ? 0 : 1);

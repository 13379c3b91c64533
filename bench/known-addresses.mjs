// Whether the time of an answer tells that a record has a mail address: a code asked for, and a wrong one redeemed, for
// addresses that records have and for others, over HTTP, in pairs. How far two kinds of unknown addresses are apart is
// the noise. Needs a build.
//
//     node bench/known-addresses.mjs [pairs=100] [--store postgres]
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { readOptions } from '../scripts/options.mjs';
import { quantile, spreadOf } from './harness/statistics.mjs';
import { temporaryFolder } from './harness/temporary-folder.mjs';
import { lacksPostgres, startPostgres } from './servers/postgres.mjs';
import { startServer } from './servers/start.mjs';

const { values, positionals } = readOptions(
  `Says whether the time of an answer tells that a record has a mail address. Needs a build (npm run build).

  node bench/known-addresses.mjs [pairs=100]

      --store KIND   disk or postgres (default: disk)
  -h, --help         prints this`,
  { allowPositionals: true, options: { store: { type: 'string', default: 'disk' } } },
);
const pairs = Number(positionals[0] ?? 100);
const WARM_UP = 10;
const CHALLENGE = createHash('sha256').update('v'.repeat(43)).digest('base64url');
const ROOT = { authorization: `Basic ${Buffer.from('root:secret').toString('base64')}` };
const JSON_BODY = { 'content-type': 'application/json', accept: 'application/json' };

const isPostgres = values.store === 'postgres';
const missing = isPostgres ? lacksPostgres() : undefined;
if (missing !== undefined) {
  console.error(missing);
  process.exit(1);
}
const postgres = isPostgres ? await startPostgres() : undefined;
const folder = temporaryFolder();
const store = postgres ? `postgres://bench@127.0.0.1:${postgres.port}/postgres?schema=bench` : folder.path;
const server = await startServer(
  fileURLToPath(new URL('../dist/bin/tessera.js', import.meta.url)),
  ...['start', store, '--bind', '127.0.0.1:0', '--user', 'root', '--pass', 'secret', '--log', 'error'],
  // Each request comes from a source of its own, so that no limit refuses it.
  ...['--client-ip', 'X-Forwarded-For', '--trusted-proxy', '127.0.0.1/32'],
);

let sources = 0;
async function post(path, headers, body) {
  const source = `10.${++sources >> 16}.${(sources >> 8) & 255}.${sources & 255}`;
  const all = { ...headers, 'x-forwarded-for': source };
  const began = performance.now();
  const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, { method: 'POST', headers: all, body });
  const text = await answer.text();
  return { milliseconds: performance.now() - began, status: answer.status, text };
}

const count = pairs + WARM_UP;
const defined = await post(
  '/sql',
  { ...ROOT, 'surreal-ns': 'bench', 'surreal-db': 'bench', accept: 'application/json' },
  `DEFINE CONFIG MAIL FROM 'a@bench.example' SMTP 'smtps://mail.invalid' LIMIT 100000;
   DEFINE TABLE user; DEFINE INDEX email ON user FIELDS email UNIQUE;
   DEFINE ACCESS mail ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM user WHERE email = $email) WITH MAIL CODE;
   FOR $i IN 0..${count} { CREATE user SET email = 'known' + <string> $i + '@bench.example' }`,
);
if (defined.status !== 200 || defined.text.includes('"ERR"')) throw new Error(defined.text);

async function start(kind, number) {
  const body = JSON.stringify({ challenge: CHALLENGE, email: `${kind}${number}@bench.example` });
  const answer = await post('/auth/bench/bench/mail/start', JSON_BODY, body);
  if (answer.status !== 200) throw new Error(answer.text);
  return { ...answer, request: JSON.parse(answer.text).request };
}

async function redeem(request) {
  const body = JSON.stringify({ NS: 'bench', DB: 'bench', AC: 'mail', request, code: '00000000' });
  const answer = await post('/signin', JSON_BODY, body);
  if (answer.status !== 401) throw new Error(answer.text);
  return answer;
}

const KINDS = ['known', 'other', 'third'];
const times = { start: newTimes(), redeem: newTimes() };
function newTimes() {
  return { known: [], other: [], third: [] };
}
for (let number = 0; number < count; number++) {
  // The first might take longer: each kind is as often the first.
  const order = KINDS.map((_, at) => KINDS[(at + number) % KINDS.length]);
  const requests = {};
  for (const kind of order) {
    const { milliseconds, request } = await start(kind, number);
    requests[kind] = request;
    if (number >= WARM_UP) times.start[kind].push(milliseconds);
  }
  for (const kind of order) {
    const { milliseconds } = await redeem(requests[kind]);
    if (number >= WARM_UP) times.redeem[kind].push(milliseconds);
  }
}

const shown = (milliseconds) => `${milliseconds.toFixed(2)} ms`;
const differences = (one, other) => spreadOf(one.map((each, at) => each - other[at]));
console.log(`${pairs} pairs, store ${isPostgres ? 'in PostgreSQL' : 'on disk'}`);
for (const [what, { known, other, third }] of Object.entries(times)) {
  for (const [kind, all] of Object.entries({ known, unknown: other })) {
    const sorted = all.toSorted((a, b) => a - b);
    const ends = `${shown(sorted[0])} to ${shown(sorted.at(-1))}`;
    console.log(`${what}, ${kind}: median ${shown(quantile(sorted, 0.5))}, ${ends}`);
  }
  const told = differences(known, other);
  const noise = differences(third, other);
  for (const [name, { median, low, high }] of Object.entries({
    'known less unknown': told,
    'unknown less unknown': noise,
  }))
    console.log(`${what}, ${name}: median ${shown(median)} (half of them ${shown(low)} to ${shown(high)})`);
}
server.stop();
await postgres?.stop();
folder.remove();
process.exit(0);

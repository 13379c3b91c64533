// How long a build of an index in the background takes, and what others wait meanwhile: reads by id, and updates of records of the same table, each at
// a steady rate, before the build and during it. In memory and on disk. Needs a build (`npm run build`).
//
//     node bench/index-builds.mjs [rows=1000000] [stores=memory,disk] [reads a second=200] [updates a second=50]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readOptions } from '../scripts/options.mjs';
import { latenciesAtRate } from './harness/open-load.mjs';
import { frame, payloadOf, webSocketConnection } from './harness/raw-client.mjs';
import { startServer } from './servers/start.mjs';

const HELP = `
Usage: node bench/index-builds.mjs [rows=1000000] [stores=memory,disk] [reads a second=200] [updates a second=50]

How long a build of an index in the background takes, and what reads and updates wait meanwhile. Needs a build (npm run build).
`;
const { positionals } = readOptions(HELP, { allowPositionals: true });
const [rows = 1_000_000, stores = 'memory,disk', reads = 200, updates = 50] = positionals;
const COUNT = Number(rows);
/** Rows that one statement creates. */
const FILLED = 20_000;
/** Milliseconds of load between two looks at the build. */
const SPAN = 1_000;
/** Spans before it begins. */
const BEFORE = 10;

const message = (method, ...params) => frame(JSON.stringify({ id: 1, method, params }));
const randomRow = () => Math.floor(Math.random() * COUNT);
const read = () => message('query', `SELECT * FROM ONLY t:${randomRow()}`);
const update = () => message('query', `UPDATE t:${randomRow()} SET n = rand::int(0, 1000000) RETURN NONE`);

async function signedIn(port) {
  const socket = await webSocketConnection(port, '/rpc', 'json');
  await socket.ask(message('signin', { user: 'root', pass: 'secret' }));
  await socket.ask(message('use', 'bench', 'bench'));
  return socket;
}

async function query(socket, text) {
  const { result, error } = JSON.parse(String(payloadOf(await socket.ask(message('query', text)))));
  const failed = error ?? result.find(({ status }) => status !== 'OK');
  if (failed !== undefined) throw new Error(JSON.stringify(failed));
  return result.at(-1).result;
}

function checkAnswer(answer) {
  const text = String(payloadOf(answer));
  if (!text.includes('"OK"')) throw new Error(text);
}

const quantile = (times, share) => times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? 0;
const told = (name, times) =>
  `${name}: p50 ${quantile(times, 0.5).toFixed(1)} ms, p99 ${quantile(times, 0.99).toFixed(1)}, longest ${Math.max(...times).toFixed(1)} (${times.length})`;

for (const store of stores.split(',')) {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-index-builds-'));
  const server = await startServer(
    fileURLToPath(new URL('../dist/bin/tessera.js', import.meta.url)),
    ...['start', store === 'memory' ? 'memory' : folder, '--bind', '127.0.0.1:0', '--user', 'root', '--pass', 'secret'],
    ...['--log', 'error', '--ping-interval', '1h'],
  );
  const owner = await signedIn(server.port);
  const readers = await Promise.all(Array.from({ length: 8 }, () => signedIn(server.port)));
  const writers = await Promise.all(Array.from({ length: 4 }, () => signedIn(server.port)));
  for (let from = 0; from < COUNT; from += FILLED) {
    const made = `CREATE |t:${from}..${Math.min(from + FILLED, COUNT)}| SET n = rand::int(0, 1000000), name = rand::string(12) RETURN NONE`;
    await query(owner, made);
  }

  /** The latencies of a span, of reads and of updates. */
  const load = () =>
    Promise.all([
      latenciesAtRate(readers, read, Number(reads), SPAN, checkAnswer),
      latenciesAtRate(writers, update, Number(updates), SPAN, checkAnswer),
    ]);
  const all = { read: [], updated: [] };
  const span = async () => {
    const [read, updated] = await load();
    all.read.push(...read);
    all.updated.push(...updated);
  };
  for (let at = 0; at < BEFORE; at++) await span();
  console.log(`${store}, ${COUNT} rows\n  before  ${told('reads', all.read)}; ${told('updates', all.updated)}`);

  Object.assign(all, { read: [], updated: [] });
  const used = await server.processor();
  const began = performance.now();
  await query(owner, 'DEFINE INDEX n ON t FIELDS n, name CONCURRENTLY');
  let built;
  const watch = (async () => {
    for (;;) {
      const { status, error } = await query(owner, 'RETURN (INFO FOR INDEX n ON t).building');
      if (error !== undefined) throw new Error(error);
      if (status === 'ready') break;
      await new Promise((resume) => setTimeout(resume, 50));
    }
    built = performance.now() - began;
  })();
  while (built === undefined) await span();
  await watch;
  const processor = ((await server.processor()) - used) / 1_000_000;
  console.log(`  during  ${told('reads', all.read)}; ${told('updates', all.updated)}`);
  console.log(`  built in ${(built / 1_000).toFixed(1)} s, ${processor.toFixed(1)} s of processor time with the load`);
  server.stop();
  await new Promise((resume) => setTimeout(resume, 1_000));
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);

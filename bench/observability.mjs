// Measures what metrics, and tracing that is switched off, cost a request of RETURN 1, in turns in one process. Needs a build (`npm run build`).
//
//     node bench/observability.mjs --rounds 300 --base ../main/dist
import { performance } from 'node:perf_hooks';
import { pathToFileURL } from 'node:url';
import { readOptions } from '../scripts/options.mjs';

const HELP = `Measures what metrics, and tracing that is switched off, cost RETURN 1 as a request of RPC, in memory and without a network. Needs a build.

  --rounds N       rounds (300), of which each has a turn for each variant
  --base FOLDER    the dist of another revision, to compare with
  -h, --help       prints this`;
const { values } = readOptions(HELP, {
  options: {
    rounds: { type: 'string', default: '300' },
    base: { type: 'string' },
  },
});
const ROUNDS = Number(values.rounds);
const REQUESTS = 2_000;

/** A connection of the build in a folder, with what a server counts or without. */
async function connectionOf(folder, counts) {
  const load = (name) => import(new URL(name, folder).href);
  const { MemoryEngine } = await load('storage/memory/memory.js');
  const { openDatabase } = await load('session/database/database.js');
  const { ServerMetrics } = await load('metrics/server-metrics.js');
  const { RpcConnection } = await load('rpc/connection.js');
  const { socketMeter } = await load('http/routes/request-metrics.js');
  const { realEnvironment: environment } = await load('env/real.js');
  const metrics = counts ? new ServerMetrics() : undefined;
  const database = await openDatabase(new MemoryEngine(), { metrics, unauthenticated: true });
  const meter = !counts
    ? undefined
    : socketMeter.length === 2
      ? socketMeter(metrics, environment.clock)
      : socketMeter({ metrics, environment, requestId: () => 'connection' }, { headers: {} }, 'websocket');
  const rpc = new RpcConnection(database, {}, meter === undefined ? {} : { meter });
  return { rpc, close: () => database.close() };
}

const here = new URL('../dist/', import.meta.url);
const variants = new Map([
  ['nothing counted', await connectionOf(here, false)],
  ['metrics', await connectionOf(here, true)],
]);
if (values.base !== undefined) {
  const base = pathToFileURL(`${values.base}/`);
  variants.set('base, nothing counted', await connectionOf(base, false));
  variants.set('base, metrics', await connectionOf(base, true));
}

async function turn({ rpc }) {
  const began = performance.now();
  for (let id = 0; id < REQUESTS; id++) await rpc.handle({ id, method: 'query', params: ['RETURN 1'] }, false);
  return ((performance.now() - began) * 1e6) / REQUESTS;
}

const times = new Map([...variants.keys()].map((name) => [name, []]));
for (let round = -20; round < ROUNDS; round++) {
  // Each variant comes first as often as any other.
  const order = [...variants.keys()];
  order.push(...order.splice(0, Math.abs(round) % order.length));
  for (const name of order) {
    const time = await turn(variants.get(name));
    if (round >= 0) times.get(name).push(time);
  }
}
const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];
const [[, first]] = times;
const floor = median(first);
for (const [name, list] of times) {
  const time = median(list);
  const quartile = list[list.length >> 2];
  const difference = time - floor;
  console.log(
    `${name.padEnd(24)} ${time.toFixed(0).padStart(7)} ns a request (first quartile ${quartile.toFixed(0)}), ${difference >= 0 ? '+' : ''}${difference.toFixed(0)} ns, ${(time / floor).toFixed(3)}`,
  );
}
for (const { close } of variants.values()) await close();

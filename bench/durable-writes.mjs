// What a durable write costs: latency, and processor time of all threads of the server, by one client and by several at once; and a bulk of rows in
// one statement. Needs a build (`npm run build`). On Linux.
//
//     node bench/durable-writes.mjs [--rounds 5] [--writes 1000] [--build ../before --build .]
import { resolve } from 'node:path';
import { readOptions } from '../scripts/options.mjs';
import { lacksCommand, useFolder } from './harness/build.mjs';
import { OWNER, startCommand } from './harness/command.mjs';
import { threadsTime } from './harness/processor.mjs';
import { payloadOf, rpc, webSocketConnection } from './harness/raw-client.mjs';
import { median, quantile } from './harness/statistics.mjs';
import { temporaryFolder } from './harness/temporary-folder.mjs';

const { values } = readOptions(
  `What a durable write costs a server on disk: latency and processor time. Needs a build.

  node bench/durable-writes.mjs [options]

  --rounds N      in each of which every build has a fresh server (5)
  --writes N      of each kind that are measured (1000)
  --build DIR     another build: a checkout with dist; given several times, they take turns
  -h, --help      prints this`,
  {
    options: {
      rounds: { type: 'string', default: '5' },
      writes: { type: 'string', default: '1000' },
      build: { type: 'string', multiple: true, default: ['.'] },
    },
  },
);
const RECORDS = 500;
const WARM_UP = 6_000;
const ROWS = 20_000;
const TOGETHER = 16;

const KINDS = {
  create: (n) => ['CREATE note SET name = $name, n = $n, at = time::now()', { n, name: `note ${n}` }],
  update: (n) => [`UPSERT person:${n % RECORDS} SET name = 'person', n = $n, at = time::now()`, { n }],
};

async function signedIn(port) {
  const connection = await webSocketConnection(port, '/rpc');
  let asked = 0;
  const ask = async (method, params) => {
    const answer = JSON.parse(payloadOf(await connection.ask(rpc(method, params, { id: ++asked }))).toString());
    const isDone =
      answer.error === undefined && (method !== 'query' || answer.result.every(({ status }) => status === 'OK'));
    if (!isDone) throw new Error(JSON.stringify(answer));
  };
  await ask('signin', [OWNER]);
  await ask('use', ['bench', 'bench']);
  return { ask, close: () => connection.close() };
}

/** Writes of one kind by so many clients: how long each took and all together, and processor time, in microseconds. */
async function writes(server, kind, clients, count) {
  const connections = await Promise.all(Array.from({ length: clients }, () => signedIn(server.port)));
  const taken = [];
  let next = 0;
  const before = threadsTime(server.pid);
  const began = performance.now();
  await Promise.all(
    connections.map(async ({ ask }) => {
      while (next < count) {
        const asked = performance.now();
        await ask('query', KINDS[kind](next++));
        taken.push((performance.now() - asked) * 1e3);
      }
    }),
  );
  const whole = (performance.now() - began) * 1e3;
  const processor = threadsTime(server.pid) - before;
  for (const connection of connections) connection.close();
  taken.sort((one, other) => one - other);
  return { p50: quantile(taken, 0.5), p99: quantile(taken, 0.99), each: whole / count, processor: processor / count };
}

async function bulk(server) {
  const { ask, close } = await signedIn(server.port);
  const before = threadsTime(server.pid);
  const began = performance.now();
  await ask('query', [`CREATE |bulk:${ROWS}| SET name = 'row', n = 1 RETURN NONE`]);
  const each = (performance.now() - began) * 1e3;
  const processor = threadsTime(server.pid) - before;
  close();
  return { p50: each, p99: each, each, processor };
}

async function measure(count) {
  const folder = temporaryFolder();
  const server = await startCommand(`${folder.path}/data`);
  try {
    for (const kind of Object.keys(KINDS)) await writes(server, kind, TOGETHER, WARM_UP);
    const measured = {};
    for (const kind of Object.keys(KINDS)) {
      await writes(server, kind, 1, count / 2);
      measured[`${kind}, one client`] = await writes(server, kind, 1, count);
      measured[`${kind}, ${TOGETHER} clients`] = await writes(server, kind, TOGETHER, count * 4);
    }
    measured[`${ROWS} rows at once`] = await bulk(server);
    return measured;
  } finally {
    await server.stop();
    folder.remove();
  }
}

const results = new Map(values.build.map((build) => [build, []]));
for (let round = 0; round < Number(values.rounds); round++) {
  for (const [build, measured] of results) {
    useFolder(`${resolve(build)}/dist`);
    const missing = lacksCommand();
    if (missing !== undefined) {
      console.error(missing);
      process.exit(1);
    }
    measured.push(await measure(Number(values.writes)));
  }
}
console.log('Microseconds: p50, p99, a write of all, processor time of a write; medians of rounds');
for (const [build, measured] of results) {
  console.log(build);
  for (const name of Object.keys(measured[0])) {
    const of = (figure) =>
      median(measured.map((each) => each[name][figure]))
        .toFixed(0)
        .padStart(9);
    console.log(`  ${name.padEnd(22)}${of('p50')}${of('p99')}${of('each')}${of('processor')}`);
  }
}

// What an update costs a server that was idle before: processor time of all its threads, hot and behind a pause, and the memory that it holds
// meanwhile. Needs a build (`npm run build`). On Linux.
//
//     node bench/pauses.mjs [--seconds 40] [--rounds 2] [--build ../before --build .]
import { readOptions } from '../scripts/options.mjs';
import { OWNER, startCommand } from './harness/command.mjs';
import { inTurns } from './harness/in-turns.mjs';
import { residentMemory, threadsTime } from './harness/processor.mjs';
import { payloadOf, rpc, webSocketConnection } from './harness/raw-client.mjs';
import { median } from './harness/statistics.mjs';
import { temporaryFolder } from './harness/temporary-folder.mjs';

const { values } = readOptions(
  `What an update costs a server on disk, hot and behind a pause, and its memory. Needs a build.

  node bench/pauses.mjs [options]

  --seconds N     how long nothing is asked (40)
  --rounds N      in each of which every build has a fresh server (2)
  --build DIR     another build: a checkout with dist; given several times, they take turns
  --flags FLAGS   for node; given several times, they take turns
  -h, --help      prints this`,
  {
    options: {
      seconds: { type: 'string', default: '40' },
      rounds: { type: 'string', default: '2' },
      build: { type: 'string', multiple: true, default: ['.'] },
      flags: { type: 'string', multiple: true, default: [''] },
    },
  },
);
const RECORDS = 500;
/** Updates until code is compiled, and those that are measured. */
const WARM_UP = 9_000;
const MEASURED = 500;

async function measure() {
  const folder = temporaryFolder();
  const server = await startCommand(`${folder.path}/data`);
  try {
    let connection;
    let asked = 0;
    const ask = async (method, params) => {
      const { error } = JSON.parse(payloadOf(await connection.ask(rpc(method, params, { id: ++asked }))).toString());
      if (error !== undefined) throw new Error(JSON.stringify(error));
    };
    /** Microseconds of an update; by a connection of its own: one that doesn't answer pings is closed. */
    const updates = async (count) => {
      connection = await webSocketConnection(server.port, '/rpc');
      await ask('signin', [OWNER]);
      await ask('use', ['bench', 'bench']);
      const before = threadsTime(server.pid);
      for (let n = 0; n < count; n++) {
        await ask('query', [`UPSERT person:${n % RECORDS} SET name = 'person', n = $n, at = time::now()`, { n }]);
      }
      connection.close();
      return (threadsTime(server.pid) - before) / count;
    };
    const cold = await updates(MEASURED);
    for (let n = 0; n < WARM_UP; n += MEASURED) await updates(MEASURED);
    const hot = await updates(MEASURED);
    const busy = residentMemory(server.pid);
    await new Promise((resume) => setTimeout(resume, Number(values.seconds) * 1_000));
    const rest = residentMemory(server.pid);
    const first = await updates(MEASURED);
    return { cold, hot, first, later: await updates(MEASURED), busy, rest };
  } finally {
    await server.stop();
    folder.remove();
  }
}

const variants = await inTurns({ builds: values.build, flags: values.flags, rounds: Number(values.rounds) }, measure);
console.log(
  `Processor time of an update in µs: the first ${MEASURED}, hot, the first ${MEASURED} behind ${values.seconds} s, the next; memory in MiB`,
);
for (const { name, measured } of variants) {
  const of = (name) => median(measured.map((each) => each[name])).toFixed(0);
  console.log(
    `${name}: cold ${of('cold')}, hot ${of('hot')}, after the pause ${of('first')}, then ${of('later')}; memory ${of('busy')}, at rest ${of('rest')}`,
  );
}

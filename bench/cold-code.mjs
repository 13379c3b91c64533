// What the first durable creates of a process cost, beside those of the same process once it is hot, and how long it takes until it answers.
// The store, with its definitions and some records, is there before. Needs a build (`npm run build`). On Linux.
//
//     node bench/cold-code.mjs [--rounds 3] [--creates 8000] [--build ../before --build .] [--flags '' --flags '--no-lazy-feedback-allocation']
import { readOptions } from '../scripts/options.mjs';
import { OWNER, startCommand } from './harness/command.mjs';
import { inTurns } from './harness/in-turns.mjs';
import { residentMemory, threadsTime } from './harness/processor.mjs';
import { payloadOf, rpc, webSocketConnection } from './harness/raw-client.mjs';
import { median } from './harness/statistics.mjs';
import { temporaryFolder } from './harness/temporary-folder.mjs';

const { values } = readOptions(
  `What the first durable creates of a process cost. Needs a build.

  node bench/cold-code.mjs [options]

  --rounds N      in each of which every build and set of flags has a fresh process (3)
  --creates N     of a process; the last 500 are the hot ones (8000)
  --build DIR     another build: a checkout with dist; given several times, they take turns
  --flags FLAGS   for node; given several times, they take turns
  -h, --help      prints this`,
  {
    options: {
      rounds: { type: 'string', default: '3' },
      creates: { type: 'string', default: '8000' },
      build: { type: 'string', multiple: true, default: ['.'] },
      flags: { type: 'string', multiple: true, default: [''] },
    },
  },
);
/** How many creates are measured together. */
const WINDOW = 500;
const DEFINITIONS = `DEFINE TABLE note SCHEMAFULL PERMISSIONS FOR select, update WHERE owner = $auth.id;
  DEFINE FIELD owner ON note TYPE string;
  DEFINE FIELD title ON note TYPE string ASSERT string::len($value) > 0;
  DEFINE FIELD done ON note TYPE bool DEFAULT false;
  DEFINE FIELD tags ON note TYPE array<string> DEFAULT [];
  DEFINE FIELD at ON note TYPE datetime VALUE time::now();
  DEFINE INDEX owners ON note FIELDS owner, at;
  DEFINE INDEX titles ON note FIELDS title UNIQUE;`;
const CREATE = 'CREATE note CONTENT { owner: $owner, title: $title, tags: ["a", "b"] }';

/** Answers requests: `{ask(method, params), close()}`. */
async function connectedTo({ port }) {
  const connection = await webSocketConnection(port, '/rpc');
  let asked = 0;
  const ask = async (method, params) => {
    const { error, result } = JSON.parse(
      payloadOf(await connection.ask(rpc(method, params, { id: ++asked }))).toString(),
    );
    const failed = error ?? result?.find?.(({ status }) => status === 'ERR');
    if (failed !== undefined) throw new Error(JSON.stringify(failed));
  };
  await ask('signin', [OWNER]);
  await ask('use', ['bench', 'bench']);
  return { ask, close: () => connection.close() };
}

const created = (ask, n) => ask('query', [CREATE, { owner: `person ${n % 100}`, title: `note ${n}` }]);

/** Makes the store, as a process of before left it. */
async function prepare(path) {
  const server = await startCommand(path);
  const { ask, close } = await connectedTo(server);
  await ask('query', [DEFINITIONS]);
  for (let n = 0; n < WINDOW; n++) await created(ask, -1 - n);
  close();
  await server.stop();
}

/** Milliseconds until it was ready and that it used meanwhile, microseconds of a create of each window, MiB at the end. */
async function measure() {
  const folder = temporaryFolder();
  try {
    await prepare(`${folder.path}/data`);
    const server = await startCommand(`${folder.path}/data`);
    try {
      const used = threadsTime(server.pid) / 1e3;
      const { ask, close } = await connectedTo(server);
      const windows = [];
      for (let n = 0; n < Number(values.creates); n += WINDOW) {
        const before = threadsTime(server.pid);
        for (let at = n; at < n + WINDOW; at++) await created(ask, at);
        windows.push((threadsTime(server.pid) - before) / WINDOW);
      }
      close();
      return { ready: server.ready / 1e6, used, windows, memory: residentMemory(server.pid) };
    } finally {
      await server.stop();
    }
  } finally {
    folder.remove();
  }
}

const variants = await inTurns({ builds: values.build, flags: values.flags, rounds: Number(values.rounds) }, measure);
console.log(
  `Processor time of a durable create in µs, by ${WINDOW}; ms until ready, and used until then; MiB at the end`,
);
for (const { name, measured } of variants) {
  const of = (figure) => median(measured.map(figure)).toFixed(0);
  const windows = measured[0].windows.map((_, at) => of(({ windows }) => windows[at]));
  const ratio = median(measured.map(({ windows }) => windows[0] / windows.at(-1))).toFixed(2);
  console.log(
    `${name}: ${windows.join(' ')} (first to last ${ratio}); ready ${of((each) => each.ready)}, used ${of((each) => each.used)}; memory ${of((each) => each.memory)}`,
  );
}

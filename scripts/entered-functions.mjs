// How far one warm request walks: counts the distinct functions of our build, and their files, that it enters. A function counts once,
// however often it is called; closures, getters and constructors are functions, too. The fields of a class count with its constructor. Bodies
// of modules, and what belongs to Node or to libraries, don't count. The figures are exact, by V8's coverage: each kind of request is sent
// until it is warm, then once; of several measurements the smallest is printed, since timers may do work of their own meanwhile. Needs a
// build (`npm run build`).
//
//     node scripts/entered-functions.mjs
import { Session } from 'node:inspector/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import {
  bodyOf,
  frame,
  httpConnection,
  payloadOf,
  postBytes,
  webSocketConnection,
} from '../bench/harness/raw-client.mjs';
import { readOptions } from './options.mjs';

const { values } = readOptions(
  `Prints how many functions of the build, in how many files, one warm request of each kind enters: distinct functions, not calls.
Needs a build (npm run build).

  node scripts/entered-functions.mjs
  node scripts/entered-functions.mjs --only 'POST /sql RETURN' --list

      --only TEXT     only the kinds of requests whose name has this text in it
      --list          prints the functions, by file
      --dist FOLDER   another build, such as that of another revision
  -h, --help          prints this`,
  {
    options: {
      only: { type: 'string', default: '' },
      list: { type: 'boolean', default: false },
      dist: { type: 'string', default: fileURLToPath(new URL('../dist', import.meta.url)) },
    },
  },
);

const WARM = 200;
const MEASUREMENTS = 5;
const OWNER = { user: 'root', pass: 'secret' };
const SETTINGS = {
  SVC_PATH: 'memory',
  SVC_USER: OWNER.user,
  SVC_PASS: OWNER.pass,
  SVC_BIND: '127.0.0.1:0',
  SVC_LOG: 'error',
  SVC_ALLOW_EXPERIMENTAL: 'graphql',
};
const SCHEMA = `DEFINE TABLE person SCHEMAFULL; DEFINE FIELD name ON person TYPE string;
  DEFINE CONFIG GRAPHQL AUTO; FOR $i IN 0..10 { CREATE type::record('person', $i) SET name = 'Ada' }`;
const JSON_TYPE = 'application/json';

const build = pathToFileURL(`${values.dist}/`).href;
const load = (name) => import(new URL(`${name}.js`, build).href);
const { readConfiguration } = await load('server/configuration');
const { runServer } = await load('server/run');

const { url } = await runServer(
  readConfiguration(() => undefined, SETTINGS),
  [],
);
// The server survives what isn't caught; this script doesn't.
process.removeAllListeners('uncaughtException').removeAllListeners('unhandledRejection');
const { port } = new URL(url);

const http = await httpConnection(port);
const parsed = (bytes) => JSON.parse(String(bytes));
const post = async (path, headers, body) => parsed(bodyOf(await http.ask(postBytes(path, headers, body))));
const { token } = await post('/signin', { accept: JSON_TYPE, 'content-type': JSON_TYPE }, JSON.stringify(OWNER));
const asOwner = { accept: JSON_TYPE, 'svc-ns': 'test', 'svc-db': 'test', authorization: `Bearer ${token}` };
const socket = await webSocketConnection(port, '/rpc', 'json');
const call = async (method, ...params) =>
  parsed(payloadOf(await socket.ask(frame(JSON.stringify({ id: 1, method, params }))))).result;
const sql = async (text) => {
  for (const { status, result } of await post('/sql', asOwner, text)) if (status !== 'OK') throw new Error(result);
};
const graphql = async (query) => {
  const headers = { ...asOwner, 'content-type': JSON_TYPE };
  const { errors } = await post('/graphql', headers, JSON.stringify({ query }));
  if (errors !== undefined) throw new Error(errors[0].message);
};

await post('/sql', asOwner, 'DEFINE NAMESPACE test; USE NS test; DEFINE DATABASE test');
await sql(SCHEMA);
await call('authenticate', token);
await call('use', 'test', 'test');

const REQUESTS = {
  'POST /sql RETURN 1': () => sql('RETURN 1'),
  'POST /sql record by id': () => sql('SELECT * FROM person:1'),
  'POST /sql CREATE': () => sql("CREATE person SET name = 'Ada'"),
  'POST /graphql list': () => graphql('{ person(limit: 5) { id name } }'),
  'WebSocket RETURN 1': () => call('query', 'RETURN 1'),
};

const inspector = new Session();
inspector.connect();
await inspector.post('Profiler.enable');
await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

/** The functions that `request` enters, as `file function:offset`. */
async function enteredBy(request) {
  await inspector.post('Profiler.takePreciseCoverage');
  await request();
  const { result } = await inspector.post('Profiler.takePreciseCoverage');
  return result
    .filter(({ url }) => url.startsWith(build))
    .flatMap(({ url, functions }) =>
      functions
        // The body of a module begins at its first character; V8's names for the fields of a class are in angle brackets.
        .filter(
          ({ functionName, ranges: [range] }) =>
            range.count > 0 && range.startOffset > 0 && !functionName.startsWith('<'),
        )
        .map(({ functionName, ranges }) => ({
          file: url.slice(build.length),
          name: functionName || '(anonymous)',
          at: ranges[0].startOffset,
        })),
    );
}

for (const [name, request] of Object.entries(REQUESTS)) {
  if (!name.includes(values.only)) continue;
  for (let count = 0; count < WARM; count++) await request();
  let entered = await enteredBy(request);
  for (let count = 1; count < MEASUREMENTS; count++) {
    const again = await enteredBy(request);
    if (again.length < entered.length) entered = again;
  }
  const byFile = grouped(entered);
  console.log(`${name.padEnd(28)}${String(entered.length).padStart(5)} functions in ${byFile.size} files`);
  if (!values.list) continue;
  for (const [file, functions] of [...byFile].sort(([one], [other]) => one.localeCompare(other))) {
    const names = functions.sort((one, other) => one.at - other.at).map((each) => each.name);
    console.log(`  ${file} (${names.length}): ${names.join(', ')}`);
  }
}
process.exit(0);

function grouped(entered) {
  const files = new Map();
  for (const each of entered) files.set(each.file, [...(files.get(each.file) ?? []), each]);
  return files;
}

// Servers on one PostgreSQL under load: how fast changes reach live queries, how late and whether in the same order everywhere, and how many small
// writes a second many databases, or a single one, take, and what a commit costs. Needs a build (`npm run build`) and PostgreSQL.
//
//     node bench/servers.mjs [--only live-1,one-64] [--seconds 20] [--build ../before --build .]
import { existsSync } from 'node:fs';
import { loadavg } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { readOptions } from '../scripts/options.mjs';
import { lacksCommand, useFolder } from './harness/build.mjs';
import { startCommand } from './harness/command.mjs';
import { latenciesAtRate } from './harness/open-load.mjs';
import { threadsTime } from './harness/processor.mjs';
import { payloadOf, rpc, webSocketConnection } from './harness/raw-client.mjs';
import { machine } from './harness/results.mjs';
import { quantile } from './harness/statistics.mjs';
import { delivery, watch } from './harness/watched.mjs';
import { lacksPostgres, startPostgres } from './servers/postgres.mjs';

/** What is measured, by the name that `--only` takes. */
const ROWS = {
  'live-1': { title: '1 live query, 1 server', queries: 1, servers: 1 },
  'live-20': { title: '20 live queries, 1 server', queries: 20, servers: 1 },
  'live-3x4': { title: '12 live queries, 3 servers', queries: 12, servers: 3 },
  'tenants-64': { title: '100 databases, 64 clients, 1 server', databases: 100, clients: 64, servers: 1 },
  'one-64': { title: '1 database, 64 clients, 1 server', databases: 1, clients: 64, servers: 1 },
  'one-256': { title: '1 database, 256 clients, 1 server', databases: 1, clients: 256, servers: 1 },
  // Measured with --all, or when they are named.
  'one-64-on-3': { title: '1 database, 64 clients, 3 servers', databases: 1, clients: 64, servers: 3, isExtra: true },
  'tenants-64-on-3': {
    title: '100 databases, 64 clients, 3 servers',
    ...{ databases: 100, clients: 64, servers: 3, isExtra: true },
  },
};

const HELP = `Servers on one PostgreSQL under load: live queries, and small writes. Needs a build, and PostgreSQL.

  node bench/servers.mjs [options]

  --only NAMES    rows with these names, or whose names hold these words, with commas between
  --all           all rows, also those marked with *
  --seconds N     how long each row is measured (20), behind 2 seconds that aren't
  --rate N        writes a second beside live queries (200)
  --reader        live queries of a record user under PERMISSIONS, rather than of an owner
  --wait N        seconds that the last notifications may take after the last write (30)
  --build DIR     another build: a checkout with dist, or the folder itself; given several times, each row is
                  measured with each of them in turn
  --json          prints results as JSON to the standard output, and the tables to the standard error
  -h, --help      prints this

Rows: ${Object.entries(ROWS)
  .map(([name, { title, isExtra }]) => `\n  ${(isExtra ? `${name} *` : name).padEnd(18)} ${title}`)
  .join('')}`;

const { values } = readOptions(HELP, {
  options: {
    only: { type: 'string' },
    all: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '20' },
    rate: { type: 'string', default: '200' },
    reader: { type: 'boolean', default: false },
    wait: { type: 'string', default: '30' },
    build: { type: 'string', multiple: true },
    json: { type: 'boolean', default: false },
  },
});
const [seconds, rate, wait] = [values.seconds, values.rate, values.wait].map(Number);
const WARM_UP = 2_000;
/** Records that are written to, chosen by chance: so many that writes hardly ever meet. */
const RECORDS = 10_000;
/** Clients that write beside live queries, in turn. */
const WRITERS = 15;
const NAMESPACE = 'bench';
const databaseName = (number) => `d${number}`;
/** A record user, whom PERMISSIONS allow each record for a field of its own, judged again for each notification. */
const READER = `
DEFINE ACCESS reader ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM reader WHERE name = $name);
CREATE reader:1 SET name = 'one';
ALTER TABLE t PERMISSIONS FOR select WHERE $auth.name = 'one';`;
const READER_CREDENTIALS = { NS: NAMESPACE, DB: databaseName(0), AC: 'reader', name: 'one' };

const sleep = (milliseconds) => new Promise((resume) => setTimeout(resume, milliseconds));
const range = (count, each) => Array.from({ length: count }, (_, at) => each(at));
const randomBelow = (count) => Math.floor(Math.random() * count);
const fail = (text) => {
  console.error(text);
  process.exit(1);
};

/** Rows of these names; of a word that is no name, those whose names hold it. */
function chosen(only) {
  const names = Object.keys(ROWS);
  if (only === undefined) return names.filter((name) => values.all || !ROWS[name].isExtra);
  const words = only.split(',').map((word) => word.trim());
  const holds = (name, word) => (Object.hasOwn(ROWS, word) ? name === word : name.includes(word));
  const unknown = words.find((word) => !names.some((name) => holds(name, word)));
  if (unknown !== undefined) fail(`no row is named ${unknown} (--help lists them)`);
  return names.filter((name) => words.some((word) => holds(name, word)));
}

/** The folders of builds, by what they are called. */
function builds(folders) {
  if (folders === undefined) return [{ name: 'this' }];
  return folders.map((folder) => {
    const path = resolve(folder);
    const within = existsSync(join(path, 'bin/tessera.js')) ? path : join(path, 'dist');
    if (!existsSync(join(within, 'bin/tessera.js'))) fail(`no build is in ${folder}; npm run build`);
    return { name: basename(basename(within) === 'dist' ? dirname(within) : within), path: within };
  });
}

/** Starts PostgreSQL and servers on it, and ends them, however the work ends. */
async function withServers(count, work) {
  const postgres = await startPostgres();
  const servers = [];
  try {
    const store = `postgres://bench@127.0.0.1:${postgres.port}/postgres?schema=bench`;
    const room = ['--max-connections-per-address', '5000', '--max-attached-sessions', '1000'];
    const flags = ['--unauthenticated', ...room, '--ping-interval', '1h'];
    // One after the other, since the first makes the tables.
    for (let left = count; left > 0; left--) servers.push(await startCommand(store, ...flags));
    return await work(servers, postgres);
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    await postgres.stop();
  }
}

async function define(server, databases) {
  const connection = await webSocketConnection(server.port, '/rpc');
  const statements = range(databases, (number) => {
    const name = databaseName(number);
    return `DEFINE DATABASE ${name}; USE DB ${name}; DEFINE TABLE t;`;
  });
  const text = `DEFINE NAMESPACE ${NAMESPACE}; USE NS ${NAMESPACE}; ${statements.join(' ')}`;
  check(await connection.ask(rpc('query', [text])));
  check(await connection.ask(rpc('use', [NAMESPACE, databaseName(0)])));
  if (values.reader) check(await connection.ask(rpc('query', [READER])));
  connection.close();
}

/** The attached session of each connection that has a database selected: a USE with each write would cost more than is to be measured. */
const sessionOf = (database) => `00000000-0000-4000-8000-${String(database).padStart(12, '0')}`;

/** Connections to the servers in turn, each with a session for each database. */
const connect = (servers, count, databases) =>
  Promise.all(
    range(count, async (at) => {
      const connection = await webSocketConnection(servers[at % servers.length].port, '/rpc');
      for (let database = 0; database < databases; database++) {
        const session = sessionOf(database);
        check(await connection.ask(rpc('attach', [], { session })));
        check(await connection.ask(rpc('use', [NAMESPACE, databaseName(database)], { session })));
      }
      return connection;
    }),
  );

const HUNG_UP = 'a server hung up';

/** Whether an answer says that all has gone well. One that never came ends the row. */
function isGood(answer) {
  if (answer === undefined) throw new Error(HUNG_UP);
  const text = payloadOf(answer).latin1Slice();
  return !text.includes('"ERR"') && !text.includes('"error"');
}

function check(answer) {
  if (!isGood(answer)) throw new Error(String(payloadOf(answer)));
}

const writeRequest = (database, id, number) =>
  rpc('query', [`UPSERT t:${id} SET v = ${number} RETURN NONE`], { session: sessionOf(database) });

/** Microseconds of processor time until now. */
const usage = (servers, postgres) => {
  const { user, system } = process.cpuUsage();
  return {
    servers: servers.reduce((sum, { pid }) => sum + threadsTime(pid), 0),
    postgres: postgres.processor(),
    clients: user + system,
  };
};

/** What was used between two moments, for each of `count`. */
const used = (before, after, count) =>
  Object.fromEntries(Object.entries(after).map(([who, time]) => [who, (time - before[who]) / count]));

/** A row of live queries: writes at a steady rate, of which each query is notified. */
const measureLive = ({ queries, servers: count }) =>
  withServers(count, async (servers, postgres) => {
    await define(servers[0], 1);
    const where = {
      namespace: NAMESPACE,
      database: databaseName(0),
      credentials: values.reader ? READER_CREDENTIALS : undefined,
    };
    const watchers = await Promise.all(range(queries, (at) => watch(servers[at % count].port, where)));
    const connections = await connect(servers, WRITERS, 1);
    /** @type {import('./harness/watched.mjs').Write[]} */
    const writes = [];
    let [answered, isLost] = [0, false];
    const clients = connections.map((connection, client) => ({
      ask: async () => {
        if (isLost) return;
        const write = { client, id: randomBelow(RECORDS), answered: undefined };
        const number = writes.push(write) - 1;
        const answer = await connection.ask(writeRequest(0, write.id, number));
        if (answer === undefined) isLost = true;
        else if (isGood(answer)) {
          write.answered = performance.now();
          answered++;
        }
      },
    }));
    const load = async (milliseconds) => {
      const times = await latenciesAtRate(
        clients,
        () => undefined,
        rate,
        milliseconds,
        () => undefined,
      );
      if (isLost) throw new Error(HUNG_UP);
      return times;
    };
    const isBehind = ({ isOpen, notifications }) => isOpen && notifications.length < answered;
    const catchUp = async (milliseconds) => {
      const began = performance.now();
      while (performance.now() - began < milliseconds && watchers.some(isBehind)) await sleep(20);
    };
    await load(WARM_UP);
    // What servers that weren't warm are late with isn't measured.
    await catchUp(WARM_UP);
    const first = writes.length;
    const before = usage(servers, postgres);
    const began = performance.now();
    const times = (await load(seconds * 1e3)).toSorted((a, b) => a - b);
    const ended = performance.now();
    const after = usage(servers, postgres);
    await catchUp(wait * 1e3);
    // For what would come twice.
    await sleep(500);
    const stopped = performance.now();
    for (const each of [...watchers, ...connections]) each.close();
    const done = writes.length - first;
    return {
      writes: (done * 1e3) / (ended - began),
      failed: writes.length - answered,
      write50: quantile(times, 0.5),
      write99: quantile(times, 0.99),
      ...delivery(watchers, writes, { first, began, ended, stopped }),
      cores: used(before, after, (ended - began) * 1e3),
    };
  });

/** What a server has counted of its store. */
async function counted({ port }) {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const sum = (pattern) => [...text.matchAll(pattern)].reduce((total, [, number]) => total + Number(number), 0);
  return {
    groups: sum(/^tessera_store_write_duration_seconds_count (\S+)$/gm),
    commits: sum(/^tessera_store_commits_total\{outcome="applied"\} (\S+)$/gm),
    conflicts: sum(/^tessera_store_commits_total\{outcome="conflict"\} (\S+)$/gm),
  };
}

/** A row of small writes: each client does one after the other, each to a database chosen by chance. */
const measureWrites = ({ databases, clients, servers: count }) =>
  withServers(count, async (servers, postgres) => {
    await define(servers[0], databases);
    const connections = await connect(servers, clients, databases);
    let isOver = false;
    let failed = 0;
    let number = 0;
    const times = [];
    const client = async (connection) => {
      while (!isOver) {
        const began = performance.now();
        const request = writeRequest(randomBelow(databases), randomBelow(RECORDS), number++);
        if (isGood(await connection.ask(request))) times.push(performance.now() - began);
        else failed++;
      }
    };
    const moment = async () => {
      const counts = await Promise.all(servers.map(counted));
      const sum = (name) => counts.reduce((total, each) => total + each[name], 0);
      const [groups, commits, conflicts] = ['groups', 'commits', 'conflicts'].map(sum);
      return { at: performance.now(), done: times.length, groups, commits, conflicts, usage: usage(servers, postgres) };
    };
    const all = Promise.all(connections.map(client));
    const measured = async () => {
      await sleep(WARM_UP);
      const from = await moment();
      await sleep(seconds * 1e3);
      return [from, await moment()];
    };
    // A client that fails ends the row at once.
    const [from, to] = await Promise.race([measured(), all]);
    isOver = true;
    await all;
    for (const each of connections) each.close();
    const sorted = times.slice(from.done, to.done).toSorted((a, b) => a - b);
    const between = (name) => to[name] - from[name];
    return {
      writes: (between('done') * 1e3) / between('at'),
      write50: quantile(sorted, 0.5),
      write99: quantile(sorted, 0.99),
      processor: used(from.usage, to.usage, between('done')),
      cores: used(from.usage, to.usage, between('at') * 1e3),
      // A build that doesn't count groups has none.
      perGroup: between('groups') === 0 ? undefined : (between('commits') + between('conflicts')) / between('groups'),
      groups: (between('groups') * 1e3) / between('at'),
      conflicts: between('conflicts'),
      failed,
    };
  });

const digits =
  (count, unit = '') =>
  (value) =>
    value === undefined ? '-' : `${value.toFixed(count)}${unit}`;
const pair = (count, low, high) => `${digits(count)(low)} / ${digits(count)(high)}`;
/** Columns: a heading, a width, and the cell of a result. */
const LIVE_COLUMNS = [
  ['writes/s', 8, ({ writes }) => digits(0)(writes)],
  ['write ms p50/p99', 16, ({ write50, write99 }) => pair(1, write50, write99)],
  ['delivered/s each', 16, ({ delivered }) => digits(1)(delivered)],
  ['lag ms p50/p99', 15, ({ lag50, lag99 }) => pair(0, lag50, lag99)],
  ['behind', 6, ({ behind }) => String(behind)],
  ['caught up', 9, ({ caughtUp }) => digits(1, ' s')(caughtUp)],
  ['left', 6, ({ left }) => String(left)],
  ['lost', 4, ({ lost }) => String(lost)],
  ['twice', 5, ({ twice }) => String(twice)],
  ['order', 7, ({ isOrdered }) => (isOrdered ? 'equal' : 'differs')],
  ['cores: servers, pg', 18, ({ cores }) => `${digits(2)(cores.servers)}, ${digits(2)(cores.postgres)}`],
];
const WRITE_COLUMNS = [
  ['writes/s', 8, ({ writes }) => digits(0)(writes)],
  ['write ms p50/p99', 16, ({ write50, write99 }) => pair(1, write50, write99)],
  ['µs/commit: servers', 18, ({ processor }) => digits(0)(processor.servers)],
  ['pg', 5, ({ processor }) => digits(0)(processor.postgres)],
  ['clients', 7, ({ processor }) => digits(0)(processor.clients)],
  ['commits/group', 13, ({ perGroup }) => digits(1)(perGroup)],
  ['groups/s', 8, ({ groups }) => digits(0)(groups)],
  ['conflicts', 9, ({ conflicts }) => String(conflicts)],
];

const print = values.json ? console.error : console.log;
const lineOf = (title, build, cells) => [title.padEnd(36), build.padEnd(12), ...cells].join('  ');
const heading = (columns) =>
  lineOf(
    '',
    'build',
    columns.map(([name, width]) => name.padStart(width)),
  );
/** What should be nothing, in words. */
const remarks = ({ failed, strange, closed }) =>
  Object.entries({ 'writes failed': failed, 'strange messages': strange, 'connections closed': closed })
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `  (${count} ${what})`)
    .join('');

const missing = lacksPostgres();
if (missing !== undefined) fail(missing);
const measuredBuilds = builds(values.build);
if (values.build === undefined && lacksCommand() !== undefined) fail(`${lacksCommand()}`);
// Ending by `exit` ends what was started, too.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));

const results = [];
let columns;
for (const name of chosen(values.only)) {
  const row = ROWS[name];
  const isLive = row.queries !== undefined;
  const those = isLive ? LIVE_COLUMNS : WRITE_COLUMNS;
  if (columns !== those) print(`${columns === undefined ? '' : '\n'}${heading(those)}`);
  columns = those;
  for (const build of measuredBuilds) {
    if (build.path !== undefined) useFolder(build.path);
    try {
      const result = await (isLive ? measureLive(row) : measureWrites(row));
      results.push({ name, ...row, build: build.name, ...result });
      const cells = columns.map(([, width, cell]) => cell(result).padStart(width));
      print(`${lineOf(row.title, build.name, cells)}${remarks(result)}`);
    } catch (error) {
      process.exitCode = 1;
      print(`${lineOf(row.title, build.name, [])}failed: ${error.message}`);
    }
  }
}
const loads = loadavg().map((load) => load.toFixed(1));
print(`\nload of the machine, these included: ${loads.join(', ')}`);
if (values.json)
  console.log(JSON.stringify({ machine: machine(), seconds, rate, reader: values.reader, results }, undefined, 2));

// A store in PostgreSQL beside PostgreSQL itself, in one run: reads by id beside the same prepared SELECT, commits of many clients beside as many raw
// ones with the same durability, and how long a commit takes to another node. Needs a build (`npm run build`) and PostgreSQL.
//
//     node bench/postgres.mjs [rounds=5] [clients=64]
import pg from 'pg';
import { readOptions } from '../scripts/options.mjs';
import { tessera } from './harness/build.mjs';
import { quantile, spreadOf } from './harness/statistics.mjs';
import { lacksPostgres, startPostgres } from './servers/postgres.mjs';

const HELP = `
Usage: node bench/postgres.mjs [rounds=5] [clients=64]

A store in PostgreSQL beside PostgreSQL itself: reads by id, commits of many clients, commits delivered to another node. Needs a build
(npm run build) and PostgreSQL (apt-get install postgresql).
`;
const { positionals } = readOptions(HELP, { allowPositionals: true });
const [rounds, clients] = [5, 64].map((usual, at) => Number(positionals[at] ?? usual));
const missing = lacksPostgres();
if (missing !== undefined) {
  console.error(missing);
  process.exit(1);
}
const ROWS = 10_000;
const READS = 1_000;
/** Milliseconds that each way commits in a round. */
const COMMITTING = 2_000;
const WARM_UP = 500;

const server = await startPostgres();
const connection = { host: '127.0.0.1', port: server.port, user: 'bench', database: 'postgres' };
const address = `postgres://bench@127.0.0.1:${server.port}/postgres?schema=bench`;

async function connected() {
  for (let tries = 0; ; tries++) {
    const client = new pg.Client(connection);
    client.on('error', () => undefined);
    try {
      await client.connect();
      return client;
    } catch (error) {
      if (tries === 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** Milliseconds that one of `count` repetitions takes, one after the other. */
async function timeOf(count, work) {
  const began = performance.now();
  for (let n = 0; n < count; n++) await work(n);
  return (performance.now() - began) / count;
}

/** How many repetitions all clients do in a second. */
async function rateOf(milliseconds, work) {
  const began = performance.now();
  let done = 0;
  const client = async (number) => {
    while (performance.now() - began < milliseconds) {
      await work(number, done++);
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
  return (done * 1_000) / (performance.now() - began);
}

/** What a measurement gives, with the microseconds of processor time, here and in PostgreSQL, for each of what it did. */
async function withProcessor(name, count, work) {
  const own = process.cpuUsage();
  const before = server.processor();
  const figure = await work();
  const { user, system } = process.cpuUsage(own);
  processor[name].push((user + system + server.processor() - before) / count(figure));
  return figure;
}

const shown = ({ median, low, high }, digits = 3) =>
  `${median.toFixed(digits)} (${low.toFixed(digits)} to ${high.toFixed(digits)})`;

const raw = await Promise.all(Array.from({ length: clients }, connected));
await raw[0].query('CREATE TABLE person (id int PRIMARY KEY, name text, age int)');
await raw[0].query(`INSERT INTO person SELECT n, 'person ' || n, n % 100 FROM generate_series(0, ${ROWS - 1}) AS n`);
const { Tessera } = await tessera('embedded/index');
const db = await Tessera.open(address);
await db.use('bench', 'bench');
for (let from = 0; from < ROWS; from += 1_000) {
  await db.query(
    `FOR $n IN ${from}..${from + 1_000} { CREATE type::record('person', $n) SET name = 'person ' + <string> $n, age = $n % 100 }`,
  );
}

const randomId = () => Math.floor(Math.random() * ROWS);
const ways = {
  rawRead: () => raw[0].query({ name: 'read', text: 'SELECT * FROM person WHERE id = $1', values: [randomId()] }),
  read: () => db.query("SELECT * FROM ONLY type::record('person', $id)", { id: randomId() }),
  literalRead: () => db.query(`SELECT * FROM person:${randomId()}`),
};
let made = ROWS;
const rawCommit = (client) =>
  raw[client].query({ name: 'make', text: 'INSERT INTO person VALUES ($1, $2, 1)', values: [made++, 'somebody'] });
const commit = () => db.query(`CREATE person:${made++} SET name = 'somebody', age = 1 RETURN NONE`);

for (const way of Object.values(ways)) await timeOf(READS, way);
await rateOf(WARM_UP, rawCommit);
await rateOf(WARM_UP, commit);
const figures = { rawRead: [], read: [], readRatio: [], literalRead: [], rawCommits: [], commits: [], commitRatio: [] };
const processor = { rawRead: [], read: [], literalRead: [], rawCommits: [], commits: [] };
for (let round = 0; round < rounds; round++) {
  for (const [name, way] of Object.entries(ways)) {
    figures[name].push(
      await withProcessor(
        name,
        () => READS,
        () => timeOf(READS, way),
      ),
    );
  }
  figures.readRatio.push(figures.literalRead.at(-1) / figures.rawRead.at(-1));
  for (const [name, way] of Object.entries({ rawCommits: rawCommit, commits: commit })) {
    const inAll = (rate) => (rate * COMMITTING) / 1_000;
    figures[name].push(await withProcessor(name, inAll, () => rateOf(COMMITTING, way)));
  }
  figures.commitRatio.push(figures.commits.at(-1) / figures.rawCommits.at(-1));
}
await db.close();
const spread = Object.fromEntries(Object.entries(figures).map(([name, numbers]) => [name, spreadOf(numbers)]));
console.log(`read by id, ms each: prepared SELECT ${shown(spread.rawRead)}, Tessera ${shown(spread.literalRead)},`);
console.log(`  with a parameter ${shown(spread.read)}; times as slow (at most 2.5): ${shown(spread.readRatio, 2)}`);
console.log(
  `commits a second, ${clients} clients: INSERT ${shown(spread.rawCommits, 0)}, CREATE ${shown(spread.commits, 0)}`,
);
console.log(`  share (at least 0.5): ${shown(spread.commitRatio, 2)}`);
const used = Object.entries(processor).map(([name, numbers]) => `${name} ${spreadOf(numbers).median.toFixed(0)}`);
console.log(`processor time, microseconds each, here and in PostgreSQL: ${used.join(', ')}`);

// Delivery to another node, and what a poll costs beside many databases.
const { openPostgres } = await tessera('storage/postgres/open');
const [here, there] = [
  await openPostgres(address, { isShared: true }),
  await openPostgres(address, { isShared: true }),
];
const area = (number) => `D\x7f\0${String.fromCharCode(number >> 8, number & 0xff)}`;
for (const databases of [1, 1_000]) {
  const setUp = here.begin({ writable: true });
  for (let number = 0; number < databases; number++) setUp.put(`${area(number)}x`, 1);
  await setUp.commit();
  const sent = new Map();
  const times = [];
  const onCommits = (commits) => {
    const now = performance.now();
    for (const { keys } of commits) for (const key of keys) if (sent.has(key)) times.push(now - sent.get(key));
  };
  const end = await there.shared.follow({ onCommits, onGap: () => undefined });
  for (let number = 0; number < 200; number++) {
    const key = `${area(number % databases)}${number}`;
    const transaction = here.begin({ writable: true });
    transaction.put(key, number);
    await transaction.commit();
    sent.set(key, performance.now());
    await new Promise((resolve) => setTimeout(resolve, 5 + Math.random() * 20));
  }
  await there.shared.catchUp();
  const before = server.processor();
  const own = process.cpuUsage();
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  const { user, system } = process.cpuUsage(own);
  const sorted = times.toSorted((a, b) => a - b);
  console.log(
    `${databases} databases: delivered after p50 ${quantile(sorted, 0.5).toFixed(1)} ms, p95 ${quantile(sorted, 0.95).toFixed(1)} ms;`,
  );
  const share = (microseconds) => `${(microseconds / 50_000).toFixed(1)} %`;
  console.log(
    `  one idle follower takes ${share(server.processor() - before)} of a core in PostgreSQL, ${share(user + system)} in Tessera`,
  );
  end();
}
await here.close();
await there.close();
await Promise.all(raw.map((client) => client.end()));
await server.stop();

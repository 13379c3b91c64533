// What results that are kept right (LIVE QUERY) cost a server. Needs a build (`npm run build`). On Linux.
//
//     node bench/live-results.mjs [--only idle,own,list,rows,delay]
import { readOptions } from '../scripts/options.mjs';
import { OWNER, startCommand } from './harness/command.mjs';
import { threadsTime } from './harness/processor.mjs';
import { rpcConnection } from './harness/rpc-connection.mjs';
import { median } from './harness/statistics.mjs';

const HELP = `What LIVE QUERY costs a server. Needs a build.

  node bench/live-results.mjs [options]

  --only NAMES    of idle, own, list, rows, delay
  --results N     that a commit doesn't concern (10000)
  --writes N      that are measured (1000)
  -h, --help      prints this`;
const { values } = readOptions(HELP, {
  options: {
    only: { type: 'string', default: 'idle,own,list,rows,delay' },
    results: { type: 'string', default: '10000' },
    writes: { type: 'string', default: '1000' },
  },
});
const WRITES = Number(values.writes);
/** Of writes that take long. */
const ROUNDS = 200;
const PLACE = { NS: 'bench', DB: 'bench' };
const OPTIONS = [
  ...['--signup-rate', '100000/1h', '--signup-rate-database', '100000/1h'],
  ...['--max-connections-per-address', '5000'],
];
const SCHEMA = `
  DEFINE TABLE other; DEFINE TABLE user PERMISSIONS FULL;
  DEFINE TABLE task PERMISSIONS FOR select WHERE owner = $auth.id; DEFINE INDEX owner ON task FIELDS owner;
  DEFINE TABLE score PERMISSIONS FULL;
  DEFINE ACCESS people ON DATABASE TYPE RECORD SIGNUP (CREATE type::record('user', $name))`;

/** Runs `work` with a fresh server and a connection of its owner. */
async function served(work) {
  const server = await startCommand('memory', ...OPTIONS);
  const connections = [];
  const connect = async (onNotified) => {
    const connection = await rpcConnection(server.port, onNotified);
    connections.push(connection);
    return connection;
  };
  const asOwner = async (onNotified) => {
    const connection = await connect(onNotified);
    await connection.ask('signin', OWNER);
    await connection.ask('use', PLACE.NS, PLACE.DB);
    return connection;
  };
  try {
    const owner = await asOwner();
    await owner.ask('query', SCHEMA);
    return await work({ server, owner, connect, asOwner });
  } finally {
    for (const { close } of connections) close();
    await server.stop();
  }
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 300));

/** Processor time of the server a write, in microseconds. */
async function costOf(server, write, writes = WRITES) {
  for (let n = 0; n < writes; n++) await write(n);
  const before = threadsTime(server.pid);
  for (let n = 0; n < writes; n++) await write(n);
  return (threadsTime(server.pid) - before) / writes;
}

/** A commit that concerns none of many results: 1,000 on each connection, of other tasks each. */
async function idle() {
  await served(async ({ server, owner, asOwner }) => {
    const write = (n) => owner.ask('query', 'UPSERT type::record("other", $n) SET n = $n', { n: n % 500 });
    const without = [];
    const having = [];
    for (let round = 0; round < 3; round++) without.push(await costOf(server, write));
    const results = Number(values.results);
    for (let made = 0; made < results; made += 1_000) {
      const connection = await asOwner();
      for (let n = made; n < Math.min(made + 1_000, results); n++) {
        await connection.ask('query', `LIVE QUERY SELECT * FROM task WHERE owner = user:${n}`);
      }
    }
    await settled();
    for (let round = 0; round < 3; round++) having.push(await costOf(server, write));
    const [bare, kept] = [median(without), median(having)];
    console.log(
      `a commit that concerns none of ${results} results: ${kept.toFixed(0)} µs, without any ${bare.toFixed(0)} µs (${(kept / bare).toFixed(2)} ×)`,
    );
  });
}

/** How many evaluations the server has made. */
async function evaluations(server) {
  const authorization = `Basic ${Buffer.from(`${OWNER.user}:${OWNER.pass}`).toString('base64')}`;
  const answer = await fetch(`http://127.0.0.1:${server.port}/metrics`, { headers: { authorization } });
  const text = await answer.text();
  return Number(/^tessera_live_result_evaluation_seconds_count (\d+)/m.exec(text)?.[1] ?? 0);
}

/** Readers of 20 rows each, which a rule shows to them alone: one write is one message, and how many evaluations. */
async function own() {
  await served(async ({ server, owner, connect }) => {
    let messages = 0;
    const readers = 1_000;
    for (let n = 0; n < readers; n++) {
      const reader = await connect(() => messages++);
      await reader.ask('signup', { ...PLACE, AC: 'people', name: `u${n}` });
      await owner.ask(
        'query',
        `FOR $at IN 0..20 { CREATE type::record('task', ${n * 20} + $at) SET owner = user:u${n} }`,
      );
      await reader.ask('query', 'LIVE QUERY SELECT * FROM task WHERE owner = $auth.id');
    }
    await settled();
    messages = 0;
    const before = await evaluations(server);
    const cost = await costOf(server, (n) =>
      owner.ask('query', 'UPDATE type::record("task", $id) SET n += 1 RETURN NONE', { id: (n * 37) % (readers * 20) }),
    );
    await settled();
    const writes = 2 * WRITES;
    const made = (await evaluations(server)) - before;
    console.log(
      `${readers} readers of their own 20 rows: ${(messages / writes).toFixed(2)} messages and ${(made / writes).toFixed(2)} evaluations a write, ${cost.toFixed(0)} µs`,
    );
  });
}

/** One reader of all rows of a table that meet a condition, which are evaluated again with each write. */
async function rows() {
  for (const count of [100, 1_000, 5_000, 20_000]) {
    await served(async ({ server, owner, asOwner }) => {
      for (let from = 0; from < count; from += 1_000) {
        const some = Array.from({ length: Math.min(1_000, count - from) }, (_, at) => ({ id: from + at, points: 1 }));
        await owner.ask('query', 'INSERT INTO score $rows RETURN NONE', { rows: some });
      }
      const write = (n) => owner.ask('query', 'UPDATE type::record("score", $n) SET points += 1', { n: n % 100 });
      const bare = await costOf(server, write, ROUNDS);
      let arrived;
      const reader = await asOwner(() => arrived?.());
      await reader.ask('query', 'LIVE QUERY SELECT * FROM score WHERE points > 0');
      await settled();
      const heard = async (n) => {
        const difference = new Promise((resolve) => {
          arrived = resolve;
        });
        await write(n);
        await difference;
      };
      const kept = await costOf(server, heard, ROUNDS);
      console.log(`one reader of ${count} rows: ${((kept - bare) / 1_000).toFixed(2)} ms a write more than without it`);
    });
  }
}

/** Readers of one list with an order and a limit. */
async function list() {
  await served(async ({ server, owner, connect }) => {
    let messages = 0;
    const readers = 100;
    const rows = Array.from({ length: 1_000 }, (_, id) => ({ id, points: id }));
    await owner.ask('query', 'DEFINE INDEX points ON score FIELDS points; INSERT INTO score $rows RETURN NONE', {
      rows,
    });
    for (let n = 0; n < readers; n++) {
      const reader = await connect(() => messages++);
      await reader.ask('signup', { ...PLACE, AC: 'people', name: `u${n}` });
      await reader.ask('query', 'LIVE QUERY SELECT * FROM score ORDER BY points DESC LIMIT 20');
    }
    await settled();
    messages = 0;
    const before = await evaluations(server);
    const cost = await costOf(server, (n) =>
      owner.ask('query', 'UPDATE type::record("score", $id) SET points = $points RETURN NONE', {
        id: 980 + (n % 20),
        points: 2_000 + n,
      }),
    );
    await settled();
    const writes = 2 * WRITES;
    const made = (await evaluations(server)) - before;
    console.log(
      `${readers} readers of one list: ${(messages / writes).toFixed(1)} messages and ${(made / writes).toFixed(2)} evaluations a write, ${cost.toFixed(0)} µs`,
    );
  });
}

/** From the moment at which a write is sent to that at which 100 readers of a list know of it, at 200 writes a second. */
async function delay() {
  await served(async ({ owner, connect }) => {
    const sent = new Map();
    const delays = [];
    const rows = Array.from({ length: 100 }, (_, id) => ({ id, points: id }));
    await owner.ask('query', 'INSERT INTO score $rows RETURN NONE', { rows });
    for (let n = 0; n < 100; n++) {
      const reader = await connect((payload) => {
        const at = sent.get(Number(/"points":(\d+)/.exec(payload)?.[1]));
        if (at !== undefined) delays.push(performance.now() - at);
      });
      await reader.ask('signup', { ...PLACE, AC: 'people', name: `u${n}` });
      await reader.ask('query', 'LIVE QUERY SELECT * FROM score ORDER BY points DESC LIMIT 20');
    }
    await settled();
    const began = performance.now();
    for (let n = 0; n < 2_000; n++) {
      const wait = began + n * 5 - performance.now();
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
      sent.set(10_000 + n, performance.now());
      void owner.ask('query', 'UPDATE type::record("score", $id) SET points = $points RETURN NONE', {
        id: 80 + (n % 20),
        points: 10_000 + n,
      });
    }
    await settled();
    delays.sort((a, b) => a - b);
    const at = (share) => delays[Math.floor(delays.length * share)]?.toFixed(1);
    console.log(
      `delay at 200 writes/s to 100 readers of one list: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, at most ${at(0.99999)} ms, ${delays.length} messages`,
    );
  });
}

const PARTS = { idle, own, list, rows, delay };
for (const name of values.only.split(',')) {
  const part = PARTS[name];
  if (part === undefined) {
    console.error(`There is no part '${name}'.\n\n${HELP}`);
    process.exit(1);
  }
  await part();
}

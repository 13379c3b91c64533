// Compares a server of several processes (`tessera start --workers`) with one of a single process, and with as many servers of a single process, which
// share nothing: that is as much as the machine and this client allow; and with itself beside processes that only keep processors busy. Filtered counts
// a second, which keep a core busy, reads by id, and small durable writes, with the processor time of each. Needs a build (`npm run build`).
//
//     node bench/workers.mjs [workers=2] [seconds=5] [rounds=3] [connections=8]
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { readOptions } from '../scripts/options.mjs';

const HELP = `Compares a server of several processes with one of a single process, and with as many of those. Needs a build.

  node bench/workers.mjs [WORKERS] [SECONDS] [ROUNDS] [CONNECTIONS]

WORKERS is how many processes there are (2), SECONDS how long each figure is taken (5), ROUNDS how often (3), CONNECTIONS
how many there are in all (8); each asks one thing after the other.

  -h, --help   prints this`;
const { positionals } = readOptions(HELP, { allowPositionals: true });
const [workers, seconds, rounds, connections] = [2, 5, 3, 8].map((standard, at) => Number(positionals[at] ?? standard));

const ROWS = 20_000;
const COMMAND = fileURLToPath(new URL('../dist/bin/tessera.js', import.meta.url));
const TICKS_A_SECOND = 100;
/** Requests of a kind that make a process quick at it. */
const WARM = 3_000;
const USER = { user: 'root', pass: 'secret' };

/** Starts a server, and fills its store. */
async function startServer(count) {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-bench-'));
  const args = [COMMAND, 'start', folder, '--workers', String(count), '--user', USER.user, '--pass', USER.pass];
  const child = spawn(process.execPath, [...args, '--bind', '127.0.0.1:0', '--no-banner'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const url = await new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error('the server ended')));
    createInterface({ input: child.stderr }).on('line', (line) => {
      const { msg, url } = JSON.parse(line);
      if (msg === 'Listening') resolve(url);
    });
  });
  // A token: with a password in each request, workers ask the first process each time.
  const signedIn = await fetch(`${url}/signin`, { method: 'POST', body: JSON.stringify(USER) });
  const { token } = await signedIn.json();
  const first = new Connection({ url, token });
  for (let from = 0; from < ROWS; from += 2_000) {
    await first.ask(
      `FOR $at IN ${from}..${from + 2_000} { CREATE type::record('person', $at) SET age = $at % 100, name = 'somebody' }`,
    );
  }
  first.close();
  const end = () =>
    new Promise((resolve) => {
      child.removeAllListeners('exit').once('exit', () => {
        rmSync(folder, { recursive: true });
        resolve();
      });
      child.kill('SIGTERM');
    });
  return { url, token, pid: child.pid, end };
}

/**
 * A connection that asks one thing after the other. The client shares the processors with the server, so it does as little as it can: requests are
 * written as text, and of an answer only its length is read, and whether it says OK.
 */
class Connection {
  #socket;
  #head;
  #received = '';
  #settle;

  constructor({ url, token }) {
    const { hostname, port, host } = new URL(url);
    this.#head = [
      'POST /sql HTTP/1.1',
      `host: ${host}`,
      `authorization: Bearer ${token}`,
      'surreal-ns: bench',
      'surreal-db: bench',
      'accept: application/json',
      'content-length: ',
    ].join('\r\n');
    this.#socket = connect(Number(port), hostname).setNoDelay().setEncoding('latin1');
    this.#socket.on('data', (part) => {
      this.#received += part;
      const head = this.#received.indexOf('\r\n\r\n');
      if (head < 0) return;
      const length = Number(/^content-length: (\d+)/im.exec(this.#received)?.[1]);
      if (this.#received.length < head + 4 + length) return;
      const answer = this.#received;
      this.#received = '';
      if (answer.startsWith('HTTP/1.1 200') && answer.includes('"status":"OK"')) this.#settle.resolve();
      else this.#settle.reject(new Error(answer));
    });
    this.#socket.on('error', (error) => this.#settle?.reject(error));
  }

  ask(text) {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      this.#socket.write(`${this.#head}${text.length}\r\n\r\n${text}`);
    });
  }

  close() {
    this.#socket.destroy();
  }
}

/** Processor time of a server's processes, in milliseconds. */
function processorTime(pid) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
  return [pid, ...children].reduce((sum, each) => {
    const fields = readFileSync(`/proc/${each}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return sum + ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_A_SECOND;
  }, 0);
}

/** Asks from all clients, spread over some servers, for some seconds and at least so often; answers how often a second, and the processor time of each. */
async function measure(servers, textOf, least = 0) {
  const opened = Array.from({ length: connections }, (_, at) => new Connection(servers[at % servers.length]));
  const end = performance.now() + seconds * 1_000;
  const used = () => servers.reduce((sum, { pid }) => sum + processorTime(pid), 0);
  const before = used();
  const clientBefore = process.cpuUsage();
  const started = performance.now();
  let asked = 0;
  const client = async (connection) => {
    while (asked < least || performance.now() < end) await connection.ask(textOf(asked++));
  };
  await Promise.all(opened.map(client));
  for (const connection of opened) connection.close();
  const { user, system } = process.cpuUsage(clientBefore);
  return {
    rate: (asked * 1_000) / (performance.now() - started),
    cost: (used() - before) / asked,
    client: (user + system) / 1_000 / asked,
  };
}

/** Processor time of a server to which nothing is asked, in milliseconds a second. */
async function idle({ pid }) {
  const before = processorTime(pid);
  await new Promise((wake) => setTimeout(wake, seconds * 1_000));
  return (processorTime(pid) - before) / seconds;
}

const FIGURES = {
  'filtered count of 20,000 rows': (at) => `SELECT count() FROM person WHERE age > ${at % 50} GROUP ALL`,
  'read by id': (at) => `SELECT * FROM person:${(at * 7_919) % ROWS}`,
  'durable create': (at) => `CREATE note SET n = ${at}, text = 'hello'`,
};

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
const alone = await Promise.all(Array.from({ length: workers }, () => startServer(1)));
const several = await startServer(workers);
/** The same server as the first, while other work keeps processors busy: what that alone makes a request cost more. */
const BESIDE_OTHERS = '1 beside others';
/** What is compared, by its name. */
const ways = {
  '1 process': alone.slice(0, 1),
  [BESIDE_OTHERS]: alone.slice(0, 1),
  [`${workers} workers`]: [several],
  [`${workers} servers of 1`]: alone,
};

/** As `measure`. Where it is beside others, as many processes do nothing but loop as there would be further workers. */
async function measureWay(way, textOf) {
  const others = Array.from({ length: way === BESIDE_OTHERS ? workers - 1 : 0 }, () =>
    spawn(process.execPath, ['-e', 'for (;;) {}'], { stdio: 'ignore' }),
  );
  try {
    return await measure(ways[way], textOf);
  } finally {
    for (const other of others) other.kill('SIGKILL');
  }
}
for (const [name, textOf] of Object.entries(FIGURES)) {
  const taken = Object.fromEntries(Object.keys(ways).map((way) => [way, []]));
  // Until the code is hot: each of several processes has to run it as often as a single one.
  for (const servers of new Set(Object.values(ways))) await measure(servers, textOf, WARM * workers);
  for (let round = 0; round < rounds; round++) {
    for (const way of Object.keys(ways)) taken[way].push(await measureWay(way, textOf));
  }
  console.log(name);
  const of = (way, what) => median(taken[way].map((each) => each[what]));
  const [one] = Object.keys(ways);
  for (const way of Object.keys(ways)) {
    const [rate, cost, client] = ['rate', 'cost', 'client'].map((what) => of(way, what));
    console.log(
      `  ${way.padEnd(15)} ${rate.toFixed(1)}/s, ${(rate / of(one, 'rate')).toFixed(2)} times; ` +
        `${cost.toFixed(3)} ms of processor time each, ${(cost / of(one, 'cost')).toFixed(2)} times; the client ${client.toFixed(3)} ms`,
    );
  }
}
console.log('asked nothing');
for (const [way, server] of [
  ['1 process', alone[0]],
  [`${workers} workers`, several],
])
  console.log(`  ${way.padEnd(15)} ${(await idle(server)).toFixed(1)} ms of processor time a second`);
console.log(
  `load of the machine: ${loadavg()
    .map((load) => load.toFixed(1))
    .join(', ')}`,
);
for (const server of [...alone, several]) await server.end();

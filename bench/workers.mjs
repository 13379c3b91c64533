// Compares a server of several processes (`tessera start --workers`) with one of a single process: filtered counts a second, which keep a core busy,
// and the processor time of reads by id. Needs a build (`npm run build`).
//
//     node bench/workers.mjs [workers=2] [seconds=5] [rounds=3]
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { readOptions } from '../scripts/options.mjs';

const HELP = `Compares a server of several processes with one of a single process. Needs a build.

  node bench/workers.mjs [WORKERS] [SECONDS] [ROUNDS]

WORKERS is how many processes there are (2), SECONDS how long each figure is taken (5), ROUNDS how often (3).

  -h, --help   prints this`;
const { positionals } = readOptions(HELP, { allowPositionals: true });
const [workers, seconds, rounds] = [2, 5, 3].map((standard, at) => Number(positionals[at] ?? standard));

const ROWS = 20_000;
const CLIENTS = 16;
const COMMAND = fileURLToPath(new URL('../dist/bin/tessera.js', import.meta.url));
const TICKS_A_SECOND = 100;

/** Starts a server, and fills its store. */
async function startServer(count) {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-bench-'));
  const args = [COMMAND, 'start', folder, '--workers', String(count), '--user', 'root', '--pass', 'secret'];
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
  const server = { url, pid: child.pid, agent: new Agent({ keepAlive: true, maxSockets: CLIENTS }) };
  for (let from = 0; from < ROWS; from += 2_000) {
    await ask(
      server,
      `FOR $at IN ${from}..${from + 2_000} { CREATE type::record('person', $at) SET age = $at % 100, name = 'somebody' }`,
    );
  }
  const end = () =>
    new Promise((resolve) => {
      server.agent.destroy();
      child.removeAllListeners('exit').once('exit', () => {
        rmSync(folder, { recursive: true });
        resolve();
      });
      child.kill('SIGTERM');
    });
  return { ...server, end };
}

function ask({ url, agent }, text) {
  const headers = {
    authorization: `Basic ${Buffer.from('root:secret').toString('base64')}`,
    'surreal-ns': 'bench',
    'surreal-db': 'bench',
    accept: 'application/json',
  };
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/sql`, { method: 'POST', agent, headers }, (answer) => {
      let body = '';
      answer.setEncoding('utf8').on('data', (part) => {
        body += part;
      });
      answer.on('end', () => {
        const [{ status, result }] = [JSON.parse(body)].flat();
        if (status === 'OK') resolve(result);
        else reject(new Error(body));
      });
    });
    sent.on('error', reject).end(text);
  });
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

/** Asks from all clients for some seconds; answers how often a second, and the processor time of each. */
async function measure(server, textOf) {
  const end = performance.now() + seconds * 1_000;
  const before = processorTime(server.pid);
  const started = performance.now();
  let asked = 0;
  const client = async () => {
    while (performance.now() < end) await ask(server, textOf(asked++));
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return {
    rate: (asked * 1_000) / (performance.now() - started),
    cost: (processorTime(server.pid) - before) / asked,
  };
}

const FIGURES = {
  'filtered count of 20,000 rows': (at) => `SELECT count() FROM person WHERE age > ${at % 50} GROUP ALL`,
  'read by id': (at) => `SELECT * FROM person:${(at * 7_919) % ROWS}`,
};

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
const servers = [await startServer(1), await startServer(workers)];
for (const [name, textOf] of Object.entries(FIGURES)) {
  const taken = servers.map(() => []);
  for (const server of servers) await measure(server, textOf);
  for (let round = 0; round < rounds; round++) {
    for (const [at, server] of servers.entries()) taken[at].push(await measure(server, textOf));
  }
  const [one, several] = taken.map((each) => ({
    rate: median(each.map(({ rate }) => rate)),
    cost: median(each.map(({ cost }) => cost)),
  }));
  console.log(name);
  console.log(`  1 process     ${one.rate.toFixed(1)}/s, ${one.cost.toFixed(3)} ms of processor time each`);
  console.log(
    `  ${workers} processes   ${several.rate.toFixed(1)}/s, ${several.cost.toFixed(3)} ms of processor time each`,
  );
  console.log(`  ratio         ${(several.rate / one.rate).toFixed(2)}, ${(several.cost / one.cost).toFixed(2)}`);
}
console.log(
  `load of the machine: ${loadavg()
    .map((load) => load.toFixed(1))
    .join(', ')}`,
);
for (const server of servers) await server.end();

/**
 * What backups take: a store of 200,000 records that is backed up, verified and restored, by its pages and as text; and
 * what an archive costs those who write. Beside the time is the processor time of the commands and servers (Linux).
 *
 *     npm run build && node bench/backups.mjs [records]
 */
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const RECORDS = Number(process.argv[2] ?? 200_000);
const BATCH = 5_000;
const WRITES = 1_000;
const ROOT = ['--user', 'root', '--pass', 'secret'];
const run = promisify(execFile);
const root = mkdtempSync(join(tmpdir(), 'tessera-backups-'));
const at = (name) => join(root, name);

const tessera = (...args) =>
  run(process.execPath, ['dist/bin/tessera.js', ...args], { maxBuffer: 1 << 26, env: { PATH: process.env.PATH } });

/** Of Linux, whose clock of processor time has 100 ticks a second. */
const statOf = (pid) => {
  const path = `/proc/${pid}/stat`;
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
    .map(Number);
};
/** Processor seconds of the commands that have ended, and of a server that runs. */
function processorTime(server) {
  const [userOfCommands, systemOfCommands] = statOf('self').slice(13, 15);
  const [user = 0, system = 0] = server === undefined ? [] : statOf(server.pid).slice(11, 13);
  return (userOfCommands + systemOfCommands + user + system) / 100;
}

/** Counts the processor time of a server, too, if one is given. */
async function timed(what, count, work, server) {
  const [began, processorBegan] = [performance.now(), processorTime(server)];
  await work();
  const times = [(performance.now() - began) / 1_000, processorTime(server) - processorBegan];
  const columns = times.map((seconds) => {
    const rate = String(Math.round(count / seconds));
    return `${seconds.toFixed(2).padStart(10)} s${rate.padStart(9)} /s`;
  });
  console.log(what.padEnd(40) + columns.join(''));
}

async function serve(folder, ...more) {
  const args = ['dist/bin/tessera.js', 'start', folder, ...ROOT, '--bind', '127.0.0.1:0', '--no-banner', ...more];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const url = await new Promise((resolve, reject) => {
    let log = '';
    child.stderr.on('data', (chunk) => {
      log += chunk;
      const found = /"url":"([^"]+)".*"Listening"/.exec(log)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('close', () => reject(new Error(log)));
  });
  const closed = new Promise((resolve) => child.once('close', resolve));
  return { url, pid: child.pid, stop: () => child.kill() && closed };
}

async function query({ url }, text) {
  const headers = {
    accept: 'application/json',
    authorization: `Basic ${Buffer.from('root:secret').toString('base64')}`,
    'svc-ns': 'bench',
    'svc-db': 'bench',
  };
  const answer = await fetch(`${url}/sql`, { method: 'POST', headers, body: text });
  const results = await answer.json();
  if (answer.status !== 200 || results.some(({ status }) => status !== 'OK')) throw new Error(JSON.stringify(results));
  return results.at(-1).result;
}

async function write(server, clients) {
  let left = WRITES;
  const one = async () => {
    while (left-- > 0) await query(server, `CREATE note SET text = 'one of many', at = time::now() RETURN NONE`);
  };
  await Promise.all(Array.from({ length: clients }, one));
}

console.log(`${' '.repeat(40)}${'time'.padStart(12)}${'processor time'.padStart(24)}`);
try {
  let server = await serve(at('data'));
  await timed(
    'bulk load (INSERT of 5,000)',
    RECORDS,
    async () => {
      for (let from = 0; from < RECORDS; from += BATCH) {
        const rows = `array::range(${from}, ${from + BATCH})`;
        const row = `{ id: $n, name: 'item ' + <string>$n, price: $n * 0.25, tags: ['a', 'b'], stock: { here: $n, there: 0 } }`;
        await query(server, `INSERT INTO item (${rows}.map(|$n| ${row})) RETURN NONE`);
      }
    },
    server,
  );
  await timed('tessera backup, while the server runs', RECORDS, () => tessera('backup', at('data'), at('backup')));
  const target = ['--endpoint', server.url, ...ROOT, '--ns', 'bench', '--db', 'bench'];
  await timed('tessera export', RECORDS, () => tessera('export', ...target, at('text.surql')), server);
  await server.stop();
  await timed('tessera verify', RECORDS, () => tessera('verify', at('backup')));
  await timed('tessera restore', RECORDS, () => tessera('restore', at('backup'), at('restored')));
  server = await serve(at('imported'));
  const other = ['--endpoint', server.url, ...ROOT, '--ns', 'bench', '--db', 'bench'];
  await query(server, 'DEFINE NAMESPACE IF NOT EXISTS bench; DEFINE DATABASE IF NOT EXISTS bench');
  await timed('tessera import', RECORDS, () => tessera('import', ...other, at('text.surql')), server);
  await server.stop();
  server = await serve(at('restored'));
  const [{ count }] = await query(server, 'SELECT count() FROM item GROUP ALL');
  if (count !== RECORDS) throw new Error(`${count} records were restored`);
  await server.stop();
  for (const clients of [1, 32]) {
    for (const archive of [[], ['--archive', at(`archive${clients}`)]]) {
      server = await serve(at(`writes${clients}${archive.length}`), ...archive);
      await query(server, 'CREATE note');
      await timed(
        `${WRITES} writes, ${clients} at once${archive.length > 0 ? ', archived' : ''}`,
        WRITES,
        () => write(server, clients),
        server,
      );
      await server.stop();
    }
  }
} finally {
  rmSync(root, { recursive: true });
}

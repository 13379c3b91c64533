// PostgreSQL from the packages of the system (`apt-get install postgresql-15`), started in a folder of its own, through `pg`.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { plain } from '../harness/answers.mjs';
import { CONNECTIONS, MILLISECONDS } from '../harness/requests.mjs';
import { temporaryFolder } from '../harness/temporary-folder.mjs';

const BINARIES = '/usr/lib/postgresql/15/bin';
const lacks = () => (existsSync(BINARIES) ? undefined : `${BINARIES} isn't there; apt-get install postgresql-15`);

/** It refuses to run as root. */
const asPostgres = (command, args) =>
  process.getuid?.() === 0
    ? ['setpriv', ['--reuid=postgres', '--regid=postgres', '--clear-groups', command, ...args]]
    : [command, args];

/** @returns {Promise<number>} a free port */
const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

async function start() {
  const folder = temporaryFolder();
  if (process.getuid?.() === 0) execFileSync('chown', ['postgres', folder.path]);
  const data = `${folder.path}/data`;
  const initialize = ['-D', data, '-A', 'trust', '-U', 'bench', '--no-sync', '-E', 'UTF8', '--locale=C'];
  execFileSync(...asPostgres(`${BINARIES}/initdb`, initialize), { stdio: 'ignore' });
  const port = await freePort();
  const settings = { listen_addresses: '127.0.0.1', port, unix_socket_directories: folder.path };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn(...asPostgres(`${BINARIES}/postgres`, ['-D', data, ...flags]), { stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  // Ends it at once, and those that serve its clients.
  const stop = () => child.kill('SIGINT');
  process.once('exit', stop);
  return {
    port,
    processor: () => processorOf(child.pid),
    stop: async () => {
      process.off('exit', stop);
      stop();
      await ended;
      folder.remove();
    },
  };
}

/** Microseconds that a process and its children have used: PostgreSQL serves each client in a process of its own. */
function processorOf(parent) {
  let nanoseconds = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
      // The name, in brackets, may hold anything.
      const [, ppid] = text.slice(text.lastIndexOf(')') + 2).split(' ');
      if (Number(ppid) !== parent && Number(pid) !== parent) continue;
      nanoseconds += Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]);
    } catch {
      // It has ended meanwhile.
    }
  }
  return nanoseconds / 1e3;
}

async function connected(pg, port) {
  const pool = new pg.Pool({ host: '127.0.0.1', port, user: 'bench', database: 'postgres', max: CONNECTIONS });
  // Idle connections are notified when the server ends.
  pool.on('error', () => undefined);
  for (let tries = 0; ; tries++) {
    try {
      await pool.query('SELECT 1');
      return pool;
    } catch (error) {
      if (tries === 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

const TYPES = { number: 'int', string: 'text', boolean: 'boolean' };

async function open(dataset, rows) {
  const { default: pg } = await import('pg');
  const server = await start();
  const pool = await connected(pg, server.port);
  const record = (_table, id) => id;
  const load = async (table, all) => {
    const names = ['id', ...dataset.tables[table].columns].map((name) => `"${name}"`);
    await pool.query(`INSERT INTO ${table} SELECT ${names} FROM json_populate_recordset(null::${table}, $1)`, [
      JSON.stringify(all),
    ]);
  };
  for (const [name, { columns, rows: made }] of Object.entries(dataset.tables)) {
    const all = made(rows, record);
    const typed = columns.map((column) => `"${column}" ${TYPES[typeof all[0]?.[column]] ?? 'text'}`);
    await pool.query(`CREATE TABLE ${name} (${['id int PRIMARY KEY', ...typed]})`);
    await load(name, all);
  }
  return {
    record,
    load,
    clear: (table) => pool.query(`TRUNCATE ${table}`),
    /** A prepared statement. */
    request: (text) => async () => (await pool.query({ name: text.slice(0, 60), text })).rows,
    /** As `requests` does it, over connections of the pool. */
    flood: async (operation) => {
      const before = server.processor();
      const began = performance.now();
      let answered = 0;
      const chain = async () => {
        while (performance.now() - began < MILLISECONDS) {
          await operation();
          answered++;
        }
      };
      await Promise.all(Array.from({ length: CONNECTIONS }, chain));
      const seconds = (performance.now() - began) / 1e3;
      return { rate: answered / seconds, processor: ((server.processor() - before) * 1e3) / answered };
    },
    processor: async () => server.processor(),
    answer: plain,
    close: async () => {
      await pool.end();
      await server.stop();
    },
  };
}

/** @type {import('../harness/contract.mjs').Target[]} */
export const POSTGRES = [
  {
    name: 'postgres',
    title: 'PostgreSQL',
    speaks: 'postgres',
    keeps: 'a crash of the machine: fsync before the answer',
    needs: ['pg'],
    lacks,
    open,
  },
];

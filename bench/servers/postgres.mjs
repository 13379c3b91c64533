// PostgreSQL from the packages of the system (`apt-get install postgresql-15`), started in a folder of its own.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { familyTime } from '../harness/processor.mjs';
import { temporaryFolder } from '../harness/temporary-folder.mjs';

const BINARIES = '/usr/lib/postgresql/15/bin';
/** Why it can't be started here. */
export const lacksPostgres = () =>
  existsSync(BINARIES) ? undefined : `${BINARIES} isn't there; apt-get install postgresql-15`;

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

/** Starts it, empty, as it is installed: what it has acknowledged outlives a crash of the machine. It takes connections then. */
export async function startPostgres() {
  const folder = temporaryFolder();
  const data = makeCluster(folder.path);
  const server = await runPostgres(data);
  return {
    ...server,
    stop: async () => {
      await server.stop();
      folder.remove();
    },
  };
}

/** Makes an empty cluster within a folder, which becomes that of PostgreSQL's user. @returns {string} where its data is */
export function makeCluster(folder) {
  if (process.getuid?.() === 0) execFileSync('chown', ['postgres', folder]);
  const data = `${folder}/data`;
  const initialize = ['-D', data, '-A', 'trust', '-U', 'bench', '--no-sync', '-E', 'UTF8', '--locale=C'];
  execFileSync(...asPostgres(`${BINARIES}/initdb`, initialize), { stdio: 'ignore' });
  return data;
}

/** Starts it on a cluster that is there. */
export async function runPostgres(data) {
  const port = await freePort();
  const settings = { listen_addresses: '127.0.0.1', port, unix_socket_directories: dirname(data) };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn(...asPostgres(`${BINARIES}/postgres`, ['-D', data, ...flags]), { stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  // Ends it at once, and those that serve its clients.
  const stop = () => child.kill('SIGINT');
  process.once('exit', stop);
  const isReady = () => spawnSync(`${BINARIES}/pg_isready`, ['-q', '-h', '127.0.0.1', '-p', String(port)]).status === 0;
  while (!isReady()) {
    if (child.exitCode !== null) throw new Error(`PostgreSQL ended with code ${child.exitCode}`);
    await new Promise((resume) => setTimeout(resume, 10));
  }
  return {
    port,
    /** Microseconds, those of its children included: it serves each client in a process of its own. */
    processor: () => familyTime(child.pid),
    stop: async () => {
      process.off('exit', stop);
      stop();
      await ended;
    },
  };
}

/** What it says about its version. */
export const postgresVersion = () => execFileSync(`${BINARIES}/postgres`, ['--version'], { encoding: 'utf8' }).trim();

/** Runs statements as the owner of the cluster. @returns {string} what they give */
export const psql = (port, text) =>
  execFileSync(
    `${BINARIES}/psql`,
    ['-X', '-q', '-t', '-A', '-v', 'ON_ERROR_STOP=1', '-h', '127.0.0.1', '-p', String(port), '-U', 'bench', 'postgres'],
    { input: text, encoding: 'utf8' },
  );

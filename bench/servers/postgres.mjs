// PostgreSQL from the packages of the system (`apt-get install postgresql-15`), started in a folder of its own.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
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

/** Starts it, empty, as it is installed: what it has acknowledged outlives a crash of the machine. */
export async function startPostgres() {
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

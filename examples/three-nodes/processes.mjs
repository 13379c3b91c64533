// Starts and ends PostgreSQL, HAProxy and Tessera nodes, on free ports of 127.0.0.1 and in a folder that is removed at the end.
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const TESSERA = fileURLToPath(new URL('../../dist/bin/tessera.js', import.meta.url));
const DEBIAN = '/usr/lib/postgresql';
/** Milliseconds that anything has for its start. */
const PATIENCE = 60_000;

export class Processes {
  /** Ended in the order in which they are listed: those that use others before these. */
  #running = [];
  folder = mkdtempSync(join(tmpdir(), 'tessera-nodes-'));

  constructor() {
    // For the user as whom PostgreSQL runs.
    chmodSync(this.folder, 0o755);
  }

  /** The port of a new PostgreSQL server, which writes to the disk what it acknowledges, as it does by default. */
  async postgres() {
    const programs = postgresPrograms();
    const port = await freePort();
    const data = join(this.folder, 'postgres');
    mkdirSync(data);
    const owner = serviceUser();
    if (owner.uid !== undefined) chownSync(data, owner.uid, owner.gid);
    const options = { ...owner, cwd: data, stdio: 'ignore' };
    execFileSync(
      join(programs, 'initdb'),
      ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C'],
      options,
    );
    const settings = ['listen_addresses=127.0.0.1', `port=${port}`, 'unix_socket_directories='].flatMap((each) => [
      '-c',
      each,
    ]);
    // It ends connections and then itself.
    this.start(join(programs, 'postgres'), ['-D', data, ...settings], options, 'SIGINT');
    await this.until('PostgreSQL', () => accepts(programs, port));
    return port;
  }

  /** A node on a store, as an object with its address and `kill`. */
  async node(store, port, user) {
    const words = [
      'start',
      store,
      '--bind',
      `127.0.0.1:${port}`,
      '--no-banner',
      '--user',
      user.username,
      '--pass',
      user.password,
    ];
    const running = this.start(process.execPath, [TESSERA, ...words], { stdio: ['ignore', 'ignore', 'inherit'] });
    const url = `http://127.0.0.1:${port}`;
    await this.until(`the node at ${url}`, () => isReady(url), running);
    return { url, kill: () => this.#end(running, 'SIGKILL') };
  }

  /** HAProxy before nodes at three ports; its own port. */
  async haproxy([one, two, three]) {
    const program = ['/usr/sbin/haproxy', '/usr/local/sbin/haproxy'].find((path) => existsSync(path));
    if (program === undefined) throw new Error('HAProxy is not installed: apt-get install haproxy');
    const port = await freePort();
    const env = { ...process.env, PORT: port, NODE_ONE: one, NODE_TWO: two, NODE_THREE: three };
    const running = this.start(program, ['-f', join(HERE, 'haproxy.cfg'), '-db'], { env, stdio: 'ignore' });
    await this.until('HAProxy', () => isReady(`http://127.0.0.1:${port}`), running);
    return port;
  }

  /** Waits until something is so. @throws Error if it isn't within a minute, or the process has ended that it is asked of */
  async until(what, isSo, running) {
    const deadline = performance.now() + PATIENCE;
    while (!(await isSo())) {
      if (running !== undefined && running.child.exitCode !== null) throw new Error(`${what} has ended`);
      if (performance.now() > deadline) throw new Error(`${what} doesn't start`);
      await wait(50);
    }
  }

  /** Ends everything and removes the folder. */
  async end() {
    while (this.#running.length > 0) await this.#end(this.#running[0]);
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** A process in the list of those that are ended at the end. */
  start(program, words, options = {}, signal = 'SIGTERM') {
    const child = spawn(program, words, { stdio: 'ignore', ...options });
    const running = { child, signal, ended: new Promise((resolve) => child.once('close', resolve)) };
    child.once('error', (error) => console.error(`${program}: ${error.message}`));
    this.#running.unshift(running);
    return running;
  }

  async #end(running, signal = running.signal) {
    this.#running = this.#running.filter((each) => each !== running);
    if (running.child.exitCode === null && running.child.signalCode === null) running.child.kill(signal);
    await running.ended;
  }
}

export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** The folder of PostgreSQL's programs, of the newest version. */
export function postgresPrograms() {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  const found = versions
    .map((version) => join(DEBIAN, version, 'bin'))
    .find((folder) => existsSync(join(folder, 'initdb')));
  if (found === undefined) throw new Error('PostgreSQL is not installed: apt-get install postgresql');
  return found;
}

/** As whom PostgreSQL runs where this is root, as whom it doesn't run. */
export function serviceUser() {
  return process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {};
}

function idOf(option) {
  return Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }));
}

function accepts(programs, port) {
  try {
    execFileSync(join(programs, 'pg_isready'), ['-h', '127.0.0.1', '-p', `${port}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

async function isReady(url) {
  const response = await fetch(`${url}/ready`).catch(() => undefined);
  return response?.ok === true;
}

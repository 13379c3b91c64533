/**
 * A PostgreSQL server of its own for tests: a cluster in a temporary folder, on a free port of the loopback interface. `initdb` refuses to run as
 * root, so that root starts it as the user `postgres`, which Debian's package makes.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realEnvironment } from '../../src/env/real.js';

const DEBIAN = '/usr/lib/postgresql';

/** The folder of PostgreSQL's programs, of the newest version that is installed; `undefined` where there is none. */
export function postgresPrograms(): string | undefined {
  if (!existsSync(DEBIAN)) return undefined;
  const versions = readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a));
  return versions.map((version) => join(DEBIAN, version, 'bin')).find((folder) => existsSync(join(folder, 'initdb')));
}

export interface PostgresOptions {
  /** As in `postgresql.conf`, for example `{ fsync: 'on' }`. */
  readonly settings?: Readonly<Record<string, string>>;
}

export class PostgresServer {
  #process: ChildProcess | undefined;

  private constructor(
    readonly port: number,
    readonly folder: string,
    private readonly programs: string,
    private readonly settings: Readonly<Record<string, string>>,
  ) {}

  /** Makes a cluster and starts it, in about three seconds. */
  static async start({ settings = {} }: PostgresOptions = {}): Promise<PostgresServer> {
    const programs = postgresPrograms();
    if (programs === undefined) throw new Error('PostgreSQL is not installed');
    const folder = mkdtempSync(join(tmpdir(), 'tessera-postgres-'));
    const { uid, gid } = unprivileged();
    if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
    execFileSync(
      join(programs, 'initdb'),
      [
        '--pgdata',
        join(folder, 'data'),
        '--username',
        'postgres',
        '--auth',
        'trust',
        '--no-sync',
        '--encoding',
        'UTF8',
        '--locale',
        'C',
      ],
      { uid, gid, cwd: folder, stdio: 'pipe' },
    );
    const server = new PostgresServer(await freePort(), folder, programs, {
      // A test that isn't about crashes needs none of this.
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      // The servers of a suite run until its end, each with connections of its own.
      max_connections: '400',
      ...settings,
    });
    await server.run();
    return server;
  }

  /** Where a store in it is, in a schema of its own. */
  address(schema: string): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres?schema=${schema}`;
  }

  /** Starts it, again or for the first time. */
  async run(): Promise<void> {
    const { uid, gid } = unprivileged();
    const options = {
      ...this.settings,
      listen_addresses: '127.0.0.1',
      port: `${this.port}`,
      unix_socket_directories: '',
    };
    const parameters = Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    this.#process = spawn(join(this.programs, 'postgres'), ['-D', join(this.folder, 'data'), ...parameters], {
      uid,
      gid,
      cwd: this.folder,
      stdio: 'ignore',
    });
    await accepting(this.port, this.#process);
  }

  /** As a power failure would: no process of it gets to finish anything. */
  async kill(): Promise<void> {
    await this.#end('SIGQUIT');
  }

  /** Cuts all connections, and waits until it has ended. */
  async stop(): Promise<void> {
    await this.#end('SIGINT');
  }

  /** Stops it and removes its folder. */
  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const process = this.#process;
    this.#process = undefined;
    if (process === undefined || process.exitCode !== null) return;
    const ended = new Promise((resolve) => process.once('exit', resolve));
    process.kill(signal);
    await ended;
  }
}

/** The user as whom PostgreSQL runs; another one only where this is root. */
function unprivileged(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (option: string) => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

/** Waits until connections are accepted. The server listens before it is ready, and then closes them. */
async function accepting(port: number, server: ChildProcess): Promise<void> {
  for (;;) {
    if (server.exitCode !== null) throw new Error(`PostgreSQL ended with ${server.exitCode}`);
    if (await answers(port)) return;
    await realEnvironment.timers.wait(20);
  }
}

/** Whether the server asks for a startup message's authentication rather than refusing it. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1');
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
    socket.once('connect', () => socket.write(startup('postgres')));
    socket.once('data', (data) => {
      resolve(data[0] === 'R'.charCodeAt(0));
      socket.destroy();
    });
  });
}

function startup(user: string): Buffer {
  const parameters = Buffer.from(`user\0${user}\0database\0postgres\0\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(8 + parameters.length, 0);
  head.writeInt32BE(0x0003_0000, 4);
  return Buffer.concat([head, parameters]);
}

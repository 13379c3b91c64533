/** The built server as a process of its own, on a store on disk. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const ROOT = { user: 'root', pass: 'the root password' } as const;
/** The root user that the documentation starts its servers with. */
export const ROOT_OF_PAGES = { user: 'root', pass: 'secret' } as const;

export interface ServerProcess {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** The same for WebSockets, with its path. */
  readonly rpcUrl: string;
  readonly pid: number;
  /** What it has written so far. */
  log(): string;
  isAlive(): boolean;
  /** Sends a signal, and waits for nothing. */
  signal(signal: NodeJS.Signals): void;
  /** Sends a signal and waits until the process is gone. Gives its exit code, `null` after SIGKILL. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** A folder that `removeFolders` takes away again. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-end-to-end-'));
  folders.push(folder);
  return folder;
}
const folders: string[] = [];
const running = new Set<ServerProcess>();

/** Ends every server that this test file has started, and removes their folders. */
export async function cleanUp(): Promise<void> {
  await Promise.all([...running].map((server) => server.stop('SIGKILL')));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** A machine that is busy otherwise may take long. */
const START_DEADLINE = 120_000;

export function startServer(
  path: string = temporaryFolder(),
  environment: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  return startServerWith([path, '--user', ROOT.user, '--pass', ROOT.pass], environment);
}

export type ShellBound = readonly [option: '-f' | '-n', most: number];

/** Windows has no such bounds. */
const LIMITED = 'ulimit "$1" "$2"; shift 2; exec "$@"';

/**
 * Starts a server with these arguments, on any free port unless they name one. `bound` is one by the shell's `ulimit`: of the length of its
 * files, in blocks of 512 or of 1,024 bytes (`-f`), which the system reports like a full disk, or of open files (`-n`).
 */
export function startServerWith(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  bound?: ShellBound,
): Promise<ServerProcess> {
  return launch([...args, '--no-banner'], environment, bound);
}

/** Starts a server in memory that has no user yet; its log has the banner too. */
export function startFreshServer(): Promise<ServerProcess> {
  return launch(['memory'], {});
}

async function launch(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  bound?: ShellBound,
): Promise<ServerProcess> {
  const place = args.includes('--bind') ? [] : ['--bind', '127.0.0.1:0'];
  const command = ['dist/bin/tessera.js', 'start', ...args, ...place];
  const limited = ['-c', LIMITED, 'sh', ...(bound ?? []).map(String), process.execPath, ...command];
  const [program, all] = bound === undefined ? [process.execPath, command] : ['sh', limited];
  const child = spawn(program, all, {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  let log = '';
  const url = await new Promise<string>((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`The server ${why}:\n${log}`));
    const deadline = setTimeout(fail, START_DEADLINE, 'did not start in time');
    const listen = (chunk: Buffer) => {
      log += chunk;
      const found = /"url":"([^"]+)".*"Listening"/.exec(log)?.[1];
      if (found === undefined) return;
      clearTimeout(deadline);
      resolve(found);
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    child.once('close', () => fail('ended at once'));
  });
  const server: ServerProcess = {
    url,
    rpcUrl: `${url.replace('http', 'ws')}/rpc`,
    pid: child.pid as number,
    log: () => log,
    isAlive: () => isAlive(child),
    signal: (signal) => void child.kill(signal),
    stop(signal = 'SIGTERM') {
      running.delete(server);
      child.kill(signal);
      return exited;
    },
  };
  running.add(server);
  return server;
}

function isAlive({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

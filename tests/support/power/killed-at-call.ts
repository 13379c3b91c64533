/** Kills a process when it makes a call of the system, from whichever thread or library. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** Calls that change files, and about how many of them a thread makes. */
export interface CallsToKillAt {
  readonly names: string;
  readonly most: number;
}

/** What became of a process. */
export interface Killed {
  /** Where it was to be killed. */
  readonly call: string;
  readonly isKilled: boolean;
  /** What it printed. */
  readonly lines: readonly string[];
}

/** Runs a command that is killed before a call drawn at random. */
export async function killedAtCall(
  command: readonly string[],
  calls: readonly CallsToKillAt[],
  random: (below: number) => number,
): Promise<Killed> {
  const { names, most } = calls[random(calls.length)] as CallsToKillAt;
  const call = `${names}:signal=KILL:when=${1 + random(most)}`;
  const options = ['-f', '--seccomp-bpf', '-s', '0', '-e', `inject=${call}`, '-o', '/dev/null'];
  const started = spawn('strace', [...options, ...command], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], UV_USE_IO_URING: '0' },
  });
  const lines: string[] = [];
  createInterface({ input: started.stdout }).on('line', (line) => lines.push(line));
  let errors = '';
  started.stderr.on('data', (text) => (errors += text));
  const [code, signal] = (await once(started, 'close')) as [number | null, string | null];
  const isKilled = signal === 'SIGKILL';
  if (!isKilled && code !== 0) throw new Error(`${call} ended with ${code ?? signal}: ${errors}`);
  return { call, isKilled, lines };
}

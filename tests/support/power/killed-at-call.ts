/** Kills a process when it makes a call of the system, from whichever thread or library. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** Calls that change files, in groups, and about how many of each group a thread makes. */
const CALLS = [
  { names: 'fdatasync', most: 30 },
  { names: 'pwrite64,writev', most: 120 },
  { names: 'fsync,link,unlink', most: 24 },
  { names: 'write', most: 1_700 },
] as const;

/** Runs a command that is killed before a call drawn at random. Answers whether it was, and the lines that it printed. */
export async function killedAtCall(
  command: readonly string[],
  random: (below: number) => number,
): Promise<{ readonly call: string; readonly isKilled: boolean; readonly lines: readonly string[] }> {
  const { names, most } = CALLS[random(CALLS.length)] as (typeof CALLS)[number];
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
  const isKilled = signal === 'SIGKILL' || code === KILLED;
  if (!isKilled && code !== 0) throw new Error(`${call} ended with ${code ?? signal}: ${errors}`);
  return { call, isKilled, lines };
}

/** What a process answers of which a part was killed. */
export const KILLED = 9;

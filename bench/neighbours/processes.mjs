// The servers of the neighbours as processes of their own: started by their own commands, on a free port of the loopback interface.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { familyMemory, familyTime } from '../harness/processor.mjs';

/**
 * Starts a server and waits for its first good answer.
 * @param {{command: string, args: readonly string[], env?: object, port: number, question: Buffer}} how
 * @returns {Promise<import('./systems.mjs').Server>}
 */
export async function startProcess({ command, args, env = {}, port, question }) {
  const began = performance.now();
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', process.env.NEIGHBOURS_OUTPUT === undefined ? 'ignore' : 'inherit'],
  });
  const ended = once(child, 'exit');
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  while (!(await answers(port, question))) {
    if (child.exitCode !== null)
      throw new Error(`${command} ended with ${child.exitCode}; NEIGHBOURS_OUTPUT=1 shows why`);
    await new Promise((resume) => setTimeout(resume, 2));
  }
  return {
    port,
    processor: () => familyTime(child.pid),
    memory: () => familyMemory(child.pid),
    ready: performance.now() - began,
    stop: async () => {
      child.kill();
      await ended;
      process.off('exit', kill);
    },
  };
}

/** Whether a server answers this question with 200. */
function answers(port, question) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(question));
    const end = (isGood) => {
      resolve(isGood);
      socket.destroy();
    };
    socket.once('error', () => end(false));
    socket.once('close', () => end(false));
    socket.once('data', (data) => end(String(data).startsWith('HTTP/1.1 200')));
  });
}

/** What a command says about its version; `undefined` where it can't be run. */
export function versionOf(command) {
  const { status, stdout } = spawnSync(command, ['--version'], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

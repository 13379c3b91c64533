// The command `tessera` as a process of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { command } from './build.mjs';

const TELL_USAGE = fileURLToPath(new URL('../servers/tell-usage.mjs', import.meta.url));
const NODE_FLAGS = ['--expose-gc', '--import', TELL_USAGE];
const ASK = 'GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n';
export const OWNER = { user: 'root', pass: 'secret' };

/**
 * Starts a server: `{port, pid, ready, memory(), stop()}`; `ready` is how many nanoseconds it took until it answered.
 * `SERVER_FLAGS` are given to Node.
 */
export async function startCommand(store, ...flags) {
  const port = await freePort();
  const address = ['--bind', `127.0.0.1:${port}`, '--log', 'error', '--no-banner'];
  const nodeFlags = [...NODE_FLAGS, ...(process.env.SERVER_FLAGS ?? '').split(' ').filter(Boolean)];
  const began = performance.now();
  const child = spawn(
    process.execPath,
    [...nodeFlags, command(), 'start', store, '--user', OWNER.user, '--pass', OWNER.pass, ...address, ...flags],
    { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] },
  );
  const ended = once(child, 'exit');
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  while (!(await isReady(port))) {
    if (child.exitCode !== null) throw new Error(`the server ended with code ${child.exitCode}`);
    await new Promise((resume) => setTimeout(resume, 2));
  }
  return {
    port,
    pid: child.pid,
    ready: (performance.now() - began) * 1e6,
    memory: async () => {
      child.send('usage');
      const [{ memory }] = await once(child, 'message');
      return memory;
    },
    stop: async () => {
      child.kill();
      await ended;
      process.off('exit', kill);
    },
  };
}

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** Whether the server answers, and well. */
function isReady(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(ASK));
    socket.once('error', () => resolve(false));
    socket.once('data', (data) => {
      resolve(String(data).startsWith('HTTP/1.1 200'));
      socket.destroy();
    });
  });
}

// How long `tessera start` takes, from the start of the process to the first answer of /health.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../harness/temporary-folder.mjs';

const COMMAND = fileURLToPath(new URL('../../dist/bin/tessera.js', import.meta.url));
const ASK = 'GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n';

async function freePort() {
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

/** Nanoseconds until a server is ready. */
async function start(store) {
  const port = await freePort();
  const address = ['--bind', `127.0.0.1:${port}`, '--log', 'error', '--no-banner'];
  const began = performance.now();
  const child = spawn(process.execPath, [COMMAND, 'start', store, '--user', 'root', '--pass', 'secret', ...address], {
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  while (!(await isReady(port))) {
    if (child.exitCode !== null) throw new Error(`the server ended with code ${child.exitCode}`);
    await new Promise((resume) => setTimeout(resume, 2));
  }
  const ready = (performance.now() - began) * 1e6;
  child.kill();
  await ended;
  return ready;
}

const folders = new WeakMap();
/** A folder in which there is a store already. */
async function existing(opened) {
  const before = folders.get(opened);
  if (before !== undefined) return before.path;
  const folder = temporaryFolder();
  folders.set(opened, folder);
  await start(folder.path);
  return folder.path;
}

/** @type {import('../harness/contract.mjs').Workload[]} */
export const START = [
  {
    name: 'start until ready',
    only: ['tessera:memory', 'tessera:lmdb'],
    figure: 'ready',
    rounds: 10,
    surrealql: (opened) => {
      opened.store = opened.folder === undefined ? async () => 'memory' : () => existing(opened);
      return undefined;
    },
    sample: async (opened) => ({ ready: await start(await opened.store()) }),
  },
];

// Servers to be measured, each a process of its own that tells how much processor time it has used.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** @typedef {Awaited<ReturnType<typeof startServer>>} Server */

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/**
 * Starts a server that prints its address. `SERVER_FLAGS` are given to Node: `SERVER_FLAGS=--cpu-prof` writes profiles of the servers.
 * @param {string} script  of this folder, or with its whole path
 * @param {readonly string[]} args
 */
export async function startServer(script, ...args) {
  const flags = (process.env.SERVER_FLAGS ?? '').split(' ').filter(Boolean);
  const child = spawn(process.execPath, [...flags, '--import', here('tell-usage.mjs'), here(script), ...args], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const stop = () => child.kill();
  process.once('exit', stop);
  let text = '';
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    text += chunk;
    const port = /127\.0\.0\.1:(\d+)/.exec(text)?.[1];
    if (port === undefined) continue;
    child.stdout.resume();
    /** Sends a message and waits for the one that answers it. */
    const ask = async (message) => {
      child.send(message);
      const [told] = await once(child, 'message');
      return told;
    };
    return {
      port: Number(port),
      ask,
      /** Microseconds, user and system. */
      processor: async () => (await ask('usage')).processor,
      stop: () => {
        process.off('exit', stop);
        stop();
      },
    };
  }
  throw new Error(`no address in: ${text}`);
}

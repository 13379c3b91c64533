// Servers to be measured, each a process of its own that tells how much processor time it has used.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/** Starts a server that prints its address: `{port, processorTime(), stop()}`. Processor time is in microseconds, user and system. */
export async function startServer(script, ...args) {
  const child = spawn(
    process.execPath,
    [
      ...(process.env.SERVER_FLAGS ?? '').split(' ').filter(Boolean),
      '--import',
      here('tell-usage.mjs'),
      here(script),
      ...args,
    ],
    { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] },
  );
  let text = '';
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    text += chunk;
    const port = /127\.0\.0\.1:(\d+)/.exec(text)?.[1];
    if (port === undefined) continue;
    child.stdout.resume();
    const usage = async () => {
      child.send('usage');
      const [told] = await once(child, 'message');
      return told;
    };
    return {
      port: Number(port),
      processorTime: async () => (await usage()).processor,
      memory: async () => (await usage()).memory,
      stop: () => child.kill(),
    };
  }
  throw new Error(`no address in: ${text}`);
}

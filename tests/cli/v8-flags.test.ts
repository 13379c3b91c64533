/** What a server sets for itself, whatever it was started by. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'tessera-flags-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** V8's help shows what flags are set to, and ends the process. It goes to a file for each of the processes. */
const HELP = `
  import { closeSync, openSync } from 'node:fs';
  import { setFlagsFromString } from 'node:v8';
  process.on('exit', () => {
    closeSync(1);
    openSync(process.env.HELP_OF + process.pid, 'w');
    setFlagsFromString('--help');
  });`;

it.each([
  ['alone', 1, 1],
  ['with two workers', 2, 3],
])('flags of V8 are set in a server %s', async (_, workers, processes) => {
  const help = join(folder, `help-${workers}/`);
  mkdirSync(help);
  const address = ['--bind', '127.0.0.1:0', '--log', 'info', '--workers', `${workers}`];
  const args = ['start', join(folder, `data-${workers}`), '--user', 'root', '--pass', 'a root password', ...address];
  const preload = `--import "data:text/javascript,${encodeURIComponent(HELP)}"`;
  const child = spawn(process.execPath, ['dist/bin/tessera.js', ...args], {
    env: { PATH: process.env.PATH, NODE_OPTIONS: preload, HELP_OF: help },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  child.stderr.on('data', (chunk) => {
    log += chunk;
  });
  const ended = once(child, 'exit');
  try {
    await expect.poll(() => log, { timeout: 20_000 }).toContain('Listening');
    child.kill('SIGTERM');
    await ended;
  } finally {
    child.kill('SIGKILL');
  }
  const flags = readdirSync(help).map((name) => readFileSync(join(help, name), 'utf8'));
  expect(flags).toHaveLength(processes);
  for (const each of flags) expect(each).toContain('--gc-memory-reducer-start-delay-ms=2147483647\n');
});

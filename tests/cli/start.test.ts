/** The built command as a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';

const children: ChildProcess[] = [];
const folders: string[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function tessera(args: readonly string[], environment: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['dist/cli/main.js', ...args], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  return {
    child,
    exited,
    text: () => output,
    /** Where it listens, once it does. */
    async url(): Promise<string> {
      await expect.poll(() => output, { timeout: 20_000 }).toContain('Listening');
      return /"url":"([^"]+)"/.exec(output)?.[1] ?? '';
    },
  };
}

const start = (...args: string[]) => tessera(['start', ...args, '--bind', '127.0.0.1:0']);

async function sql(url: string, text: string): Promise<unknown> {
  const headers = {
    authorization: `Basic ${Buffer.from('root:a root password').toString('base64')}`,
    'svc-ns': 'test',
    'svc-db': 'test',
    accept: 'application/json',
  };
  const response = await fetch(`${url}/sql`, { method: 'POST', headers, body: text });
  const [first] = (await response.json()) as { result: unknown }[];
  return first?.result;
}

describe('tessera start', () => {
  const user = ['--user', 'root', '--pass', 'a root password'];

  it('says where it is reached and how to make the first user', async () => {
    const server = start('memory');
    const url = await server.url();
    expect((await fetch(`${url}/health`)).status).toBe(200);
    await expect.poll(server.text).toContain('There is no root user yet');
    expect(server.text()).toContain(`${url.replace('http', 'ws')}/rpc`);
  });

  it('keeps data in its folder, and stops at a signal', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tessera-start-'));
    folders.push(folder);
    const first = start(folder, ...user);
    expect(await sql(await first.url(), 'CREATE person:1 SET name = "Ann"')).toEqual([{ id: 'person:1', name: 'Ann' }]);
    first.child.kill('SIGTERM');
    expect(await first.exited).toBe(0);

    // The user is there already, so that another password changes nothing.
    const second = start(folder, '--user', 'root', '--pass', 'another password', '--no-banner');
    expect(await sql(await second.url(), 'SELECT VALUE name FROM person')).toEqual(['Ann']);
    second.child.kill('SIGINT');
    expect(await second.exited).toBe(0);
    expect(second.text()).not.toContain('Try it');
    expect(second.text()).not.toContain('password');
  });

  it.each([
    [['start', 'memory', '--bind', 'nonsense'], {}, '--bind: "nonsense" is not an address'],
    [['start', 'memory'], { SVC_LOG: 'loud' }, 'SVC_LOG: "loud" is none of'],
    [['start', 'nowhere:data'], {}, 'names no store'],
    [['start', 'memory', '--user', 'root'], {}, '--user and --pass need each other'],
    [['start', 'memory', '--unknown'], {}, "unknown option '--unknown'"],
  ])('does not start with a setting that is bad (%#)', async (args, environment, message) => {
    const { exited, text } = tessera(args, environment as Record<string, string>);
    expect(await exited).toBe(1);
    expect(text()).toContain(message);
  });

  it('tells its version', async () => {
    const { exited, text } = tessera(['version']);
    expect(await exited).toBe(0);
    expect(text()).toMatch(/^tessera \d+\.\d+\.\d+ \(speaks surrealdb-3\.\d+\.\d+\)\n$/);
  });
});

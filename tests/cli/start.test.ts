/** The built command as a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { SLOWDOWN } from '../support/timeouts.js';

const children: ChildProcess[] = [];
const folders: string[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function tessera(args: readonly string[], environment: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['dist/bin/tessera.js', ...args], {
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

/** Whether the port is free again. */
function isFree(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', () => resolve(true));
  });
}

describe('the end of a server', () => {
  const user = ['--user', 'root', '--pass', 'a root password', '--no-banner'];
  /** Asks for something that takes its time; gives the answer once there is one. */
  async function askSleeper(url: string, time: string): Promise<() => Promise<unknown>> {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/rpc`, 'json');
    const messages = new Map<string, unknown>();
    socket.on('message', (data) => {
      const message = JSON.parse(String(data)) as { readonly id: string };
      messages.set(message.id, message);
    });
    const ask = (method: string, params: unknown[]) => socket.send(JSON.stringify({ id: method, method, params }));
    await once(socket, 'open');
    ask('signin', [{ user: 'root', pass: 'a root password' }]);
    await expect.poll(() => messages.has('signin')).toBe(true);
    ask('query', [`SLEEP ${time}; RETURN 'awake'`]);
    return async () => {
      await expect.poll(() => messages.get('query'), { timeout: 10_000 * SLOWDOWN }).toBeDefined();
      return messages.get('query');
    };
  }

  it('frees the port at once, and finishes what is under way', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tessera-start-'));
    folders.push(folder);
    const server = start(folder, ...user);
    const url = await server.url();
    // It is still asleep when the port is free: that takes less than a second.
    const overWebSocket = await askSleeper(url, `${SLOWDOWN}s`);
    const overHttp = sql(url, `SLEEP ${2 * SLOWDOWN}s; CREATE person:1`);
    // What has begun is known to have begun when something behind it has been answered.
    await sql(url, 'RETURN 1');
    await sql(url, 'RETURN 1');
    let isAwake = false;
    const answer = overWebSocket().finally(() => {
      isAwake = true;
    });
    server.child.kill('SIGTERM');
    await expect.poll(() => isFree(url), { timeout: 5_000, interval: 20 }).toBe(true);
    expect(isAwake).toBe(false);
    expect(await answer).toMatchObject({ result: [{ status: 'OK' }, { result: 'awake' }] });
    await overHttp;
    expect(await server.exited).toBe(0);

    const again = start(folder, ...user);
    expect(await sql(await again.url(), 'SELECT * FROM person')).toEqual([{ id: 'person:1' }]);
  });

  it('is said before it comes, so that load balancers look for another', async () => {
    const server = start('memory', ...user, '--drain-time', '2s');
    const url = await server.url();
    expect((await fetch(`${url}/ready`)).status).toBe(200);
    server.child.kill('SIGTERM');
    await expect.poll(async () => (await fetch(`${url}/ready`)).status, { timeout: 1_500, interval: 20 }).toBe(503);
    // Others are served all the while.
    expect((await fetch(`${url}/health`)).status).toBe(200);
    expect(await sql(url, 'RETURN 1')).toBe(1);
    expect(await server.exited).toBe(0);
  });

  it('is at once when it is asked for again', async () => {
    const server = start('memory', ...user);
    const url = await server.url();
    await askSleeper(url, '1h');
    await sql(url, 'RETURN 1');
    server.child.kill('SIGTERM');
    await expect.poll(server.text).toContain('Stopping');
    // A signal right behind the first one counts as the same.
    const asked = setInterval(() => server.child.kill('SIGTERM'), 50);
    expect(await server.exited).toBe(null);
    clearInterval(asked);
  });
});

describe('tessera start', () => {
  const user = ['--user', 'root', '--pass', 'a root password'];

  it('says where it is reached and how to make the first user', async () => {
    const server = start('memory');
    const url = await server.url();
    expect((await fetch(`${url}/health`)).status).toBe(200);
    await expect.poll(server.text).toContain('Make the first root user');
    expect(server.text()).toContain(`${url.replace('http', 'ws')}/rpc`);
  });

  it('prints a code once, with which the first root user is made in the Studio', async () => {
    const server = start('memory');
    const url = await server.url();
    const printed = /at (\S+)\/studio within an hour, with the code ([0-9a-f]{32})\n/;
    await expect.poll(server.text).toMatch(printed);
    const [, address, code] = printed.exec(server.text()) ?? [];
    expect(address).toBe(url);
    const headers = { origin: url, 'content-type': 'application/json' };
    const body = JSON.stringify({ user: 'root', pass: 'a root password', code });
    expect((await fetch(`${url}/setup`, { method: 'POST', headers, body })).status).toBe(200);
    expect(await sql(url, 'RETURN 1')).toBe(1);
    expect(server.text().split(String(code))).toHaveLength(2);
  });

  it('prints none where others than this machine reach the server', async () => {
    const server = start('memory', '--client-ip', 'X-Forwarded-For', '--trusted-proxy', '127.0.0.1');
    await server.url();
    await expect.poll(server.text).toContain('There is no root user yet');
    expect(server.text()).not.toContain('with the code');
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

  it.each([['rocksdb:'], ['surrealkv://'], ['file:'], ['lmdb://']])(
    'keeps data under the address %s',
    async (scheme) => {
      const folder = mkdtempSync(join(tmpdir(), 'tessera-start-'));
      folders.push(folder);
      const server = start(`${scheme}${join(folder, 'data')}`, ...user, '--no-banner');
      expect(await sql(await server.url(), 'CREATE person:1')).toEqual([{ id: 'person:1' }]);
      expect(existsSync(join(folder, 'data', 'data.mdb'))).toBe(true);
      expect(server.text().includes('in a store of its own, in place of')).toBe(/rocks|kv/.test(scheme));
    },
  );

  it('has large commits written by a thread, which is found beside it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tessera-start-'));
    folders.push(folder);
    const note = `process.on('worker', (worker) => { console.log('began'); worker.once('exit', () => console.log('ended')); });`;
    const preload = `--import "data:text/javascript,${encodeURIComponent(note)}"`;
    const server = tessera(['start', folder, ...user, '--bind', '127.0.0.1:0'], { NODE_OPTIONS: preload });
    const url = await server.url();
    expect(await sql(url, 'CREATE |person:6000| RETURN NONE; SELECT count() FROM person GROUP ALL')).toEqual([]);
    expect(await sql(url, 'SELECT count() FROM person GROUP ALL')).toEqual([{ count: 6000 }]);
    expect(server.text()).toContain('began');
    expect(server.text()).not.toContain('ended');
    server.child.kill('SIGTERM');
    expect(await server.exited).toBe(0);
    expect(server.text()).toContain('ended');
  });

  it('does not touch what another engine keeps', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tessera-start-'));
    folders.push(folder);
    writeFileSync(join(folder, 'CURRENT'), 'MANIFEST-000001');
    const { exited, text } = start(`rocksdb:${folder}`);
    expect(await exited).toBe(1);
    expect(text()).toContain("holds files that are not Tessera's, perhaps of RocksDB");
    expect(readdirSync(folder)).toEqual(['CURRENT']);
  });

  it('takes the flags of the peer, and says which have no effect', async () => {
    const server = tessera(
      ['start', 'mem://', '--username', 'root', '--password', 'a root password', '--bind', '127.0.0.1:0']
        .concat([
          '--strict',
          '--kvs-ca',
          'ca.pem',
          '--slow-log-threshold',
          '1h',
          '--allow-all',
          '--deny-guests',
          '--log',
          'info',
          '--no-banner',
        ])
        .concat(['--transaction-timeout', '5s', '--allow-experimental', 'graphql,files']),
      { SURREAL_TICK_INTERVAL: '10s' },
    );
    expect(await sql(await server.url(), 'RETURN function() { return 1 + 1 }')).toBe(2);
    expect(server.text()).toContain('--strict has no effect: DEFINE DATABASE … STRICT');
    expect(server.text()).toContain('--kvs-ca has no effect');
    expect(server.text()).toContain('--tick-interval has no effect');
    expect(server.text()).not.toContain('--slow-log-threshold has');
    expect(server.text()).toContain('--allow-experimental files has no effect');
    expect(server.text()).not.toContain('--allow-experimental graphql has');
  });

  it('admits all clients when an option says so', async () => {
    const server = start('memory', '--unauthenticated', '--no-banner');
    const response = await fetch(`${await server.url()}/sql`, {
      method: 'POST',
      headers: { accept: 'application/json', 'svc-ns': 'a', 'svc-db': 'b' },
      body: 'CREATE person:1; INFO FOR ROOT',
    });
    expect(await response.json()).toMatchObject([{ status: 'OK' }, { status: 'OK' }]);
    expect(server.text()).toContain('Everybody who reaches this server owns everything');
    const evil = await fetch(`${await server.url()}/sql`, {
      method: 'POST',
      headers: { origin: 'http://evil.example' },
    });
    expect(evil.status).toBe(403);
  });

  it('runs a file before it is reached', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tessera-start-'));
    folders.push(folder);
    const file = join(folder, 'first.surql');
    writeFileSync(file, 'USE NS test DB test; CREATE person:1 SET name = "Ann";');
    const server = start('memory', ...user, '--import-file', file, '--no-banner');
    expect(await sql(await server.url(), 'SELECT VALUE name FROM person')).toEqual(['Ann']);

    writeFileSync(file, 'CREATE person:1;\nCREATE person:1');
    const other = start('memory', ...user, '--import-file', file);
    expect(await other.exited).toBe(1);
    expect(other.text()).toContain('--import-file: The import ended at line 2, column 1;');
  });

  it.each([
    [['start', 'memory', '--bind', 'nonsense'], {}, '--bind: "nonsense" is not an address'],
    [['start', 'memory'], { SVC_LOG: 'loud' }, 'SVC_LOG: "loud" is none of'],
    [['start', 'nowhere:data'], {}, 'names no store'],
    [['start', 'memory', '--user', 'root'], {}, '--user and --pass need each other'],
    [['start', 'memory', '--unknown'], {}, "unknown option '--unknown'"],
    [['start', 'memory', '--bnd', '127.0.0.1:0'], {}, 'Did you mean --bind?'],
    [['start', 'tikv://127.0.0.1:2379'], {}, 'names no store'],
  ])('does not start with a setting that is bad (%#)', async (args, environment, message) => {
    const { exited, text } = tessera(args, environment as Record<string, string>);
    expect(await exited).toBe(1);
    expect(text()).toContain(message);
  });

  it('is a bundle without libraries that a start has no use for', () => {
    const licences = readFileSync('dist/bin/LICENSES.txt', 'utf8');
    expect(licences).toMatch(/^fastify \d/m);
    expect(licences).not.toMatch(
      /^(ajv|light-my-request|lmdb|any-ascii|unidecode|re2js|parse5|diff-match-patch-es) \d/m,
    );
  });

  it('reports its version', async () => {
    const { exited, text } = tessera(['version']);
    expect(await exited).toBe(0);
    expect(text()).toMatch(/^tessera \d+\.\d+\.\d+ \(speaks surrealdb-3\.\d+\.\d+\)\n$/);
  });
});

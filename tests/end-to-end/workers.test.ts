/** Several processes that serve one folder (`--workers`). */
import { execFileSync, spawnSync } from 'node:child_process';
import { get } from 'node:http';
import { afterAll, expect, it } from 'vitest';
import { isInTurn, RUNS_ALL } from '../support/runs-all.js';
import { cleanUp, ROOT, startServerWith, temporaryFolder } from '../support/server-process.js';
import { asRoot, RpcSocket } from './clients.js';

afterAll(cleanUp);

const ACCOUNT = ['--user', ROOT.user, '--pass', ROOT.pass];

function workersOf(log: string): [number, ...number[]] {
  const pids = /"pids":\[(\d+(?:,\d+)*)\][^\n]*"Listening"/.exec(log)?.[1];
  if (pids === undefined) throw new Error(`The log names no workers:\n${log}`);
  return pids.split(',').map(Number) as [number, ...number[]];
}

it('serves on after one worker is killed, starts it again, and ends all of them in order', {
  timeout: 120_000,
}, async () => {
  const folder = temporaryFolder();
  const server = await startServerWith([folder, '--workers', '2', ...ACCOUNT, '--audit-log', `${folder}/audit`]);
  // New connections go to both in turn.
  for (let at = 0; at < 8; at++) await asRoot(server.url, `CREATE entry:${at} SET at = ${at}`, ROOT);
  const [victim] = workersOf(server.log());
  process.kill(victim, 'SIGKILL');
  for (let at = 8; at < 16; at++)
    await untilAnswered(() => asRoot(server.url, `UPSERT entry:${at} SET at = ${at}`, ROOT));
  await expect.poll(() => server.log()).toContain('The worker serves again');
  for (let each = 0; each < 4; each++) {
    expect(await asRoot(server.url, 'RETURN count(SELECT * FROM entry)', ROOT)).toEqual([16]);
  }
  expect(await server.stop()).toBe(0);
  // Each keeps an audit log of its own, and no process is left that has the folder.
  const files = ['audit', 'audit.1', 'audit.2'].map((name) => `${folder}/${name}`);
  for (const file of files) execFileSync(process.execPath, ['dist/bin/tessera.js', 'audit', 'verify', file]);
  const alone = await startServerWith([folder, ...ACCOUNT]);
  expect(await asRoot(alone.url, 'RETURN count(SELECT * FROM entry)', ROOT)).toEqual([16]);
  expect(await alone.stop()).toBe(0);
});

it('leaves no process with the folder when the first one is killed amid writes', { timeout: 240_000 }, async () => {
  const folder = temporaryFolder();
  for (let run = 0; run < (RUNS_ALL ? 20 : 1); run++) {
    const server = await startServerWith([folder, '--workers', '2', ...ACCOUNT]);
    const workers = workersOf(server.log());
    let written = 0;
    const writers = Array.from({ length: 4 }, async () => {
      // Until the server is gone.
      for (;;) {
        await asRoot(server.url, "CREATE entry SET text = string::repeat('x', 2000) RETURN NONE", ROOT);
        written++;
      }
    });
    const ended = Promise.allSettled(writers);
    await expect.poll(() => written, { interval: 5 }).toBeGreaterThan(100);
    await server.stop('SIGKILL');
    await expect.poll(() => workers.filter(isRunning)).toEqual([]);
    await ended;
  }
  const alone = await startServerWith([folder, ...ACCOUNT]);
  expect(await alone.stop()).toBe(0);
});

it('says which worker each answer about failed sign-ins and the audit log is from, and lists the sessions of all', {
  timeout: 120_000,
}, async () => {
  const folder = temporaryFolder();
  const server = await startServerWith([folder, '--workers', '2', ...ACCOUNT, '--audit-log', `${folder}/audit`]);
  const sockets = new Map<string, RpcSocket>();
  // New connections go to whichever worker is free.
  for (let attempt = 0; sockets.size < 2 && attempt < 20; attempt++) {
    const socket = await RpcSocket.open(server.rpcUrl);
    await socket.ask('signin', ROOT);
    const [[id]] = (await socket.query('(INFO FOR NODES)[WHERE current].id')) as [[string]];
    if (sockets.has(id)) socket.close();
    else sockets.set(id, socket);
  }
  const [[one, first], [two, second]] = [...sockets] as [[string, RpcSocket], [string, RpcSocket]];
  const sessions = async (socket: RpcSocket) =>
    (await socket.query('SELECT VALUE node FROM (INFO FOR SESSIONS) ORDER BY node'))[0];
  for (const socket of [first, second]) await expect.poll(() => sessions(socket)).toEqual([one, two].sort());

  const guesser = await RpcSocket.open(server.rpcUrl);
  expect(await guesser.call('signin', { user: 'ann', pass: 'a guess' })).toHaveProperty('error');
  const attempts = async (socket: RpcSocket) =>
    (
      await socket.query("SELECT user, failures, node, nodes FROM (INFO FOR SIGNIN ATTEMPTS) WHERE of = 'account'")
    )[0] as readonly { readonly nodes: readonly string[]; readonly user: string | null }[];
  for (const socket of [first, second]) await expect.poll(() => attempts(socket)).toHaveLength(1);
  const [[onOne], [onTwo]] = [await attempts(first), await attempts(second)];
  const at = onOne?.nodes[0];
  expect(onOne).toMatchObject({ failures: 1, node: one, nodes: [at] });
  expect(onTwo).toMatchObject({ failures: 1, node: two, nodes: [at] });
  expect([onOne?.user, onTwo?.user]).toEqual(at === one ? ['ann', null] : [null, 'ann']);

  for (const [id, socket] of sockets) {
    const [nodes, verified] = await socket.query(
      'array::distinct((INFO FOR AUDIT LIMIT 1000).node); INFO FOR AUDIT VERIFY',
    );
    expect(nodes).toEqual([id]);
    expect(verified).toMatchObject({ node: id, valid: true });
  }
  for (const socket of [first, second, guesser]) socket.close();
  expect(await server.stop()).toBe(0);
});

it('hands on the connections that a worker had not accepted when it died', { timeout: 120_000 }, async () => {
  const server = await startServerWith([temporaryFolder(), '--workers', '2', ...ACCOUNT]);
  const [victim] = workersOf(server.log());
  process.kill(victim, 'SIGSTOP');
  const answers: (number | undefined)[] = [];
  const asked = Array.from({ length: 8 }, async () => answers.push(await answerOf(`${server.url}/health`)));
  // One of them waits for the worker that is stopped; it is given no more.
  await expect.poll(() => answers.length, { timeout: 30_000 }).toBe(7);
  process.kill(victim, 'SIGKILL');
  await Promise.all(asked);
  expect(answers).toEqual(Array.from({ length: 8 }, () => 200));
  expect(await server.stop()).toBe(0);
});

it('completes the requests in progress before it ends', { timeout: 120_000 }, async () => {
  const server = await startServerWith([temporaryFolder(), '--workers', '2', ...ACCOUNT]);
  await asRoot(server.url, 'DEFINE TABLE begun; DEFINE TABLE done', ROOT);
  const asked = [1, 2, 3].map((at) =>
    asRoot(server.url, `CREATE begun; SLEEP 1s; CREATE done:${at} RETURN VALUE id`, ROOT),
  );
  await expect.poll(() => asRoot(server.url, 'RETURN count(SELECT * FROM begun)', ROOT)).toEqual([3]);
  const ended = server.stop();
  expect(await Promise.all(asked)).toMatchObject([1, 2, 3].map((at) => ({ 2: [`done:${at}`] })));
  expect(await ended).toBe(0);
});

it('keeps the folder to one group of processes', { timeout: 120_000 }, async () => {
  const folder = temporaryFolder();
  const server = await startServerWith([folder, '--workers', '2', ...ACCOUNT]);
  expect(start(folder, '--workers', '2')).toMatch(/Another process uses the data folder|in use/);
  expect(start(folder)).toMatch(/Another process uses the data folder|in use/);
  expect(await server.stop()).toBe(0);
});

// The shell bounds the length of files, as a full disk does; Windows has no such bound. In turns with other long tests.
it.skipIf(process.platform === 'win32' || !isInTurn(0))(
  'refuses what a full disk has no room for, in each worker, and goes on',
  {
    timeout: 120_000,
  },
  async () => {
    const folder = temporaryFolder();
    const server = await startServerWith([folder, '--workers', '2', ...ACCOUNT], {}, ['-f', 12_000]);
    const pids = workersOf(server.log());
    await asRoot(server.url, 'DEFINE TABLE entry', ROOT);
    // Of several connections, some are with each worker.
    const stored: number[] = [];
    const refused: string[] = [];
    let next = 0;
    const writer = async () => {
      while (refused.length < 20 && next < 2_000) {
        const at = next++;
        try {
          await asRoot(server.url, `CREATE entry:${at} SET text = '${'x'.repeat(20_000)}' RETURN NONE`, ROOT);
          stored.push(at);
        } catch (error) {
          refused.push((error as Error).message);
        }
      }
    };
    await Promise.all([writer(), writer(), writer(), writer()]);
    expect(refused.length).toBeGreaterThanOrEqual(20);
    for (const each of refused) expect(each).toContain('There is no room to store this');
    const ids = async () => (await asRoot(server.url, 'SELECT VALUE record::id(id) FROM entry', ROOT))[0] as number[];
    stored.sort((a, b) => a - b);
    for (let each = 0; each < 4; each++) expect(await ids()).toEqual(stored);
    // What is deleted makes room. It takes some itself, of what other workers no longer read by then.
    for (const id of stored.slice(0, 100)) await untilThereIsRoom(`DELETE entry:${id}`);
    for (let at = 5_000; at < 5_020; at++) await untilThereIsRoom(`CREATE entry:${at} SET text = 'small'`);
    expect((await ids()).slice(-20)).toEqual(Array.from({ length: 20 }, (_, at) => 5_000 + at));
    // No process has died of it.
    expect(pids.every((pid) => process.kill(pid, 0))).toBe(true);
    expect(server.log()).not.toContain('A worker died');
    expect(await server.stop()).toBe(0);
    execFileSync(process.execPath, ['dist/bin/tessera.js', 'check', folder]);

    async function untilThereIsRoom(text: string): Promise<void> {
      for (let attempt = 0; attempt < 20; attempt++) {
        try {
          await asRoot(server.url, text, ROOT);
          return;
        } catch (error) {
          expect((error as Error).message).toContain('There is no room to store this');
        }
      }
      throw new Error('there is no room again');
    }
  },
);

it('refuses what several processes cannot do', { timeout: 120_000 }, () => {
  expect(start('memory', '--workers', '2')).toContain('--workers 2 needs a store in a folder: memory has one process');
  expect(start('x', '--workers', '33')).toContain('--workers: "33" is more than 32');
  expect(start('x', '--workers', '0')).toContain('--workers: "0" is not a whole number above 0');
  expect(start('x', '--workers', '2', '--audit-log', 'stdout')).toContain('each worker keeps an audit log of its own');
});

/** What a server that can't start says. */
function start(...args: readonly string[]): string {
  const { stderr, status } = spawnSync(process.execPath, [
    'dist/bin/tessera.js',
    'start',
    ...args,
    '--bind',
    '127.0.0.1:0',
  ]);
  expect(status).toBe(1);
  return stderr.toString();
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Connections that the worker had accepted are lost with it. */
async function untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
  for (let attempt = 0; attempt < 20; attempt++) {
    try {
      return await ask();
    } catch (error) {
      expect((error as Error).message).toMatch(/fetch failed|terminated|socket/);
    }
  }
  throw new Error('no worker answers');
}

/** The status of an answer over a connection of its own. */
function answerOf(url: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode));
    }).once('error', reject);
  });
}

/** Backups of a real server: killed under load, and brought forward by its archive. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { RUNS_ALL } from '../support/runs-all.js';
import {
  cleanUp,
  ROOT,
  type ServerProcess,
  startServer,
  startServerWith,
  temporaryFolder,
} from '../support/server-process.js';
import { asRoot, SHOP, SHOP_HEADERS, send, tokenOf } from './clients.js';

afterAll(cleanUp);

/** Its exit code, and all that it has written. */
function tessera(...args: string[]): Promise<[number | null, string]> {
  const child = spawn(process.execPath, ['dist/bin/tessera.js', ...args], {
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk));
  return new Promise((resolve) => child.once('close', (code) => resolve([code, text])));
}

const account = { NS: SHOP.namespace, DB: SHOP.database, AC: 'people', name: 'bob', pass: "bob's pass" };

interface Pair {
  readonly access: string;
  readonly refresh: string;
}

async function signedUp({ url }: ServerProcess): Promise<Pair> {
  const { text } = await send(`${url}/signup`, { accept: 'application/json' }, JSON.stringify(account));
  return (JSON.parse(text) as { token: Pair }).token;
}

/** Whether an access token and a refresh token are taken. */
async function areValid({ url }: ServerProcess, { access: token, refresh }: Pair): Promise<readonly boolean[]> {
  const headers = { accept: 'application/json', authorization: `Bearer ${token}`, ...SHOP_HEADERS };
  const access = await send(`${url}/sql`, headers, 'RETURN $auth');
  const body = JSON.stringify({ NS: SHOP.namespace, DB: SHOP.database, AC: 'people', refresh });
  const refreshed = await send(`${url}/signin`, { accept: 'application/json' }, body);
  return [access.status === 200, refreshed.status === 200];
}

describe('a store that was restored', () => {
  it('begins an era, unless sessions are kept', { timeout: 120_000 }, async () => {
    const folder = temporaryFolder();
    let server = await startServer(folder);
    await asRoot(
      server.url,
      `DEFINE ACCESS people ON DATABASE TYPE RECORD
         SIGNUP (CREATE type::record('person', $name) SET pass = crypto::argon2::generate($pass))
         SIGNIN (SELECT * FROM type::record('person', $name) WHERE crypto::argon2::compare(pass, $pass)) WITH REFRESH;
       DEFINE TABLE note CHANGEFEED 1d INCLUDE ORIGINAL; CREATE note:1; CREATE note:2`,
      ROOT,
    );
    const pair = await signedUp(server);
    const [sets] = await asRoot(server.url, 'SHOW CHANGES FOR TABLE note SINCE 0', ROOT);
    const position = (sets as readonly { versionstamp: number }[]).at(-1)?.versionstamp;
    const backup = `${temporaryFolder()}/backup`;
    expect(await tessera('backup', folder, backup)).toEqual([0, expect.stringContaining('Backed up version')]);
    await server.stop();

    const [without, kept] = [`${temporaryFolder()}/without`, `${temporaryFolder()}/kept`];
    expect((await tessera('restore', backup, without))[0]).toBe(0);
    expect((await tessera('restore', backup, kept, '--keep-sessions'))[0]).toBe(0);

    server = await startServer(kept);
    expect((await asRoot(server.url, `SHOW CHANGES FOR TABLE note SINCE ${position}`, ROOT)).length).toBe(1);
    expect(await areValid(server, pair)).toEqual([true, true]);
    await server.stop();

    server = await startServer(without);
    expect(await areValid(server, pair)).toEqual([false, false]);
    await expect(asRoot(server.url, `SHOW CHANGES FOR TABLE note SINCE ${position}`, ROOT)).rejects.toThrow(
      "doesn't reach back so far",
    );
    await expect(asRoot(server.url, `LIVE SELECT * FROM note SINCE ${position}`, ROOT)).rejects.toThrow();
    // What begins now is valid.
    await tokenOf(server.url, 'signin', account);
    await asRoot(server.url, 'CREATE note:3', ROOT);
    const [all] = await asRoot(server.url, 'SHOW CHANGES FOR TABLE note SINCE 0', ROOT);
    const last = (all as readonly { versionstamp: number }[]).at(-1)?.versionstamp;
    expect((await asRoot(server.url, `SHOW CHANGES FOR TABLE note SINCE ${last}`, ROOT)).length).toBe(1);
    await server.stop();
  });
});

describe('a server with an archive', () => {
  it.each(RUNS_ALL ? [1, 2] : [2])(
    'and %i workers is killed again and again, and all that it acknowledged can be restored',
    {
      timeout: 120_000,
    },
    async (workers) => {
      const [folder, archive, backup] = [temporaryFolder(), temporaryFolder(), `${temporaryFolder()}/backup`];
      const options = ['--user', ROOT.user, '--pass', ROOT.pass, '--archive', archive, '--workers', String(workers)];
      const start = () => startServerWith([folder, ...options]);
      let acknowledged = 0;
      for (let round = 0; round < 3; round++) {
        const server = await start();
        if (round === 0) {
          await asRoot(server.url, 'CREATE counter:1 SET count = 0', ROOT);
          expect((await tessera('backup', folder, backup))[0]).toBe(0);
        }
        const work = (async () => {
          for (;;) {
            await asRoot(server.url, 'UPDATE counter:1 SET count += 1; CREATE line', ROOT);
            acknowledged++;
          }
        })();
        const ended = work.catch(() => undefined);
        const before = acknowledged;
        await expect.poll(() => acknowledged - before, { timeout: 20_000 }).toBeGreaterThan(10);
        const pids = /"pids":\[([\d,]+)\]/.exec(server.log())?.[1]?.split(',') ?? [];
        for (const pid of pids) process.kill(Number(pid), 'SIGKILL');
        await server.stop('SIGKILL');
        await ended;
      }
      const target = join(temporaryFolder(), 'restored');
      expect(await tessera('archive', 'prune', archive, backup, '--dry-run')).toEqual([
        0,
        expect.stringMatching(/^Would remove \d segments?, \d+ bytes\. \d left, which bring the backup of /),
      ]);
      expect((await tessera('archive', 'prune', archive, backup))[0]).toBe(0);
      expect((await tessera('restore', backup, target, '--archive', archive))[0]).toBe(0);
      expect(await tessera('check', target)).toEqual([0, expect.stringContaining('Everything is sound')]);
      const counts: unknown[] = [];
      for (const place of [folder, target]) {
        const server = await startServer(place);
        counts.push(await asRoot(server.url, 'RETURN counter:1.count; RETURN count(SELECT * FROM line)', ROOT));
        await server.stop();
      }
      // What was under way as it was killed may have been written to the archive alone.
      const [[count, lines], [restoredCount, restoredLines]] = counts as [[number, number], [number, number]];
      expect(lines).toBeGreaterThanOrEqual(acknowledged);
      expect(restoredLines).toBeGreaterThanOrEqual(lines);
      expect(restoredCount).toBeGreaterThanOrEqual(count);
      expect(restoredCount - restoredLines).toBeLessThanOrEqual(3);
      expect((await tessera('start', target, '--archive', archive, '--bind', '127.0.0.1:0'))[1]).toContain(
        'another store',
      );
    },
  );
});

describe('what has no folder', () => {
  it.each([
    ['memory', 'tessera export'],
    ['postgres://app:secret@127.0.0.1/shop', 'pg_basebackup'],
  ])('%s is refused with what to use', async (store, text) => {
    const [code, said] = await tessera('backup', store, join(temporaryFolder(), 'backup'));
    expect([code, said]).toEqual([1, expect.stringContaining(text)]);
    expect(said).not.toContain('secret');
  });

  it('is a command line that contradicts itself', async () => {
    expect((await tessera('restore', 'x', 'y', '--until', '2026-01-01T00:00:00Z'))[1]).toContain('--archive');
    expect((await tessera('restore', 'x', 'y', '--archive', 'z', '--until', 'noon'))[1]).toContain('no time');
    expect((await tessera('backup', 'x', 'y', '--rate', 'fast'))[1]).toContain('--rate');
    expect((await tessera('start', 'memory', '--archive', 'z'))[1]).toContain('--archive needs a store in a folder');
  });
});

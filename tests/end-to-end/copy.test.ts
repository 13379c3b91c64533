/** `tessera copy` of a store that a server has filled: to PostgreSQL, killed on the way, and back to a folder. */
import { type ChildProcess, spawn } from 'node:child_process';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PostgresServer, postgresPrograms } from '../support/postgres-server.js';
import { isInTurn } from '../support/runs-all.js';
import { cleanUp, ROOT, type ServerProcess, startServer, temporaryFolder } from '../support/server-process.js';
import { asRoot, RpcSocket, SHOP, SHOP_HEADERS, send, tokenOf } from './clients.js';

const RECORDS = 30_000;

let postgres: PostgresServer;
const isLeftOut = postgresPrograms() === undefined;
beforeAll(async () => {
  if (!isLeftOut) postgres = await PostgresServer.start();
});
afterAll(async () => {
  await cleanUp();
  await postgres?.remove();
});

function startCopy(from: string, to: string): { process: ChildProcess; ended: Promise<[number | null, string]> } {
  const child = spawn(process.execPath, ['dist/bin/tessera.js', 'copy', from, to, '--json'], {
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk));
  return { process: child, ended: new Promise((resolve) => child.once('close', (code) => resolve([code, text]))) };
}

/** How many entries a store has by now, whose lock the copy holds. */
async function entriesIn(schema: string): Promise<number> {
  const client = new pg.Client(postgres.address(schema).split('?')[0]);
  await client.connect();
  try {
    const { rows } = await client.query<{ count: string }>(`SELECT count(*) FROM ${schema}.entry`);
    return Number(rows[0]?.count);
  } catch {
    return 0;
  } finally {
    await client.end();
  }
}

const account = (name: string) => ({
  NS: SHOP.namespace,
  DB: SHOP.database,
  AC: 'people',
  name,
  pass: `${name}'s pass`,
});

async function statusOf(server: ServerProcess, token: string): Promise<number> {
  const headers = { accept: 'application/json', authorization: `Bearer ${token}`, ...SHOP_HEADERS };
  return (await send(`${server.url}/sql`, headers, 'RETURN $auth')).status;
}

interface ChangeSet {
  readonly versionstamp: number;
}

const changesSince = async (server: ServerProcess, since: number) => {
  const [sets] = await asRoot(server.url, `SHOW CHANGES FOR TABLE note SINCE ${since}`, ROOT);
  return sets as readonly ChangeSet[];
};

// Without PostgreSQL there is nothing to copy to; `.ci/run` installs it.
describe.skipIf(isLeftOut)('a store that was copied', () => {
  // In turns with other long tests.
  it.skipIf(!isInTurn(5))(
    'serves every user as before, though the copy was killed on its way',
    async () => {
      const folder = temporaryFolder();
      let server = await startServer(folder);
      await asRoot(
        server.url,
        `DEFINE USER ann ON ROOT PASSWORD 'the pass of ann' ROLES VIEWER;
       DEFINE ACCESS people ON DATABASE TYPE RECORD
         SIGNUP (CREATE type::record('person', $name) SET pass = crypto::argon2::generate($pass))
         SIGNIN (SELECT * FROM type::record('person', $name) WHERE crypto::argon2::compare(pass, $pass)) WITH REFRESH;
       DEFINE TABLE note CHANGEFEED 1d;
       FOR $part IN 0..${RECORDS / 1_000} {
         INSERT INTO item (array::range($part * 1000, $part * 1000 + 1000).map(|$n| { id: $n, text: 'item ' + <string>$n })) RETURN NONE;
       };
       CREATE note:1; CREATE note:2`,
        ROOT,
      );
      const kept = await tokenOf(server.url, 'signup', account('bob'));
      const revoked = await tokenOf(server.url, 'signup', account('eve'));
      const socket = await RpcSocket.open(server.rpcUrl);
      await socket.ask('authenticate', revoked);
      const [list] = (await socket.query('INFO FOR SESSIONS')) as [{ current: boolean; id: string }[]];
      await asRoot(server.url, `KILL SESSION u'${list.find(({ current }) => current)?.id}'`, ROOT);
      socket.close();
      expect([await statusOf(server, kept), await statusOf(server, revoked)]).toEqual([200, 401]);
      const before = await changesSince(server, 0);
      await server.stop();

      const address = postgres.address('copied');
      const first = startCopy(folder, address);
      // The first of them is the marker.
      await expect.poll(() => entriesIn('copied'), { timeout: 60_000, interval: 5 }).toBeGreaterThan(1);
      first.process.kill('SIGKILL');
      expect((await first.ended)[0]).toBeNull();
      await expect(startServer(address)).rejects.toThrow('not complete');

      const [code, text] = await startCopy(folder, address).ended;
      expect([code, text]).toEqual([0, expect.stringContaining('"sha256"')]);
      const back = `${temporaryFolder()}/back`;
      expect(await startCopy(address, back).ended).toEqual([0, text]);
      expect((await startCopy(address, back).ended)[1]).toContain('holds data already');

      for (const place of [address, back]) {
        server = await startServer(place);
        expect([await statusOf(server, kept), await statusOf(server, revoked)]).toEqual([200, 401]);
        await tokenOf(server.url, 'signin', account('bob'));
        await tokenOf(server.url, 'signin', { user: 'ann', pass: 'the pass of ann' });
        await expect(tokenOf(server.url, 'signin', { user: 'ann', pass: 'another' })).rejects.toThrow();
        expect(await asRoot(server.url, 'RETURN (SELECT VALUE id FROM item).len()', ROOT)).toEqual([RECORDS]);
        expect(await changesSince(server, 0)).toEqual(before);
        await asRoot(server.url, 'CREATE note:3', ROOT);
        const last = before.at(-1) as ChangeSet;
        // JSON has rounded it; the next one is of another millisecond, 65,536 further.
        const later = await changesSince(server, last.versionstamp + 1_000);
        expect(later).toMatchObject([{ changes: [{ update: { id: 'note:3' } }] }]);
        await server.stop();
      }
    },
    240_000,
  );

  it('is made of stores that are there, and last', async () => {
    expect(await startCopy('memory', temporaryFolder()).ended).toMatchObject([
      expect.any(Number),
      expect.stringContaining('memory'),
    ]);
    const [code, text] = await startCopy(`${temporaryFolder()}/missing`, temporaryFolder()).ended;
    expect([code === 0, text]).toEqual([false, expect.stringContaining('There is no file')]);
    const [, other] = await startCopy(postgres.address('missing'), temporaryFolder()).ended;
    expect(other).toContain('there is no store in the schema missing');
  });
});

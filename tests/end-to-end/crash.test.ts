/** The server killed in the middle of writes: what it said it had done is there when it comes back. */
import { afterAll, expect, it } from 'vitest';
import { cleanUp, ROOT, startServer, temporaryFolder } from '../support/server-process.js';
import { asRoot, FORMATS, RpcSocket, SHOP } from './clients.js';

afterAll(cleanUp);

const CLIENTS = 6;
const ROUNDS = 3;
/** Writes answered in a round, before the server is killed. */
const ENOUGH = 150;

it('comes back with every write it has acknowledged, and with no transaction in half', async () => {
  const folder = temporaryFolder();
  const acknowledged = new Set<string>();
  for (let round = 0; round < ROUNDS; round++) {
    const server = await startServer(folder);
    await expectAll(server.url, acknowledged);

    let written = 0;
    let killed: Promise<unknown> | undefined;
    const write = async (socket: RpcSocket, client: number) => {
      for (let count = 0; ; count++) {
        const key = `r${round}c${client}n${count}`;
        const pair = `BEGIN; CREATE entry:${key} SET n = ${count}; CREATE double:${key} SET of = entry:${key}; COMMIT`;
        const statement = count % 2 === 0 ? `CREATE entry:${key} SET n = ${count}` : pair;
        try {
          await socket.query(statement);
        } catch (error) {
          expect((error as Error).message).toBe('The connection is gone');
          return;
        }
        acknowledged.add(`entry:${key}`);
        if (count % 2 === 1) acknowledged.add(`double:${key}`);
        if (++written === ENOUGH) killed = server.stop('SIGKILL');
      }
    };
    const sockets = await Promise.all(Array.from({ length: CLIENTS }, (_, client) => connect(server.rpcUrl, client)));
    await Promise.all(sockets.map(write));
    await killed;
    expect(server.isAlive()).toBe(false);
  }
  const server = await startServer(folder);
  await expectAll(server.url, acknowledged);
  expect(acknowledged.size).toBeGreaterThan(ROUNDS * ENOUGH);

  // A pair is there as a whole or not at all.
  const half = 'SELECT VALUE id FROM double WHERE of.n = NONE; SELECT VALUE id FROM entry WHERE n % 2 = 1';
  const [orphans, odd] = (await asRoot(server.url, half, ROOT)) as [string[], string[]];
  expect(orphans).toEqual([]);
  const doubles = (await asRoot(server.url, 'SELECT VALUE of FROM double', ROOT)) as [string[]];
  expect([...(doubles[0] ?? [])].sort()).toEqual([...odd].sort());
  expect(await server.stop()).toBe(0);
}, 60_000);

async function connect(rpcUrl: string, client: number): Promise<RpcSocket> {
  const socket = await RpcSocket.open(rpcUrl, client % 2 === 0 ? FORMATS.JSON : FORMATS.CBOR);
  await socket.ask('signin', ROOT);
  await socket.ask('use', SHOP.namespace, SHOP.database);
  return socket;
}

async function expectAll(url: string, acknowledged: ReadonlySet<string>): Promise<void> {
  if (acknowledged.size === 0) return;
  const [entries, doubles] = await asRoot(url, 'SELECT VALUE id FROM entry; SELECT VALUE id FROM double', ROOT);
  const there = new Set([...(entries as string[]), ...(doubles as string[])]);
  expect([...acknowledged].filter((id) => !there.has(id))).toEqual([]);
}

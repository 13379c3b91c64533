/**
 * The server killed in the middle of builds and writes of a full-text index: the index agrees with the table each time it is back.
 * For many more of them `SEARCH_KILLS=100 npx vitest run tests/end-to-end/search-crash`.
 */
import { afterAll, expect, it } from 'vitest';
import { cleanUp, ROOT, type ServerProcess, startServer, temporaryFolder } from '../support/server-process.js';
import { asRoot, FORMATS, RpcSocket, SHOP } from './clients.js';

afterAll(cleanUp);

const ROWS = 8_000;
const KILLS = Number(process.env['SEARCH_KILLS'] ?? 3);
const WORDS = ['green', 'black', 'white', 'oolong', 'mint'];

async function ask(server: ServerProcess, text: string): Promise<unknown> {
  return (await asRoot(server.url, text, ROOT)).at(-1);
}

/** What the index finds, and counts, is what the records say. */
async function expectAgreement(server: ServerProcess): Promise<void> {
  for (const word of WORDS) {
    const [found, judged, count] = (await asRoot(
      server.url,
      `SELECT VALUE id FROM t WHERE body @@ '${word}' ORDER BY id;
       SELECT VALUE id FROM t WITH NOINDEX WHERE body @@ '${word}' ORDER BY id;
       SELECT VALUE count() FROM t WHERE body @@ '${word}' GROUP ALL`,
      ROOT,
    )) as [string[], string[], number[]];
    expect(found, word).toEqual(judged);
    expect(count[0] ?? 0, word).toBe(judged.length);
  }
}

/** Writes until the connection is gone. */
async function write(socket: RpcSocket, round: number): Promise<void> {
  try {
    for (let at = 0; ; at++) {
      const word = WORDS[at % WORDS.length];
      await socket.query(
        `UPSERT t:${(at * 37 + round) % ROWS} SET body = '${word} tea'; CREATE t SET body = '${word} new'; DELETE t:${(at * 53) % ROWS}`,
      );
      // So many in one transaction become a segment.
      if (at % 16 === 15) await socket.query(`CREATE |t:150| SET body = '${word} many' RETURN NONE`);
    }
  } catch (error) {
    expect((error as Error).message).toBe('The connection is gone');
  }
}

async function connect(rpcUrl: string): Promise<RpcSocket> {
  const socket = await RpcSocket.open(rpcUrl, FORMATS.JSON);
  await socket.ask('signin', ROOT);
  await socket.ask('use', SHOP.namespace, SHOP.database);
  return socket;
}

/** Enough for changes to be folded. */
const ENOUGH = 60;

async function written(server: ServerProcess): Promise<number> {
  const [count = 0] = (await ask(server, "SELECT VALUE count() FROM t WHERE body = 'mint new' GROUP ALL")) as number[];
  return count;
}

async function isReady(server: ServerProcess): Promise<boolean> {
  return ((await ask(server, '(INFO FOR INDEX ft ON t).building')) as { readonly status: string }).status === 'ready';
}

async function isUnderWay(server: ServerProcess): Promise<boolean> {
  const { initial = 0 } = (await ask(server, '(INFO FOR INDEX ft ON t).building')) as { readonly initial?: number };
  return initial > 0;
}

it(
  'finds what the records say after each kill',
  async () => {
    const folder = temporaryFolder();
    let server = await startServer(folder);
    await ask(server, 'DEFINE ANALYZER words TOKENIZERS blank FILTERS lowercase');
    await ask(server, `CREATE |t:0..${ROWS}| SET body = rand::enum('green tea', 'black tea', 'Mint') RETURN NONE`);
    for (let round = 0; round < KILLS; round++) {
      const sockets = [await connect(server.rpcUrl), await connect(server.rpcUrl)];
      // The first time the build is under way, later what was written is being folded.
      if (round === 0) await ask(server, 'DEFINE INDEX ft ON t FIELDS body FULLTEXT ANALYZER words CONCURRENTLY');
      // A build that was killed goes on.
      else if (round % 3 !== 1 && (await isReady(server))) await ask(server, 'REBUILD INDEX ft ON t CONCURRENTLY');
      const before = await written(server);
      const writers = sockets.map((socket, at) => write(socket, round + 100 * at));
      const isEnough =
        round % 3 === 1 ? async () => (await written(server)) > before + ENOUGH : () => isUnderWay(server);
      await expect.poll(isEnough, { timeout: 60_000 }).toBe(true);
      await server.stop('SIGKILL');
      await Promise.all(writers);
      server = await startServer(folder);
      await expectAgreement(server);
    }
    await expect.poll(() => isReady(server), { timeout: 60_000 }).toBe(true);
    await expectAgreement(server);
    expect(await server.stop()).toBe(0);
  },
  120_000 + KILLS * 20_000,
);

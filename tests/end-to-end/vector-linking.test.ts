/** The server killed while it links vectors: what was acknowledged is found, and linking goes on where it was. */
import { afterAll, expect, it } from 'vitest';
import { isInTurn } from '../support/runs-all.js';
import { cleanUp, ROOT, type ServerProcess, startServer, temporaryFolder } from '../support/server-process.js';
import { asRoot } from './clients.js';

afterAll(cleanUp);

const ROWS = 1_500;
const POINT = '[0.3, 0.1, 0.9, 0.5]';

async function ask(server: ServerProcess, text: string): Promise<unknown> {
  return (await asRoot(server.url, text, ROOT)).at(-1);
}

/** The index finds what looking at all records finds. */
async function check(server: ServerProcess, rows: number): Promise<void> {
  expect(await ask(server, 'RETURN count(SELECT * FROM t)')).toBe(rows);
  for (const rest of ['', 'AND n % 2 = 0', 'AND n % 97 = 3']) {
    const found = await ask(server, `SELECT VALUE id FROM t WHERE v <|10,40|> ${POINT} ${rest}`);
    expect(found).toEqual(await ask(server, `SELECT VALUE id FROM t WHERE v <|10,EUCLIDEAN|> ${POINT} ${rest}`));
    expect(found).toHaveLength(10);
  }
}

// In turns with other long tests, both.
it.skipIf(!isInTurn(4))(
  'goes on with linking after it was killed',
  async () => {
    const folder = temporaryFolder();
    let server = await startServer(folder);
    await ask(server, 'DEFINE INDEX x ON t FIELDS v HNSW DIMENSION 4 TYPE F64');
    let rows = 0;
    for (let kills = 0; kills < 2; kills++) {
      const vector = '[rand::float(), rand::float(), rand::float(), rand::float()]';
      await ask(server, `FOR $n IN ${rows}..${rows + ROWS} { CREATE type::record('t', $n) SET n = $n, v = ${vector} }`);
      rows += ROWS;
      // Linking so many takes longer than this answer.
      await server.stop('SIGKILL');
      server = await startServer(folder);
      await check(server, rows);
      await ask(server, `DELETE t:${kills}; UPDATE t:${kills + 10} SET v = ${POINT}`);
      expect(await ask(server, `SELECT VALUE id FROM t WHERE v <|1,40|> ${POINT}`)).toEqual(['t:10']);
      await ask(server, `CREATE t:${kills} SET n = ${kills}, v = [9, 9, 9, 9]`);
    }
    await check(server, rows);
    expect(await server.stop()).toBe(0);
  },
  60_000,
);

it.skipIf(!isInTurn(3))(
  'agrees with the table after it was killed amid builds and the removal of dead nodes',
  async () => {
    const folder = temporaryFolder();
    let server = await startServer(folder);
    const vector = '[rand::float(), rand::float(), rand::float(), rand::float()]';
    await ask(server, `FOR $n IN 0..${ROWS} { CREATE type::record('t', $n) SET n = $n, v = ${vector} }`);
    let rows = ROWS;
    for (const [text, gone] of [
      ['DEFINE INDEX x ON t FIELDS v HNSW DIMENSION 4 TYPE F64 CONCURRENTLY', 0],
      ['DELETE t WHERE n % 5 < 2', (ROWS / 5) * 2],
      [`UPDATE t SET v = ${vector} WHERE n % 5 = 3 RETURN NONE`, 0],
      ['REBUILD INDEX x ON t CONCURRENTLY', 0],
    ] as const) {
      await ask(server, text);
      rows -= gone;
      for (let kills = 0; kills < 2; kills++) {
        await server.stop('SIGKILL');
        server = await startServer(folder);
      }
      await expect
        .poll(() => ask(server, 'INFO FOR INDEX x ON t'), { timeout: 60_000 })
        .toMatchObject({ building: { status: 'ready' } });
      await check(server, rows);
      const all = await ask(server, `SELECT VALUE id FROM t WHERE v <|${ROWS},${ROWS}|> ${POINT}`);
      expect(all).toEqual(await ask(server, `SELECT VALUE id FROM t WHERE v <|${ROWS},EUCLIDEAN|> ${POINT}`));
      expect(all).toHaveLength(rows);
    }
    expect(await server.stop()).toBe(0);
  },
  240_000,
);

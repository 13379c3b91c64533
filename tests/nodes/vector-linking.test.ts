/** Two servers on one PostgreSQL store: one links vectors that the other has written, and both find the same. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OpenDatabase, openDatabase } from '../../src/session/database/database.js';
import { objectFrom, RecordId } from '../../src/value/value.js';
import { PostgresServer, postgresPrograms } from '../support/postgres-server.js';
import { postgresNodes } from '../support/shared-nodes.js';
import { atLeast } from '../support/timeouts.js';
import { answer } from '../support/world.js';
import { linkedGraph } from '../vectors/linked-graph.js';
import { seededRandom, spread } from '../vectors/measured.js';

const ROWS = 400;
const DIMENSION = 4;
const WORDS = ['green tea', 'tea', 'coffee', 'milk', 'water'];
/** What is near by one search or another, and has a word: one ranking. */
const hybrid = (search: string) => `
  LET $near = SELECT id, vector::distance::knn() AS distance FROM t WHERE v <|10,${search}|> ${POINT};
  LET $words = SELECT id, search::score(0) AS ft_score FROM t WHERE text @0@ 'tea' ORDER BY ft_score DESC, id LIMIT 10;
  RETURN search::rrf([$near, $words], 12).map(|$each| [$each.id, $each.rrf_score])`;
const POINT = '[0.3, 0.1, 0.9, 0.5]';

// .ci/run installs PostgreSQL where it is missing.
describe.skipIf(postgresPrograms() === undefined)('On PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server.remove());

  test('one server links what the other has written (seed 17)', { timeout: atLeast(120_000) }, async () => {
    const random = seededRandom(17);
    const nodes = await postgresNodes(server, 'vectors');
    const reported: string[] = [];
    const databases = await Promise.all(
      nodes.nodes.map((node) => openDatabase(node, { report: ({ message }) => reported.push(message) })),
    );
    const [one, two] = databases as [OpenDatabase, OpenDatabase];
    const owners = await Promise.all(
      [one, two].map(async (database) => {
        const owner = database.ownerSession();
        await owner.use('test', 'test');
        return owner;
      }),
    );
    const [first, second] = owners as [(typeof owners)[0], (typeof owners)[0]];
    const write = async (session: typeof first, from: number) => {
      const rows = spread(ROWS, DIMENSION, random).map((v, at) =>
        objectFrom(Object.entries({ id: new RecordId('t', from + at), v, n: from + at, text: WORDS[(from + at) % 5] })),
      );
      for (const { outcome } of await session.query('INSERT INTO t $rows RETURN NONE', { rows })) {
        expect(outcome).toMatchObject({ ok: true });
      }
    };
    /** Both find by the index what looking at all records finds. */
    const check = async () => {
      for (const [k, rest] of [
        [10, ''],
        [10, 'AND n % 2 = 0'],
        [5, 'AND n % 97 = 3'],
      ] as const) {
        const exact = await answer(first, `SELECT VALUE id FROM t WHERE v <|${k},EUCLIDEAN|> ${POINT} ${rest}`);
        for (const owner of owners) {
          expect(await answer(owner, `SELECT VALUE id FROM t WHERE v <|${k},100|> ${POINT} ${rest}`)).toBe(exact);
        }
      }
      const fused = await answer(first, hybrid('EUCLIDEAN'));
      expect(fused).toContain('t:');
      for (const owner of owners) expect(await answer(owner, hybrid('100'))).toBe(fused);
    };
    await answer(
      first,
      `DEFINE TABLE t; DEFINE INDEX x ON t FIELDS v HNSW DIMENSION ${DIMENSION} TYPE F64;
       DEFINE ANALYZER simple TOKENIZERS class; DEFINE INDEX words ON t FIELDS text FULLTEXT ANALYZER simple BM25`,
    );
    await write(first, 0);
    await check();
    const { live } = await linkedGraph(nodes.nodes[0]!);
    expect(live).toBeGreaterThan(ROWS - 64);
    await check();
    // Both have the graph in memory now; what one writes the other links or follows, whichever has the lease.
    await write(second, ROWS);
    await answer(first, `DELETE t WHERE n < 200; UPDATE t:300 SET v = ${POINT}`);
    await check();
    const grown = await linkedGraph(nodes.nodes[1]!);
    expect(grown.live).toBeGreaterThan(2 * ROWS - 200 - 64);
    await check();
    expect(await answer(second, `SELECT VALUE id FROM t WHERE v <|1,40|> ${POINT}`)).toBe('[t:300]');
    // The other goes on when one is closed.
    await one.close();
    await write(second, 2 * ROWS);
    const last = await linkedGraph(nodes.nodes[1]!);
    expect(last.live).toBeGreaterThan(3 * ROWS - 200 - 64);
    expect(await answer(second, `SELECT VALUE id FROM t WHERE v <|10,100|> ${POINT}`)).toBe(
      await answer(second, `SELECT VALUE id FROM t WHERE v <|10,EUCLIDEAN|> ${POINT}`),
    );
    await two.close();
    expect(reported).toEqual([]);
  });
});

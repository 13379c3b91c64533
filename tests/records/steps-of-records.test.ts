/**
 * Statements over many records, links and texts come by checkpoints often enough. Pauses are counted, not timed.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Session } from '../../src/session/contract.js';
import { openDatabase } from '../../src/session/database/database.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { run } from '../support/world.js';
import { YieldingEnvironment } from '../support/yielding-environment.js';

const environment = new YieldingEnvironment();

const MANY = 2_000;
const RECORDS = `(<array> 0..${MANY}).map(|$i| { id: $i, n: $i % 7, t: 'text', l: hub:1 })`;

let database: Awaited<ReturnType<typeof openDatabase>>;
let owner: Session;
beforeAll(async () => {
  database = await openDatabase(new MemoryEngine({ timers: environment.timers }), { environment });
  owner = database.ownerSession();
  await owner.use('test', 'test');
  await run(
    owner,
    `DEFINE TABLE hub; DEFINE FIELD refs ON hub COMPUTED <~item; DEFINE TABLE large; DEFINE TABLE leads TYPE RELATION;
     DEFINE TABLE listed; DEFINE FIELD l ON listed TYPE array<record<hub>> REFERENCE;
     DEFINE TABLE judged; DEFINE FIELD a.* ON judged TYPE int ASSERT $value >= 0;
     DEFINE TABLE item CHANGEFEED 1h; DEFINE FIELD l ON item TYPE record<hub> REFERENCE;
     DEFINE TABLE gone; DEFINE ANALYZER words TOKENIZERS blank;
     DEFINE INDEX texts ON gone FIELDS t FULLTEXT ANALYZER words BM25 HIGHLIGHTS;
     CREATE hub:1, hub:2; INSERT INTO item ${RECORDS} RETURN NONE; INSERT INTO gone ${RECORDS} RETURN NONE;
     RELATE hub:1->leads->(SELECT VALUE id FROM item) RETURN NONE;
     CREATE |large:1..10| SET a = <array> 0..20000, n = 0 RETURN NONE`,
  );
});
afterAll(() => database.close());

/** How often statements gave way. */
async function yieldsOf(statements: string): Promise<number> {
  const before = environment.yields;
  await run(owner, statements);
  return environment.yields - before;
}

// Scans pause behind each batch, of up to 512 entries; lists are followed 256 at a time.
test.each([
  ['RETURN count(hub:1->?)', 8],
  ['RETURN count(hub:1->leads->item)', 6],
  ['RETURN count(hub:1->leads[WHERE out != NONE])', 37],
  ['RETURN count((SELECT * FROM ONLY hub:1).refs)', 6],
  ['RETURN count(hub:1.{..1+collect}(->leads->item))', 8],
  ['SHOW CHANGES FOR TABLE item SINCE 0', 40],
  // Each record is visited to be checked and to be weighed.
  ['UPDATE large SET n += 1 RETURN NONE', 9],
  ['UPDATE large SET a[0] = -1 RETURN DIFF', 16],
  [`CREATE judged SET a = <array> 0..${2 * MANY} RETURN NONE`, 15],
  [`CREATE listed SET l = (<array> 0..${4 * MANY}).map(|$i| type::record('hub', $i)) RETURN NONE`, 190],
  ['SELECT math::median(n) FROM item GROUP ALL', 12],
  ["SELECT id, search::score(0) AS s FROM gone WHERE t @0@ 'text' ORDER BY s DESC LIMIT 2000", 38],
  ['DELETE hub:1', 50],
  ['REMOVE TABLE gone', 11],
])('%s', async (statement, least) => {
  expect(await yieldsOf(statement)).toBeGreaterThanOrEqual(least);
});

test.each([
  ['math::median', 3_001, 1500],
  ['math::median', 3_000, 1499.5],
])('%s of a group of %i values', async (name, count, expected) => {
  const [{ value }] = (
    await run(owner, `SELECT ${name}(n) AS value FROM (<array> 0..${count}).map(|$n| { n: $n }) GROUP ALL`)
  ).at(-1) as [{ value: unknown }];
  expect(Number(value)).toBe(expected);
});

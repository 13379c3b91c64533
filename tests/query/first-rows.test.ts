/** Of rows that an index gives in order no more are read than are asked for, however many of them are equal. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isArray, type Value } from '../../src/value/value.js';
import { run, World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await World.open();
  await run(
    world.owner,
    `DEFINE ANALYZER simple TOKENIZERS blank;
     DEFINE INDEX done ON note FIELDS done;
     DEFINE INDEX words ON note FIELDS text FULLTEXT ANALYZER simple BM25;
     FOR $n IN 1..=60 { CREATE type::record('note', $n) SET done = $n > 30, text = 'tea' }`,
  );
});
afterAll(() => world.close());

/** How many rows the last step of a plan gave: that which reads them. */
async function read(statement: string): Promise<number> {
  const [plan] = await run(world.owner, `EXPLAIN ANALYZE ${statement}`);
  return Number(
    String(plan)
      .match(/rows: \d+/g)
      ?.at(-2)
      ?.slice(6),
  );
}

const keysOf = (rows: Value | undefined) => (isArray(rows) ? rows : []);

test.each([
  ['forwards', 'SELECT VALUE id.id() FROM note ORDER BY done LIMIT 3', [1, 2, 3], 4],
  // Sorting decides among equal ones.
  ['backwards', 'SELECT VALUE id.id() FROM note ORDER BY done DESC LIMIT 3', [31, 32, 33], 31],
  ['by ids backwards', 'SELECT VALUE id.id() FROM note ORDER BY done, id DESC LIMIT 3', [30, 29, 28], 31],
  ['a page further down', 'SELECT VALUE id.id() FROM note ORDER BY done LIMIT 2 START 4', [5, 6], 7],
])('%s', async (_, statement, expected, most) => {
  const [rows] = await run(world.owner, statement);
  expect(keysOf(rows)).toEqual(expected);
  expect(await read(statement)).toBeLessThanOrEqual(most);
});

test('of matches that score the same', async () => {
  const statement = `SELECT id.id() AS key, search::score(1) AS s FROM note WHERE text @1@ 'tea' ORDER BY s DESC LIMIT 3`;
  const [rows] = await run(world.owner, `SELECT VALUE key FROM (${statement})`);
  expect(keysOf(rows)).toEqual([1, 2, 3]);
  expect(await read(statement)).toBeLessThanOrEqual(4);
});

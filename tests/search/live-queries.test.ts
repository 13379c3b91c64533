/** Live queries with MATCHES judge the changed record alone. */
import { beforeEach, expect, test } from 'vitest';
import type { Session } from '../../src/session/contract.js';
import { openDatabase } from '../../src/session/database/database.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { toText } from '../../src/value/text/text.js';
import { run } from '../support/world.js';

let owner: Session;
let received: string[];

beforeEach(async () => {
  const database = await openDatabase(new MemoryEngine());
  received = [];
  owner = database.ownerSession();
  owner.listen(({ action, result }) => void received.push(`${action} ${toText(result)}`));
  await owner.use('test', 'test');
  await run(
    owner,
    `DEFINE ANALYZER simple TOKENIZERS class FILTERS lowercase, ascii;
     DEFINE INDEX ft ON doc FIELDS t FULLTEXT ANALYZER simple HIGHLIGHTS`,
  );
});

const CHANGES = [
  `CREATE doc:1 SET t = 'Green tea'`,
  `CREATE doc:2 SET t = 'Black tea'`,
  `CREATE doc:3 SET t = 'Green tea, milk'`,
  `UPDATE doc:2 SET t = 'Tea, gréen'`,
  'DELETE doc:3',
];

/** Makes all changes, and gives what was received: as much as is expected, and what comes soon behind it. */
async function change(count: number): Promise<string[]> {
  for (const each of CHANGES) await run(owner, each);
  await expect.poll(() => received.length).toBeGreaterThanOrEqual(count);
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
  return received;
}

test.each([
  ['@@', 'green tea', ['CREATE { id: doc:1 }', 'CREATE { id: doc:3 }', 'UPDATE { id: doc:2 }', 'DELETE { id: doc:3 }']],
  ['@OR@', 'milk nothing', ['CREATE { id: doc:3 }', 'DELETE { id: doc:3 }']],
  ['@QUERY@', '"green tea" -milk', ['CREATE { id: doc:1 }']],
])('%s %s', async (operator, text, expected) => {
  await run(owner, `LIVE SELECT id FROM doc WHERE t ${operator} '${text}'`);
  expect(await change(expected.length)).toEqual(expected);
});

test('have highlights and offsets of the record', async () => {
  await run(
    owner,
    `LIVE SELECT VALUE [search::highlight('<', '>', 1), search::offsets(1)] FROM doc WHERE t @1,OR@ 'milk'`,
  );
  expect(await change(2)).toEqual([
    `CREATE ['Green tea, <milk>', { "0": [{ e: 15, s: 11 }] }]`,
    `DELETE ['Green tea, <milk>', { "0": [{ e: 15, s: 11 }] }]`,
  ]);
});

test('have no scores, which compare a record with all others', async () => {
  await expect(run(owner, `LIVE SELECT search::score(1) FROM doc WHERE t @1@ 'tea'`)).rejects.toMatchObject({
    code: 'misplaced_function',
  });
});

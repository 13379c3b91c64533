/** Full-text indexes that are built and folded in the background while records change. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { prefixRange } from '../../src/catalog/keys/key-bytes.js';
import type { Session } from '../../src/session/contract.js';
import { type OpenDatabase, openDatabase } from '../../src/session/database/database.js';
import type { Engine } from '../../src/storage/contract.js';
import { openEngine } from '../../src/storage/open/open.js';
import { toText } from '../../src/value/text/text.js';
import type { Value } from '../../src/value/value.js';

let engine: Engine;
let database: OpenDatabase;
let session: Session;
beforeEach(async () => {
  engine = await openEngine('memory');
  database = await openDatabase(engine, {});
  session = database.ownerSession();
  await session.use('test', 'test');
  await ask('DEFINE ANALYZER words TOKENIZERS blank');
});
afterEach(() => database.close());

async function ask(text: string): Promise<Value> {
  const results = await session.query(text);
  for (const { outcome } of results) if (!outcome.ok) throw outcome.error;
  const last = results.at(-1)?.outcome;
  return last?.ok === true ? last.value : undefined;
}

async function shown(text: string): Promise<string> {
  return toText(await ask(text));
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  await expect.poll(isSo, { timeout: 60_000 }).toBe(true);
}

const rows = (from: number, count: number, text: string) =>
  Array.from({ length: count }, (_, at) => `{ id: ${from + at}, t: '${text}' }`).join();

test('what writers note is folded, and found as before', { timeout: 90_000 }, async () => {
  await ask('DEFINE INDEX ft ON doc FIELDS t FULLTEXT ANALYZER words');
  const keys = async () => {
    const transaction = await engine.begin({ writable: false });
    const count = await transaction.count(prefixRange('D'));
    transaction.cancel();
    return count;
  };
  for (let from = 0; from < 2_000; from += 500)
    await ask(`INSERT INTO doc [${rows(from, 500, 'green tea')}] RETURN NONE`);
  // A note for each record, until it is folded.
  await until(async () => (await keys()) < 2_600);
  expect(await shown("SELECT VALUE count() FROM doc WHERE t @@ 'tea' GROUP ALL")).toBe('[2000]');
  await ask("UPDATE doc:5 SET t = 'coffee'; DELETE doc:6");
  expect(await shown("SELECT VALUE count() FROM doc WHERE t @@ 'tea' GROUP ALL")).toBe('[1998]');
  expect(await shown("SELECT VALUE id FROM doc WHERE t @@ 'coffee'")).toBe('[doc:5]');
});

test('records that change while an index is built are found as they are', { timeout: 90_000 }, async () => {
  for (let from = 0; from < 4_000; from += 1_000)
    await ask(`INSERT INTO doc [${rows(from, 1_000, 'green tea')}] RETURN NONE`);
  await ask('DEFINE INDEX ft ON doc FIELDS t FULLTEXT ANALYZER words CONCURRENTLY');
  // Judged from the table until then.
  expect(await shown("SELECT VALUE count() FROM doc WHERE t @@ 'tea' GROUP ALL")).toBe('[4000]');
  await ask(`INSERT INTO doc [${rows(6_000, 200, 'coffee')}] RETURN NONE`);
  for (let at = 0; at < 40; at++) {
    await ask(
      `UPDATE doc:${at * 100} SET t = 'coffee'; DELETE doc:${at * 100 + 1}; CREATE doc:${5_000 + at} SET t = 'coffee'`,
    );
  }
  await until(async () => (await shown('INFO FOR INDEX ft ON doc')).includes("'ready'"));
  expect(await shown("SELECT VALUE count() FROM doc WHERE t @@ 'tea' GROUP ALL")).toBe('[3920]');
  expect(await shown("SELECT VALUE count() FROM doc WHERE t @@ 'coffee' GROUP ALL")).toBe('[280]');
  // Statistics are exact, too: the score is that of an index built at once.
  const score = "SELECT VALUE search::score(1) FROM doc WHERE t @1@ 'coffee' LIMIT 1";
  const found = await shown(score);
  await ask('REBUILD INDEX ft ON doc');
  expect(await shown(score)).toBe(found);
});

test('a build that an analyzer stands in the way of fails with the reason', async () => {
  await ask("CREATE doc:1 SET t = 'a'; DEFINE INDEX ft ON doc FIELDS t FULLTEXT ANALYZER nope CONCURRENTLY");
  await until(async () => (await shown('INFO FOR INDEX ft ON doc')).includes("'error'"));
  expect(await shown('INFO FOR INDEX ft ON doc')).toContain('does not exist');
});

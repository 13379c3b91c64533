/** Many new records of one transaction become a segment when it is committed, which is searched before it is listed. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AT_ONCE } from '../../src/base/work/work.js';
import { CatalogCache, loadDatabase } from '../../src/catalog/definitions/load.js';
import { prefixRange } from '../../src/catalog/keys/key-bytes.js';
import { indexPrefix } from '../../src/catalog/keys/store-keys.js';
import { foldPending } from '../../src/search/segments/fold.js';
import { manifestKey, pendingPrefix, unlistedPrefix } from '../../src/search/segments/layout.js';
import { readManifest } from '../../src/search/segments/manifest.js';
import type { HeldTransaction, Session } from '../../src/session/contract.js';
import { type OpenDatabase, openDatabase } from '../../src/session/database/database.js';
import type { StatementResult } from '../../src/session/statement-executor.js';
import type { Engine, Transaction } from '../../src/storage/contract.js';
import { openEngine } from '../../src/storage/open/open.js';
import { toText } from '../../src/value/text/text.js';

let engine: Engine;
let database: OpenDatabase;
let session: Session;
beforeEach(async () => {
  engine = await openEngine('memory');
  database = await openDatabase(engine, {});
  session = database.ownerSession();
  await session.use('test', 'test');
  await ask(
    'DEFINE ANALYZER words TOKENIZERS blank; DEFINE INDEX ft ON doc FIELDS t FULLTEXT ANALYZER words; CREATE doc:0',
  );
});
afterEach(() => database.close());

function last(results: readonly StatementResult[]): string {
  for (const { outcome } of results) if (!outcome.ok) throw outcome.error;
  const outcome = results.at(-1)?.outcome;
  return outcome?.ok === true ? toText(outcome.value) : '';
}

async function ask(text: string, held?: HeldTransaction): Promise<string> {
  return last(await (held ?? session).query(text));
}

const insert = (from: number, count: number, text: string): string =>
  `INSERT INTO doc [${Array.from({ length: count }, (_, at) => `{ id: ${from + at}, t: '${text}' }`)}] RETURN NONE`;
const count = (word: string): string => `RETURN count(SELECT id FROM doc WHERE t @@ '${word}')`;

/** Does something with the entries of the index. */
async function onIndex<T>(
  writable: boolean,
  work: (transaction: Transaction, prefix: string) => Promise<T> | T,
): Promise<T> {
  const transaction = await engine.begin({ writable, maintenance: writable });
  const catalog = await loadDatabase(transaction, new CatalogCache(), 'test', 'test');
  const table = catalog?.tables.get('doc');
  const index = table?.indexes.find(({ name }) => name === 'ft');
  if (catalog === undefined || table === undefined || index === undefined) throw new Error('there is no index');
  const result = await work(transaction, indexPrefix(catalog.database.id, table.definition.id, index.id));
  await (writable ? transaction.commit() : transaction.cancel());
  return result;
}

/** How many notes there are, segments that aren't listed, and documents that the manifest knows of. */
const kept = () =>
  onIndex(false, async (transaction, prefix) => ({
    notes: await transaction.count(prefixRange(pendingPrefix(prefix))),
    unlisted: await transaction.count(prefixRange(unlistedPrefix(prefix))),
    documents: readManifest(await transaction.get(manifestKey(prefix))).documents,
  }));

const fold = (most = 2_048) =>
  onIndex(true, (transaction, prefix) => foldPending(transaction, prefix, { least: 1, most, segments: 1 }, AT_ONCE));

test('many records make a segment, few are noted, and both are found', async () => {
  await fold();
  await ask(insert(1, 200, 'green tea'));
  await ask(insert(300, 100, 'black tea'));
  expect(await kept()).toEqual({ notes: 100, unlisted: 1, documents: 1 });
  expect(await ask(count('tea'))).toBe('300');
  await fold();
  expect(await kept()).toEqual({ notes: 0, unlisted: 0, documents: 301 });
  expect(await ask(count('green'))).toBe('200');
});

test('records come in any order, and some of them twice', async () => {
  const rows = Array.from({ length: 300 }, (_, at) => `{ id: ${(at * 77) % 300}, t: 'tea w${(at * 77) % 300}' }`);
  const held = await session.begin();
  await ask(`DELETE doc:0; INSERT INTO doc [${rows}] RETURN NONE`, held);
  await held.commit();
  expect(await kept()).toMatchObject({ unlisted: 1 });
  const again = await session.begin();
  await ask(insert(1_000, 200, 'green'), again);
  await ask("DELETE doc:1000; CREATE doc:1000 SET t = 'tea w0'; UPDATE doc:1001 SET t = 'tea w0'", again);
  await again.commit();
  for (const folded of [false, true]) {
    if (folded) await fold();
    expect(await ask(count('tea')), `${folded}`).toBe('302');
    expect(await ask(count('green')), `${folded}`).toBe('198');
    expect(await ask("SELECT VALUE id FROM doc WHERE t @@ 'w7'"), `${folded}`).toBe('[doc:7]');
    expect(await ask("SELECT VALUE id FROM doc WHERE t @@ 'w0'"), `${folded}`).toBe('[doc:0, doc:1000, doc:1001]');
  }
});

test('what a segment holds of records that changed since is void, before and after a fold', async () => {
  await ask(insert(1, 200, 'green tea'));
  await ask("UPDATE doc:5 SET t = 'black tea'; DELETE doc:6; DELETE doc:7; CREATE doc:7 SET t = 'white tea'");
  for (const folded of [false, true]) {
    if (folded) await fold();
    expect(await ask(count('green')), `${folded}`).toBe('197');
    expect(await ask(count('tea')), `${folded}`).toBe('199');
    expect(await ask("SELECT VALUE id FROM doc WHERE t @@ 'white'"), `${folded}`).toBe('[doc:7]');
  }
});

test('a transaction finds what it has written, and keeps what wasn’t rolled back', async () => {
  const held = await session.begin();
  await ask(insert(1, 200, 'green tea'), held);
  // The record that is there already fails the statement, with all of its rows.
  await expect(ask(insert(100, 300, 'black tea'), held)).rejects.toThrow('already exists');
  await ask("UPDATE doc:5 SET t = 'white tea'; DELETE doc:6", held);
  expect(await ask(count('green'), held)).toBe('198');
  expect(await ask(count('tea'), held)).toBe('199');
  await held.commit();
  expect(await kept()).toMatchObject({ unlisted: 1 });
  expect(await ask(count('tea'))).toBe('199');
  await fold();
  expect(await ask(count('tea'))).toBe('199');
  expect(await ask(count('black'))).toBe('0');
});

test('nothing is left of a transaction that is cancelled', async () => {
  const before = await kept();
  const held = await session.begin();
  await ask(insert(1, 200, 'green tea'), held);
  await held.cancel();
  expect(await kept()).toEqual(before);
  expect(await ask(count('tea'))).toBe('0');
});

test('two that insert many different records at once don’t conflict, nor with a fold', async () => {
  const [first, second] = [await session.begin(), await session.begin()];
  await ask(insert(1, 200, 'green tea'), first);
  await ask(insert(300, 200, 'green tea'), second);
  await first.commit();
  await onIndex(true, async (transaction, prefix) => {
    await foldPending(transaction, prefix, { least: 1, most: 2_048, segments: 1 }, AT_ONCE);
    await second.commit();
  });
  expect(await kept()).toMatchObject({ unlisted: 1, documents: 201 });
  expect(await ask(count('tea'))).toBe('400');
});

test('more segments than are listed together are folded before what is noted of their documents', async () => {
  for (let at = 0; at < 66; at++) await ask(insert(1 + at * 128, 128, 'green tea'));
  await ask('UPDATE doc SET t = "black tea" WHERE id = doc:8000 OR id = doc:1');
  while ((await kept()).notes > 0) await fold();
  expect(await ask(count('green'))).toBe(`${66 * 128 - 2}`);
  expect(await ask(count('black'))).toBe('2');
});

test('a failing analyzer takes back all of a statement', async () => {
  const long = `DEFINE FUNCTION fn::long($text: string) { RETURN string::repeat('a ', 2) };
    DEFINE ANALYZER OVERWRITE words FUNCTION fn::long TOKENIZERS blank; REMOVE FUNCTION fn::long`;
  await ask(long);
  await expect(ask(insert(1, 200, 'tea'))).rejects.toThrow();
  expect(await ask('RETURN count(SELECT id FROM doc)')).toBe('1');
});

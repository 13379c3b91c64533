import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Session } from '../../src/session/contract.js';
import { type OpenDatabase, openDatabase } from '../../src/session/database/database.js';
import { openEngine } from '../../src/storage/open/open.js';

let folder: string;
let database: OpenDatabase;
let owner: Session;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tessera-memory-'));
  database = await openDatabase(await openEngine(folder), { memory: { request: 2 ** 20 } });
  owner = database.ownerSession();
  await owner.use('test', 'test');
  const [, filled] = await owner.query(
    'DEFINE TABLE t; CREATE |t:1..2001| SET text = string::repeat("abc", 200), to = t:1 RETURN NONE',
  );
  expect(filled?.outcome).toEqual({ ok: true, value: [] });
});
afterEach(async () => {
  await database.close();
  await rm(folder, { recursive: true });
});

const outcome = async (text: string) => {
  const [result] = await owner.query(text);
  return result?.outcome.ok === false ? result.outcome.error.code : result?.outcome.value;
};

test.each([
  'SELECT * FROM t',
  'SELECT * FROM t ORDER BY text',
  'SELECT text FROM t',
  'SELECT array::group(text) AS all FROM t GROUP ALL',
  'SELECT id, text FROM t GROUP BY id',
  'UPDATE t SET n = 1 RETURN NONE',
  'RETURN (SELECT VALUE id FROM t).text',
])('records that are decoded count whole: %s', async (text) => {
  expect(await outcome(text)).toBe('request_memory_exceeded');
  expect(database.memory.budget.used).toBe(0);
  expect(await outcome('RETURN 1')).toBe(1);
});

test.each([
  ['RETURN (SELECT count() FROM t WHERE text != "" GROUP ALL)[0].count', 2_000],
  ['RETURN (SELECT id FROM t ORDER BY text LIMIT 10).len()', 10],
  ['RETURN (SELECT text, count() FROM t GROUP BY text).len()', 1],
  ['FOR $n IN 1..2000 { LET $r = (SELECT * FROM type::record("t", $n)) }', undefined],
  ['RETURN (SELECT VALUE id FROM t WHERE string::uppercase(text) = "").len()', 0],
])('records that aren’t kept don’t: %s', async (text, value) => {
  expect(await outcome(text)).toBe(value);
});

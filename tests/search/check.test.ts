/** `tessera check` of full-text indexes, and their repair. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runCheck } from '../../src/cli/store.js';
import { openDatabase } from '../../src/session/database/database.js';
import type { Entry, Transaction } from '../../src/storage/contract.js';
import { openLmdb } from '../../src/storage/lmdb/engine/lmdb.js';
import { openEngine } from '../../src/storage/open/open.js';
import { toText } from '../../src/value/text/text.js';
import { TextSink } from '../support/text-sink.js';

let folder: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tessera-check-'));
  await using([
    'DEFINE ANALYZER words TOKENIZERS blank FILTERS lowercase',
    "FOR $n IN 0..600 { CREATE type::record('doc', $n) SET t = string::concat('word', $n % 7, ' all') }",
    'DEFINE INDEX ft ON doc FIELDS t FULLTEXT ANALYZER words',
    "UPDATE doc:3 SET t = 'changed all'; DELETE doc:4; CREATE doc:1000 SET t = 'new', other = 1; CREATE doc:1001",
  ]);
});
afterEach(() => rmSync(folder, { recursive: true }));

/** What the last statement answers. */
async function using(statements: readonly string[]): Promise<string> {
  const database = await openDatabase(await openEngine(folder), {});
  const session = database.ownerSession();
  await session.use('test', 'test');
  let last = '';
  for (const text of statements) {
    for (const { outcome } of await session.query(text)) {
      if (!outcome.ok) throw outcome.error;
      last = toText(outcome.value);
    }
  }
  await database.close();
  return last;
}

async function untilReady(): Promise<void> {
  const database = await openDatabase(await openEngine(folder), {});
  const session = database.ownerSession();
  await session.use('test', 'test');
  const status = async () => {
    const [result] = await session.query('RETURN (INFO FOR INDEX ft ON doc).building.status');
    return result?.outcome.ok === true ? result.outcome.value : result?.outcome.error.message;
  };
  await expect.poll(status, { timeout: 60_000 }).toBe('ready');
  await database.close();
}

async function check(repairIndexes = false): Promise<{ isSound: boolean; text: string }> {
  const output = new TextSink();
  const isSound = await runCheck(folder, { repairIndexes }, output, new TextSink());
  return { isSound, text: output.text };
}

/** Changes the entries of the index past everything that keeps it consistent. */
async function tamper(change: (transaction: Transaction, entries: readonly Entry[]) => void): Promise<void> {
  const engine = openLmdb(folder);
  const transaction = engine.begin({ writable: true });
  const all: Entry[] = [];
  const cursor = transaction.scan({ from: 'D', to: 'E' });
  for (let batch = await cursor.next(); batch !== undefined; batch = await cursor.next()) all.push(...batch);
  change(
    transaction,
    all.filter(([key]) => key[5] === 'x'),
  );
  await transaction.commit();
  await engine.close();
}

test('nothing is wrong with an index that was written, changed and folded', async () => {
  expect(await check()).toMatchObject({ isSound: true });
});

test.each([
  [
    'a posting list that says something else',
    /is listed with other words than it has|can’t be read/,
    (transaction: Transaction, entries: readonly Entry[]) => {
      for (const [key, value] of entries) {
        if (!(value instanceof Uint8Array) || value.length < 400) continue;
        const changed = Uint8Array.from(value);
        changed[300] = (changed[300] as number) ^ 1;
        transaction.put(key, changed);
      }
    },
  ],
  [
    'a note that is gone',
    /doc:1000 isn’t listed|doc:1001 isn’t listed|other words/,
    (transaction: Transaction, entries: readonly Entry[]) => {
      const notes = entries.filter(([key]) => key[14] === 'p' || key.slice(13).startsWith('p'));
      for (const [key] of notes.length > 0 ? notes : entries.slice(-1)) transaction.delete(key);
    },
  ],
  [
    'pages that are gone',
    /can’t be read|other words|isn’t listed/,
    (transaction: Transaction, entries: readonly Entry[]) => {
      for (const [key, value] of entries) if (value instanceof Uint8Array) transaction.delete(key);
    },
  ],
])(
  '%s is found, and the index is built anew',
  async (_, fault, change) => {
    await tamper(change);
    const found = await check();
    expect(found.isSound).toBe(false);
    expect(found.text).toMatch(fault);
    expect(found.text).toContain('--repair-indexes');
    const repaired = await check(true);
    expect(repaired.text).toContain('index ft on table doc of test/test is built anew when the server starts');
    // Judged from the table until the index is there.
    expect(await using(["SELECT VALUE id FROM doc WHERE t @@ 'changed'"])).toBe('[doc:3]');
    await untilReady();
    expect(await using(["SELECT VALUE count() FROM doc WHERE t @OR@ 'all new' GROUP ALL"])).toBe('[600]');
    expect(await check()).toMatchObject({ isSound: true });
  },
  120_000,
);

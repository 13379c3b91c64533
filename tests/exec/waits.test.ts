/**
 * How many answers of the store a statement waits for one after another, on an engine that answers each call later. What is asked for
 * together counts once; the commit of what writes counts, too.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Session } from '../../src/session/contract.js';
import { type OpenDatabase, openDatabase } from '../../src/session/database.js';
import { MemoryEngine } from '../../src/storage/engines/memory.js';
import { LateEngine, Lateness } from '../storage/late-engine.js';

const lateness = new Lateness();
let database: OpenDatabase;
let owner: Session;
beforeAll(async () => {
  database = await openDatabase(new LateEngine(new MemoryEngine(), lateness));
  owner = database.ownerSession();
  await owner.use('test', 'test');
  await ask(`
    DEFINE TABLE person; DEFINE INDEX age ON person FIELDS age; DEFINE INDEX number ON person FIELDS number UNIQUE;
    DEFINE TABLE post; DEFINE TABLE knows TYPE RELATION;
    FOR $i IN 0..100 {
      CREATE type::record('person', $i) SET age = $i % 10, number = $i;
      CREATE type::record('post', $i) SET author = type::record('person', $i);
    };
    FOR $i IN 0..20 { FOR $j IN 1..=20 {
      RELATE (type::record('person', $i))->knows->(type::record('person', ($i * 7 + $j) % 100))
    } };
  `);
});
afterAll(() => database.close());

async function ask(text: string): Promise<void> {
  for (const { outcome } of await owner.query(text)) if (!outcome.ok) throw outcome.error;
}

/** A statement is asked once before, so that its plan and the definitions are known. */
async function waitsOf(text: string): Promise<number> {
  await ask(text);
  const before = lateness.waits;
  await ask(text);
  return lateness.waits - before;
}

describe('Reading waits for no more answers than', () => {
  test.each<[most: number, statement: string]>([[0, 'RETURN 1']])('%d: %s', async (most, statement) => {
    expect(await waitsOf(statement)).toBeLessThanOrEqual(most);
  });
});

describe('Writing waits for no more answers than', () => {
  test.each<[most: number, statement: string]>([[104, 'UPDATE post SET n += 1']])('%d: %s', async (most, statement) => {
    expect(await waitsOf(statement)).toBeLessThanOrEqual(most);
  });
});

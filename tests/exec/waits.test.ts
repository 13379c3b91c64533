/**
 * How many answers of the store a statement waits for one after another, on an engine that answers each call later. What is asked for
 * together counts once; the commit of what writes counts, too.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Session } from '../../src/session/contract.js';
import { type OpenDatabase, openDatabase } from '../../src/session/database.js';
import { MemoryEngine } from '../../src/storage/engines/memory.js';
import { StubbedEnvironment } from '../auth/environment.js';
import { LateEngine, Lateness } from '../storage/late-engine.js';

const lateness = new Lateness();
let database: OpenDatabase;
let owner: Session;
let ann: Session;
beforeAll(async () => {
  // Its time stands still, so that nothing gives way to others meanwhile.
  const environment = new StubbedEnvironment();
  database = await openDatabase(new LateEngine(new MemoryEngine(environment), lateness), { environment });
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
    DEFINE TABLE note PERMISSIONS FOR select, create, update, delete WHERE owner = $auth.id; DEFINE INDEX owner ON note FIELDS owner;
    DEFINE TABLE user PERMISSIONS FOR select WHERE id = $auth.id; CREATE user:ann; CREATE user:bob;
    FOR $i IN 0..100 { CREATE type::record('note', $i) SET owner = IF $i % 2 = 0 { user:ann } ELSE { user:bob } };
    DEFINE ACCESS people ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM type::record('user', $name));
  `);
  ann = database.session({});
  await ann.signIn({ NS: 'test', DB: 'test', AC: 'people', name: 'ann' });
});
afterAll(() => database.close());

async function ask(text: string, session = owner): Promise<void> {
  for (const { outcome } of await session.query(text)) if (!outcome.ok) throw outcome.error;
}

/** A statement is asked once before, so that its plan and the definitions are known. */
async function waitsOf(text: string, session = owner): Promise<number> {
  await ask(text, session);
  const before = lateness.waits;
  await ask(text, session);
  return lateness.waits - before;
}

describe('Reading waits for no more answers than', () => {
  test.each<[most: number, statement: string]>([
    [0, 'RETURN 1'],
    [1, 'SELECT * FROM person:1'],
    [1, 'SELECT * FROM person:1, person:2, person:3'],
    [1, 'SELECT * FROM [person:1, person:2, person:3]'],
    [1, 'SELECT * FROM person WHERE id = person:1'],
    [1, 'SELECT * FROM person LIMIT 10'],
    [2, 'SELECT * FROM person WHERE age = 3'],
    [2, 'SELECT * FROM person WHERE age = 3 OR number = 7'],
    [2, 'SELECT * FROM person WHERE age IN [1, 2, 3]'],
    [2, 'SELECT author.age FROM post LIMIT 100'],
    [2, 'SELECT * FROM post WHERE author.age = 3'],
    [2, 'SELECT * FROM post FETCH author'],
    [3, 'SELECT ->knows->person.age FROM person:1'],
    [3, 'SELECT ->knows->person.age AS ages FROM person LIMIT 20'],
    [5, 'SELECT ->knows->person->knows->person.age FROM person:1'],
  ])('%d: %s', async (most, statement) => {
    expect(await waitsOf(statement)).toBeLessThanOrEqual(most);
  });
});

describe('Reading as a record user waits for no more answers than', () => {
  test.each<[most: number, statement: string]>([
    [1, 'SELECT * FROM note:1'],
    [1, 'SELECT * FROM note:1, note:2, note:3'],
    [2, 'SELECT * FROM note'],
    [2, 'SELECT * FROM note WHERE owner = user:ann'],
    [2, 'SELECT owner.name FROM note:2'],
  ])('%d: %s', async (most, statement) => {
    expect(await waitsOf(statement, ann)).toBeLessThanOrEqual(most);
  });
});

describe('Writing waits for no more answers than', () => {
  test.each<[most: number, statement: string]>([[104, 'UPDATE post SET n += 1']])('%d: %s', async (most, statement) => {
    expect(await waitsOf(statement)).toBeLessThanOrEqual(most);
  });
});

/**
 * How many answers of the store a statement waits for one after another, on an engine that answers each call later. What is asked for
 * together counts once; the commit of what writes counts, too.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Environment } from '../../src/env/environment.js';
import type { Session } from '../../src/session/contract.js';
import { type OpenDatabase, openDatabase } from '../../src/session/database/database.js';
import type { Engine } from '../../src/storage/contract.js';
import { StubbedEnvironment } from './environment.js';

/** An engine that counts how often nothing but an answer of the store was waited for. */
export interface CountedEngine {
  readonly engine: Engine;
  waits(): number;
}

/** Each statement is about other records whenever it is asked. */
type Making = (round: number) => string;

/** The most waits that each statement may take. `open` opens an empty store. */
export function waitBudgets(name: string, open: (environment: Environment) => Promise<CountedEngine>): void {
  describe(name, () => {
    let counted: CountedEngine;
    let database: OpenDatabase;
    let owner: Session;
    let ann: Session;
    beforeAll(async () => {
      // Its time stands still, so that nothing yields to others meanwhile.
      const environment = new StubbedEnvironment();
      counted = await open(environment);
      database = await openDatabase(counted.engine, { environment });
      owner = database.ownerSession();
      await owner.use('test', 'test');
      await ask(`
        DEFINE TABLE person; DEFINE INDEX age ON person FIELDS age; DEFINE INDEX number ON person FIELDS number UNIQUE;
        DEFINE TABLE post; DEFINE TABLE knows TYPE RELATION; DEFINE TABLE follows TYPE RELATION IN person OUT person ENFORCED;
        FOR $i IN 0..100 {
          CREATE type::record('person', $i) SET age = $i % 10, number = $i;
          CREATE type::record('post', $i) SET author = type::record('person', $i);
        };
        FOR $i IN 0..20 { FOR $j IN 1..=20 {
          RELATE (type::record('person', $i))->knows->(type::record('person', ($i * 7 + $j) % 100))
        } };
        DEFINE TABLE note PERMISSIONS FOR select, create, update, delete WHERE owner = $auth.id; DEFINE INDEX owner ON note FIELDS owner;
        DEFINE INDEX number ON note FIELDS number UNIQUE;
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
      const before = counted.waits();
      await ask(text, session);
      return counted.waits() - before;
    }

    describe('Reading waits for no more answers than', () => {
      test.each<[most: number, statement: string]>([
        [0, 'RETURN 1'],
        [1, 'SELECT * FROM person:1'],
        [1, 'SELECT * FROM person:1, person:2, person:3'],
        [1, 'SELECT * FROM person:1..5'],
        [1, 'SELECT * FROM person:1..=5, person:20..25'],
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

    async function waitsOfMade(make: Making, session = owner): Promise<number> {
      await ask(make(1), session);
      const before = counted.waits();
      await ask(make(2), session);
      return counted.waits() - before;
    }

    describe('Writing waits for no more answers than', () => {
      test.each<[most: number, what: string, make: Making]>([
        [2, 'CREATE by id', (n) => `CREATE person:${1000 + n} SET age = 1, number = ${1000 + n}`],
        [2, 'CREATE', (n) => `CREATE person SET age = 1, number = ${1010 + n}`],
        [2, 'UPDATE by id', () => 'UPDATE person:1 SET age += 1'],
        [2, 'UPDATE of a unique value', (n) => `UPDATE person:1 SET number = ${1020 + n}`],
        [2, 'UPDATE of ten by id', () => `UPDATE ${tenFrom(2)} SET age += 1`],
        [2, 'UPSERT', (n) => `UPSERT person:${1030 + n} SET age = 1, number = ${1030 + n}`],
        [2, 'RELATE', () => 'RELATE person:1->knows->person:2'],
        [2, 'RELATE of ten where both ends are asked for', () => `RELATE person:1->follows->[${tenFrom(2)}]`],
        [2, 'INSERT of ten', (n) => `INSERT INTO person ${rowsFrom(2000 + n * 10, 10)}`],
        [2, 'INSERT of a thousand', (n) => `INSERT INTO person ${rowsFrom(10_000 * n, 1000)}`],
        [
          2,
          'INSERT of what is there',
          () => `INSERT INTO person ${rowsFrom(10_000, 10)} ON DUPLICATE KEY UPDATE age += 1`,
        ],
        [7, 'UPDATE of a thousand', () => 'UPDATE person:10000..11000 SET age += 1'],
        [7, 'UPDATE of a thousand unique values', () => 'UPDATE person:20000..21000 SET number += 100000'],
        [2, 'DELETE by id', (n) => `DELETE person:${10_000 * n}`],
        [3, 'DELETE with edges', (n) => `DELETE person:${n}`],
        [2, 'DELETE of ten by id', (n) => `DELETE ${tenFrom(10_000 * n + 10)}`],
        [7, 'DELETE of a thousand', (n) => `DELETE person:${10_000 * n}..${10_000 * n + 1000}`],
        [
          3,
          'a transaction',
          (n) =>
            `BEGIN; CREATE person:${n + 80}0; UPDATE person:${n + 80}0 SET age = 1; UPDATE post:1 SET n = 1; COMMIT`,
        ],
      ])('%d: %s', async (most, _, make) => {
        expect(await waitsOfMade(make)).toBeLessThanOrEqual(most);
      });
    });

    describe('Writing as a record user waits for no more answers than', () => {
      const own = 'owner: user:ann, ';
      test.each<[most: number, what: string, make: Making]>([
        [2, 'CREATE by id', (n) => `CREATE note:${1000 + n} SET owner = $auth.id, number = ${1000 + n}`],
        [3, 'CREATE', (n) => `CREATE note SET owner = $auth.id, number = ${1010 + n}`],
        [2, 'UPDATE by id', () => 'UPDATE note:2 SET n += 1'],
        [2, 'UPDATE of a unique value', (n) => `UPDATE note:2 SET number = ${1020 + n}`],
        [2, 'UPSERT', (n) => `UPSERT note:${1030 + n} SET owner = $auth.id, number = ${1030 + n}`],
        [3, 'INSERT of ten', (n) => `INSERT INTO note ${rowsFrom(2000 + n * 10, 10, own)}`],
        [3, 'INSERT of a thousand', (n) => `INSERT INTO note ${rowsFrom(10_000 * n, 1000, own)}`],
        [7, 'UPDATE of a thousand', () => 'UPDATE note:10000..11000 SET n += 1'],
        [2, 'DELETE by id', (n) => `DELETE note:${10_000 * n}`],
        [7, 'DELETE of a thousand', (n) => `DELETE note:${10_000 * n}..${10_000 * n + 1000}`],
        [
          3,
          'a transaction',
          (n) => `BEGIN; CREATE note:${n}00 SET owner = $auth.id; UPDATE note:${n}00 SET n = 1; COMMIT`,
        ],
      ])('%d: %s', async (most, _, make) => {
        expect(await waitsOfMade(make, ann)).toBeLessThanOrEqual(most);
      });
    });
  });
}

/** Records from a number on, as a literal. */
function rowsFrom(first: number, count: number, owner = ''): string {
  const rows = Array.from({ length: count }, (_, at) => `{ id: ${first + at}, ${owner}age: 1, number: ${first + at} }`);
  return `[${rows.join()}]`;
}

function tenFrom(first: number): string {
  return Array.from({ length: 10 }, (_, at) => `person:${first + at}`).join();
}

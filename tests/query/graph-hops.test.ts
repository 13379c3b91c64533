/** Hops that the entries of edges alone answer, compared with the edge records. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Session } from '../../src/session/contract.js';
import { type OpenDatabase, openDatabase } from '../../src/session/database/database.js';
import type { Engine } from '../../src/storage/contract.js';
import { openEngine } from '../../src/storage/open/open.js';
import { toText } from '../../src/value/text/text.js';
import { RecordId } from '../../src/value/value.js';
import { run } from '../support/world.js';

let engine: Engine;
let database: OpenDatabase;
let owner: Session;

beforeEach(async () => {
  engine = await openEngine('memory');
  database = await openDatabase(engine, {});
  owner = database.ownerSession();
  await owner.use('test', 'test');
  await run(
    owner,
    `CREATE person:1, person:2, person:3, city:1;
     RELATE person:1->knows:1->person:2; RELATE person:1->knows:2->city:1; RELATE person:2->knows:3->person:3`,
  );
});
afterEach(() => database.close());

const last = async (text: string): Promise<string> => toText((await run(owner, text)).at(-1));

test('every way over edges leads where the edges say', async () => {
  expect(await last('RETURN person:1->knows->person')).toBe('[person:2]');
  expect(await last('RETURN person:1->knows->city')).toBe('[city:1]');
  expect(await last('RETURN person:1->knows->?')).toBe('[person:2, city:1]');
  expect(await last('RETURN person:1->knows->person->knows->person')).toBe('[person:3]');
  expect(await last('RETURN person:3<-knows<-person<-knows<-person')).toBe('[person:1]');
  expect(await last('RETURN person:2->knows<-person')).toBe('[person:2]');
  expect(await last('RETURN person:3->knows->person')).toBe('[]');
});

test('a step from an edge takes it for one', async () => {
  await run(owner, 'RELATE knows:1->knows:4->person:3');
  expect(await last('RETURN person:1->knows->person')).toBe('[person:2]');
  expect(await last('RETURN knows:1->knows->person')).toBe('[person:3]');
  expect(await last('RETURN knows:4<-knows<-person')).toBe('[person:1]');
});

test('writes of the same transaction are seen', async () => {
  const text = 'BEGIN; DELETE knows:3; RELATE person:2->knows:5->person:1; RETURN person:2->knows->person; COMMIT';
  expect(toText((await run(owner, text)).at(-2))).toBe('[person:1]');
  expect(await last('RETURN person:3<-knows<-person')).toBe('[]');
});

test('what an edge connects stays, whatever the rules of its fields say', async () => {
  await run(
    owner,
    'DEFINE FIELD out ON knows VALUE person:3; UPDATE knows:1 SET a = 1; RELATE person:3->knows:6->city:1',
  );
  expect(await last('SELECT VALUE out FROM knows:1, knows:6')).toBe('[person:2, city:1]');
  expect(await last('RETURN person:1->knows->person')).toBe('[person:2]');
});

test('entries from before ends stood in them are followed by their edges', async () => {
  const transaction = await engine.begin({ writable: true });
  const cursor = transaction.scan({ from: 'D', to: 'E' });
  let emptied = 0;
  for (let batch = await cursor.next(); batch !== undefined; batch = await cursor.next()) {
    for (const [key, value] of batch) {
      if (!(value instanceof RecordId)) continue;
      transaction.put(key, true);
      emptied++;
    }
  }
  await transaction.commit();
  expect(emptied).toBe(6);
  expect(await last('RETURN person:1->knows->person->knows->person')).toBe('[person:3]');
  expect(await last('DELETE knows:3; RETURN person:3<-knows<-person')).toBe('[]');
});

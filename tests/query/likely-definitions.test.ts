/** What is fetched early depends on definitions that are likely to hold; how a statement ends depends on those that do. */
import { afterEach, expect, test } from 'vitest';
import type { Session } from '../../src/session/contract.js';
import { type OpenDatabase, openDatabase } from '../../src/session/database/database.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { StubbedEnvironment } from '../support/environment.js';
import { LateEngine, Lateness } from '../support/late-engine.js';
import { answer } from '../support/world.js';

let databases: OpenDatabase[] = [];
afterEach(async () => {
  for (const database of databases) await database.close();
});

/** Two that keep definitions of their own, on one store that answers later. */
async function two(): Promise<[Session, Session]> {
  const environment = new StubbedEnvironment();
  const engine = new LateEngine(new MemoryEngine(environment), new Lateness());
  databases = [await openDatabase(engine, { environment }), await openDatabase(engine, { environment })];
  const sessions = databases.map((database) => database.ownerSession());
  for (const session of sessions) await session.use('test', 'test');
  return sessions as [Session, Session];
}

test('an index that another server has just defined serves', async () => {
  const [one, other] = await two();
  expect(await answer(one, 'DEFINE TABLE t; CREATE t:1 SET v = [1, 2]')).not.toContain('error');
  expect(await answer(other, 'SELECT VALUE id FROM t')).toBe('[t:1]');
  await answer(one, 'DEFINE INDEX x ON t FIELDS v HNSW DIMENSION 2');
  expect(await answer(other, 'SELECT VALUE id FROM t WHERE v <|1,40|> [1, 2]')).toBe('[t:1]');
  expect(await answer(other, 'DELETE t WHERE v <|1,40|> [1, 2] RETURN BEFORE')).toBe('[{ id: t:1, v: [1, 2] }]');
});

/** Rows that an index finds in an order of its own, with what it says of each: a kind of index that only this test has takes the place of the scan. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { IndexNote } from '../../src/functions/calls/contract.js';
import { ACCESSES } from '../../src/query/operators/sources/accesses.js';
import type { Candidate, Candidates } from '../../src/runtime/candidates.js';
import type { Session } from '../../src/session/contract.js';
import { type OpenDatabase, openDatabase } from '../../src/session/database/database.js';
import type { Engine } from '../../src/storage/contract.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { openEngine } from '../../src/storage/open/open.js';
import { toText } from '../../src/value/text/text.js';
import { LateEngine, Lateness, seeded } from '../support/late-engine.js';

/** What the index finds in every table, some at a time. */
const FOUND: readonly (readonly Candidate[])[] = [
  [candidate(3, 0.5, 7), candidate(1, 2.5, 1)],
  [candidate(9, 9, 9), candidate(2, 1.5, 3)],
];
let closed = 0;

function candidate(key: number, score: number, distance: number): Candidate {
  const note: IndexNote = { scores: new Map([[1, score]]), distance };
  return { key, note };
}

function candidates(): Candidates {
  const batches = FOUND.values();
  return {
    next: () => batches.next().value,
    close: () => {
      closed += 1;
    },
  };
}

let engine: Engine;
let database: OpenDatabase;
let owner: Session;

async function open(on: Engine): Promise<void> {
  engine = on;
  database = await openDatabase(engine, { guests: true });
  owner = database.ownerSession();
  await owner.use('test', 'test');
  await owner.query(
    `DEFINE TABLE doc PERMISSIONS FOR select WHERE open; DEFINE FIELD secret ON doc PERMISSIONS FOR select NONE;
     CREATE doc:1 SET open = true, secret = 'a'; CREATE doc:2 SET open = true; CREATE doc:3 SET open = false; CREATE doc:4 SET open = true`,
  );
}

beforeEach(async () => {
  closed = 0;
  vi.spyOn(ACCESSES, 'table-scan').mockImplementation(() => () => ({ kind: 'candidates', candidates: candidates() }));
  await open(await openEngine('memory'));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await database.close();
});

async function ask(text: string, session = owner): Promise<string> {
  const [result] = await session.query(text);
  if (result === undefined) throw new Error('no answer');
  return result.outcome.ok ? toText(result.outcome.value) : result.outcome.error.message;
}

async function guest(): Promise<Session> {
  const session = database.session({});
  await session.use('test', 'test');
  return session;
}

const SCORED = 'SELECT id, search::score(1) AS score, vector::distance::knn() AS distance FROM doc';

test('come in the order of the index, as far as they are there, with what it says of them', async () => {
  expect(await ask(SCORED)).toBe(
    '[{ distance: 7, id: doc:3, score: 0.5f }, { distance: 1, id: doc:1, score: 2.5f }, { distance: 3, id: doc:2, score: 1.5f }]',
  );
  expect(closed).toBe(1);
});

test('can be ordered, limited and judged by it', async () => {
  expect(await ask(`${SCORED} ORDER BY score DESC LIMIT 2`)).toBe(
    '[{ distance: 1, id: doc:1, score: 2.5f }, { distance: 3, id: doc:2, score: 1.5f }]',
  );
  expect(await ask('SELECT VALUE id FROM doc WHERE vector::distance::knn() < 5 AND open')).toBe('[doc:1, doc:2]');
  expect(await ask('SELECT *, search::score(1) AS score FROM doc ORDER BY score LIMIT 1')).toBe(
    '[{ id: doc:3, open: false, score: 0.5f }]',
  );
});

test('are judged by PERMISSIONS before anything shows, and no field of them that is hidden', async () => {
  const session = await guest();
  expect(await ask(`${SCORED} ORDER BY score`, session)).toBe(
    '[{ distance: 3, id: doc:2, score: 1.5f }, { distance: 1, id: doc:1, score: 2.5f }]',
  );
  expect(await ask('SELECT *, search::score(1) AS score FROM doc', session)).toBe(
    '[{ id: doc:1, open: true, score: 2.5f }, { id: doc:2, open: true, score: 1.5f }]',
  );
  expect(await ask('SELECT count(), math::sum(search::score(1)) AS all FROM doc GROUP ALL', session)).toBe(
    '[{ all: 4f, count: 2 }]',
  );
});

test('leave nothing of it in stored records, nor in other rows', async () => {
  expect(await ask('UPDATE doc SET near = vector::distance::knn() < 5 RETURN VALUE [id, near]')).toBe(
    '[[doc:3, false], [doc:1, true], [doc:2, true]]',
  );
  expect(await ask('SELECT VALUE near FROM doc:1')).toBe('[true]');
  expect(await ask('SELECT VALUE vector::distance::knn() FROM doc:1')).toContain('no KNN operator found');
  expect(await ask('SELECT VALUE search::score(2) FROM doc')).toContain('no MATCHES clause found');
});

test('come from a store that answers later, too', async () => {
  await database.close();
  await open(new LateEngine(new MemoryEngine(), new Lateness(3, seeded(1))));
  expect(await ask(`${SCORED} ORDER BY score DESC LIMIT 1`, await guest())).toBe(
    '[{ distance: 1, id: doc:1, score: 2.5f }]',
  );
});

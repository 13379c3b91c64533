/** Read-only transactions: several statements see one state. */
import { beforeEach, describe, expect, test } from 'vitest';
import { isPromise } from '../../src/base/promise-or-value.js';
import type { Session } from '../../src/session/contract.js';
import { type OpenDatabase, openDatabase } from '../../src/session/database/database.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { StubbedEnvironment } from '../support/environment.js';
import { answer, run } from '../support/world.js';

let database: OpenDatabase;
let session: Session;
beforeEach(async () => {
  database = await openDatabase(new MemoryEngine());
  session = database.ownerSession();
  session.listen(() => undefined);
  await session.use('test', 'test');
  await run(session, 'DEFINE TABLE account; CREATE account:1 SET total = 10');
});

const TOTALS = 'SELECT VALUE total FROM account';

test('all its statements see the state in which it began', async () => {
  const snapshot = await session.begin({ writable: false });
  expect(await answer(snapshot, TOTALS)).toBe('[10]');
  await run(session, 'UPDATE account:1 SET total = 20; CREATE account:2 SET total = 5; DEFINE TABLE later');
  expect(await answer(snapshot, TOTALS)).toBe('[10]');
  expect(await answer(snapshot, 'SELECT * FROM later')).toContain("The table 'later' does not exist");
  snapshot.cancel();
  expect(await answer(session, TOTALS)).toBe('[20, 5]');
});

test('what was read never conflicts', async () => {
  const snapshot = await session.begin({ writable: false });
  await run(snapshot, TOTALS);
  await run(session, 'UPDATE account:1 SET total = 20');
  await snapshot.commit();
  await expect((async () => snapshot.query(TOTALS))()).resolves.toMatchObject([
    { outcome: { ok: false, error: { code: 'transaction_finished' } } },
  ]);
});

describe('a write', () => {
  beforeEach(() =>
    run(
      session,
      `DEFINE FUNCTION fn::write() { CREATE account:9 }; DEFINE FUNCTION fn::read() { SELECT VALUE total FROM account };
       DEFINE INDEX total ON account FIELDS total; DEFINE SEQUENCE numbers;
       DEFINE TABLE writing; CREATE writing:1; DEFINE FIELD made ON writing COMPUTED { CREATE account:9 };
       DEFINE TABLE noted; CREATE noted:1; DEFINE EVENT note ON noted WHEN true THEN (CREATE account:9)`,
    ),
  );

  test.each([
    'CREATE account:9',
    'UPDATE account:1 SET total = 1',
    'UPSERT account:9 SET total = 1',
    'DELETE account',
    'INSERT INTO account { id: 9 }',
    'RELATE account:1->knows->account:1',
    'CREATE unheard_of',
    'DEFINE TABLE made',
    'REMOVE TABLE account',
    'ALTER TABLE account COMMENT "no"',
    'DEFINE USER intruder ON ROOT PASSWORD "a long one, really"',
    'REBUILD INDEX total ON account',
    'ALTER SYSTEM QUERY_TIMEOUT 1s',
    'LIVE SELECT * FROM account',
    'RETURN fn::write()',
    'SELECT * FROM writing',
    'UPDATE noted:1 SET a = 1',
    '{ LET $a = 1; CREATE account:9; RETURN $a }',
  ])('fails and leaves no trace: %s', async (text) => {
    const everything =
      'SELECT *, (SELECT * FROM account) AS accounts FROM noted; INFO FOR DB; INFO FOR ROOT; SELECT * FROM knows';
    const stored = async (): Promise<string> => JSON.stringify(await session.query(everything), withoutTime);
    const before = await stored();
    const snapshot = await session.begin({ writable: false });
    expect(await answer(snapshot, text)).toContain("Couldn't write to a read only transaction");
    expect(await answer(snapshot, 'RETURN fn::read()')).toBe('[10]');
    await snapshot.commit();
    expect(await stored()).toBe(before);
  });

  test('is refused to what a SELECT computes as well, outside of any transaction', async () => {
    expect(await answer(session, 'SELECT * FROM writing')).toContain("Couldn't write to a read only transaction");
    expect(await answer(session, 'SELECT VALUE id FROM account')).toBe('[account:1]');
  });
});

function withoutTime(name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? (name === 'time' ? undefined : String(value)) : value;
}

test('it is answered at once where the storage does', async () => {
  // By the real clock a busy machine may find it time to give others a turn.
  const environment = new StubbedEnvironment();
  const still = await openDatabase(new MemoryEngine(environment), { environment });
  const session = still.ownerSession();
  await session.use('test', 'test');
  await run(session, 'DEFINE TABLE account; CREATE account:1 SET total = 10');
  const snapshot = session.begin({ writable: false });
  if (isPromise(snapshot)) throw new Error('it had to be waited for');
  expect(isPromise(snapshot.query(TOTALS))).toBe(false);
  expect(isPromise(snapshot.query(TOTALS))).toBe(false);
  snapshot.cancel();
  await still.close();
});

test('clients neither find it nor have fewer of their own for it', async () => {
  const snapshots = await Promise.all(Array.from({ length: 100 }, () => session.begin({ writable: false })));
  expect(() => session.transaction(snapshots[0]?.id ?? '')).toThrow('Transaction not found');
  const held = await session.begin();
  expect(session.transaction(held.id)).toBe(held);
});

test.each([
  ['the session', () => session.close()],
  ['who began it', () => session.invalidate()],
])('it ends with %s', async (_, end) => {
  const snapshot = await session.begin({ writable: false });
  expect(await answer(snapshot, TOTALS)).toBe('[10]');
  end();
  const late = await (async () => snapshot.query(TOTALS))().catch((error: unknown) => [
    { outcome: { ok: false, error } },
  ]);
  expect(late).toMatchObject([{ outcome: { ok: false } }]);
});

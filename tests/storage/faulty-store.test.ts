/** A store with faults leaves no half writes and no request waiting, and answers nothing twice. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Session } from '../../src/session/contract.js';
import { openDatabase } from '../../src/session/database/database.js';
import { COMMIT_GRACE } from '../../src/storage/interrupted.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { isObject, type Value } from '../../src/value/value.js';
import { StubbedEnvironment } from '../support/environment.js';
import { type Fault, FaultyEngine } from '../support/faulty-engine.js';
import { seeded } from '../support/late-engine.js';

const TIMEOUT = 100;
/** Each gives all records of the table the same number, `$n`. */
const STATEMENTS = [
  'UPDATE t SET n = $n',
  'BEGIN; UPDATE t:0 SET n = $n; UPDATE t:1..=3 SET n = $n; COMMIT',
  'INSERT INTO t [{ id: 0, n: $n }, { id: 1, n: $n }, { id: 2, n: $n }, { id: 3, n: $n }] ON DUPLICATE KEY UPDATE n = $n',
];

/** Until all that needs no answer of the store is done. */
async function quiet(): Promise<void> {
  for (let turn = 0; turn < 60; turn++) await new Promise(setImmediate);
}

describe('A store with faults', () => {
  test('leaves nothing half done and no one waiting', async () => {
    const fault = fc.constantFrom<Fault>('silent', 'failed', 'failed afterwards', 'twice');
    const round = fc.record({ text: fc.constantFrom(...STATEMENTS), at: fc.nat(12), fault, closes: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(round, { minLength: 1, maxLength: 6 }), async (rounds) => {
        const environment = new StubbedEnvironment();
        const inner = new MemoryEngine(environment);
        let calls = Number.POSITIVE_INFINITY;
        let next: Fault = 'none';
        const engine = new FaultyEngine(inner, () => (calls-- === 0 ? next : 'none'));
        const database = await openDatabase(engine, { environment });
        const open = async (): Promise<Session> => {
          const session = database.ownerSession();
          await session.use('test', 'test');
          return session;
        };
        const asked = await open();
        await asked.query('DEFINE TABLE t; FOR $i IN 0..4 { CREATE type::record("t", $i) SET n = 0 }');
        let last: Value = 0;
        for (const [index, { text: template, at, fault, closes }] of rounds.entries()) {
          const n = index + 1;
          const session = await open();
          [calls, next] = [at, fault];
          let outcome: string | undefined;
          const isTimed = !template.startsWith('BEGIN');
          const text = `${template.replaceAll('$n', `${n}`)}${isTimed ? ` TIMEOUT ${TIMEOUT}ms` : ''}`;
          void Promise.resolve(session.query(text)).then(
            (results) => {
              const failed = results.map((result) => result.outcome).find((each) => !each.ok);
              outcome = failed === undefined || failed.ok ? 'ok' : failed.error.code;
            },
            (error: { code: string }) => {
              outcome = error.code;
            },
          );
          await quiet();
          if (outcome === undefined) {
            if (closes || !isTimed) void session.close();
            else environment.advance(TIMEOUT);
            await quiet();
            environment.advance(COMMIT_GRACE);
            await quiet();
          }
          expect(outcome).toBeDefined();
          calls = Number.POSITIVE_INFINITY;
          const [shown] = await asked.query('SELECT VALUE n FROM t');
          const values = shown?.outcome.ok ? (shown.outcome.value as Value[]) : [];
          expect(values).toHaveLength(4);
          expect(new Set(values).size).toBe(1);
          const isDone = values[0] === n;
          if (outcome === 'ok') expect(isDone).toBe(true);
          else if (!['commit_outcome_unknown', 'storage_unavailable'].includes(outcome ?? ''))
            expect(isDone).toBe(false);
          expect(isDone ? n : last).toBe(values[0]);
          last = values[0] as Value;
          await session.close();
          await quiet();
        }
        expect(inner.inUse.transactions).toBe(0);
        await database.close();
      }),
      { numRuns: 120 },
    );
  });

  test('notifies live queries once of a commit that is answered twice', async () => {
    const environment = new StubbedEnvironment();
    const engine = new FaultyEngine(new MemoryEngine(environment), () => 'twice');
    const database = await openDatabase(engine, { environment });
    const session = database.ownerSession();
    await session.use('test', 'test');
    const told: Value[] = [];
    session.listen(({ result }) => void told.push(result));
    await session.query('DEFINE TABLE t; LIVE SELECT * FROM t');
    await session.query('CREATE t:1');
    await quiet();
    expect(told.filter(isObject)).toHaveLength(1);
    await database.close();
  });

  test('lets drawn faults of many calls end in an answer', async () => {
    const random = seeded(7);
    const faults: readonly Fault[] = ['none', 'none', 'none', 'none', 'none', 'none', 'silent', 'failed', 'twice'];
    const environment = new StubbedEnvironment();
    let isFaulty = false;
    const draw = (): Fault => (isFaulty ? (faults[random(faults.length)] as Fault) : 'none');
    const inner = new MemoryEngine(environment);
    const database = await openDatabase(new FaultyEngine(inner, draw), { environment });
    const session = database.ownerSession();
    await session.use('test', 'test');
    await session.query('DEFINE TABLE t; DEFINE INDEX i ON t FIELDS n');
    isFaulty = true;
    let answers = 0;
    for (let round = 0; round < 60; round++) {
      void Promise.resolve(session.query(`UPSERT t:${round % 3} SET n = ${round} TIMEOUT ${TIMEOUT}ms`)).then(
        () => answers++,
        () => answers++,
      );
      await quiet();
      environment.advance(TIMEOUT);
      await quiet();
      environment.advance(COMMIT_GRACE);
      await quiet();
      expect(answers).toBe(round + 1);
    }
    isFaulty = false;
    await quiet();
    expect(inner.inUse.transactions).toBe(0);
    await database.close();
  });
});

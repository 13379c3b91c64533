/** A store that doesn't answer delays no request beyond a deadline or a cancellation, and nothing half is left. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { RequestInterrupt } from '../../src/runtime/interrupt.js';
import type { Session } from '../../src/session/contract.js';
import { type OpenDatabase, openDatabase } from '../../src/session/database/database.js';
import { COMMIT_GRACE, commitInterruptibly } from '../../src/storage/interrupted.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { Duration } from '../../src/value/value.js';
import { StubbedEnvironment } from '../support/environment.js';
import { LateEngine, Lateness } from '../support/late-engine.js';

describe('A store that falls silent', () => {
  let environment: StubbedEnvironment;
  let lateness: Lateness;
  let database: OpenDatabase;
  let owner: Session;
  beforeEach(async () => {
    environment = new StubbedEnvironment();
    lateness = new Lateness();
    const engine = new LateEngine(new MemoryEngine(environment), lateness);
    database = await openDatabase(engine, { environment });
    owner = database.ownerSession();
    await owner.use('test', 'test');
    await owner.query('DEFINE TABLE t; CREATE t:1 SET n = 1, next = t:2; CREATE t:2 SET n = 2');
  });
  afterEach(() => database.close());

  /** Until all that needs no answer of the store is done. */
  const quiet = async () => {
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  };

  const codesOf = async (text: string, meanwhile: () => void): Promise<string[]> => {
    const asked = Promise.resolve(owner.query(text)).then(
      (results) => results.map(({ outcome }) => (outcome.ok ? 'ok' : outcome.error.code)),
      (error: { code: string }) => [error.code],
    );
    await quiet();
    meanwhile();
    return asked;
  };

  test('is unavailable by health checks', async () => {
    lateness.pause();
    const checked = database.check().catch((error: { code: string }) => error.code);
    await quiet();
    environment.advance(400);
    expect(await checked).toBe('storage_unavailable');
    lateness.resume();
    await database.check();
  });

  const STATEMENTS = [
    'SELECT * FROM t',
    'SELECT next.n FROM t:1',
    'SELECT * FROM t:1',
    'UPDATE t SET n = 7',
    'CREATE t:3 SET n = 3',
    'DELETE t:1',
  ];

  test.each(STATEMENTS)('ends %s with its TIMEOUT', async (text) => {
    lateness.pause();
    const codes = await codesOf(`${text} TIMEOUT 100ms`, () => environment.advance(101));
    expect(codes).toEqual(['timed_out']);
    lateness.resume();
    expect(await codesOf('SELECT * FROM t', () => undefined)).toEqual(['ok']);
    expect((await owner.query('SELECT VALUE n FROM t'))[0]?.outcome).toEqual({ ok: true, value: [1, 2] });
  });

  test.each(STATEMENTS)('ends %s when its session is closed', async (text) => {
    lateness.pause();
    const codes = await codesOf(text, () => void owner.close());
    expect(codes).toEqual([expect.stringMatching(/cancelled|session_closed|closed/)]);
    lateness.resume();
    const other = database.ownerSession();
    await other.use('test', 'test');
    expect((await other.query('SELECT VALUE n FROM t'))[0]?.outcome).toEqual({ ok: true, value: [1, 2] });
  });

  describe('while a COMMIT is under way', () => {
    const WRITES = ['UPDATE t SET n = 7', 'CREATE t:3 SET n = 3', 'DELETE t:1'];
    const UNKNOWN = 'commit_outcome_unknown';

    /** The result of a text whose COMMIT isn't answered, and how long that took after `meanwhile`. */
    const cutOff = async (text: string, meanwhile: () => void): Promise<readonly string[]> => {
      lateness.silent = 'commits';
      let codes: readonly string[] | undefined;
      const asked = codesOf(text, meanwhile).then((found) => {
        codes = found;
      });
      await quiet();
      await quiet();
      expect(codes).toBeUndefined();
      environment.advance(COMMIT_GRACE);
      await quiet();
      lateness.silent = 'nothing';
      await asked;
      return codes ?? [];
    };

    test.each(WRITES)('ends %s with its TIMEOUT', async (text) => {
      expect(await cutOff(`${text} TIMEOUT 100ms`, () => environment.advance(100))).toEqual([UNKNOWN]);
      expect(await codesOf('UPDATE t SET n = 7', () => undefined)).toEqual(['ok']);
    });

    test.each([...WRITES, 'BEGIN; UPDATE t SET n = 7; COMMIT'])('ends %s when its session is closed', async (text) => {
      const codes = await cutOff(text, () => void owner.close());
      expect(codes.at(-1)).toMatch(/commit_outcome_unknown|cancelled/);
    });

    test('ends a block by the time that a request may take', async () => {
      await owner.query('ALTER SYSTEM QUERY_TIMEOUT 200ms');
      const codes = await cutOff('BEGIN; UPDATE t SET n = 7; COMMIT', () => environment.advance(200));
      expect(codes).toEqual(['ok', UNKNOWN]);
    });

    test('ends COMMIT of a held transaction with its session', async () => {
      const held = await owner.begin();
      await held.query('UPDATE t SET n = 7');
      lateness.silent = 'commits';
      const committed = held.commit().then(
        () => 'ok',
        (error: { code: string }) => error.code,
      );
      await quiet();
      void owner.close();
      environment.advance(COMMIT_GRACE);
      expect(await committed).toBe(UNKNOWN);
    });

    test('says that a commit was made whose answer comes soon after the deadline', async () => {
      const interrupt = RequestInterrupt.begin(environment).within(new Duration(100_000_000n));
      const transaction = await new MemoryEngine(environment).begin({ writable: true });
      let answer = () => {};
      const committed = new Promise<void>((resolve) => {
        answer = resolve;
      });
      const done = commitInterruptibly(interrupt, transaction, () => committed);
      environment.advance(100 + COMMIT_GRACE - 1);
      answer();
      await expect(done).resolves.toBeUndefined();
    });
  });
});

/** A store that doesn't answer keeps nobody waiting beyond a deadline or a cancellation, and nothing half is left. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Session } from '../../src/session/contract.js';
import { type OpenDatabase, openDatabase } from '../../src/session/database/database.js';
import { MemoryEngine } from '../../src/storage/engines/memory.js';
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
});

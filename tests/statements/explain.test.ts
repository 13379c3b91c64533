/** What EXPLAIN ANALYZE measures, by a clock that goes on only during SLEEP. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Environment } from '../../src/env/environment.js';
import { Stopwatch } from '../../src/query/operators/stopwatch.js';
import type { Session } from '../../src/session/contract.js';
import { openDatabase } from '../../src/session/database/database.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { toText } from '../../src/value/text/text.js';
import type { Value } from '../../src/value/value.js';
import { StubbedEnvironment } from '../support/environment.js';

function sleepyEnvironment(): Environment {
  const stub = new StubbedEnvironment();
  const wait = (milliseconds: number) => {
    stub.advance(milliseconds);
    return Promise.resolve();
  };
  const { clock, random, network, mail, heap, timers } = stub;
  return { clock, random, network, mail, heap, timers: { ...timers, wait } };
}

describe('EXPLAIN ANALYZE', () => {
  let owner: Session;
  beforeEach(async () => {
    const environment = sleepyEnvironment();
    const database = await openDatabase(new MemoryEngine(environment), { environment });
    owner = database.ownerSession();
    await owner.use('test', 'test');
    await owner.query('DEFINE INDEX a ON t FIELDS a; CREATE |t:1..5| SET a = 1, list = [1, 2]; CREATE t:5 SET a = 2');
  });

  const ask = async (query: string): Promise<Value> => {
    const [result] = (await owner.query(query)).slice(-1);
    if (result?.outcome.ok !== true) throw result?.outcome.error ?? new Error('no answer');
    return result.outcome.value;
  };

  test('prints the rows and the time of each step', async () => {
    expect(await ask('EXPLAIN ANALYZE SELECT sleep(1ms) FROM t WHERE a = 1 AND sleep(10ms) = NONE LIMIT 3')).toBe(
      [
        'Project [projections: `sleep`(1ms)] {rows: 3, elapsed: 3.000ms}',
        '    Limit [limit: 3] {rows: 3, elapsed: 0.000ms}',
        '        Filter [condition: a = 1 AND `sleep`(10ms) = NONE, batched: a = 1] {rows: 3, elapsed: 30.000ms}',
        '            IndexScan [table: t, index: a, access: a = 1] {rows: 4, elapsed: 0.000ms}',
        '',
        'Total rows: 3',
      ].join('\n'),
    );
  });

  test('gives the same as a value', async () => {
    const plan = await ask('SELECT list FROM t WHERE sleep(2ms) = NONE SPLIT list EXPLAIN FULL');
    expect(toText(plan)).toBe(
      "{ attributes: { projections: 'list' }, children: [{ attributes: { on: 'list' }, " +
        "children: [{ attributes: { condition: '`sleep`(2ms) = NONE' }, children: [{ attributes: { table: 't' }, " +
        "metrics: { elapsed_ns: 0, output_rows: 5 }, operator: 'TableScan' }], " +
        "metrics: { elapsed_ns: 10000000, output_rows: 5 }, operator: 'Filter' }], " +
        "metrics: { elapsed_ns: 0, output_rows: 9 }, operator: 'Split' }], " +
        "metrics: { elapsed_ns: 0, output_rows: 9 }, operator: 'Project', total_rows: 9 }",
    );
    expect(await ask('EXPLAIN ANALYZE SELECT a, count() FROM t GROUP BY a')).toContain(
      'Aggregate [by: a, projections: a, count()] {rows: 2,',
    );
  });

  test('shows nothing of scans that the step above reads together', async () => {
    await owner.query(
      'DEFINE INDEX b ON t FIELDS b; DEFINE INDEX v ON t FIELDS v HNSW DIMENSION 1; UPDATE t SET v = [1]',
    );
    expect(await ask('EXPLAIN ANALYZE SELECT * FROM t WHERE a = 2 OR b = 1')).toContain(
      [
        'UnionScan [table: t] {rows: 1, elapsed: 0.000ms}',
        '            IndexScan [table: t, index: a, access: a = 2]',
        '            IndexScan [table: t, index: b, access: b = 1]',
        '',
      ].join('\n'),
    );
    expect(await ask('EXPLAIN ANALYZE SELECT * FROM t WHERE v <|2,40|> [1] AND a = 2')).toContain(
      [
        'KnnScan [table: t, index: v, field: v, k: 2, ef: 40, dimension: 1] {rows: 1, elapsed: 0.000ms}',
        '                IndexScan [table: t, index: a, access: a = 2]',
        '',
      ].join('\n'),
    );
  });

  test('runs what it explains', async () => {
    expect(await ask('EXPLAIN ANALYZE UPDATE t SET b = sleep(1ms) WHERE a = 1')).toContain(
      'Update [targets: t] {rows: 4, elapsed: 4.000ms}',
    );
    expect(await ask('EXPLAIN ANALYZE DELETE t WHERE a = 1')).toContain('Delete [targets: t] {rows: 4,');
    expect(await ask('EXPLAIN ANALYZE UPSERT t SET a = 7')).toContain('Upsert [targets: t] {rows: 1,');
    expect(await ask('EXPLAIN ANALYZE CREATE t:9')).toBe(
      'Create [targets: t:9] {rows: 1, elapsed: 0.000ms}\n\nTotal rows: 1',
    );
    expect(await ask('EXPLAIN ANALYZE RETURN sleep(5ms)')).toBe(
      'Return {rows: 0, elapsed: 5.000ms}\n    Expression [expression: `sleep`(5ms)]\n\nTotal rows: 0',
    );
    expect(await ask('SELECT VALUE id FROM t WHERE a = 7 OR id IN [t:1, t:9] EXPLAIN FULL')).toMatchObject({
      total_rows: 2,
    });
    expect(await ask('EXPLAIN ANALYZE SELECT count() FROM t GROUP ALL')).toContain('CountRecords [table: t] {rows: 1,');
  });
});

test('A stopwatch runs for the innermost step, also over waits', async () => {
  const environment = new StubbedEnvironment();
  const watch = new Stopwatch(environment.clock);
  const once = () => 1;
  const [source, filter, sort] = [{}, {}, {}];
  const inner = watch.each(filter, () => Promise.resolve().then(() => environment.advance(5)), once);
  const outer = watch.each(
    source,
    async () => {
      environment.advance(2);
      await inner();
      environment.advance(1);
    },
    once,
  );
  await outer();
  await outer();
  environment.advance(100);
  expect([watch.of(source), watch.of(filter), watch.of(sort)]).toEqual([
    { rows: 2, elapsed: 6 },
    { rows: 2, elapsed: 10 },
    undefined,
  ]);
});

/** For which states of the definitions a statement is planned again. */
import { expect, test } from 'vitest';
import type { DatabaseCatalog } from '../../src/catalog/definitions/database-catalog.js';
import { NO_FIELDS } from '../../src/plan/fields-read.js';
import { Prepared } from '../../src/query/statement/prepared.js';
import type { Execution } from '../../src/runtime/execution.js';
import { type Compiler, Frame } from '../../src/runtime/frame.js';
import { Scope } from '../../src/runtime/scope.js';
import { DEFAULT_TUNING } from '../../src/runtime/tuning.js';
import { openDatabase } from '../../src/session/database/database.js';
import { openEngine } from '../../src/storage/open/open.js';
import { toText } from '../../src/value/text/text.js';

/** A state of the definitions, in which the tables have so many indexes. */
const state = (stamp: string, indexes: Readonly<Record<string, number>>): DatabaseCatalog =>
  ({
    stamp,
    tables: new Map(Object.entries(indexes).map(([name, count]) => [name, { answering: new Array(count).fill({}) }])),
  }) as unknown as DatabaseCatalog;

test('a plan holds for every state in which there is nothing to choose from', () => {
  let made = 0;
  const prepared = new Prepared<number>(
    {
      targets: [{ kind: 'table', name: 'a' }],
      hints: {},
      purpose: 'select',
      fields: NO_FIELDS,
      writes: false,
      bind: () => ++made,
      timed: (run) => run,
      readerOf: () => undefined,
      compile: (tree) => () => tree,
    },
    { tuning: DEFAULT_TUNING } as unknown as Compiler,
  );
  const runIn = (catalog: DatabaseCatalog, view = false) =>
    prepared.run(
      new Frame(
        { services: {}, context: { catalog: () => catalog }, checks: { view } } as unknown as Execution,
        new Scope(),
      ),
    );
  const [plain, other, indexed, missing] = [
    state('1', { a: 0 }),
    state('2', { a: 0, b: 1 }),
    state('3', { a: 1 }),
    state('4', {}),
  ];
  expect([plain, other, plain].map((catalog) => runIn(catalog))).toEqual([1, 1, 1]);
  expect([indexed, plain, indexed].map((catalog) => runIn(catalog))).toEqual([2, 1, 2]);
  expect([missing, other].map((catalog) => runIn(catalog))).toEqual([3, 1]);
  // Users subject to PERMISSIONS have separate plans for each state.
  expect([plain, other, plain].map((catalog) => runIn(catalog, true))).toEqual([4, 5, 4]);
});

test('one text finds its records in databases with and without an index', async () => {
  const database = await openDatabase(await openEngine('memory'));
  const owner = database.ownerSession();
  const ask = async (text: string) =>
    (await owner.query(text)).map(({ outcome }) => (outcome.ok ? toText(outcome.value) : outcome.error.message)).at(-1);
  for (const name of ['plain', 'indexed', 'other']) {
    await owner.use('test', name);
    await owner.query(`DEFINE TABLE t; CREATE t:1 SET a = 1, of = '${name}'; CREATE t:2 SET a = 2`);
    if (name === 'indexed') await owner.query('DEFINE INDEX a ON t FIELDS a');
  }
  for (const name of ['plain', 'other', 'indexed', 'plain', 'indexed', 'other']) {
    await owner.use('test', name);
    expect(await ask('SELECT VALUE of FROM t WHERE a = 1')).toBe(`['${name}']`);
    expect(await ask('EXPLAIN SELECT VALUE of FROM t WHERE a = 1')).toContain(
      name === 'indexed' ? 'IndexScan' : 'TableScan',
    );
  }
  await owner.use('test', 'other');
  await owner.query('REMOVE TABLE t');
  expect(await ask('SELECT VALUE of FROM t WHERE a = 1')).toContain('does not exist');
  await database.close();
});

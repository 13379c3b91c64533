/** Whatever is defined and written side by side, all that is derived from records agrees with them, and an export gives it back. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkEntries } from '../../src/ddl/check/check-entries.js';
import { Faults } from '../../src/ddl/check/fault.js';
import type { Session } from '../../src/session/contract.js';
import { type OpenDatabase, openDatabase } from '../../src/session/database/database.js';
import type { Engine } from '../../src/storage/contract.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { toText } from '../../src/value/text/text.js';
import { hurried, turn } from '../support/hurried.js';
import { LateEngine, Lateness, seeded } from '../support/late-engine.js';
import { atLeast } from '../support/timeouts.js';

const key = fc.nat(12);
const table = fc.constantFrom('a', 'b');
const value = fc.constantFrom('1', '2', "'x'", 'NONE', '[1, 2]', 'a:1', 'b:2', '1.5', "'some words of a text'");
const field = fc.constantFrom('n', 'm', 'link');
const write = fc.oneof(
  fc
    .tuple(table, key, value, value)
    .map(([to, id, n, m]) => `UPSERT ${to}:${id} SET n = ${n}, m = ${m}, v = [${id}, 1], link = b:${id % 5}`),
  fc.tuple(table, key, field, value).map(([to, id, name, set]) => `UPDATE ${to}:${id} SET ${name} = ${set}`),
  fc.tuple(table, key).map(([from, id]) => `DELETE ${from}:${id}`),
  fc.tuple(key, key).map(([from, to]) => `RELATE a:${from}->e->b:${to} SET n = ${to}`),
  fc
    .tuple(table, table, key)
    .map(([one, other, id]) => `BEGIN; DELETE ${one}:${id}; UPSERT ${other}:${id} SET n = ${id}, m = 2; COMMIT`),
  fc.tuple(table, value).map(([to, n]) => `UPDATE ${to} SET n = ${n} WHERE m = 2`),
);
const definition = fc.oneof(
  fc
    .tuple(
      table,
      fc.constantFrom('n', 'm', 'n, m'),
      fc.constantFrom('', ' UNIQUE'),
      fc.constantFrom('', ' CONCURRENTLY'),
    )
    .map(([on, fields, kind, how]) => `DEFINE INDEX OVERWRITE i ON ${on} FIELDS ${fields}${kind}${how}`),
  table.map((on) => `DEFINE INDEX OVERWRITE f ON ${on} FIELDS m FULLTEXT ANALYZER words BM25`),
  table.map((on) => `DEFINE INDEX OVERWRITE h ON ${on} FIELDS v HNSW DIMENSION 2`),
  table.map((on) => `DEFINE INDEX OVERWRITE c ON ${on} COUNT`),
  fc.tuple(fc.constantFrom('i', 'f', 'h', 'c'), table).map(([name, on]) => `REMOVE INDEX IF EXISTS ${name} ON ${on}`),
  fc.tuple(fc.constantFrom('i', 'f', 'h'), table).map(([name, on]) => `REBUILD INDEX IF EXISTS ${name} ON ${on}`),
  fc.constantFrom(
    'DEFINE FIELD OVERWRITE n ON a TYPE any DEFAULT 2',
    'DEFINE FIELD OVERWRITE n ON a TYPE option<int | string>',
    'REMOVE FIELD IF EXISTS n ON a',
    'DEFINE FIELD OVERWRITE link ON a TYPE option<record<b>> REFERENCE ON DELETE UNSET',
    'DEFINE FIELD OVERWRITE link ON a TYPE option<record<b>> REFERENCE ON DELETE CASCADE',
    'DEFINE FIELD OVERWRITE link ON a TYPE option<record<b>> REFERENCE ON DELETE REJECT',
    'REMOVE FIELD IF EXISTS link ON a',
    'DEFINE TABLE OVERWRITE sums AS SELECT count() AS all, m FROM a GROUP BY m',
    'DEFINE TABLE OVERWRITE sums AS SELECT count() AS all, math::max(n) AS top, n FROM b GROUP BY n',
    'REMOVE TABLE IF EXISTS sums',
    'DEFINE TABLE OVERWRITE rows AS SELECT n, m FROM a WHERE m = 2',
    'REMOVE TABLE IF EXISTS rows',
    'DEFINE TABLE OVERWRITE a SCHEMALESS CHANGEFEED 1h INCLUDE ORIGINAL',
    'DEFINE TABLE OVERWRITE b SCHEMALESS',
    'DEFINE EVENT OVERWRITE copy ON a WHEN $event != "DELETE" THEN (UPSERT type::record("log", $after.id.id()) SET n = $after.n)',
    'REMOVE EVENT IF EXISTS copy ON a',
    'REMOVE TABLE IF EXISTS e; DEFINE TABLE IF NOT EXISTS e TYPE RELATION FROM a TO b',
    'REMOVE TABLE IF EXISTS b; DEFINE TABLE IF NOT EXISTS b',
    'REMOVE TABLE IF EXISTS a; DEFINE TABLE IF NOT EXISTS a',
  ),
);
const START =
  'DEFINE ANALYZER words TOKENIZERS blank FILTERS lowercase; DEFINE TABLE a; DEFINE TABLE b; DEFINE TABLE e';

const scenario = fc.record({
  before: fc.array(fc.oneof({ weight: 3, arbitrary: write }, definition), { maxLength: 25 }),
  clients: fc.array(fc.array(fc.oneof({ weight: 2, arbitrary: write }, definition), { maxLength: 10 }), {
    minLength: 1,
    maxLength: 3,
  }),
  seed: fc.nat(),
});

async function selecting(database: OpenDatabase): Promise<Session> {
  const session = database.ownerSession();
  await session.use('test', 'test');
  return session;
}

async function ask(session: Session, text: string): Promise<string> {
  const [result] = await session.query(text);
  if (result === undefined) throw new Error('no answer');
  return result.outcome.ok ? toText(result.outcome.value) : `failed: ${result.outcome.error.message}`;
}

async function collect(chunks: AsyncIterable<string>): Promise<string> {
  let all = '';
  for await (const chunk of chunks) all += chunk;
  return all;
}

async function run(engine: Engine, { before, clients }: { before: string[]; clients: string[][] }): Promise<void> {
  const database = await openDatabase(engine, { environment: hurried() });
  const owner = await selecting(database);
  await owner.query(START);
  for (const statement of before) await owner.query(statement);
  await Promise.all(
    clients.map(async (statements) => {
      const session = await selecting(database);
      for (const statement of statements) {
        await session.query(statement);
        await turn();
      }
    }),
  );
  for (let idle = 0; idle < 200; idle++) await turn();
  const faults = new Faults();
  await checkEntries(engine, faults, () => {});
  expect(faults.listed).toEqual([]);
  for (const on of ['a', 'b', 'e']) {
    for (const condition of ['n = 1', "n = 'x'", 'm = 2', 'n = 2 AND m = 2', 'n = NONE', 'link = b:1']) {
      const rows = (hint: string) => ask(owner, `SELECT VALUE id FROM ${on} ${hint} WHERE ${condition} ORDER BY id`);
      expect(await rows(''), `${on}: ${condition}`).toBe(await rows('WITH NOINDEX'));
    }
    expect(await ask(owner, `RETURN (SELECT VALUE count FROM (SELECT count() FROM ${on} GROUP ALL))[0] ?? 0`)).toBe(
      await ask(owner, `RETURN array::len(SELECT VALUE id FROM ${on})`),
    );
  }
  for (const [name, columns] of [
    ['sums', '*'],
    ['rows', 'id, n, m'],
  ] as const) {
    const view = await ask(owner, `RETURN (INFO FOR DB).tables.${name}`);
    const text = /AS (SELECT .*?)(?: PERMISSIONS|')/.exec(view)?.[1];
    if (text === undefined) continue;
    const shown = await ask(owner, `SELECT ${columns} OMIT id FROM ${name} ORDER BY m, n`);
    const fresh = await ask(owner, `SELECT * OMIT id FROM (${text}) ORDER BY m, n`);
    expect({ view, shown }).toEqual({ view, shown: fresh });
  }
  const exported = await collect(owner.export());
  const copy = await openDatabase(new MemoryEngine(), { environment: hurried() });
  const other = await selecting(copy);
  await other.import(
    (async function* () {
      yield exported;
    })(),
  );
  for (let idle = 0; idle < 100; idle++) await turn();
  expect(await collect(other.export())).toBe(exported);
  await copy.close();
  await database.close();
}

test('definitions that change amid writes', { timeout: atLeast(120_000) }, async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async (given) => run(new MemoryEngine(), given)),
    { numRuns: 50 },
  );
});

test('the same where answers come later, in any order', { timeout: atLeast(120_000) }, async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async (given) =>
      run(new LateEngine(new MemoryEngine(), new Lateness(3, seeded(given.seed))), given),
    ),
    { numRuns: 20 },
  );
});

/** Whatever is written while indexes are built in the background, they agree with their table in the end. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkEntries } from '../../src/ddl/check/check-entries.js';
import { Faults } from '../../src/ddl/check/fault.js';
import type { Session } from '../../src/session/contract.js';
import { openDatabase } from '../../src/session/database/database.js';
import type { Engine } from '../../src/storage/contract.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { openEngine } from '../../src/storage/open/open.js';
import { toText } from '../../src/value/text/text.js';
import { hurried, turn } from '../support/hurried.js';
import { LateEngine, Lateness, seeded } from '../support/late-engine.js';
import { atLeast } from '../support/timeouts.js';

const key = fc.nat(30);
const value = fc.oneof(fc.nat(6), fc.constantFrom('NONE', "'x'", '[1, 2, 3]', '[2]', 't:1'));
const set = fc.tuple(value, value, fc.nat(60)).map(([a, b, u]) => `a = ${a}, b = ${b}, u = ${u}`);
const write = fc.oneof(
  fc.tuple(key, set).map(([id, fields]) => `UPSERT t:${id} SET ${fields}`),
  fc.tuple(key, value).map(([id, a]) => `UPDATE t:${id} SET a = ${a}`),
  key.map((id) => `DELETE t:${id}`),
  fc.tuple(key, key).map(([one, other]) => `BEGIN; UPDATE t:${one} SET u += 100; DELETE t:${other}; COMMIT`),
  fc.nat(6).map((b) => `UPDATE t SET a = b WHERE b = ${b}`),
);
const definition = fc.constantFrom(
  'DEFINE INDEX i ON t FIELDS a CONCURRENTLY',
  'DEFINE INDEX OVERWRITE i ON t FIELDS a, b CONCURRENTLY',
  'DEFINE INDEX OVERWRITE i ON t FIELDS b CONCURRENTLY',
  'REBUILD INDEX IF EXISTS i ON t CONCURRENTLY',
  'DEFINE INDEX OVERWRITE u ON t FIELDS u UNIQUE CONCURRENTLY',
  'REMOVE INDEX IF EXISTS i ON t',
);
/** So many records that a build takes some steps. */
const OTHERS = "FOR $i IN 100..300 { CREATE type::record('t', $i) SET a = $i % 5, u = 1000 + $i }";

/** Statements that clients send side by side, with what is there before. */
const scenario = fc.record({
  before: fc.array(write, { maxLength: 40 }),
  clients: fc.array(fc.array(fc.oneof({ weight: 5, arbitrary: write }, definition), { maxLength: 8 }), {
    minLength: 1,
    maxLength: 3,
  }),
  seed: fc.nat(),
});

const STATES = `RETURN object::keys((INFO FOR TABLE t).indexes).map(|$name|
  IF $name = 'i' { (INFO FOR INDEX i ON t).building.status } ELSE { (INFO FOR INDEX u ON t).building.status })`;

async function isUnderWay(owner: Session): Promise<boolean> {
  const [result] = await owner.query(STATES);
  if (result === undefined || !result.outcome.ok) throw new Error('no answer');
  return (result.outcome.value as string[]).some((state) => state === 'started' || state === 'indexing');
}

async function run(engine: Engine, { before, clients }: { before: string[]; clients: string[][] }): Promise<void> {
  const database = await openDatabase(engine, { environment: hurried() });
  const owner = database.ownerSession();
  await owner.use('test', 'test');
  await owner.query(['DEFINE TABLE t', OTHERS, ...before, 'DEFINE INDEX i ON t FIELDS a CONCURRENTLY'].join('; '));
  await Promise.all(
    clients.map(async (statements) => {
      const session = database.ownerSession();
      await session.use('test', 'test');
      for (const statement of statements) {
        await session.query(statement);
        await turn();
      }
    }),
  );
  while (await isUnderWay(owner)) await turn();
  const faults = new Faults();
  await checkEntries(engine, faults, () => {});
  expect(faults.listed).toEqual([]);
  for (const condition of ['a = 2', "b = 'x'", 'a CONTAINS 2', 'u = 7', 'a = 1 AND b > 2', 'a = NONE']) {
    const ask = async (hint: string) => {
      const [result] = await owner.query(`SELECT VALUE id FROM t ${hint} WHERE ${condition} ORDER BY id`);
      return result?.outcome.ok ? toText(result.outcome.value) : 'failed';
    };
    expect(await ask(''), condition).toBe(await ask('WITH NOINDEX'));
  }
  await database.close();
}

describe('an index that is built while its table is written', () => {
  test('agrees with it', { timeout: atLeast(60_000) }, async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (given) => run(await openEngine('memory'), given)),
      { numRuns: 30 },
    );
  });

  test('agrees with it where answers come later, in any order', { timeout: atLeast(60_000) }, async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (given) =>
        run(new LateEngine(new MemoryEngine(), new Lateness(3, seeded(given.seed))), given),
      ),
      { numRuns: 15 },
    );
  });
});

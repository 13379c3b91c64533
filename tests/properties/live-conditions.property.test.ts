/** A live query that is found by a value that it watches gets what one gets that is asked about every change. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Session } from '../../src/session/contract.js';
import type { OpenDatabase } from '../../src/session/database/database.js';
import { objectFrom } from '../../src/value/value.js';
import { run, settled, shown, twoNodes } from '../nodes/two-nodes.js';
import { openOwned } from '../support/owned.js';
import { atLeast } from '../support/timeouts.js';

const value = fc.constantFrom(
  ...['1', '1f', '1dec', '2', "'x'", "'1'", 'true', 'a:1', "'a:1'", "u'018f1a3e-5c6d-7e8f-9a0b-1c2d3e4f5a6b'"],
  ...['NONE', 'NULL', '[1]', "['x']", '/x/', '{}', 'a:2', "d'2026-01-01T00:00:00Z'", '1h'],
);
const field = fc.constantFrom('n', 'm', 'id');
const comparison = fc.oneof(
  fc.tuple(field, fc.constantFrom('=', '==', 'CONTAINS', 'IN', '!='), value).map((parts) => parts.join(' ')),
  fc.tuple(value, field).map(([one, other]) => `${one} = ${other}`),
  field.map((name) => `${name} = $given`),
  field.map((name) => `${name} = $auth`),
);
const condition = fc.oneof(
  comparison,
  fc.tuple(comparison, fc.constantFrom('AND', 'OR'), comparison).map(([a, by, b]) => `${a} ${by} ${b}`),
);
const key = fc.constantFrom('1', '2', '3');
const write = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(key, value, value).map(([id, n, m]) => `UPSERT a:${id} SET n = ${n}, m = ${m}`) },
  { weight: 2, arbitrary: fc.tuple(key, value).map(([id, n]) => `UPDATE a:${id} SET n = ${n}`) },
  key.map((id) => `DELETE a:${id}`),
  fc.constantFrom(
    'DEFINE FIELD OVERWRITE n ON a COMPUTED m',
    'REMOVE FIELD IF EXISTS n ON a',
    "DEFINE FIELD OVERWRITE n ON a PERMISSIONS FOR select WHERE m = 'x'",
    'DEFINE FIELD OVERWRITE m ON a PERMISSIONS FOR select NONE',
  ),
);
const scenario = fc.record({
  conditions: fc.array(condition, { minLength: 1, maxLength: 6 }),
  given: value,
  writes: fc.array(write, { minLength: 1, maxLength: 20 }),
  isUser: fc.boolean(),
});
type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

const START = `DEFINE TABLE a PERMISSIONS FULL; DEFINE TABLE user PERMISSIONS FULL;
  DEFINE ACCESS people ON DATABASE TYPE RECORD SIGNUP (CREATE user)`;

/** What a session with these live queries is notified of, in an order of its own. */
async function listening(
  database: OpenDatabase,
  { conditions, given, isUser }: Pick<Scenario, 'conditions' | 'given' | 'isUser'>,
): Promise<() => string[]> {
  const session = isUser ? database.session({}) : database.ownerSession();
  const heard: string[] = [];
  session.listen((each) => void heard.push(shown(each)));
  if (isUser) await session.signUp(objectFrom({ NS: 'test', DB: 'test', AC: 'people' }));
  else await session.use('test', 'test');
  for (const each of conditions) await run(session, `LET $given = ${given}; LIVE SELECT * FROM a WHERE ${each}`);
  return () => heard.sort();
}

async function compare(listener: OpenDatabase, writer: Session, given: Scenario, pass: () => void): Promise<void> {
  await run(writer, START);
  await settled();
  const found = await listening(listener, given);
  // No plan knows what this asks for.
  const asked = await listening(listener, { ...given, conditions: given.conditions.map((each) => `(${each}) = true`) });
  for (const text of given.writes) {
    await writer.query(text);
    await settled();
    pass();
  }
  expect(found()).toEqual(asked());
}

test('in one process', { timeout: atLeast(120_000) }, async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async (given) => {
      const { database, owner, environment } = await openOwned();
      await compare(database, owner, given, () => environment.advance(60));
      await database.close();
    }),
    { numRuns: 60 },
  );
});

test('where another node writes', { timeout: atLeast(120_000) }, async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async (given) => {
      const { environment, a, b } = await twoNodes();
      await compare(a.database, b.owner, given, () => environment.advance(60));
      await a.database.close();
      await b.database.close();
    }),
    { numRuns: 40 },
  );
});

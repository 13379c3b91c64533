/** A live query that is found by whom a rule lets see a record gets what one gets that is asked about every change. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Session } from '../../src/session/contract.js';
import type { OpenDatabase } from '../../src/session/database/database.js';
import { objectFrom } from '../../src/value/value.js';
import { run, settled, shown, twoNodes } from '../nodes/two-nodes.js';
import { openOwned } from '../support/owned.js';
import { atLeast } from '../support/timeouts.js';

const atom = fc.constantFrom(
  ...['owner = $auth.id', '$auth = owner', 'owner == $auth', 'owner != $auth', 'owner = $auth.friend', 'owner = NONE'],
  ...['$auth.id IN members', 'members CONTAINS $auth', 'members CONTAINSANY [$auth.id]', 'members.owner = $auth'],
  ...['members CONTAINSNOT $auth', '$auth INSIDE members', 'members CONTAINS user:bob', 'owner.friend = $auth'],
  ...['published', '!published', 'published = true', 'published != true', 'published > 0', '$auth.admin', 'id = $auth'],
  ...["room = 'x'", 'room = /x/', 'room = $auth.name', '$auth = user:ann', 'true', 'false', 'owner = user:bob'],
);
const joined = (by: string) => fc.tuple(atom, atom).map((pair) => pair.join(` ${by} `));
const rule = fc.oneof(
  { weight: 2, arbitrary: atom },
  joined('OR'),
  joined('AND'),
  fc.tuple(joined('AND'), atom).map((pair) => pair.join(' OR ')),
  fc.tuple(joined('OR'), joined('OR')).map(([one, other]) => `(${one}) AND (${other})`),
);
const clause = fc.oneof({ weight: 6, arbitrary: rule }, fc.constantFrom('FULL', 'NONE'));
const owner = fc.constantFrom(
  ...['user:ann', 'user:bob', "'user:ann'", 'NONE', 'NULL', '[user:ann]', 'user:1', 'user:1f', 'user:⟨1⟩', '/user/'],
);
const members = fc.constantFrom(
  ...[
    '[user:ann, user:bob]',
    '[user:bob]',
    '[]',
    'NONE',
    'user:ann',
    "'user:ann'",
    '{ owner: user:ann }',
    '[[user:ann]]',
  ],
  ...['{user:ann, user:bob,}', '[NONE, /user/]', '{,}', '[{ owner: user:bob }]', '1..5'],
);
const published = fc.constantFrom(
  'true',
  'false',
  'NONE',
  '1',
  '0',
  "''",
  "'no'",
  '[]',
  '[false]',
  '{}',
  '0s',
  'user:ann',
);
const room = fc.constantFrom("'x'", "'y'", 'NONE', '/x/', "['x']");
const key = fc.constantFrom('1', '2', '3');
const write = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .tuple(key, owner, members, published, room)
      .map(([id, o, m, p, r]) => `UPSERT a:${id} SET owner = ${o}, members = ${m}, published = ${p}, room = ${r}`),
  },
  { weight: 3, arbitrary: fc.tuple(key, owner).map(([id, one]) => `UPDATE a:${id} SET owner = ${one}`) },
  { weight: 2, arbitrary: fc.tuple(key, members).map(([id, one]) => `UPDATE a:${id} SET members = ${one}`) },
  { weight: 2, arbitrary: key.map((id) => `DELETE a:${id}`) },
  { weight: 1, arbitrary: clause.map((given) => ({ clause: given })) },
  fc.constantFrom(
    'DEFINE FIELD OVERWRITE owner ON a COMPUTED user:ann',
    'REMOVE FIELD IF EXISTS owner ON a',
    'DEFINE FIELD OVERWRITE owner ON a PERMISSIONS FOR select NONE',
    'UPDATE user:ann SET admin = !admin, friend = user:bob',
  ),
);
const scenario = fc.record({
  first: clause,
  condition: fc.constantFrom(
    '',
    'WHERE owner = $auth.id',
    "WHERE room = 'x'",
    'WHERE $auth IN members',
    'WHERE owner = user:ann',
  ),
  writes: fc.array(write, { minLength: 1, maxLength: 20 }),
});
type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

const PEOPLE = `DEFINE TABLE user PERMISSIONS FULL; CREATE user:ann, user:bob, user:1;
  DEFINE ACCESS people ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM type::record('user', $key))`;

/** The clause of the table; with `isAsked` in words that say the same, and of which nothing is known. */
function permissions(given: string, isAsked: boolean): string {
  if (given === 'FULL' || given === 'NONE') return given;
  return `FOR select WHERE ${isAsked ? `!!(${given})` : given}`;
}

/** What users are notified of, each in an order of their own. */
async function heardBy(
  { database, writer, pass }: { database: OpenDatabase; writer: Session; pass: () => void },
  { first, condition, writes }: Scenario,
  isAsked: boolean,
): Promise<Record<string, string[]>> {
  await run(writer, `${PEOPLE}; DEFINE TABLE a PERMISSIONS ${permissions(first, isAsked)}`);
  await settled();
  const heard: Record<string, string[]> = {};
  for (const key of ['ann', 'bob', '1', 'guest', 'owner']) {
    const session = key === 'owner' ? database.ownerSession() : database.session({});
    const own: string[] = [];
    heard[key] = own;
    session.listen((each) => void own.push(shown(each)));
    if (key === 'owner' || key === 'guest') await session.use('test', 'test');
    else await session.signIn(objectFrom({ NS: 'test', DB: 'test', AC: 'people', key: key === '1' ? 1 : key }));
    await run(session, `LIVE SELECT * FROM a ${condition}`);
  }
  for (const each of writes) {
    const text = typeof each === 'string' ? each : `ALTER TABLE a PERMISSIONS ${permissions(each.clause, isAsked)}`;
    await writer.query(text);
    await settled();
    pass();
  }
  for (const own of Object.values(heard)) own.sort();
  return heard;
}

test('in one process', { timeout: atLeast(120_000) }, async () => {
  const hear = async (given: Scenario, isAsked: boolean) => {
    const { database, owner: writer, environment } = await openOwned({ guests: true });
    const heard = await heardBy({ database, writer, pass: () => environment.advance(60) }, given, isAsked);
    await database.close();
    return heard;
  };
  await fc.assert(
    fc.asyncProperty(scenario, async (given) => {
      expect(await hear(given, false)).toEqual(await hear(given, true));
    }),
    { numRuns: 60 },
  );
});

test('where another node writes', { timeout: atLeast(120_000) }, async () => {
  const hear = async (given: Scenario, isAsked: boolean) => {
    const { environment, a, b } = await twoNodes({ guests: true });
    const pass = () => environment.advance(60);
    const heard = await heardBy({ database: a.database, writer: b.owner, pass }, given, isAsked);
    await a.database.close();
    await b.database.close();
    return heard;
  };
  await fc.assert(
    fc.asyncProperty(scenario, async (given) => {
      expect(await hear(given, false)).toEqual(await hear(given, true));
    }),
    { numRuns: 40 },
  );
});

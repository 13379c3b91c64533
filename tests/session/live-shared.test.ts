/** A change is evaluated once for all live queries that show the same of it, and for each of the others. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Session } from '../../src/session/contract.js';
import { type OpenDatabase, openDatabase } from '../../src/session/database/database.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { toText } from '../../src/value/text/text.js';
import { newObject, objectFrom, type Value } from '../../src/value/value.js';
import { StubbedEnvironment } from '../support/environment.js';

let database: OpenDatabase;
let owner: Session;
let heard: Map<Session, Value[]>;

beforeEach(async () => {
  const environment = new StubbedEnvironment();
  environment.timers.yield = () => new Promise((resolve) => setImmediate(resolve));
  database = await openDatabase(new MemoryEngine(environment), { environment });
  heard = new Map();
  owner = await ownerSession();
});

async function ownerSession(): Promise<Session> {
  const session = database.ownerSession();
  await session.use('test', 'test');
  return listening(session);
}

function listening(session: Session): Session {
  heard.set(session, []);
  session.listen(({ result }) => void heard.get(session)?.push(result));
  return session;
}

async function signedUp(name: string): Promise<Session> {
  const session = listening(database.session({}));
  await session.signUp(objectFrom({ NS: 'test', DB: 'test', AC: 'people', name }));
  return session;
}

async function run(text: string, session = owner, variables = newObject()): Promise<void> {
  for (const { outcome } of await session.query(text, variables)) if (!outcome.ok) throw outcome.error;
}

/** What the sessions have received since the last time. */
async function news(...sessions: readonly Session[]): Promise<Value[][]> {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
  return sessions.map((session) => heard.get(session)?.splice(0) ?? []);
}

async function define(permissions: string, fields = ''): Promise<void> {
  await run(`
    DEFINE TABLE user PERMISSIONS FULL; DEFINE TABLE note PERMISSIONS ${permissions}; ${fields};
    DEFINE ACCESS people ON DATABASE TYPE RECORD SIGNUP (CREATE type::record('user', $name))`);
}

describe('evaluated once', () => {
  test.each([
    ['all fields', '*'],
    ['fields', 'n, text AS t'],
    ['a value', 'VALUE [n + 1]'],
    ['differences', 'DIFF'],
  ])('for two owners: %s', async (_, shown) => {
    await define('NONE');
    const other = await ownerSession();
    for (const session of [owner, other]) {
      await run(`LIVE SELECT ${shown} FROM note WHERE n > 2 AND text = 'a'`, session);
    }
    await run("CREATE note:1 SET n = 3, text = 'a'; CREATE note:2 SET n = 1, text = 'a'");
    const [one, two] = await news(owner, other);
    expect(one).toHaveLength(1);
    expect(two?.[0]).toBe(one?.[0]);
  });

  test.each([['FULL'], ['FOR select WHERE public']])('for users under PERMISSIONS %s', async (permissions) => {
    await define(permissions);
    const users = [await signedUp('ann'), await signedUp('bob')];
    for (const session of [owner, ...users]) await run('LIVE SELECT n FROM note', session);
    await run('CREATE note:1 SET n = 1, public = true');
    const [toOwner, toAnn, toBob] = await news(owner, ...users);
    expect(toText(toAnn)).toBe('[{ n: 1 }]');
    expect(toBob?.[0]).toBe(toAnn?.[0]);
    // What the owner gets was judged by no rule.
    expect(toOwner?.[0]).not.toBe(toAnn?.[0]);
  });
});

describe('evaluated for each', () => {
  /** Both get the same, yet not the same object. */
  async function expectBoth(query: string, shown: string, sessions?: readonly [Session, Session]): Promise<void> {
    const [one, two] = sessions ?? [owner, await ownerSession()];
    for (const session of [one, two]) await run(query, session);
    await run('CREATE note:1 SET n = 1, by = user:ann');
    const [toOne, toTwo] = await news(one, two);
    expect(toText(toOne?.[0])).toBe(shown);
    expect(toText(toTwo?.[0])).toBe(shown);
    expect(toTwo?.[0]).not.toBe(toOne?.[0]);
  }

  test.each([
    ['a link', 'LIVE SELECT by.name AS name FROM note', "{ name: 'Ann' }"],
    ['a function', 'LIVE SELECT math::abs(n) AS n FROM note', '{ n: 1 }'],
    ['a parameter', 'LIVE SELECT n FROM note WHERE $auth = NONE', '{ n: 1 }'],
    ['FETCH', 'LIVE SELECT by FROM note FETCH by', "{ by: { id: user:ann, name: 'Ann' } }"],
  ])('since it asks for more than the record: %s', async (_, query, shown) => {
    await define('NONE');
    await run("CREATE user:ann SET name = 'Ann'");
    await expectBoth(query, shown);
  });

  test.each([
    ['a computed field', 'FULL', 'DEFINE FIELD twice ON note COMPUTED n * 2'],
    ['a rule of a field', 'FULL', 'DEFINE FIELD n ON note PERMISSIONS FOR select WHERE $auth != NONE'],
    ['a rule about the user', 'FOR select WHERE $auth != NONE', ''],
    ['a rule with a subquery', 'FOR select WHERE (SELECT VALUE id FROM user)[0] != NONE', ''],
    ['a rule along a link', 'FOR select WHERE by.id = by', ''],
  ])('since the table is defined so: %s', async (_, permissions, fields) => {
    await define(permissions, fields);
    await expectBoth('LIVE SELECT n FROM note', '{ n: 1 }', [await signedUp('ann'), await signedUp('bob')]);
  });

  test('by a rule that shows each user their own', async () => {
    await define('FOR select WHERE by = $auth.id');
    const users = [await signedUp('ann'), await signedUp('bob')] as const;
    for (const session of [owner, ...users]) await run('LIVE SELECT n FROM note', session);
    await run('CREATE note:1 SET n = 1, by = user:bob; CREATE note:2 SET n = 2, by = user:ann');
    expect((await news(owner, ...users)).map((each) => toText(each))).toEqual([
      '[{ n: 1 }, { n: 2 }]',
      '[{ n: 2 }]',
      '[{ n: 1 }]',
    ]);
  });

  test.each([
    ['a list', 'of = user:[$auth.id]', 'of = user:[user:bob]', 'of = user:[user:ann]'],
    ['an object', 'of = user:{ of: $auth.id }', 'of = user:{ of: user:bob }', 'of = user:{ of: user:ann }'],
  ])('by a rule that names the user in the key of a record id: %s', async (_, rule, ofBob, ofAnn) => {
    await define(`FOR select WHERE ${rule}`);
    const users = [await signedUp('ann'), await signedUp('bob')] as const;
    for (const session of users) await run('LIVE SELECT n FROM note', session);
    await run(`CREATE note:1 SET n = 1, ${ofBob}; CREATE note:2 SET n = 2, ${ofAnn}`);
    expect((await news(...users)).map((each) => toText(each))).toEqual(['[{ n: 2 }]', '[{ n: 1 }]']);
  });

  test('by a rule that was defined before the second came to it', async () => {
    await define('FULL');
    const [ann, bob] = [await signedUp('ann'), await signedUp('bob')];
    let reading: (() => void) | undefined;
    // Bob reads one notification slowly.
    bob.listen(({ result }) => {
      heard.get(bob)?.push(result);
      return new Promise<void>((resolve) => {
        reading = resolve;
      });
    });
    for (const session of [ann, bob]) await run('LIVE SELECT n FROM note', session);
    await run('CREATE note:1 SET n = 1; CREATE note:2 SET n = 2');
    expect((await news(ann, bob)).map((each) => toText(each))).toEqual(['[{ n: 1 }, { n: 2 }]', '[{ n: 1 }]']);
    await run('DEFINE TABLE OVERWRITE note PERMISSIONS NONE');
    reading?.();
    expect(toText(await news(bob))).toBe('[[]]');
  });
});

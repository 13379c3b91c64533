/** Live queries: who gets which notification, when, and in which order. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Notification, Session } from '../../src/session/contract.js';
import { type OpenDatabase, openDatabase } from '../../src/session/database/database.js';
import { LiveQuota } from '../../src/session/resources/live-quota.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { toText } from '../../src/value/text/text.js';
import { newObject, objectFrom, Uuid, type Value } from '../../src/value/value.js';
import { StubbedEnvironment } from '../support/environment.js';

let environment: StubbedEnvironment;
let database: OpenDatabase;
let owner: Session;
let heard: string[];
/** Live queries by their ids, in the order in which they were begun. */
let names: Map<string, string>;

beforeEach(async () => {
  environment = new StubbedEnvironment();
  environment.timers.yield = () => new Promise((resolve) => setImmediate(resolve));
  database = await openDatabase(new MemoryEngine(environment), { environment });
  heard = [];
  names = new Map();
  owner = database.ownerSession();
  owner.listen(hear);
  await owner.use('test', 'test');
});

function hear({ id, action, record, result }: Notification): void {
  heard.push(`${names.get(id.text)} ${action} ${toText(record)} ${toText(result)}`);
}

async function run(text: string, session = owner, variables = newObject()): Promise<Value[]> {
  const results = await session.query(text, variables);
  return results.map(({ outcome }) => {
    if (!outcome.ok) throw outcome.error;
    if (outcome.value instanceof Uuid && !names.has(outcome.value.text)) {
      names.set(outcome.value.text, `L${names.size}`);
    }
    return outcome.value;
  });
}

async function live(text: string, session = owner): Promise<string> {
  const id = (await run(text, session)).at(-1);
  return id instanceof Uuid ? id.text : '';
}

/** What has been received since the last time, once everything is quiet. */
async function news(): Promise<string[]> {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
  const news = heard;
  heard = [];
  return news;
}

async function signedUp(name: string): Promise<Session> {
  const session = database.session({});
  session.listen(hear);
  const body = newObject();
  Object.assign(body, { NS: 'test', DB: 'test', AC: 'people', name });
  await session.signUp(body);
  return session;
}

const PEOPLE = `
  DEFINE TABLE user PERMISSIONS FULL;
  DEFINE ACCESS people ON DATABASE TYPE RECORD SIGNUP (CREATE type::record('user', $name)) SIGNIN (SELECT * FROM user)`;

describe('what a live query shows', () => {
  beforeEach(() => run('DEFINE TABLE a; DEFINE TABLE b; CREATE b:1 SET n = 1'));

  test('every change, as it was committed', async () => {
    await live('LIVE SELECT * FROM a');
    await run('CREATE a:1 SET x = 1; UPDATE a:1 SET x = 1; UPDATE a:1 SET x = 2; DELETE a:1');
    expect(await news()).toEqual([
      'L0 CREATE a:1 { id: a:1, x: 1 }',
      'L0 UPDATE a:1 { id: a:1, x: 2 }',
      'L0 DELETE a:1 { id: a:1, x: 2 }',
    ]);
  });

  test('in each of its forms', async () => {
    await live('LIVE SELECT DIFF FROM a');
    await live('LIVE SELECT VALUE x FROM a');
    await live('LIVE SELECT x, y.z AS k, $event, $before.x AS old FROM a');
    await live('LIVE SELECT * FROM a FETCH link');
    await live('LET $v = 2; LIVE SELECT VALUE $v FROM a WHERE x = $v');
    await run('LET $v = 3; CREATE a:1 SET x = 1, link = b:1');
    await run('UPDATE a:1 SET x = 2, y = { z: 9 }');
    await run('DELETE a:1');
    expect(await news()).toEqual([
      "L0 CREATE a:1 [{ op: 'replace', path: '', value: { id: a:1, link: b:1, x: 1 } }]",
      'L1 CREATE a:1 1',
      "L2 CREATE a:1 { event: 'CREATE', k: NONE, old: NONE, x: 1 }",
      'L3 CREATE a:1 { id: a:1, link: { id: b:1, n: 1 }, x: 1 }',
      "L0 UPDATE a:1 [{ op: 'replace', path: '/x', value: 2 }, { op: 'add', path: '/y', value: { z: 9 } }]",
      'L1 UPDATE a:1 2',
      "L2 UPDATE a:1 { event: 'UPDATE', k: 9, old: 1, x: 2 }",
      'L3 UPDATE a:1 { id: a:1, link: { id: b:1, n: 1 }, x: 2, y: { z: 9 } }',
      'L4 UPDATE a:1 2',
      "L0 DELETE a:1 [{ op: 'replace', path: '', value: NONE }]",
      'L1 DELETE a:1 2',
      "L2 DELETE a:1 { event: 'DELETE', k: 9, old: 2, x: 2 }",
      'L3 DELETE a:1 { id: a:1, link: { id: b:1, n: 1 }, x: 2, y: { z: 9 } }',
      'L4 DELETE a:1 2',
    ]);
  });

  test('nothing of what fails, neither to the client nor to the writer', async () => {
    await live("LIVE SELECT * FROM a WHERE 1 + 'x' = 2");
    await live("LIVE SELECT 1 + 'x' AS k FROM a");
    await live('LIVE SELECT VALUE (CREATE b) FROM a');
    await live('LIVE SELECT VALUE x FROM a');
    await run('CREATE a:1 SET x = 1');
    expect(await news()).toEqual(['L3 CREATE a:1 1']);
    expect(await run('SELECT VALUE id FROM b')).toHaveLength(1);
  });

  test('nothing of what is not committed', async () => {
    await live('LIVE SELECT VALUE x FROM a');
    await owner.query("BEGIN; CREATE a:1; THROW 'no'; COMMIT; BEGIN; CREATE a:2; CANCEL; CREATE a:3 SET x = <int> 'x'");
    const held = await owner.begin();
    await held.query('CREATE a:4 SET x = 4; CREATE a:5 SET x = 5; CREATE a:4');
    expect(await news()).toEqual([]);
    await run('CREATE a:6 SET x = 6');
    await held.commit();
    expect(await news()).toEqual(['L0 CREATE a:6 6', 'L0 CREATE a:4 4', 'L0 CREATE a:5 5']);
  });

  test('the edges and records that go with others, and what events change', async () => {
    await run('DEFINE TABLE rel TYPE RELATION; DEFINE EVENT e ON a THEN (UPDATE b:1 SET n += 1)');
    await live('LIVE SELECT VALUE id FROM rel');
    await live('LIVE SELECT VALUE n FROM b');
    await run('CREATE a:1; RELATE a:1->rel:1->b:1; DELETE a:1');
    expect(await news()).toEqual([
      'L1 UPDATE b:1 2',
      'L0 CREATE rel:1 rel:1',
      'L0 DELETE rel:1 rel:1',
      'L1 UPDATE b:1 3',
    ]);
  });
});

describe('when it begins and ends', () => {
  beforeEach(() => run('DEFINE TABLE a'));

  test('misses no commit after its own, even of a transaction that began earlier', async () => {
    const held = await owner.begin();
    await held.query('CREATE a:1');
    await live('LIVE SELECT VALUE id FROM a');
    await expect(held.commit()).rejects.toMatchObject({ code: 'transaction_conflict' });
    const later = await owner.begin();
    await later.query('CREATE a:2');
    await live('LIVE SELECT VALUE id FROM a');
    await later.commit();
    expect((await news()).sort()).toEqual(['L0 CREATE a:2 a:2', 'L1 CREATE a:2 a:2']);
  });

  test('begins and is killed with the transaction that says so', async () => {
    await run('BEGIN; LIVE SELECT VALUE id FROM a; CREATE a:1; COMMIT');
    expect(await news()).toEqual(['L0 CREATE a:1 a:1']);
    const [id] = names.keys();
    await owner.query(`BEGIN; KILL u'${id}'; THROW 'no'; COMMIT`);
    await run('CREATE a:2');
    expect(await news()).toEqual(['L0 CREATE a:2 a:2']);
    await run(`CREATE a:3; KILL u'${id}'; CREATE a:4`);
    expect(await news()).toEqual(['L0 CREATE a:3 a:3', 'L0 KILLED NONE NONE']);
    await expect(run(`KILL u'${id}'`)).rejects.toThrow(`Cannot execute KILL statement using id: u'${id}'`);
  });

  test('is shown to those who look at the table, and killed by its session or an editor', async () => {
    const id = await live('LIVE SELECT x, y FROM a WHERE x FETCH y');
    expect(toText((await run('(INFO FOR TABLE a).lives'))[0])).toBe(
      `{ "${id}": 'LIVE SELECT x, y FROM a WHERE x FETCH y' }`,
    );
    expect(toText((await run('(INFO FOR TABLE a STRUCTURE).lives'))[0])).toBe(
      `[{ cond: 'x', fetch: ['y'], fields: 'x, y', id: u'${id}', what: 'a' }]`,
    );
    const other = database.ownerSession();
    await other.use('test', 'test');
    await other.use('test', 'other');
    await expect(run(`KILL u'${id}'`, other)).rejects.toThrow('Cannot execute KILL statement');
    await other.use('test', 'test');
    await run(`KILL u'${id}'`, other);
    expect(await news()).toEqual(['L0 KILLED NONE NONE']);
    await expect(run('LIVE SELECT * FROM a', other)).rejects.toMatchObject({ code: 'realtime_unavailable' });
  });

  test.each([
    ['REMOVE TABLE a', ['L0 KILLED NONE NONE', 'L1 KILLED NONE NONE']],
    ['REMOVE DATABASE test', ['L0 KILLED NONE NONE', 'L1 KILLED NONE NONE']],
    ['REMOVE NAMESPACE test', ['L0 KILLED NONE NONE', 'L1 KILLED NONE NONE']],
  ])('ends with its table: %s', async (statement, expected) => {
    await live('LIVE SELECT * FROM a');
    await live('LIVE SELECT * FROM a');
    await run(statement);
    expect(await news()).toEqual(expected);
  });

  test.each([
    ['signing out', (session: Session) => session.invalidate()],
    ['a reset', (session: Session) => session.reset()],
  ])('ends with %s', async (_, leave) => {
    await live('LIVE SELECT VALUE id FROM a');
    leave(owner);
    const writer = database.ownerSession();
    await writer.use('test', 'test');
    await run('CREATE a:1', writer);
    expect(await news()).toEqual(['L0 KILLED NONE NONE']);
  });

  test('ends with its session', async () => {
    const writer = database.ownerSession();
    await writer.use('test', 'test');
    await live('LIVE SELECT VALUE id FROM a');
    owner.close();
    await run('CREATE a:1', writer);
    expect(await news()).toEqual([]);
    expect(toText((await run('(INFO FOR TABLE a).lives', writer))[0])).toBe('{  }');
  });

  test('a client that falls behind is cut off with a notification', async () => {
    const slow = database.ownerSession();
    await slow.use('test', 'test');
    let wake = () => {};
    const told = (notification: Notification) => {
      hear(notification);
      return new Promise<void>((resolve) => {
        wake = resolve;
      });
    };
    slow.listen(told, new LiveQuota({ changes: 3 }));
    await live('LIVE SELECT VALUE id FROM a', slow);
    await run('CREATE a:1; CREATE a:2');
    expect(await news()).toEqual(['L0 CREATE a:1 a:1']);
    await run('CREATE a:3');
    wake();
    expect(await news()).toEqual(['L0 CREATE a:2 a:2']);
    await run('CREATE a:4; CREATE a:5; CREATE a:6');
    wake();
    expect(await news()).toEqual(['L0 KILLED NONE NONE']);
    wake();
    await run('CREATE a:7');
    expect(await news()).toEqual([]);
    // It may begin again once it has caught up.
    await live('LIVE SELECT VALUE id FROM a', slow);
    await run('CREATE a:8; CREATE a:9');
    wake();
    expect(await news()).toEqual(['L1 CREATE a:8 a:8']);
  });

  test('so is one for which too large records wait; a lone one may be of any size', async () => {
    const small = database.ownerSession();
    await small.use('test', 'test');
    let wake = () => {};
    const told = (notification: Notification) => {
      hear(notification);
      return new Promise<void>((resolve) => {
        wake = resolve;
      });
    };
    small.listen(told, new LiveQuota({ bytes: 1_000 }));
    await live('LIVE SELECT VALUE id FROM a', small);
    await run("CREATE a:1 SET x = string::repeat('x', 1000)");
    expect(await news()).toEqual(['L0 CREATE a:1 a:1']);
    await run('CREATE a:2');
    wake();
    expect(await news()).toEqual(['L0 KILLED NONE NONE']);
    wake();
  });

  test('keeps the parameters that it names, up to a limit', async () => {
    const small = database.ownerSession();
    await small.use('test', 'test');
    small.listen(hear, new LiveQuota({ weight: 4_500 }));
    const variables = objectFrom({ big: 'x'.repeat(1_000), other: 'x'.repeat(100_000) });
    await run('LIVE SELECT VALUE string::len($big) FROM a', small, variables);
    await run('CREATE a:1');
    expect(await news()).toEqual(['L0 CREATE a:1 1000']);
    await expect(run('LIVE SELECT VALUE $big FROM a', small, variables)).rejects.toMatchObject({
      code: 'live_queries_too_large',
    });
    await run('LIVE SELECT VALUE 1 FROM a', small, variables);
  });

  test('counts for what it is compiled to, not for its text alone', async () => {
    const small = database.ownerSession();
    await small.use('test', 'test');
    small.listen(hear, new LiveQuota({ weight: 100_000 }));
    await run(`LIVE SELECT * FROM a WHERE [${Array(50).fill('x=1').join()}]`, small);
    await expect(run(`LIVE SELECT * FROM a WHERE [${Array(50).fill('x=1').join()}]`, small)).rejects.toMatchObject({
      code: 'live_queries_too_large',
    });
    await run(`LIVE SELECT * FROM a WHERE s = '${'x'.repeat(1_000)}'`, small);
  });

  test('has company, up to a limit for all sessions that share an allowance', async () => {
    const allowance = new LiveQuota({ queries: 2 });
    const sessions = [database.ownerSession(), database.ownerSession()] as const;
    for (const session of sessions) {
      await session.use('test', 'test');
      session.listen(hear, allowance);
    }
    const [one, two] = sessions;
    const id = await live('LIVE SELECT * FROM a', one);
    await live('LIVE SELECT * FROM a', two);
    const refused = { code: 'too_many_live_queries', message: 'A connection may have no more than 2 live queries' };
    await expect(run('LIVE SELECT * FROM a', one)).rejects.toMatchObject(refused);
    await run(`KILL u'${id}'`, one);
    await live('LIVE SELECT * FROM a', two);
    two.close();
    await run('BEGIN; LIVE SELECT * FROM a; LIVE SELECT * FROM a; LIVE SELECT * FROM a; COMMIT', one);
    expect(await news()).toEqual(['L0 KILLED NONE NONE', 'L5 KILLED NONE NONE']);
  });
});

describe('who sees what', () => {
  beforeEach(async () => {
    await run(PEOPLE);
    await run(`
      DEFINE TABLE a PERMISSIONS FOR select WHERE owner = $auth;
      DEFINE FIELD secret ON a PERMISSIONS FOR select NONE;
      DEFINE FIELD double ON a COMPUTED x * 2`);
  });

  test('rows and fields as the session may see them', async () => {
    const ada = await signedUp('ada');
    await live('LIVE SELECT * FROM a', ada);
    await live('LIVE SELECT DIFF FROM a', ada);
    await live("LIVE SELECT VALUE [$before.secret, $after.secret, secret] FROM a WHERE secret = 's' OR x = 3", ada);
    await run("CREATE a:1 SET owner = user:ada, x = 1, secret = 's'; CREATE a:2 SET owner = user:bob, x = 1");
    expect(await news()).toEqual([
      'L0 CREATE a:1 { double: 2, id: a:1, owner: user:ada, x: 1 }',
      "L1 CREATE a:1 [{ op: 'replace', path: '', value: { double: 2, id: a:1, owner: user:ada, x: 1 } }]",
    ]);
    await run("UPDATE a:1 SET secret = 't'; UPDATE a:1 SET x = 3, secret = 'u'; UPDATE a:1 SET owner = user:bob");
    expect(await news()).toEqual([
      'L0 UPDATE a:1 { double: 6, id: a:1, owner: user:ada, x: 3 }',
      "L1 UPDATE a:1 [{ op: 'replace', path: '/double', value: 6 }, { op: 'replace', path: '/x', value: 3 }]",
      'L2 UPDATE a:1 [NONE, NONE, NONE]',
    ]);
    await run('UPDATE a:1 SET owner = user:ada; DELETE a:1; DELETE a:2');
    expect(await news()).toEqual([
      'L0 UPDATE a:1 { double: 6, id: a:1, owner: user:ada, x: 3 }',
      "L1 UPDATE a:1 [{ op: 'replace', path: '', value: { double: 6, id: a:1, owner: user:ada, x: 3 } }]",
      'L2 UPDATE a:1 [NONE, NONE, NONE]',
      'L0 DELETE a:1 { double: 6, id: a:1, owner: user:ada, x: 3 }',
      "L1 DELETE a:1 [{ op: 'replace', path: '', value: NONE }]",
      'L2 DELETE a:1 [NONE, NONE, NONE]',
    ]);
  });

  test('by the rules of now', async () => {
    const ada = await signedUp('ada');
    await live('LIVE SELECT VALUE id FROM a', ada);
    await run('DEFINE TABLE OVERWRITE a PERMISSIONS NONE; CREATE a:1 SET owner = user:ada, x = 1');
    expect(await news()).toEqual([]);
    await run('DEFINE TABLE OVERWRITE a PERMISSIONS FULL; CREATE a:2 SET owner = user:bob, x = 1');
    expect(await news()).toEqual(['L0 CREATE a:2 a:2']);
  });

  test('no client that has left, and nothing after the session has expired', async () => {
    const ada = await signedUp('ada');
    await live('LIVE SELECT VALUE id FROM a', ada);
    await run('CREATE a:1 SET owner = user:ada, x = 1');
    ada.invalidate();
    expect(await news()).toEqual(['L0 KILLED NONE NONE']);
    await run(
      `DEFINE ACCESS OVERWRITE people ON DATABASE TYPE RECORD SIGNUP (CREATE type::record('user', $name)) DURATION FOR SESSION 1h`,
    );
    const bob = await signedUp('bob');
    await live('LIVE SELECT VALUE id FROM a', bob);
    environment.advance(2 * 3_600_000);
    await run('CREATE a:2 SET owner = user:bob, x = 1');
    expect(await news()).toEqual(['L1 KILLED NONE NONE']);
  });
});

/** LIVE SELECT … SINCE: what was changed before, then what is changed from now on. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Notification, Session } from '../../src/session/contract.js';
import { type OpenDatabase, openDatabase } from '../../src/session/database/database.js';
import { LiveQuota } from '../../src/session/resources/live-quota.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { stampOfTime } from '../../src/storage/transaction/append.js';
import { toText } from '../../src/value/text/text.js';
import { newObject, type ObjectValue, objectFrom, Uuid, type Value } from '../../src/value/value.js';
import { StubbedEnvironment } from '../support/environment.js';

const MINUTE = 60_000;

let environment: StubbedEnvironment;
let database: OpenDatabase;
let owner: Session;
let heard: Notification[];

beforeEach(async () => {
  environment = new StubbedEnvironment();
  environment.timers.yield = () => new Promise((resolve) => setImmediate(resolve));
  database = await openDatabase(new MemoryEngine(environment), {
    environment,
    authentication: { failureDelay: { minimum: 0, step: 1 } },
    guests: true,
  });
  heard = [];
  owner = await listening();
  await run('DEFINE TABLE a CHANGEFEED 1h INCLUDE ORIGINAL');
});

/** A session of the owner whose client keeps its notifications. */
async function listening(sink: (notification: Notification) => unknown = () => {}): Promise<Session> {
  const session = database.ownerSession();
  session.listen((notification) => {
    heard.push(notification);
    return sink(notification) as Promise<void>;
  });
  await session.use('test', 'test');
  return session;
}

async function run(text: string, variables: ObjectValue = newObject(), session = owner): Promise<Value[]> {
  const results = await session.query(text, variables);
  return results.map(({ outcome }) => {
    if (!outcome.ok) throw outcome.error;
    return outcome.value;
  });
}

async function live(text: string, since?: Value, session = owner): Promise<Uuid> {
  const id = (await run(text, objectFrom({ since }), session)).at(-1);
  if (!(id instanceof Uuid)) throw new Error(`no live query: ${text}`);
  return id;
}

async function quiet(): Promise<void> {
  for (let turn = 0; turn < 60; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** What has been received since the last time, once everything is quiet. */
async function news(): Promise<string[]> {
  await quiet();
  const texts = heard.map(({ action, result, reason }) =>
    action === 'KILLED' ? `KILLED ${reason?.code}` : `${action} ${toText(result)}`,
  );
  heard = [];
  return texts;
}

/** The versionstamps of the feed, the first one for the definition of the table. */
async function stamps(table = 'a'): Promise<bigint[]> {
  const [sets] = await run(`SHOW CHANGES FOR TABLE ${table} SINCE 0`);
  return (sets as ObjectValue[]).map(({ versionstamp }) => BigInt(versionstamp as number | bigint));
}

describe('sends past changes first', () => {
  test('in each form of a live query, records that are gone by then too', async () => {
    await run('CREATE a:1 SET x = 1; UPDATE a:1 SET x = 2; UPDATE a:1 SET x = 2; DELETE a:1');
    await live('LIVE SELECT * FROM a SINCE 0');
    expect(await news()).toEqual(['CREATE { id: a:1, x: 1 }', 'UPDATE { id: a:1, x: 2 }', 'DELETE { id: a:1, x: 2 }']);
    await live('LIVE SELECT DIFF FROM a SINCE 0');
    expect(await news()).toEqual([
      "CREATE [{ op: 'replace', path: '', value: { id: a:1, x: 1 } }]",
      "UPDATE [{ op: 'replace', path: '/x', value: 2 }]",
      "DELETE [{ op: 'replace', path: '', value: NONE }]",
    ]);
    await live('LIVE SELECT VALUE [$event, $before.x, $after.x] FROM a WHERE $before.x = 1 OR $after.x = 1 SINCE 0');
    expect(await news()).toEqual(["CREATE ['CREATE', NONE, 1]", "UPDATE ['UPDATE', 1, 2]"]);
    await run('DEFINE TABLE b; CREATE b:1 SET n = 1; CREATE a:2 SET link = b:1');
    await news();
    await live('LIVE SELECT link FROM a WHERE link FETCH link SINCE 0');
    expect(await news()).toEqual(['CREATE { link: { id: b:1, n: 1 } }']);
  });

  test('then what is changed from now on', async () => {
    await run('CREATE a:1');
    await live('LIVE SELECT VALUE id FROM a SINCE 0');
    await run('CREATE a:2');
    expect(await news()).toEqual(['CREATE a:1', 'CREATE a:2']);
    await run('CREATE a:3');
    expect(await news()).toEqual(['CREATE a:3']);
  });

  test('nothing of what was cancelled, and nothing that was imported', async () => {
    await owner.query("BEGIN; CREATE a:1; THROW 'no'; COMMIT; BEGIN; CREATE a:2; CANCEL");
    await run('OPTION IMPORT; CREATE a:3; UPDATE a:3 SET x = 1; DELETE a:3');
    await run('CREATE a:4');
    await live('LIVE SELECT VALUE id FROM a SINCE 0');
    expect(await news()).toEqual(['CREATE a:4']);
    // The owner of the feed is shown them as ever.
    const [sets] = await run('SHOW CHANGES FOR TABLE a SINCE 0');
    expect((sets as ObjectValue[]).slice(1, 4).map(({ changes }) => toText(changes))).toEqual([
      '[{ update: { id: a:3 } }]',
      "[{ current: { id: a:3, x: 1 }, update: [{ op: 'remove', path: '/x' }] }]",
      '[{ delete: { id: a:3 } }]',
    ]);
  });

  test('in pieces, however much it is', async () => {
    await run('FOR $i IN 0..700 { CREATE type::record("a", $i) }; CREATE |a:1000..1600| RETURN NONE');
    await live('LIVE SELECT VALUE record::id(id) FROM a SINCE 0');
    await expect.poll(() => heard.length).toBe(1300);
    const told = heard.map(({ result }) => result as number);
    expect(told).toEqual([...Array(700).keys(), ...Array.from({ length: 600 }, (_, at) => 1000 + at)]);
    const ends = new Set(heard.map(({ versionstamp }) => versionstamp));
    expect([...ends]).toEqual([0n, ...(await stamps()).slice(1)]);
  });
});

describe('goes on behind a versionstamp', () => {
  test('which may be a number, a text, or the time', async () => {
    await run('CREATE a:1; CREATE a:2; CREATE a:3');
    const [, first, second] = await stamps();
    for (const since of [second as bigint, String(second)]) {
      await live('LIVE SELECT VALUE id FROM a SINCE $since', since);
      expect(await news()).toEqual(['CREATE a:3']);
    }
    await live(`LIVE SELECT VALUE id FROM a SINCE ${first}`);
    expect(await news()).toEqual(['CREATE a:2', 'CREATE a:3']);
    environment.advance(MINUTE);
    await run('CREATE a:4');
    await news();
    const start = (await run('RETURN time::now()'))[0];
    await live('LIVE SELECT VALUE id FROM a SINCE $since', start);
    expect(await news()).toEqual(['CREATE a:4']);
    environment.advance(1);
    await live('LIVE SELECT VALUE id FROM a SINCE $since', (await run('RETURN time::now()'))[0]);
    await live('LIVE SELECT VALUE id FROM a SINCE $since', 2n ** 62n);
    await live('LIVE SELECT VALUE id FROM a SINCE $since', undefined);
    expect(await news()).toEqual([]);
  });

  test('that it was sent, once and without a gap', async () => {
    const { text } = await live('LIVE SELECT VALUE id FROM a SINCE $since');
    await run(`CREATE a:1; CREATE a:2; KILL u'${text}'`);
    await quiet();
    const [first, second] = heard.map(({ versionstamp }) => versionstamp as bigint);
    expect([first, second]).toEqual((await stamps()).slice(1));
    await run('CREATE a:3');
    heard = [];
    await live('LIVE SELECT VALUE id FROM a SINCE $since', first);
    expect(await news()).toEqual(['CREATE a:2', 'CREATE a:3']);
  });

  test('that names whole commits: one that was sent in part is sent again', async () => {
    for (const past of [true, false]) {
      const tables = past ? 'a' : 'b';
      if (!past) await run('DEFINE TABLE b CHANGEFEED 1h INCLUDE ORIGINAL');
      const begin = () =>
        live(`LIVE SELECT VALUE {i: record::id(id), at: $versionstamp} FROM ${tables} WHERE x SINCE 0`);
      if (!past) await begin();
      await run(
        `CREATE ${tables}:1 SET x = true;
         BEGIN; CREATE ${tables}:2 SET x = true; CREATE ${tables}:3 SET x = true; CREATE ${tables}:4; COMMIT;
         BEGIN; CREATE ${tables}:5; CREATE ${tables}:6 SET x = true; COMMIT`,
      );
      if (past) await begin();
      await quiet();
      const [, one, two, three] = await stamps(tables);
      expect(heard.map(({ versionstamp }) => versionstamp)).toEqual([one, one, two, three]);
      expect(heard.map(({ result }) => (result as ObjectValue)['at'])).toEqual([one, one, two, three]);
      expect(heard.map(({ result }) => (result as ObjectValue)['i'])).toEqual([1, 2, 3, 6]);
      heard = [];
    }
  });

  test('whether or not anything else was committed since', async () => {
    await run('CREATE a:1; DEFINE TABLE elsewhere CHANGEFEED 1h');
    for (const [at, hidden] of ['RETURN 1', 'CREATE elsewhere:1'].entries()) {
      environment.advance(MINUTE);
      const since = stampOfTime(environment.clock.now());
      environment.advance(MINUTE);
      await run(hidden);
      environment.advance(1);
      const { text } = await live('LIVE SELECT VALUE id FROM a SINCE $since', since);
      await run(`BEGIN; UPDATE a:1 SET n = ${at}; CREATE a; COMMIT`);
      await quiet();
      expect(heard[0]?.versionstamp).toBe(since);
      await run(`KILL u'${text}'`);
      await quiet();
      heard = [];
    }
  });

  test('and sends none where none was asked for', async () => {
    await live('LIVE SELECT VALUE $versionstamp FROM a');
    await run('CREATE a:1');
    await quiet();
    expect(heard).toHaveLength(1);
    expect(heard[0]).not.toHaveProperty('versionstamp');
    expect(heard[0]?.result).toBe(undefined);
  });
});

describe('is refused', () => {
  test.each([
    ['LIVE SELECT * FROM nowhere SINCE 0', 'table_missing'],
    ['DEFINE TABLE b; LIVE SELECT * FROM b SINCE 0', 'changefeed_required'],
    ['DEFINE TABLE b CHANGEFEED 1h; LIVE SELECT * FROM b SINCE 0', 'changefeed_required'],
    [
      'DEFINE TABLE b CHANGEFEED 1h INCLUDE ORIGINAL AS SELECT * FROM a; LIVE SELECT * FROM b SINCE 0',
      'changefeed_required',
    ],
    ['LIVE SELECT * FROM a SINCE 1', 'changefeed_too_short'],
    ["LIVE SELECT * FROM a SINCE d'2020-01-01T00:00:00Z'", 'changefeed_too_short'],
    ["LIVE SELECT * FROM a SINCE d'1900-01-01T00:00:00Z'", 'versionstamp_out_of_range'],
    ['LET $since = -1; LIVE SELECT * FROM a SINCE $since', 'invalid_target'],
    ['LET $since = 1.5; LIVE SELECT * FROM a SINCE $since', 'invalid_target'],
    ['LET $since = 1f; LIVE SELECT * FROM a SINCE $since', 'invalid_target'],
    ["LET $since = '99999999999999999999'; LIVE SELECT * FROM a SINCE $since", 'invalid_target'],
    ["LET $since = 'x'; LIVE SELECT * FROM a SINCE $since", 'invalid_target'],
  ])('%s', async (text, code) => {
    await expect(live(text)).rejects.toMatchObject({ code });
    expect(toText((await run('(INFO FOR TABLE a).lives'))[0])).toBe('{  }');
  });

  test('where the feed was pruned', async () => {
    await run('CREATE a:1; CREATE a:2');
    const [, first, second] = await stamps();
    environment.advance(59 * MINUTE);
    await run('CREATE a:3');
    await live('LIVE SELECT VALUE id FROM a SINCE $since', first);
    expect(await news()).toEqual(['CREATE a:2', 'CREATE a:3']);
    environment.advance(2 * MINUTE);
    await quiet();
    for (const since of [0, first]) {
      await expect(live('LIVE SELECT * FROM a SINCE $since', since)).rejects.toMatchObject({
        code: 'changefeed_too_short',
      });
    }
    // Nothing has gone since then.
    await live('LIVE SELECT VALUE id FROM a SINCE $since', second);
    expect(await news()).toEqual(['CREATE a:3']);
  });

  test.each([
    ['DEFINE TABLE OVERWRITE a', 'DEFINE TABLE OVERWRITE a CHANGEFEED 1h INCLUDE ORIGINAL'],
    ['ALTER TABLE a CHANGEFEED 1h', 'ALTER TABLE a CHANGEFEED 1h INCLUDE ORIGINAL'],
    ['DEFINE DATABASE OVERWRITE test CHANGEFEED 1h', 'DEFINE DATABASE OVERWRITE test'],
    ['REMOVE TABLE a', 'REMOVE TABLE a; DEFINE TABLE a CHANGEFEED 1h INCLUDE ORIGINAL'],
  ])('where the feed was interrupted: %s', async (off, on) => {
    await run('CREATE a:1');
    const last = (await stamps()).at(-1);
    await run(off);
    await owner.query('CREATE a:2');
    await run(on);
    await run('UPSERT a:3');
    await expect(live('LIVE SELECT * FROM a SINCE $since', last)).rejects.toMatchObject({
      code: 'changefeed_too_short',
    });
    await live('LIVE SELECT VALUE id FROM a SINCE $since', ((await stamps()).at(-1) as bigint) - 1n);
    expect(await news()).toEqual(['CREATE a:3']);
  });

  test('but not where its definition was changed otherwise, nor for a feed of the database', async () => {
    await run(
      'CREATE a:1; DEFINE TABLE OVERWRITE a CHANGEFEED 2h INCLUDE ORIGINAL PERMISSIONS FULL; DEFINE FIELD x ON a',
    );
    await run('DEFINE DATABASE OVERWRITE test COMMENT "x"; CREATE a:2');
    await live('LIVE SELECT VALUE id FROM a SINCE 0');
    expect(await news()).toEqual(['CREATE a:1', 'CREATE a:2']);
    await run('DEFINE DATABASE fed CHANGEFEED 1h INCLUDE ORIGINAL; USE DB fed; CREATE b:1; UPDATE b:1 SET x = 1');
    const other = await listening();
    await other.use('test', 'fed');
    await live('LIVE SELECT * FROM b SINCE 0', undefined, other);
    expect(await news()).toEqual(['CREATE { id: b:1 }', 'UPDATE { id: b:1, x: 1 }']);
  });
});

describe('while past changes are being sent', () => {
  /** A session whose client takes its notifications one by one; `take` lets it take some. */
  async function slow(allowance?: LiveQuota) {
    const session = database.ownerSession();
    let wake = () => {};
    session.listen((notification) => {
      heard.push(notification);
      return new Promise<void>((resolve) => {
        wake = resolve;
      });
    }, allowance);
    await session.use('test', 'test');
    const take = async (count: number) => {
      for (let taken = 0; taken < count; taken++) {
        await quiet();
        wake();
      }
    };
    return { session, take };
  }

  test('what is changed meanwhile waits in the feed, and only then in memory', async () => {
    await run('CREATE a:1; CREATE a:2');
    const { session, take } = await slow(new LiveQuota({ changes: 1 }));
    await live('LIVE SELECT VALUE id FROM a SINCE 0', undefined, session);
    await quiet();
    await run('CREATE a:3; CREATE a:4; CREATE a:5');
    await take(5);
    expect(await news()).toEqual(['CREATE a:1', 'CREATE a:2', 'CREATE a:3', 'CREATE a:4', 'CREATE a:5']);
    await run('CREATE a:6');
    await quiet();
    await run('CREATE a:7; CREATE a:8');
    await take(2);
    expect(await news()).toEqual(['CREATE a:6', 'KILLED live_queries_behind']);
  });

  test('a KILL ends it at once', async () => {
    await run('CREATE a:1; CREATE a:2; CREATE a:3');
    const { session, take } = await slow();
    const id = await live('LIVE SELECT VALUE id FROM a SINCE 0', undefined, session);
    await quiet();
    await run(`KILL u'${id.text}'`);
    await run('CREATE a:4');
    await take(4);
    expect(await news()).toEqual(['CREATE a:1', 'KILLED undefined']);
  });

  test.each([
    ['the table is removed', 'table_missing', () => run('REMOVE TABLE a')],
    ['the feed is taken away', 'changefeed_required', () => run('DEFINE TABLE OVERWRITE a; CREATE a:9')],
    [
      'the feed is pruned',
      'changefeed_too_short',
      async () => {
        await run('CREATE a:2');
        environment.advance(61 * MINUTE);
        await quiet();
        await run('CREATE a:9');
      },
    ],
    [
      'the feed was gone for a while',
      'changefeed_too_short',
      () =>
        run(
          'DEFINE TABLE OVERWRITE a; CREATE a:9; DEFINE TABLE OVERWRITE a CHANGEFEED 1h INCLUDE ORIGINAL; CREATE a:10',
        ),
    ],
    ['somebody else signs in', 'live_queries_abandoned', (session: Session) => session.invalidate()],
  ])('it ends when %s', async (_, code, end) => {
    await run('CREATE a:1');
    const { session, take } = await slow();
    await live('LIVE SELECT VALUE id FROM a SINCE 0', undefined, session);
    await quiet();
    await end(session);
    await take(3);
    expect(await news()).toEqual(['CREATE a:1', `KILLED ${code}`]);
  });
});

test('begins with the transaction that says so, which may have read what there is', async () => {
  await run('CREATE a:1');
  const held = await owner.begin();
  await held.query('SELECT * FROM a; LIVE SELECT VALUE id FROM a SINCE NONE');
  expect(await news()).toEqual([]);
  await held.commit();
  await run('CREATE a:2');
  expect(await news()).toEqual(['CREATE a:2']);
});

test('a DROP table sends what it was given', async () => {
  await run('DEFINE TABLE d DROP CHANGEFEED 1h INCLUDE ORIGINAL; CREATE d:1 SET x = 1');
  await live('LIVE SELECT * FROM d SINCE 0');
  expect(await news()).toEqual(['CREATE { id: d:1, x: 1 }']);
});

describe('a subscriber who comes back', () => {
  const PEOPLE = `
    DEFINE TABLE user PERMISSIONS FULL;
    DEFINE TABLE OVERWRITE a CHANGEFEED 1h INCLUDE ORIGINAL PERMISSIONS FOR select WHERE owner = $auth;
    DEFINE FIELD secret ON a PERMISSIONS FOR select NONE;
    DEFINE ACCESS people ON DATABASE TYPE RECORD SIGNUP (CREATE type::record('user', $name)) SIGNIN (SELECT * FROM user)`;

  async function person(name: string): Promise<Session> {
    const session = database.session({});
    session.listen((notification) => {
      heard.push(notification);
    });
    await session.signUp(objectFrom({ NS: 'test', DB: 'test', AC: 'people', name }));
    return session;
  }

  beforeEach(() => run(PEOPLE));

  test('receives what may be seen now, of records and fields, then and now', async () => {
    const ann = await person('ann');
    await run(
      `CREATE a:1 SET owner = user:bob, secret = 1; UPDATE a:1 SET owner = user:ann; UPDATE a:1 SET secret = 2;
       UPDATE a:1 SET owner = user:bob; DELETE a:1; CREATE a:2 SET owner = user:ann; DELETE a:2`,
    );
    await live('LIVE SELECT *, $before AS old FROM a SINCE 0', undefined, ann);
    // Of records that are gone by now, the ids of those that could be seen until then.
    expect(await news()).toEqual(['DELETE { id: a:2 }']);
    await run('CREATE a:3 SET owner = user:ann, secret = 1; UPDATE a:3 SET secret = 2, x = 1');
    expect(await news()).toEqual([
      'CREATE { id: a:3, old: NONE, owner: user:ann }',
      'UPDATE { id: a:3, old: { id: a:3, owner: user:ann }, owner: user:ann, x: 1 }',
    ]);
    await live('LIVE SELECT *, $before AS old FROM a SINCE 0', undefined, ann);
    expect(await news()).toEqual([
      'DELETE { id: a:2 }',
      'CREATE { id: a:3, old: NONE, owner: user:ann }',
      'UPDATE { id: a:3, old: { id: a:3, owner: user:ann }, owner: user:ann, x: 1 }',
    ]);
    await run('DEFINE TABLE OVERWRITE a CHANGEFEED 1h INCLUDE ORIGINAL PERMISSIONS NONE');
    await live('LIVE SELECT * FROM a SINCE 0', undefined, ann);
    expect(await news()).toEqual([]);
  });

  test('receives nothing of what is hidden by now, nor of what was deleted or changed before it signed up', async () => {
    await run(
      `DEFINE TABLE OVERWRITE a CHANGEFEED 1h INCLUDE ORIGINAL PERMISSIONS FOR select WHERE public;
       CREATE a:1 SET public = true, text = 'withdrawn'; UPDATE a:1 SET public = false;
       CREATE a:2 SET public = true, text = 'deleted'; DELETE a:2;
       CREATE a:3 SET public = true, text = 'there'; UPDATE a:3 SET text = 'still there'`,
    );
    const guest = database.session({});
    guest.listen((notification) => {
      heard.push(notification);
    });
    await guest.use('test', 'test');
    const there = ["CREATE 'there'", "UPDATE 'still there'"];
    await live('LIVE SELECT VALUE text FROM a SINCE 0', undefined, guest);
    expect(await news()).toEqual(['DELETE { id: a:2 }', ...there]);
    await live('LIVE SELECT DIFF FROM a SINCE 0', undefined, guest);
    expect((await news())[0]).toBe("DELETE [{ op: 'replace', path: '', value: NONE }]");
    environment.advance(MINUTE);
    const ann = await person('ann');
    environment.advance(10);
    await live('LIVE SELECT VALUE text FROM a SINCE 0', undefined, ann);
    expect(await news()).toEqual([]);
    await run('UPDATE a:3 SET text = "news"');
    // The guest's two live queries, and the new one.
    expect((await news()).filter((each) => each === "UPDATE 'news'")).toHaveLength(2);
    await live('LIVE SELECT VALUE text FROM a SINCE 0', undefined, ann);
    expect(await news()).toEqual(["UPDATE 'news'"]);
  });

  test('as a guest receives nothing without rights', async () => {
    const guest = database.session({});
    guest.listen((notification) => {
      heard.push(notification);
    });
    await guest.use('test', 'test');
    await run('CREATE a:1 SET owner = user:bob; DELETE a:1');
    await live('LIVE SELECT * FROM a SINCE 0', undefined, guest);
    expect(await news()).toEqual([]);
  });

  test('finds nothing of a removed table in a new one of its name', async () => {
    const ann = await person('ann');
    await run('DEFINE TABLE old CHANGEFEED 1h INCLUDE ORIGINAL PERMISSIONS NONE; CREATE old:1 SET secret = 1');
    const stamp = (await stamps('old')).at(-1);
    await run(
      'BEGIN; CREATE old:2; REMOVE TABLE old; DEFINE TABLE old CHANGEFEED 1h INCLUDE ORIGINAL PERMISSIONS FULL; CREATE old:3; COMMIT',
    );
    await live('LIVE SELECT * FROM old SINCE 0', undefined, ann);
    expect(await news()).toEqual(['CREATE { id: old:3 }']);
    await expect(live('LIVE SELECT * FROM old SINCE $since', stamp, ann)).rejects.toMatchObject({
      code: 'changefeed_too_short',
    });
  });

  test('learns no versionstamps of what is hidden', async () => {
    const ann = await person('ann');
    await run(
      `CREATE a:1 SET owner = user:ann; CREATE a:2 SET owner = user:bob;
       BEGIN; CREATE a:3 SET owner = user:ann; CREATE a:4 SET owner = user:ann; COMMIT`,
    );
    await live('LIVE SELECT VALUE id FROM a SINCE 0', undefined, ann);
    await quiet();
    const hidden = (await stamps()).at(-2);
    expect(heard).toHaveLength(3);
    expect(heard.map(({ versionstamp }) => versionstamp)).not.toContain(hidden);
  });
});

/** LIVE QUERY: what it answers and sends, to whom, how it ends and goes on, and how often it is evaluated. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Notification, Session } from '../../src/session/contract.js';
import { type OpenDatabase, openDatabase } from '../../src/session/database/database.js';
import { LiveQuota } from '../../src/session/resources/live-quota.js';
import type { BeginOptions, CommitFollower } from '../../src/storage/contract.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { toText } from '../../src/value/text/text.js';
import { newObject, type ObjectValue, objectFrom, type Value } from '../../src/value/value.js';
import { StubbedEnvironment } from '../support/environment.js';

/** Counts evaluations: those alone record what they read. */
class CountingEngine extends MemoryEngine {
  evaluations = 0;
  /** Until this is done evaluations don't go on, on the snapshots that they have got. */
  pause: Promise<void> | undefined;

  override begin(options: BeginOptions) {
    const transaction = super.begin(options);
    if (options.reads === undefined) return transaction;
    this.evaluations++;
    return (this.pause?.then(() => transaction) as never) ?? transaction;
  }
}

let environment: StubbedEnvironment;
let engine: CountingEngine;
let database: OpenDatabase;
let owner: Session;
let heard: string[];
/** The names of results, by their ids. */
let names: Map<string, string>;

beforeEach(async () => {
  environment = new StubbedEnvironment();
  environment.timers.yield = () => new Promise((resolve) => setImmediate(resolve));
  engine = new CountingEngine(environment);
  database = await openDatabase(engine, { environment, guests: true });
  heard = [];
  names = new Map();
  owner = database.ownerSession();
  owner.listen(hear);
  await owner.use('test', 'test');
  await run(`
    DEFINE TABLE user; DEFINE TABLE note PERMISSIONS FULL;
    DEFINE ACCESS people ON DATABASE TYPE RECORD
      SIGNUP (CREATE type::record('user', $name) SET team = $team) SIGNIN (SELECT * FROM type::record('user', $name));
    CREATE note:1 SET n = 1; CREATE note:2 SET n = 2; CREATE note:3 SET n = 3`);
});
afterEach(() => database.close());

function hear({ id, action, record, result, position, versionstamp, reason }: Notification): void {
  const place = position === undefined ? '' : ` at ${position}`;
  const stamp = versionstamp === undefined ? '' : ` @${versionstamp}`;
  const what = action === 'KILLED' ? (reason?.code ?? 'by KILL') : `${toText(record)} ${toText(result)}`;
  heard.push(`${names.get(id.text)} ${action} ${what}${place}${stamp}`);
}

async function run(text: string, session = owner, variables = newObject()): Promise<Value[]> {
  const results = await session.query(text, variables);
  return results.map(({ outcome }) => {
    if (!outcome.ok) throw outcome.error;
    return outcome.value;
  });
}

/** Begins a result and gives it a name. */
async function live(name: string, text: string, session = owner, variables = newObject()): Promise<ObjectValue> {
  const [answer] = (await run(`LIVE QUERY ${text}`, session, variables)) as [ObjectValue];
  names.set(toText(answer['id']).slice(2, -1), name);
  return answer;
}

/** What has been received since the last time, once everything is quiet. */
async function news(): Promise<string[]> {
  for (let turn = 0; turn < 60; turn++) await new Promise((resolve) => setImmediate(resolve));
  const news = heard;
  heard = [];
  return news;
}

async function signedUp(name: string, team = 1, quota?: LiveQuota): Promise<Session> {
  const session = database.session({});
  session.listen(hear, quota);
  await session.signUp(objectFrom({ NS: 'test', DB: 'test', AC: 'people', name, team }));
  return session;
}

async function comeBack(name: string): Promise<Session> {
  const session = database.session({});
  session.listen(hear);
  await session.signIn(objectFrom({ NS: 'test', DB: 'test', AC: 'people', name }));
  return session;
}

describe('answers and differences', () => {
  test('rows by their ids, with positions where there is an order', async () => {
    const { result } = await live('top', 'SELECT id, n FROM note ORDER BY n DESC LIMIT 2');
    expect(toText(result)).toBe('[{ id: note:3, n: 3 }, { id: note:2, n: 2 }]');
    await run('UPDATE note:1 SET n = 4');
    expect(await news()).toEqual(['top DELETE note:2 { id: note:2 }', 'top CREATE note:1 { id: note:1, n: 4 } at 0']);
    await run('UPDATE note:3 SET n = 5');
    expect(await news()).toEqual(['top UPDATE note:3 { id: note:3, n: 5 } at 0']);
    await run('UPDATE note:3 SET n = 6');
    expect(await news()).toEqual(['top UPDATE note:3 { id: note:3, n: 6 } at 0']);
  });

  test('rows without an order have no position', async () => {
    await live('some', 'SELECT * FROM note WHERE n > 1');
    await run('UPDATE note:1 SET n = 2; DELETE note:2');
    expect(await news()).toEqual(['some DELETE note:2 { id: note:2 }', 'some CREATE note:1 { id: note:1, n: 2 }']);
  });

  test('anything else as a whole, or as a JSON Patch', async () => {
    await live('sum', 'math::sum(SELECT VALUE n FROM note)');
    await live('patch', 'DIFF { ns: (SELECT VALUE n FROM note) }');
    await run('UPDATE note:2 SET n = 7');
    expect(await news()).toEqual([
      'sum UPDATE NONE 11',
      "patch UPDATE NONE [{ op: 'replace', path: '/ns/1', value: 7 }]",
    ]);
  });

  test('writes of one transaction come together, and those that are taken back not at all', async () => {
    await live('all', 'SELECT VALUE n FROM note');
    await run('BEGIN; UPDATE note:1 SET n = 5; UPDATE note:2 SET n = 6; COMMIT');
    expect(await news()).toEqual(['all UPDATE NONE [5, 6, 3]']);
    await owner.query('BEGIN; UPDATE note:1 SET n = 8; CANCEL');
    expect(await news()).toEqual([]);
  });

  test('where nothing of it differs nothing is sent', async () => {
    await live('names', 'SELECT id, n FROM note WHERE n < 3');
    await run(
      'UPDATE note:1 SET other = true; CREATE note:4 SET n = 9; UPDATE note:4 SET n = 8; UPDATE note SET n = n',
    );
    expect(await news()).toEqual([]);
  });

  test('what its own transaction has written is in it, and nothing if that is cancelled', async () => {
    const answers = (await run('BEGIN; UPDATE note:1 SET n = 11; LIVE QUERY note:1.n; COMMIT')) as ObjectValue[];
    expect(answers.filter((each) => each?.['result'] === 11)).toHaveLength(1);
    const before = database.resourceUsage.liveQueries;
    await owner.query('BEGIN; LIVE QUERY note:1.n; CANCEL');
    expect(database.resourceUsage.liveQueries).toBe(before);
  });

  test('a parameter has the value that it had', async () => {
    await live('over', 'SELECT VALUE n FROM note WHERE n >= $least ORDER BY n', owner, objectFrom({ least: 2 }));
    await run('UPDATE note:1 SET n = 5');
    expect(await news()).toEqual(['over UPDATE NONE [2, 3, 5]']);
  });

  test('is that of the database in which it began', async () => {
    await live('here', 'SELECT VALUE n FROM note');
    await owner.use('test', 'other');
    await run('DEFINE TABLE note; CREATE note:1 SET n = 100');
    expect(await news()).toEqual([]);
    await run('USE DB test; UPDATE note:1 SET n = 4; USE DB other');
    expect(await news()).toEqual(['here UPDATE NONE [4, 2, 3]']);
  });

  test('definitions count as data', async () => {
    await run('DEFINE FUNCTION fn::least() { RETURN 2 }; DEFINE PARAM $most VALUE 3');
    await live('between', 'SELECT VALUE n FROM note WHERE n >= fn::least() AND n < $most');
    await run('DEFINE FUNCTION OVERWRITE fn::least() { RETURN 1 }');
    expect(await news()).toEqual(['between UPDATE NONE [1, 2]']);
    await run('DEFINE PARAM OVERWRITE $most VALUE 2');
    expect(await news()).toEqual(['between UPDATE NONE [1]']);
    await run('DEFINE INDEX n ON note FIELDS n');
    expect(await news()).toEqual([]);
  });
});

describe('rights', () => {
  test('are those of now: rows that a rule hides are gone, and those that it shows come', async () => {
    const ann = await signedUp('ann');
    await live('ann', 'SELECT id, n FROM note', ann);
    await run('DEFINE TABLE OVERWRITE note PERMISSIONS FOR select WHERE n > 1');
    expect(await news()).toEqual(['ann DELETE note:1 { id: note:1 }']);
    await run('UPDATE note:1 SET n = 5');
    expect(await news()).toEqual(['ann CREATE note:1 { id: note:1, n: 5 }']);
  });

  test('follow the record of the user', async () => {
    await run('DEFINE TABLE OVERWRITE note PERMISSIONS FOR select WHERE n = $auth.team');
    const ann = await signedUp('ann', 1);
    const { result } = await live('ann', 'SELECT id FROM note', ann);
    expect(toText(result)).toBe('[{ id: note:1 }]');
    await run('UPDATE user:ann SET team = 3');
    expect(await news()).toEqual(['ann DELETE note:1 { id: note:1 }', 'ann CREATE note:3 { id: note:3 }']);
  });

  test('that come to differ divide a result that was shared', async () => {
    const [ann, bob] = [await signedUp('ann', 1), await signedUp('bob', 2)];
    await live('ann', 'SELECT VALUE n FROM note', ann);
    await live('bob', 'SELECT VALUE n FROM note', bob);
    await news();
    await run('DEFINE TABLE OVERWRITE note PERMISSIONS FOR select WHERE n = $auth.team');
    expect((await news()).sort()).toEqual(['ann UPDATE NONE [1]', 'bob UPDATE NONE [2]']);
    await run('UPDATE note:1 SET n = 2');
    expect((await news()).sort()).toEqual(['ann UPDATE NONE []', 'bob UPDATE NONE [2, 2]']);
  });

  test('of a session that signs in as another end it, as signing out does', async () => {
    const ann = await signedUp('ann');
    await live('ann', 'SELECT VALUE n FROM note', ann);
    await ann.signUp(objectFrom({ NS: 'test', DB: 'test', AC: 'people', name: 'bob', team: 2 }));
    expect(await news()).toEqual([expect.stringMatching(/^ann KILLED /)]);
    await live('bob', 'SELECT VALUE n FROM note', ann);
    ann.invalidate();
    expect(await news()).toEqual([expect.stringMatching(/^bob KILLED /)]);
    await run('UPDATE note:1 SET n = 9');
    expect(await news()).toEqual([]);
  });

  test('end with the user', async () => {
    const ann = await signedUp('ann');
    await live('ann', 'SELECT VALUE n FROM note', ann);
    await run('DELETE user:ann; UPDATE note:1 SET n = 9');
    expect(await news()).toEqual(['ann KILLED session_expired']);
  });
});

describe('ends', () => {
  test('by KILL, of its own session or by an editor', async () => {
    const ann = await signedUp('ann');
    const { id } = await live('ann', 'SELECT VALUE n FROM note', ann);
    const bob = await signedUp('bob');
    await expect(run(`KILL ${toText(id)}`, bob)).rejects.toThrow('Cannot execute KILL');
    await run(`KILL ${toText(id)}`);
    expect(await news()).toEqual(['ann KILLED by KILL']);
    const own = await live('owner', 'SELECT VALUE n FROM note');
    await run(`KILL ${toText(own['id'])}`);
    expect(await news()).toEqual(['owner KILLED by KILL']);
    expect(database.resourceUsage.liveQueries).toBe(0);
  });

  test('with the reason, when it can no longer be evaluated; others go on', async () => {
    await run('CREATE other:1 SET n = 1');
    await live('notes', 'SELECT VALUE n FROM note');
    await live('others', 'SELECT VALUE n FROM other');
    await live('divides', '{ IF other:1.n = 0 { THROW "none left" } ELSE { other:1.n } }');
    await run('UPDATE other:1 SET n = 0');
    expect((await news()).sort()).toEqual(['divides KILLED thrown', 'others UPDATE NONE [0]']);
    await run('REMOVE TABLE note');
    expect(await news()).toEqual(['notes KILLED table_missing']);
  });

  test('when it grows beyond what a result or a connection may have', async () => {
    await live('texts', 'SELECT VALUE text FROM note');
    const text = 'x'.repeat(9_000_000);
    await run('UPDATE note:1 SET text = $text', owner, objectFrom({ text }));
    expect(await news()).toEqual(['texts KILLED live_result_too_large']);
    const ann = await signedUp('ann', 1, new LiveQuota({ weight: 20_000 }));
    await run('UPDATE note:1 SET text = "x"');
    await live('ann', 'SELECT VALUE text FROM note', ann);
    await run("UPDATE note:1 SET text = string::repeat('x', 30000)");
    expect(await news()).toEqual([expect.stringMatching(/^ann UPDATE /), 'ann KILLED live_queries_full']);
  });
});

test('one that begins just when the last one ends follows commits', async () => {
  const follow = engine.commitFeed.follow.bind(engine.commitFeed);
  // As on a store of several nodes.
  vi.spyOn(engine.commitFeed, 'follow').mockImplementation((async (follower: CommitFollower) =>
    follow(follower)) as never);
  for (let turns = 0; turns < 60; turns++) {
    const { id } = await live('first', 'note:1.n');
    const ending = run('KILL $id', owner, objectFrom({ id }));
    for (let turn = 0; turn < turns; turn++) await undefined;
    const { id: next } = await live('next', 'note:2.n');
    await ending;
    await news();
    await run(`UPDATE note:2 SET n = ${100 + turns}`);
    expect([turns, await news()]).toEqual([turns, [expect.stringMatching(/^next UPDATE/)]]);
    await run('KILL $id', owner, objectFrom({ id: next }));
    await news();
  }
});

describe('is refused', () => {
  test.each([
    ['CREATE note', 'live_result_statement'],
    ['(DELETE note:1)', 'live_result_statement'],
    ['INFO FOR DB', 'live_result_statement'],
    ['{ SLEEP 1s }', 'live_result_statement'],
    ['fn::writes()', 'live_result_unsteady'],
    ['rand()', 'live_result_unsteady'],
    ['SELECT * FROM note ORDER BY rand()', 'live_result_unsteady'],
    ['fn::chance()', 'live_result_unsteady'],
    ['time::now()', 'live_result_of_time'],
    ['SELECT * FROM note WHERE at < time::now()', 'live_result_of_time'],
    ['time::now() EVERY 1ms', 'live_result_period'],
    ["http::get('http://127.0.0.1:1')", 'live_result_unsteady'],
    ['sequence::nextval("s")', 'live_result_unsteady'],
    ["array::repeat('x', 10).map(|$x| string::repeat($x, 1000000))", 'live_result_too_large'],
    ['SELECT * FROM missing', 'table_missing'],
  ])('%s', async (text, code) => {
    await run(`
      DEFINE FUNCTION fn::writes() { CREATE note:9 }; DEFINE SEQUENCE s;
      DEFINE FUNCTION fn::chance() { RETURN rand::uuid() }`);
    await expect(run(`LIVE QUERY ${text}`)).rejects.toMatchObject({ code });
    expect(database.resourceUsage.liveQueries).toBe(0);
    expect(await run('SELECT VALUE id FROM note:9')).toEqual([[]]);
  });

  test('without a listener, and beyond the limit', async () => {
    await expect(run('LIVE QUERY 1', database.ownerSession())).rejects.toMatchObject({ code: 'realtime_unavailable' });
    const ann = await signedUp('ann', 1, new LiveQuota({ queries: 1 }));
    await live('ann', 'note:1.n', ann);
    await expect(run('LIVE QUERY note:1.n', ann)).rejects.toMatchObject({ code: 'too_many_live_queries' });
  });
});

test('a user has so many over all connections', async () => {
  const most = 10_000;
  const ann = await signedUp('ann', 1, new LiveQuota({ queries: most + 1 }));
  const bob = await signedUp('bob');
  const refusal = { code: 'too_many_live_queries', message: 'A user may have no more than 10000 live queries' };
  const begun = await run('LIVE QUERY 1;'.repeat(most), ann);
  await expect(run('LIVE QUERY 1', ann)).rejects.toMatchObject(refusal);
  const again = await comeBack('ann');
  await expect(run('LIVE SELECT * FROM note', again)).rejects.toMatchObject(refusal);
  await run('LIVE QUERY 1', bob);
  const { id } = begun[0] as { id: Value };
  await run(`KILL ${toText(id)}`, ann);
  await run('LIVE SELECT * FROM note', again);
  await expect(run('LIVE QUERY 1', again)).rejects.toMatchObject(refusal);
  // The connection is another user's now, with what it has begun.
  await again.signIn(objectFrom({ NS: 'test', DB: 'test', AC: 'people', name: 'bob' }));
  await run('LIVE QUERY 1', ann);
});

describe('time', () => {
  test('counts where there is a period', async () => {
    await live('seconds', 'time::unix(time::now()) EVERY 1s');
    await news();
    environment.advance(1_000);
    expect(await news()).toEqual([`seconds UPDATE NONE ${environment.seconds}`]);
    environment.advance(500);
    expect(await news()).toEqual([]);
    environment.advance(500);
    expect(await news()).toEqual([`seconds UPDATE NONE ${environment.seconds}`]);
  });

  test('in a rule asks for a period, too', async () => {
    const ann = await signedUp('ann');
    await run('DEFINE TABLE OVERWRITE note PERMISSIONS FOR select WHERE until > time::now()');
    await expect(run('LIVE QUERY SELECT * FROM note', ann)).rejects.toMatchObject({ code: 'live_result_of_time' });
    await run('UPDATE note:1 SET until = time::now() + 2s');
    await live('ann', 'SELECT VALUE id FROM note EVERY 1s', ann);
    await news();
    environment.advance(1_000);
    expect(await news()).toEqual([]);
    environment.advance(1_000);
    expect(await news()).toEqual(['ann UPDATE NONE []']);
  });
});

test('EXPLAIN says what it depends on, but not to those to whom rules apply', async () => {
  const text = 'EXPLAIN LIVE QUERY SELECT id, n FROM note WHERE n > 1 ORDER BY n LIMIT 2';
  const [plan] = await run(text);
  expect(String(plan)).toContain('dependencies: definitions (1); note: records, ranges (1)');
  const [shown] = await run(text, await signedUp('ann'));
  expect(String(shown)).not.toContain('dependencies');
  await expect(run('EXPLAIN LIVE QUERY rand()')).rejects.toMatchObject({ code: 'live_result_unsteady' });
});

describe('resumes', () => {
  const TEXT = 'SELECT id, n FROM note ORDER BY n SINCE';

  test('from what it has sent: unchanged, by differences, or fresh', async () => {
    const ann = await signedUp('ann');
    const first = await live('first', `${TEXT} NONE`, ann);
    expect(first).toMatchObject({ versionstamp: expect.stringMatching(/^\d+$/) });
    await run('UPDATE note:1 SET n = 9');
    const [sent = ''] = await news();
    expect(sent).toMatch(/^first UPDATE note:1 { id: note:1, n: 9 } at 2 @\d+$/);
    const stamp = sent.split('@')[1];
    ann.invalidate();
    await news();

    const back = await comeBack('ann');
    const unchanged = await live('second', `${TEXT} $stamp`, back, objectFrom({ stamp }));
    expect(unchanged).toMatchObject({ resumed: 'unchanged', versionstamp: stamp });
    expect(unchanged).not.toHaveProperty('result');
    expect(await news()).toEqual([]);
    await run('UPDATE note:2 SET n = 0');
    expect(await news()).toEqual([expect.stringMatching(/^second UPDATE note:2 { id: note:2, n: 0 }( at 0)? @\d+$/)]);
    back.invalidate();
    await news();

    // Its answers were lost: it comes back from before.
    const again = await comeBack('ann');
    const differs = await live('third', `${TEXT} $stamp`, again, objectFrom({ stamp }));
    expect(differs).toMatchObject({ resumed: 'differences', versionstamp: stamp });
    expect(await news()).toEqual([expect.stringMatching(/^third UPDATE note:2 { id: note:2, n: 0 }( at 0)? @\d+$/)]);

    const fresh = await live('fourth', `${TEXT} 5`, again);
    expect(fresh).toMatchObject({ resumed: 'fresh', result: [{ n: 0 }, { n: 3 }, { n: 9 }] });
  });

  test('nothing of what another user was sent, nor what was sent long ago', async () => {
    const ann = await signedUp('ann');
    const { versionstamp } = await live('ann', `${TEXT} NONE`, ann);
    ann.invalidate();
    await news();
    const bob = await signedUp('bob');
    const since = objectFrom({ stamp: versionstamp });
    expect(await live('bob', `${TEXT} $stamp`, bob, since)).toMatchObject({ resumed: 'fresh' });
    environment.advance(300_000);
    expect(await live('late', `${TEXT} $stamp`, await comeBack('ann'), since)).toMatchObject({ resumed: 'fresh' });
  });

  test('nothing of what another server has sent to the same user, at the same time', async () => {
    const ann = await signedUp('ann');
    const { versionstamp } = await live('here', `${TEXT} NONE`, ann);
    await run('UPDATE note:1 SET n = 9');
    const other = await openDatabase(engine, { environment, guests: true });
    const comeThere = async () => {
      const session = other.session({});
      session.listen(hear);
      await session.signIn(objectFrom({ NS: 'test', DB: 'test', AC: 'people', name: 'ann' }));
      return session;
    };
    const there = await comeThere();
    await live('there', `${TEXT} NONE`, there);
    there.invalidate();
    await news();
    const since = objectFrom({ stamp: versionstamp });
    expect(await live('moved', `${TEXT} $stamp`, await comeThere(), since)).toMatchObject({ resumed: 'fresh' });
    await other.close();
  });

  test('from a later versionstamp also where a result is again what it was', async () => {
    await live('before', `${TEXT} NONE`);
    await news();
    const [, second] = (await run(`UPDATE note:1 SET n = 9; LIVE QUERY ${TEXT} NONE; UPDATE note:1 SET n = 1`)) as [
      Value,
      ObjectValue,
    ];
    names.set(toText(second['id']).slice(2, -1), 'second');
    const [sent = ''] = await news();
    expect(sent).toMatch(/^second UPDATE note:1 { id: note:1, n: 1 } at 0 @\d+$/);
    expect(BigInt(sent.split('@')[1] as string)).toBeGreaterThan(BigInt(second['versionstamp'] as string));
  });

  test('the last of several differences alone says where', async () => {
    const { versionstamp } = await live('top', `${TEXT} NONE`);
    await run('BEGIN; UPDATE note:1 SET n = 8; DELETE note:2; COMMIT');
    const stamps = (await news()).map((each) => each.split('@')[1]);
    expect(stamps).toEqual([versionstamp, expect.not.stringMatching(versionstamp as string)]);
  });
});

test('one that begins while an older state is evaluated for others is not taken back to it', async () => {
  const text = 'SELECT id, n FROM note WHERE id = note:1';
  await live('before', text);
  await news();
  let goOn: () => void = () => undefined;
  const held = () => {
    engine.pause = new Promise((resolve) => {
      goOn = resolve;
    });
  };
  held();
  await run('UPDATE note:1 SET n = 8');
  await news();
  await run('UPDATE note:1 SET n = 9');
  await live('new', text);
  const older = goOn;
  held();
  older();
  expect(await news()).toEqual(['before UPDATE note:1 { id: note:1, n: 8 }']);
  engine.pause = undefined;
  goOn();
  expect(await news()).toEqual(['before UPDATE note:1 { id: note:1, n: 9 }']);
});

describe('work', () => {
  test('is none for commits that concern nothing of it', async () => {
    await run('CREATE other:1 SET n = 1');
    await live('one', 'SELECT * FROM note WHERE n > 1');
    await live('two', 'note:1.n');
    await news();
    engine.evaluations = 0;
    await run('CREATE other:2 SET n = 2; UPDATE other:1 SET n = 5; CREATE more:1');
    await news();
    // A table that is new is a definition, on which all depend.
    expect(engine.evaluations).toBe(2);
    engine.evaluations = 0;
    await run('UPDATE other:1 SET n = 6; DELETE more:1');
    await run('UPDATE note:2 SET n = 7');
    await news();
    expect(engine.evaluations).toBe(1);
  });

  test('is shared by all with the same rights, and done once for commits that come together', async () => {
    for (let each = 0; each < 20; each++) {
      await live(`L${each}`, 'SELECT id, n FROM note ORDER BY n DESC LIMIT 2', await signedUp(`user${each}`));
    }
    await news();
    engine.evaluations = 0;
    await run('UPDATE note:1 SET n = 9');
    expect(await news()).toHaveLength(40);
    expect(engine.evaluations).toBe(1);
    engine.evaluations = 0;
    await Promise.all([1, 2, 3, 4].map((n) => run(`UPDATE note:1 SET n = ${10 + n}`)));
    expect(await news()).toHaveLength(20);
    expect(engine.evaluations).toBe(1);
  });

  test('misses no commit that is made while a result is evaluated', async () => {
    await run('UPDATE note:1 SET next = note:2');
    await live('next', 'note:1.next.n');
    await news();
    let goOn = () => {};
    engine.pause = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    engine.evaluations = 0;
    await run('UPDATE note:1 SET next = note:3');
    await news();
    expect(engine.evaluations).toBe(1);
    // Of what it has read so far nothing is written.
    await run('UPDATE note:3 SET n = 77');
    await news();
    engine.pause = undefined;
    goOn();
    expect(await news()).toEqual(['next UPDATE NONE 77']);
  });

  test('of one session does not wait for that of another', async () => {
    const ann = await signedUp('ann');
    await live('slow', 'note:1.n', ann);
    await news();
    let goOn = () => {};
    engine.pause = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    await run('UPDATE note:1 SET n = 10');
    await news();
    engine.pause = undefined;
    await live('quick', 'note:2.n');
    await run('UPDATE note:2 SET n = 20');
    expect(await news()).toEqual(['quick UPDATE NONE 20']);
    goOn();
    expect(await news()).toEqual(['slow UPDATE NONE 10']);
  });

  test('waits for a client that doesn’t read, who then gets the last result at once', async () => {
    const ann = database.session({});
    let goOn = () => {};
    const reads = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    ann.listen((notification) => {
      hear(notification);
      return reads;
    });
    await ann.signUp(objectFrom({ NS: 'test', DB: 'test', AC: 'people', name: 'ann', team: 1 }));
    await live('slow', 'note:1.n', ann);
    await live('quick', 'note:1.n');
    for (let n = 10; n < 20; n++) {
      await run(`UPDATE note:1 SET n = ${n}`);
      await news();
      if (n === 10) heard.push('…');
    }
    expect(await news()).toEqual([]);
    goOn();
    expect(await news()).toEqual(['slow UPDATE NONE 19']);
  });
});

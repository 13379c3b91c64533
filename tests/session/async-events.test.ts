/** When asynchronous events run, in which order, how often, and the handling of those that fail. */
import { beforeEach, expect, test } from 'vitest';
import { entriesOf } from '../../src/catalog/entries.js';
import { databasesWithEvents } from '../../src/catalog/events/event-queue.js';
import { prefixRange } from '../../src/catalog/keys/key-bytes.js';
import { EVENT_DATABASES_RANGE, eventDatabaseKey, eventQueue } from '../../src/catalog/keys/store-keys.js';
import type { TesseraError } from '../../src/errors/error.js';
import type { Session } from '../../src/session/contract.js';
import { type OpenDatabase, openDatabase } from '../../src/session/database/database.js';
import type { EarlyAnswers } from '../../src/storage/contract.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { toText } from '../../src/value/text/text.js';
import { objectFrom } from '../../src/value/value.js';
import { StubbedEnvironment } from '../support/environment.js';

const ROUND = 5_000;
let environment: StubbedEnvironment;
let database: OpenDatabase;
let session: Session;
let lost: TesseraError[];
beforeEach(async () => {
  environment = new StubbedEnvironment();
  lost = [];
  database = await openDatabase(new MemoryEngine(environment), { environment, report: (error) => lost.push(error) });
  session = database.ownerSession();
  await session.use('test', 'test');
  await answers('DEFINE TABLE t; DEFINE TABLE log');
});

/** The last answer of a text, as text. */
async function answers(text: string): Promise<string> {
  const { outcome } = (await session.query(text)).at(-1) ?? {};
  if (outcome === undefined) return '';
  return outcome.ok ? toText(outcome.value) : outcome.error.message;
}

/** Lets a timer that is due do its work. */
async function advance(milliseconds: number): Promise<void> {
  environment.advance(milliseconds);
  for (let turn = 0; turn < 400; turn++) await Promise.resolve();
}

test('they run soon after the commit, in the order of the changes', async () => {
  await answers(
    'DEFINE EVENT e ON t ASYNC THEN { CREATE log SET n = $after.n, event = $event, at = count(SELECT * FROM log) }',
  );
  await answers('CREATE t:2 SET n = 1; CREATE t:1 SET n = 2; UPDATE t SET n += 10; DELETE t:1');
  expect(await answers('SELECT * FROM log')).toBe('[]');
  await advance(10);
  expect(await answers('SELECT VALUE [at, event, n] FROM log ORDER BY at')).toBe(
    "[[0, 'CREATE', 1], [1, 'CREATE', 2], [2, 'UPDATE', 12], [3, 'UPDATE', 11], [4, 'DELETE', NONE]]",
  );
});

test('what conflicts for too long waits for the next round, and holds up nothing behind it', async () => {
  await answers('CREATE hot:1 SET n = 0');
  await answers(
    'DEFINE EVENT e ON t ASYNC THEN { UPDATE hot:1 SET n += 1; IF $after.slow { sleep(2s) }; CREATE log SET n = $after.n }',
  );
  await answers('CREATE t:1 SET n = 1, slow = true; CREATE t:2 SET n = 2');
  await advance(10);
  const rival = database.ownerSession();
  await rival.use('test', 'test');
  for (let nap = 0; nap < 400; nap++) {
    void rival.query('UPDATE hot:1 SET n += 100');
    await advance(50);
  }
  expect(await answers('SELECT VALUE n FROM log')).toBe('[2]');
  expect(lost).toEqual([]);
  for (let nap = 0; nap < 400; nap++) await advance(50);
  expect(await answers('SELECT VALUE n FROM log ORDER BY n')).toBe('[1, 2]');
  expect(await answers('SELECT VALUE n % 100 FROM ONLY hot:1')).toBe('2');
});

test('they run soon after a commit that comes long after the write', async () => {
  await answers('DEFINE EVENT e ON t ASYNC THEN { CREATE log SET n = $after.n }');
  const held = await session.begin();
  await held.query('CREATE t:1 SET n = 1');
  await advance(100);
  await held.query('CREATE t:2 SET n = 2');
  await advance(100);
  await held.commit();
  expect(await answers('SELECT * FROM log')).toBe('[]');
  await advance(10);
  expect(await answers('SELECT VALUE n FROM log ORDER BY n')).toBe('[1, 2]');
});

test('those that were left behind by a process run soon after the next has opened the store', async () => {
  const engine = new MemoryEngine(environment);
  const first = await openDatabase(engine, { environment });
  const before = first.ownerSession();
  await before.use('test', 'test');
  await before.query('DEFINE TABLE t; DEFINE EVENT e ON t ASYNC THEN { CREATE log }; CREATE t:1');
  // Its timers are never asked again, as if it had been killed.
  environment.forgetTimers();
  database = await openDatabase(engine, { environment });
  session = database.ownerSession();
  await session.use('test', 'test');
  await advance(10);
  expect(await answers('SELECT VALUE true FROM log')).toBe('[true]');
});

test('those that 0.1 has queued for the whole store run in their order, but for those of a removed database', async () => {
  const engine = new MemoryEngine(environment);
  const first = await openDatabase(engine, { environment });
  const before = first.ownerSession();
  await before.use('test', 'test');
  await before.query(
    'DEFINE TABLE t; DEFINE EVENT e ON t ASYNC THEN { CREATE log SET n = $after.n, at = count(SELECT * FROM log) }',
  );
  await before.query('FOR $n IN 0..600 { CREATE t SET n = $n }');
  environment.forgetTimers();
  const rewrite = engine.begin({ writable: true });
  const [id] = (await databasesWithEvents(rewrite)) as [number];
  const entries = await entriesOf(rewrite, prefixRange(eventQueue(id)));
  expect(entries).toHaveLength(600);
  for (const [key, stored] of entries) {
    rewrite.delete(key);
    rewrite.put(`Q${key.slice(eventQueue(id).length)}`, stored);
  }
  const gone = objectFrom({ ...(entries[0]?.[1] as object), database: 'removed', databaseId: 77 });
  rewrite.put(`Q${'\0'.repeat(12)}`, gone);
  rewrite.delete(eventDatabaseKey(id));
  await rewrite.commit();
  database = await openDatabase(engine, { environment });
  session = database.ownerSession();
  await session.use('test', 'test');
  await advance(10);
  for (let round = 0; round < 10; round++) await advance(0);
  expect(await answers('(SELECT VALUE n FROM log ORDER BY at) = array::range(0, 600)')).toBe('true');
  const after = engine.begin({ writable: false });
  expect([
    after.count(prefixRange('Q')),
    after.count(prefixRange('D\0\0\0Ma')),
    after.count(prefixRange(eventQueue(id))),
  ]).toEqual([0, 0, 0]);
  after.cancel();
});

test('the list of databases with events forgets one that is removed', async () => {
  const engine = new MemoryEngine(environment);
  const one = await openDatabase(engine, { environment });
  const owner = one.ownerSession();
  await owner.use('test', 'test');
  await owner.query('DEFINE TABLE t; DEFINE EVENT e ON t ASYNC THEN { CREATE log }; CREATE t:1');
  const listed = () => engine.begin({ writable: false }).count(EVENT_DATABASES_RANGE);
  expect(listed()).toBe(1);
  await owner.query('REMOVE DATABASE test');
  expect(listed()).toBe(0);
});

test('slow ones of a database hold up those of no other', async () => {
  const others: Session[] = [];
  for (const name of ['one', 'two']) {
    const other = database.ownerSession();
    await other.use('test', name);
    await other.query(`DEFINE TABLE t; DEFINE EVENT e ON t ASYNC THEN { CREATE log SET n = $after.n }`);
    others.push(other);
  }
  await answers('DEFINE EVENT slow ON t ASYNC THEN { sleep(2s); CREATE log }; CREATE |t:8|');
  for (const other of others) await other.query('CREATE t:1 SET n = 1');
  await advance(10);
  // While the slow ones run, others come.
  for (const other of others) await other.query('CREATE t:2 SET n = 2');
  await advance(10);
  expect(await answers('SELECT * FROM log')).toBe('[]');
  for (const other of others) {
    const [logged] = await other.query('SELECT VALUE n FROM log ORDER BY n');
    expect(logged?.outcome).toMatchObject({ ok: true, value: [1, 2] });
  }
  for (let nap = 0; nap < 400; nap++) await advance(50);
  expect(await answers('RETURN count(SELECT * FROM log)')).toBe('8');
});

test('databases beyond those that run at once wait for turns, not for the end of others', async () => {
  const names = Array.from({ length: 20 }, (_, number) => `d${number}`);
  const sessions: Session[] = [];
  for (const name of names) {
    const other = database.ownerSession();
    await other.use('test', name);
    await other.query(
      'DEFINE TABLE log; DEFINE TABLE t; DEFINE EVENT e ON t ASYNC THEN { sleep(2s); CREATE log }; CREATE |t:20|',
    );
    sessions.push(other);
  }
  // Eight at once, an event of two seconds a turn: three turns reach all.
  for (let nap = 0; nap < 130; nap++) await advance(50);
  for (const each of sessions) {
    const [counted] = await each.query('RETURN count(SELECT * FROM log) IN [1, 2]');
    expect(counted?.outcome).toMatchObject({ ok: true, value: true });
  }
});

test('a namespace with many databases holds up no other namespace', async () => {
  for (let number = 0; number < 40; number++) {
    const other = database.ownerSession();
    await other.use('crowded', `d${number}`);
    await other.query('DEFINE TABLE t; DEFINE EVENT e ON t ASYNC THEN { sleep(50s) }; CREATE |t:20|');
  }
  await advance(10);
  await answers('DEFINE EVENT e ON t ASYNC THEN { CREATE log }; CREATE t:1');
  await advance(10);
  expect(await answers('RETURN count(SELECT * FROM log)')).toBe('1');
});

test('nothing is left of what was cancelled', async () => {
  await answers('DEFINE EVENT e ON t ASYNC THEN { CREATE log }');
  await answers('BEGIN; CREATE t:1; CANCEL');
  await answers('BEGIN; CREATE t:1; THROW "no"; COMMIT');
  await advance(ROUND);
  expect(await answers('SELECT * FROM log')).toBe('[]');
});

test('they know who made the change, and what the change was', async () => {
  await answers(`
    DEFINE EVENT e ON t ASYNC WHEN $before.n != $after.n
      THEN { CREATE log SET who = $auth, ac = $access, was = $before.n, is = $value.n, given = $input.n };
    DEFINE TABLE user; DEFINE TABLE OVERWRITE t PERMISSIONS FULL;
    DEFINE ACCESS people ON DATABASE TYPE RECORD SIGNUP (CREATE user:ann)`);
  const ann = database.session({});
  await ann.signUp(objectFrom({ ns: 'test', db: 'test', ac: 'people' }));
  await ann.query('CREATE t:1 SET n = 1; UPDATE t:1 SET n = 2; UPDATE t:1 SET m = 3');
  await advance(10);
  expect(await answers('SELECT VALUE [who, ac, was, is, given] FROM log ORDER BY is')).toBe(
    "[[user:ann, 'people', NONE, 1, 1], [user:ann, 'people', 1, 2, 2]]",
  );
});

test('one that fails is tried again behind the others, and reported in the end', async () => {
  await answers(`
    DEFINE EVENT fails ON t ASYNC RETRY 2 WHEN $after.bad THEN { CREATE log SET bad = true; THROW 'no' };
    DEFINE EVENT works ON t ASYNC THEN { CREATE log SET n = $after.n };
    CREATE t:1 SET bad = true, n = 1; CREATE t:2 SET n = 2`);
  await advance(10);
  expect(await answers('SELECT VALUE n FROM log ORDER BY n')).toBe('[1, 2]');
  await advance(ROUND);
  expect(lost).toEqual([]);
  await advance(ROUND);
  expect(lost.map(({ message }) => message)).toEqual([
    "The asynchronous event fails of the table t isn't run: Error while processing event fails: An error occurred: no",
  ]);
  await advance(ROUND);
  expect(lost).toHaveLength(1);
  expect(await answers('SELECT VALUE n FROM log ORDER BY n')).toBe('[1, 2]');
});

test('a chain of them ends at MAXDEPTH', async () => {
  await answers('DEFINE EVENT e ON t ASYNC MAXDEPTH 2 THEN { CREATE t SET n = $after.n + 1 }; CREATE t:1 SET n = 0');
  for (let round = 0; round < 6; round++) await advance(ROUND);
  expect(await answers('SELECT VALUE n FROM t ORDER BY n')).toBe('[0, 1, 2, 3]');
  expect(lost.map(({ message }) => message)).toEqual([
    "The asynchronous event e of the table t isn't run: MAXDEPTH 2 is reached",
  ]);
});

test('what is removed meanwhile is not run', async () => {
  await answers('DEFINE EVENT e ON t ASYNC THEN { CREATE log }; CREATE t:1; REMOVE EVENT e ON t');
  await answers('DEFINE TABLE u; DEFINE EVENT e ON u ASYNC THEN { CREATE log }; CREATE u:1; REMOVE TABLE u');
  await advance(ROUND);
  expect(await answers('SELECT * FROM log')).toBe('[]');
  expect(lost).toEqual([]);
});

test('they do no more than an editor could', async () => {
  await answers(
    "DEFINE EVENT e ON t ASYNC RETRY 0 THEN { DEFINE USER evil ON DATABASE PASSWORD 'x' ROLES OWNER }; CREATE t:1",
  );
  await advance(10);
  expect(lost).toHaveLength(1);
  expect(await answers('(INFO FOR DB).users')).toBe('{  }');
});

test('no snapshot is held while they run, since on disk it would keep from being reused what they free', async () => {
  const engine = new MemoryEngine(environment);
  let open = 0;
  const begin = engine.begin.bind(engine);
  engine.begin = (options) => {
    const transaction = begin(options);
    if (options.writable) {
      atWrites.push(open);
      return transaction;
    }
    open++;
    const cancel = transaction.cancel.bind(transaction);
    transaction.cancel = () => {
      open--;
      cancel();
    };
    return transaction;
  };
  const atWrites: number[] = [];
  database = await openDatabase(engine, { environment });
  // Other work in the background has its first round.
  await advance(10);
  session = database.ownerSession();
  await session.use('test', 'test');
  await answers('DEFINE TABLE t; DEFINE EVENT e ON t ASYNC THEN { CREATE log SET n = $after.n }');
  await answers('FOR $n IN 0..600 { CREATE t SET n = $n }');
  atWrites.length = 0;
  for (let time = 0; time < 20; time++) await advance(10);
  expect(atWrites.length).toBeGreaterThanOrEqual(600);
  expect(new Set(atWrites)).toEqual(new Set([0]));
  expect(await answers('RETURN count(SELECT * FROM log)')).toBe('600');
  expect(await answers('SELECT VALUE n FROM log ORDER BY n LIMIT 2')).toBe('[0, 1]');
});

test('the disk is waited for once for many of them', async () => {
  const engine = new MemoryEngine(environment);
  let waits = 0;
  let early = 0;
  const earlyAnswers: EarlyAnswers = {
    beginOnAccepted: (options) => {
      early++;
      return engine.begin(options);
    },
    accept: (transaction) => transaction.commit(),
    durable: () => {
      waits++;
    },
  };
  database = await openDatabase(Object.assign(engine, { earlyAnswers }), { environment });
  session = database.ownerSession();
  await session.use('test', 'test');
  await answers('DEFINE TABLE t; DEFINE EVENT e ON t ASYNC THEN { CREATE log }; FOR $n IN 0..50 { CREATE t }');
  early = 0;
  waits = 0;
  await advance(10);
  await advance(10);
  expect([early, waits]).toEqual([50, 1]);
  expect(await answers('RETURN count(SELECT * FROM log)')).toBe('50');
});

test('those that are given up are in the audit log, without what their errors say', async () => {
  const lines: string[] = [];
  database = await openDatabase(new MemoryEngine(environment), {
    environment,
    report: (error) => lost.push(error),
    audit: { sink: { write: (batch) => void lines.push(...batch) } },
  });
  session = database.ownerSession();
  await session.use('test', 'test');
  await answers(`DEFINE TABLE t; DEFINE EVENT bad ON t ASYNC RETRY 1 WHEN $event = 'CREATE' THEN { THROW 'a secret' };
    DEFINE EVENT deep ON u ASYNC MAXDEPTH 1 THEN { CREATE u }; CREATE t:1`);
  await advance(10);
  await advance(ROUND);
  await answers('CREATE u:1');
  for (let round = 0; round < 4; round++) await advance(ROUND);
  await database.close();
  const records = lines.map((line) => JSON.parse(line)).filter(({ action }) => action === 'event-lost');
  const common = { outcome: 'failed', who: { kind: 'server' }, place: { namespace: 'test', database: 'test' } };
  expect(records).toMatchObject([
    { ...common, error: 'thrown', what: { table: 't', event: 'bad', attempts: 2 } },
    { ...common, what: { table: 'u', event: 'deep', attempts: 0 } },
  ]);
  expect(lines.join()).not.toContain('a secret');
  expect(lost.map(({ code }) => code)).toEqual(['event_lost', 'event_lost']);
});

/** Live queries on one node receive what is changed on all, once and in order. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CatalogCache } from '../../src/catalog/definitions/load.js';
import { findDatabase } from '../../src/catalog/definitions/lookup.js';
import { prefixRange } from '../../src/catalog/keys/key-bytes.js';
import { liveLogPrefix } from '../../src/catalog/keys/live-keys.js';
import { watchedDatabaseKey } from '../../src/catalog/keys/node-keys.js';
import { databaseArea } from '../../src/catalog/keys/store-keys.js';
import { Retention } from '../../src/session/background/retention.js';
import { LiveRetention } from '../../src/session/nodes/live-retention.js';
import { toText } from '../../src/value/text/text.js';
import { type ObjectValue, objectFrom } from '../../src/value/value.js';
import { failureOf, live, PEOPLE, round, run, settled, shown, signUp, type TwoNodes, twoNodes } from './two-nodes.js';

let nodes: TwoNodes;
let heardOnA: string[];
let heardOnB: string[];

beforeEach(async () => {
  nodes = await twoNodes();
  heardOnA = [];
  heardOnB = [];
  nodes.a.owner.listen((each) => void heardOnA.push(shown(each)));
  nodes.b.owner.listen((each) => void heardOnB.push(shown(each)));
  await run(nodes.a.owner, 'DEFINE TABLE a; DEFINE TABLE b');
  const { environment, b } = nodes;
  const services = { engine: b.engine, environment, report: () => undefined, leases: undefined };
  retention = new Retention(services, new LiveRetention(new CatalogCache(), environment));
});
afterEach(() => retention.stop());

/** The notifications on a node since the last time. */
async function news(heard: string[]): Promise<string[]> {
  await settled();
  return heard.splice(0);
}

let retention: Retention;
/** Prunes as one of the nodes does: what is old by what it has seen before. */
async function prune(): Promise<void> {
  await retention.prune();
}

test('changes of either node, with what was there before', async () => {
  const { a, b } = nodes;
  await live(a.owner, 'LIVE SELECT x, $before.x AS old FROM a');
  await run(b.owner, 'CREATE a:1 SET x = 1');
  await run(a.owner, 'UPDATE a:1 SET x = 2');
  await run(b.owner, 'UPDATE a:1 SET x = 2; UPDATE a:1 SET x = 3; DELETE a:1; CREATE b:1');
  expect(await news(heardOnA)).toEqual([
    'CREATE a:1 { old: NONE, x: 1 }',
    'UPDATE a:1 { old: 1, x: 2 }',
    'UPDATE a:1 { old: 2, x: 3 }',
    'DELETE a:1 { old: 3, x: 3 }',
  ]);
  expect(await news(heardOnB)).toEqual([]);
});

test('one change for each record and transaction', async () => {
  const { a, b } = nodes;
  await live(a.owner, 'LIVE SELECT * FROM a');
  await run(b.owner, 'BEGIN; CREATE a:1 SET x = 1; UPDATE a:1 SET x = 2; CREATE a:2; DELETE a:2; COMMIT');
  await run(a.owner, 'BEGIN; DELETE a:1; CREATE a:1 SET x = 3; COMMIT');
  expect(await news(heardOnA)).toEqual(['CREATE a:1 { id: a:1, x: 2 }', 'UPDATE a:1 { id: a:1, x: 3 }']);
});

test('what is written faster than a node delivers stays in the log, and comes whole and in order', async () => {
  const { environment, a, b } = nodes;
  await live(a.owner, 'LIVE SELECT VALUE n FROM a');
  await settled();
  const held: (() => void)[] = [];
  const { nextRound } = environment.timers;
  environment.timers.nextRound = () => new Promise((resolve) => held.push(resolve));
  await run(b.owner, 'CREATE a:0 SET n = 0');
  await settled();
  environment.advance(21);
  for (let n = 1; n < 20; n += 2) await run(b.owner, `BEGIN; CREATE a:${n} SET n = ${n}; CREATE a:${n + 1}; COMMIT`);
  await settled();
  const { backlog } = a.database.memory;
  const waiting = backlog.used;
  for (let n = 21; n < 40; n += 2) await run(b.owner, `BEGIN; CREATE a:${n} SET n = ${n}; CREATE a:${n + 1}; COMMIT`);
  await settled();
  expect([waiting > 0, backlog.used === waiting]).toEqual([true, true]);
  environment.timers.nextRound = nextRound;
  for (const go of held) go();
  for (let step = 0; step < 20; step++) {
    await settled();
    environment.advance(5);
  }
  expect((await news(heardOnA)).map((each) => each.split(' ')[1])).toEqual(
    Array.from({ length: 41 }, (_, n) => `a:${n}`),
  );
});

test('SINCE counts a commit as delivered with its last change alone, however long it takes to read it', async () => {
  const { environment, a, b } = nodes;
  await run(a.owner, 'DEFINE TABLE f CHANGEFEED 1h INCLUDE ORIGINAL; CREATE f:before');
  const stamps: (bigint | undefined)[] = [];
  a.owner.listen(({ versionstamp }) => void stamps.push(versionstamp));
  await live(a.owner, 'LIVE SELECT VALUE id FROM f SINCE NONE');
  const { monotonic } = environment.clock;
  let late = 0;
  // Each look at the clock takes so long that others have a turn.
  environment.clock.monotonic = () => {
    late += 5;
    return monotonic() + late;
  };
  await run(b.owner, 'FOR $n IN 0..300 { CREATE type::record("f", $n) }');
  for (let step = 0; step < 40; step++) {
    await settled();
    environment.advance(5);
  }
  environment.clock.monotonic = monotonic;
  expect(stamps).toHaveLength(300);
  const [commit] = stamps.slice(-1);
  expect(stamps.filter((stamp) => stamp === commit)).toHaveLength(1);
});

test('what is changed before the table is removed, then the end', async () => {
  const { a, b } = nodes;
  await live(a.owner, 'LIVE SELECT * FROM a');
  await run(b.owner, 'CREATE a:1; DELETE a:1; REMOVE TABLE a');
  expect(await news(heardOnA)).toEqual(['CREATE a:1 { id: a:1 }', 'DELETE a:1 { id: a:1 }', 'KILLED table_missing']);
});

test.each(['DATABASE test', 'NAMESPACE test'])('what is changed before %s is removed, then the end', async (what) => {
  const { a, b } = nodes;
  await live(a.owner, 'LIVE SELECT * FROM a');
  await run(b.owner, `CREATE a:1; UPDATE a:1 SET x = 1; REMOVE ${what}`);
  expect(await news(heardOnA)).toEqual([
    'CREATE a:1 { id: a:1 }',
    'UPDATE a:1 { id: a:1, x: 1 }',
    'KILLED table_missing',
  ]);
});

test('what is still being evaluated when the table is removed, then the end', async () => {
  const { a, b } = nodes;
  let evaluated = 0;
  let removed: Promise<unknown> | undefined;
  a.owner.listen((each) => {
    heardOnA.push(shown(each));
    if (++evaluated === 3) removed = run(b.owner, 'REMOVE TABLE a');
    return removed?.then(() => undefined);
  });
  await live(a.owner, 'LIVE SELECT VALUE n FROM a');
  await run(b.owner, 'FOR $n IN 0..10 { CREATE type::record("a", $n) SET n = $n }');
  const creations = Array.from({ length: 10 }, (_, n) => `CREATE a:${n} ${n}`);
  expect(await news(heardOnA)).toEqual([...creations, 'KILLED table_missing']);
});

test('differences, and records as users may see them', async () => {
  const { a, b } = nodes;
  await run(a.owner, `${PEOPLE}; DEFINE TABLE post PERMISSIONS FOR select WHERE owner = $auth OR public`);
  const heard: string[] = [];
  const ann = await signUp(a, 'ann', heard);
  await live(ann, 'LIVE SELECT DIFF FROM post');
  await run(b.owner, 'CREATE post:1 SET owner = user:ann, text = 1; CREATE post:2 SET owner = user:bob');
  await run(b.owner, 'UPDATE post:1 SET text = 2; UPDATE post:2 SET public = true');
  expect(await news(heard)).toEqual([
    "CREATE post:1 [{ op: 'replace', path: '', value: { id: post:1, owner: user:ann, text: 1 } }]",
    "UPDATE post:1 [{ op: 'replace', path: '/text', value: 2 }]",
    "UPDATE post:2 [{ op: 'replace', path: '', value: { id: post:2, owner: user:bob, public: true } }]",
  ]);
});

test('changes of views, of edges, and of records in events', async () => {
  const { a, b } = nodes;
  await run(
    a.owner,
    `DEFINE TABLE totals AS SELECT count() AS n FROM a GROUP ALL; DEFINE TABLE knows TYPE RELATION;
     DEFINE EVENT copy ON a THEN (UPSERT b:1 SET n = $after.x)`,
  );
  await live(a.owner, 'LIVE SELECT VALUE n FROM totals');
  await live(a.owner, 'LIVE SELECT VALUE in FROM knows');
  await live(a.owner, 'LIVE SELECT VALUE n FROM b');
  await run(b.owner, 'CREATE a:1 SET x = 5; RELATE a:1->knows:1->a:1');
  expect(await news(heardOnA)).toEqual(['CREATE totals:[] 1', 'CREATE b:1 5', 'CREATE knows:1 a:1']);
});

test('no change of a transaction that is rolled back, nor those of statements in it that fail', async () => {
  const { a, b } = nodes;
  await live(a.owner, 'LIVE SELECT VALUE x FROM a');
  await failureOf(() => run(b.owner, 'BEGIN; CREATE a:1 SET x = 1; CANCEL'));
  await run(b.owner, 'CREATE a:2 SET x = 2; CREATE a:2 SET x = 3').catch(() => undefined);
  expect(await news(heardOnA)).toEqual(['CREATE a:2 2']);
});

test('the answer of LIVE precedes, and what its own transaction does does not come', async () => {
  const { a, b } = nodes;
  await run(a.owner, 'BEGIN; CREATE a:0 SET x = 0; LIVE SELECT VALUE x FROM a; CREATE a:1 SET x = 1; COMMIT');
  await run(b.owner, 'CREATE a:2 SET x = 2');
  expect(await news(heardOnA)).toEqual(['CREATE a:2 2']);
});

test('a writer that began before the table was watched conflicts, and runs again', async () => {
  const { a, b } = nodes;
  const writer = await b.owner.begin();
  await writer.query('CREATE a:1 SET x = 1');
  await live(a.owner, 'LIVE SELECT VALUE x FROM a');
  expect(await failureOf(() => writer.commit())).toBe('transaction_conflict');
  await run(b.owner, 'CREATE a:1 SET x = 2');
  expect(await news(heardOnA)).toEqual(['CREATE a:1 2']);
});

test('commits of both nodes at once, each once and in the same order on both', async () => {
  const { a, b } = nodes;
  await live(a.owner, 'LIVE SELECT VALUE n FROM a');
  await live(b.owner, 'LIVE SELECT VALUE n FROM a');
  const writers = [a, b, a, b].map(async ({ database }, writer) => {
    const session = database.ownerSession();
    await session.use('test', 'test');
    for (let n = 0; n < 25; n++) {
      await run(session, `CREATE a SET n = ${writer * 100 + n}`);
      if (n % 3 === writer % 3) await round();
    }
  });
  await Promise.all(writers);
  const [onA, onB] = [await news(heardOnA), await news(heardOnB)];
  expect(onA).toHaveLength(100);
  expect(new Set(onA).size).toBe(100);
  expect(onB).toEqual(onA);
});

test('a query that begins late receives what comes after its LIVE, also where others have read further', async () => {
  const { a, b } = nodes;
  await live(a.owner, 'LIVE SELECT VALUE x FROM a');
  await run(b.owner, 'CREATE a:1 SET x = 1');
  expect(await news(heardOnA)).toEqual(['CREATE a:1 1']);
  const heard: string[] = [];
  const late = a.database.ownerSession();
  late.listen((each) => void heard.push(shown(each)));
  await late.use('test', 'test');
  await live(late, 'LIVE SELECT VALUE x FROM a');
  await run(b.owner, 'CREATE a:2 SET x = 2');
  expect(await news(heard)).toEqual(['CREATE a:2 2']);
  expect(await news(heardOnA)).toEqual(['CREATE a:2 2']);
});

test('SINCE resumes behind a versionstamp that the other node has given', async () => {
  const { a, b } = nodes;
  await run(a.owner, 'DEFINE TABLE f CHANGEFEED 1h INCLUDE ORIGINAL');
  const stamps: unknown[] = [];
  const first = a.database.ownerSession();
  first.listen(({ versionstamp }) => void stamps.push(versionstamp));
  await first.use('test', 'test');
  await live(first, 'LIVE SELECT VALUE x FROM f SINCE NONE');
  await run(b.owner, 'CREATE f:1 SET x = 1');
  await settled();
  first.close();
  await run(b.owner, 'CREATE f:2 SET x = 2');
  await run(a.owner, 'CREATE f:3 SET x = 3');
  await live(b.owner, `LIVE SELECT VALUE x FROM f SINCE ${stamps[0]}`);
  await run(a.owner, 'CREATE f:4 SET x = 4');
  expect(await news(heardOnB)).toEqual(['CREATE f:2 2', 'CREATE f:3 3', 'CREATE f:4 4']);
});

describe('a live query ends', () => {
  test.each(['TABLE a', 'DATABASE test', 'NAMESPACE test'])('when the other node removes %s', async (what) => {
    const { a, b } = nodes;
    await live(a.owner, 'LIVE SELECT VALUE x FROM a');
    await run(b.owner, 'CREATE a:1 SET x = 1');
    expect(await news(heardOnA)).toEqual(['CREATE a:1 1']);
    await run(b.owner, `REMOVE ${what}`);
    expect(await news(heardOnA)).toEqual(['KILLED table_missing']);
  });

  test('by KILL on the other node, of those who may edit the database', async () => {
    const { a, b } = nodes;
    await run(a.owner, PEOPLE);
    const id = await live(a.owner, 'LIVE SELECT * FROM a');
    const ann = await signUp(b, 'ann');
    expect(await failureOf(() => run(ann, `KILL ${toText(id)}`))).toBe('live_query_missing');
    await run(b.owner, `KILL ${toText(id)}`);
    expect(await news(heardOnA)).toEqual(['KILLED']);
    expect(await failureOf(() => run(b.owner, `KILL ${toText(id)}`))).toBe('live_query_missing');
  });

  test('when its node was behind for longer than changes are kept', async () => {
    const { a, b, environment } = nodes;
    await live(a.owner, 'LIVE SELECT VALUE x FROM a');
    a.engine.hold();
    await run(b.owner, 'CREATE a:1 SET x = 1');
    await prune();
    environment.advance(61_000);
    await prune();
    await run(b.owner, 'CREATE a:2 SET x = 2');
    a.engine.restore();
    expect(await news(heardOnA)).toEqual(['KILLED live_queries_behind']);
  });
});

test('INFO FOR TABLE lists the live queries of all nodes until they end', async () => {
  const { a, b } = nodes;
  const id = await live(a.owner, 'LIVE SELECT x FROM a');
  const lives = async () => ((await run(b.owner, 'INFO FOR TABLE a'))[0] as ObjectValue)['lives'] as ObjectValue;
  expect(await lives()).toEqual({ [id.text]: 'LIVE SELECT x FROM a' });
  const [structure] = await run(b.owner, 'INFO FOR TABLE a STRUCTURE');
  expect(toText((structure as ObjectValue)['lives'])).toContain(id.text);
  a.owner.close();
  await settled();
  expect(await lives()).toEqual({});
});

describe('the log of changes', () => {
  test('is pruned when its database has been removed, and then nothing is left of it', async () => {
    const { a, b, environment } = nodes;
    await live(a.owner, 'LIVE SELECT * FROM a');
    const before = b.engine.begin({ writable: false });
    const id = (await findDatabase(before, 'test', 'test'))?.id as number;
    before.cancel();
    await run(b.owner, 'CREATE a:1; REMOVE DATABASE test');
    await settled();
    expect(heardOnA).toHaveLength(2);
    await prune();
    environment.advance(61_000);
    await prune();
    await prune();
    const left = b.engine.begin({ writable: false });
    expect([await left.count(prefixRange(databaseArea(id))), await left.get(watchedDatabaseKey(id))]).toEqual([
      0,
      undefined,
    ]);
    left.cancel();
  });

  test('holds nothing of tables that are not watched, and is pruned after a minute', async () => {
    const { a, b, environment } = nodes;
    await live(a.owner, 'LIVE SELECT * FROM a');
    await run(b.owner, 'CREATE b:1; CREATE a:1');
    expect(await logged()).toBe(1);
    await prune();
    environment.advance(30_000);
    await run(b.owner, 'CREATE a:2');
    await prune();
    environment.advance(31_000);
    await prune();
    expect(await logged()).toBe(1);
  });

  test('gets no more once no node has renewed the watch', async () => {
    const { a, b, environment } = nodes;
    await live(a.owner, 'LIVE SELECT * FROM a');
    a.owner.close();
    await settled();
    await prune();
    environment.advance(601_000);
    await prune();
    await run(b.owner, 'CREATE a:1');
    expect(await logged()).toBe(0);
  });

  test('goes on while a node has live queries', async () => {
    const { a, b, environment } = nodes;
    await live(a.owner, 'LIVE SELECT VALUE x FROM a');
    for (let minutes = 0; minutes < 30; minutes += 2) {
      environment.advance(120_000);
      await settled();
      await prune();
    }
    await run(b.owner, 'CREATE a:1 SET x = 1');
    expect(await news(heardOnA)).toEqual(['CREATE a:1 1']);
  });

  test('outlasts a new definition of the table', async () => {
    const { a, b } = nodes;
    await live(a.owner, 'LIVE SELECT VALUE x FROM a');
    await run(b.owner, 'DEFINE TABLE OVERWRITE a SCHEMALESS; ALTER TABLE a COMMENT "x"; CREATE a:1 SET x = 1');
    expect(await news(heardOnA)).toEqual(['CREATE a:1 1']);
  });

  /** How many entries it has. */
  async function logged(): Promise<number> {
    const transaction = await nodes.a.engine.begin({ writable: false });
    const database = await findDatabase(transaction, 'test', 'test');
    return transaction.count(prefixRange(liveLogPrefix(database?.id ?? 0)));
  }
});

test('a record that takes too much room to be logged ends the live queries on its table', async () => {
  const { a, b } = nodes;
  await live(a.owner, 'LIVE SELECT VALUE x FROM a');
  await live(a.owner, 'LIVE SELECT VALUE x FROM b');
  await b.owner.query('CREATE a:1 SET x = $x', objectFrom({ x: 'x'.repeat(17 * 2 ** 20) }));
  await run(b.owner, 'CREATE b:1 SET x = 1');
  expect((await news(heardOnA)).sort()).toEqual(['CREATE b:1 1', 'KILLED live_queries_behind']);
});

describe('changes that wait while the store is away', () => {
  let read: () => void;

  /** The first of three changes is being sent when the store goes away; the others haven't been evaluated. */
  beforeEach(async () => {
    const { a, b } = nodes;
    const reading = new Promise<void>((resolve) => {
      read = resolve;
    });
    a.owner.listen((each) => {
      heardOnA.push(shown(each));
      return heardOnA.length === 1 ? reading : undefined;
    });
    await live(a.owner, 'LIVE SELECT VALUE n FROM a');
    await run(b.owner, 'FOR $n IN 0..3 { CREATE type::record("a", $n) SET n = $n }');
    await settled();
    a.engine.cut();
    read();
    await settled();
  });

  async function pass(milliseconds: number): Promise<void> {
    for (let left = milliseconds; left > 0; left -= 1_000) {
      nodes.environment.advance(1_000);
      await settled();
    }
  }

  test('come when it is back', async () => {
    const { a, b, environment } = nodes;
    await pass(3_000);
    a.engine.restore();
    await run(b.owner, 'CREATE a:3 SET n = 3');
    environment.advance(1_000);
    expect(await news(heardOnA)).toEqual(['CREATE a:0 0', 'CREATE a:1 1', 'CREATE a:2 2', 'CREATE a:3 3']);
  });

  test('end the query when it is away for longer than changes may wait', async () => {
    await pass(32_000);
    nodes.a.engine.restore();
    expect(await news(heardOnA)).toEqual(['CREATE a:0 0', 'KILLED live_queries_behind']);
  });
});

/** Changes that wait for a client: the work that they cause together, and how long they may wait. */
import { beforeEach, expect, test } from 'vitest';
import type { Notification, Session } from '../../src/session/contract.js';
import { type OpenDatabase, openDatabase } from '../../src/session/database/database.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { StubbedEnvironment } from '../support/environment.js';
import { answer, run } from '../support/world.js';

let environment: StubbedEnvironment;
let database: OpenDatabase;
let owner: Session;
/** Read transactions: how many were begun, and those that are open. */
let begun: number;
let open: Set<object>;

beforeEach(async () => {
  environment = new StubbedEnvironment();
  environment.timers.yield = () => new Promise((resolve) => setImmediate(resolve));
  const engine = new MemoryEngine(environment);
  begun = 0;
  open = new Set();
  const begin = engine.begin.bind(engine);
  engine.begin = (options) => {
    const transaction = begin(options);
    if (options.writable) return transaction;
    begun++;
    open.add(transaction);
    const cancel = transaction.cancel.bind(transaction);
    transaction.cancel = () => {
      open.delete(transaction);
      cancel();
    };
    return transaction;
  };
  database = await openDatabase(engine, { environment, liveMaxAge: 10_000 });
  owner = database.ownerSession();
  await owner.use('test', 'test');
  await run(
    owner,
    'DEFINE TABLE a PERMISSIONS FULL; DEFINE USER ann ON DATABASE PASSWORD "secret" ROLES OWNER; DEFINE TABLE seen',
  );
});

async function quiet(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** A session with a live query; `read` ends when the client has read a notification. */
async function listening(
  query: string,
  read: (notification: Notification) => void | Promise<void> = () => undefined,
): Promise<{ session: Session; heard: Notification[] }> {
  const session = database.ownerSession();
  await session.use('test', 'test');
  const heard: Notification[] = [];
  session.listen((notification) => {
    heard.push(notification);
    return read(notification);
  });
  await run(session, query);
  return { session, heard };
}

test('all that wait are evaluated in one view of the store', async () => {
  const { heard } = await listening('LIVE SELECT *, (SELECT VALUE id FROM seen) AS seen FROM a');
  await quiet();
  begun = 0;
  await run(owner, 'FOR $n IN 0..300 { CREATE type::record("a", $n) }');
  await quiet();
  expect(heard).toHaveLength(300);
  // The clock stands still: one, and those of the statement.
  expect(begun).toBeLessThanOrEqual(2);
  expect(open.size).toBe(0);
});

test('each is evaluated in a view that shows its own commit', async () => {
  const { heard } = await listening('LIVE SELECT VALUE (SELECT VALUE n FROM seen) FROM a');
  for (let n = 1; n <= 3; n++) {
    await run(owner, `CREATE seen:${n} SET n = ${n}; CREATE a:${n}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await quiet();
  expect(heard.map(({ result }) => (result as unknown[]).length)).toSatisfy((lengths: number[]) =>
    lengths.every((length, at) => length >= at + 1),
  );
});

test('a view is as of now, however long the changes have waited', async () => {
  let evaluated = 0;
  const { heard } = await listening('LIVE SELECT VALUE array::len(SELECT VALUE id FROM seen) FROM a', () => {
    // While the changes of one commit are sent, time passes and others commit.
    environment.advance(60);
    evaluated++;
    return run(owner, `CREATE seen:${evaluated}`).then(() => undefined);
  });
  await run(owner, 'CREATE a:1; CREATE a:2; CREATE a:3');
  await quiet();
  expect(heard.map(({ result }) => result)).toEqual([0n, 1n, 2n].map(Number));
});

test('nothing of the store is held while a client reads', async () => {
  let go: (() => void) | undefined;
  const reading = new Promise<void>((resolve) => {
    go = resolve;
  });
  const { heard } = await listening('LIVE SELECT * FROM a', () => reading);
  await run(owner, 'CREATE a:1; CREATE a:2');
  await quiet();
  expect(heard).toHaveLength(1);
  expect(open.size).toBe(0);
  go?.();
  await quiet();
  expect(heard).toHaveLength(2);
});

test('a client that is too far behind by time loses its queries, and INFO FOR SESSIONS has by how much', async () => {
  let go: (() => void) | undefined;
  const session = database.session({});
  const heard: Notification[] = [];
  session.listen((notification) => {
    heard.push(notification);
    return new Promise((resolve) => {
      go = resolve;
    });
  });
  await session.signIn({ NS: 'test', DB: 'test', user: 'ann', pass: 'secret' } as never);
  await run(session, 'LIVE SELECT * FROM a');
  const behind = () => answer(owner, 'SELECT VALUE behind FROM (INFO FOR SESSIONS)');
  expect(await behind()).toBe('[0ns]');
  await run(owner, 'CREATE a:1; CREATE a:2');
  await quiet();
  environment.advance(9_000);
  expect(await behind()).toBe('[9s]');
  await run(owner, 'CREATE a:3');
  environment.advance(1_001);
  await run(owner, 'CREATE a:4');
  go?.();
  await quiet();
  go?.();
  await quiet();
  expect(heard.map(({ action, reason }) => reason?.code ?? action)).toEqual(['CREATE', 'live_queries_behind']);
  expect(await behind()).toBe('[0ns]');
});

test('a change that takes too long to evaluate ends the queries rather than being left out', async () => {
  const { heard } = await listening('LIVE SELECT n, IF n = 2 { SLEEP 1m } AS slept FROM a');
  await run(owner, 'CREATE a:1 SET n = 1; CREATE a:2 SET n = 2; CREATE a:3 SET n = 3');
  await quiet();
  expect(heard).toHaveLength(1);
  environment.advance(5_001);
  await quiet();
  expect(heard.map(({ action, reason }) => reason?.code ?? action)).toEqual(['CREATE', 'live_queries_behind']);
});

test('a client that reads in time stays, however long it lasts', async () => {
  const { heard } = await listening('LIVE SELECT * FROM a');
  for (let n = 0; n < 30; n++) {
    await run(owner, `CREATE a:${n}`);
    await quiet();
    environment.advance(1_000);
  }
  expect(heard).toHaveLength(30);
});

/** Deliveries wait until the result is called. */
function holdDeliveries(): () => void {
  const held: (() => void)[] = [];
  const { nextRound } = environment.timers;
  environment.timers.nextRound = () => new Promise((resolve) => held.push(resolve));
  return () => {
    environment.timers.nextRound = nextRound;
    for (const go of held) go();
  };
}

/** Runs a statement, and says whether it has been answered. */
function asked(text: string): { isAnswered: boolean } {
  const write = { isAnswered: false };
  void run(owner, text).then(() => {
    write.isAnswered = true;
  });
  return write;
}

test('a writer waits for those who listen where the server is late, and goes on once it is not', async () => {
  const { heard } = await listening('LIVE SELECT * FROM a');
  const deliver = holdDeliveries();
  await run(owner, 'CREATE a:1');
  environment.advance(21);
  const waiting = asked('CREATE a:2');
  const other = asked('CREATE seen:1');
  await quiet();
  expect([waiting.isAnswered, other.isAnswered]).toEqual([false, true]);
  // Its commit isn't held up.
  expect(await answer(owner, 'SELECT VALUE id FROM a')).toBe('[a:1, a:2]');
  deliver();
  await quiet();
  expect(heard).toHaveLength(2);
  environment.advance(5);
  await quiet();
  expect(waiting.isAnswered).toBe(true);
});

test('a block and a transaction of a client wait likewise, and none for longer than a tenth of a second', async () => {
  await listening('LIVE SELECT * FROM a');
  holdDeliveries();
  await run(owner, 'CREATE a:1');
  environment.advance(21);
  const held = await owner.begin();
  await held.query('CREATE a:2');
  let isCommitted = false;
  void held.commit().then(() => {
    isCommitted = true;
  });
  const block = asked('BEGIN; CREATE a:3; CREATE a:4; COMMIT');
  await quiet();
  for (let step = 0; step < 19; step++) {
    environment.advance(5);
    await quiet();
  }
  expect([isCommitted, block.isAnswered]).toEqual([false, false]);
  environment.advance(5);
  await quiet();
  expect([isCommitted, block.isAnswered]).toEqual([true, true]);
});

test('no writer waits for a client that does not read, nor for the few whose queries are slow', async () => {
  await listening('LIVE SELECT * FROM a', () => new Promise(() => undefined));
  await run(owner, 'CREATE a:1');
  await quiet();
  environment.advance(1_000);
  const write = asked('CREATE a:2');
  await quiet();
  expect(write.isAnswered).toBe(true);
  await listening('LIVE SELECT * FROM a');
  await listening('LIVE SELECT *, IF true { SLEEP 1m } AS slept FROM a');
  await listening('LIVE SELECT * FROM a');
  await run(owner, 'CREATE a:3');
  await quiet();
  environment.advance(1_000);
  const another = asked('CREATE a:4');
  await quiet();
  expect(another.isAnswered).toBe(true);
});

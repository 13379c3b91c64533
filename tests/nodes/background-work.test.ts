/** Asynchronous events, mails, builds of indexes and the retention of changefeeds where several nodes use one store. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findDatabase } from '../../src/catalog/definitions/lookup.js';
import { entriesOf } from '../../src/catalog/entries.js';
import { describeKey } from '../../src/catalog/keys/describe-key.js';
import { prefixRange } from '../../src/catalog/keys/key-bytes.js';
import { SIGNAL_LOG } from '../../src/catalog/keys/node-keys.js';
import { DATABASE_GROUPS, type DatabaseWork, holderOf, workOnGroup } from '../../src/catalog/nodes/lease-row.js';
import { checkEntries } from '../../src/ddl/check/check-entries.js';
import { Faults } from '../../src/ddl/check/fault.js';
import type { DatabaseOptions } from '../../src/session/database/options.js';
import { NODE_RENEWAL_INTERVAL } from '../../src/session/nodes/membership.js';
import { withRetries } from '../../src/storage/retry.js';
import { fakeNetwork } from '../support/fake-network.js';
import { type DatabaseNode, NodeDatabases } from '../support/node-databases.js';

/** Within this time another node goes on with the work of one that has died, in milliseconds. */
const TAKE_OVER = 5_000;

let nodes: NodeDatabases;
beforeEach(() => {
  nodes = new NodeDatabases();
});
afterEach(() => nodes.close());

/** So many nodes, which have shared out the work. */
async function join(count: number, options: DatabaseOptions = {}): Promise<DatabaseNode[]> {
  const joined: DatabaseNode[] = [];
  while (joined.length < count) joined.push(await nodes.join(options));
  await nodes.pass(3 * NODE_RENEWAL_INTERVAL);
  return joined;
}

/** The node that does some work on `test` / `test`, and the others. */
async function byWork(
  all: readonly DatabaseNode[],
  kind: DatabaseWork,
): Promise<readonly [DatabaseNode, DatabaseNode]> {
  const [{ engine }] = all as [DatabaseNode];
  const reader = engine.begin({ writable: false });
  const { id } = (await nodes.during(findDatabase(reader, 'test', 'test'))) ?? { id: 0 };
  const holder = await nodes.during(holderOf(reader, workOnGroup(kind, id % DATABASE_GROUPS)));
  reader.cancel();
  const worker = all.find((each) => each.id === holder) as DatabaseNode;
  return [worker, all.find((each) => each !== worker) as DatabaseNode];
}

describe('A mail', () => {
  const network = { allow: 'all' as const };
  const CONFIG = "DEFINE CONFIG MAIL FROM 'a@shop.example' SMTP 'smtps://93.184.216.34'";

  /** Queues mails by a node, as a sign-in does there. */
  function queue(node: DatabaseNode, ...recipients: readonly string[]): Promise<void> {
    const expires = nodes.world.clock.now() + 600_000_000_000n;
    const work = withRetries(node.engine, async (transaction) => {
      const { id } = (await findDatabase(transaction, 'test', 'test'))!;
      const place = { id, namespace: 'test', name: 'test' };
      for (const to of recipients)
        await node.database.outbox.queue(transaction, place, {
          to,
          subject: 'Code',
          text: '1',
          html: '1',
          kind: 'code',
          expires,
        });
    });
    return nodes.during(Promise.resolve(work));
  }
  const recipients = () => nodes.world.mail.taken.map(({ mail }) => mail.to).sort();

  test('is sent once, by the node that has the lease, soon after the commit of another', async () => {
    const [one, two, three] = (await join(3, { network })) as [DatabaseNode, DatabaseNode, DatabaseNode];
    await nodes.ask(one, CONFIG);
    await queue(one, 'one@example.com');
    await queue(two, 'two@example.com');
    await queue(three, 'three@example.com');
    await nodes.pass(200);
    expect(recipients()).toEqual(['one@example.com', 'three@example.com', 'two@example.com']);
    await nodes.pass(60_000);
    expect(nodes.world.mail.tries).toHaveLength(3);
  });

  test('is sent by the next node if one dies or stands still in the middle, twice at most', async () => {
    const [one, two] = await byWork(await join(2, { network }), 'mail');
    await nodes.ask(two, CONFIG);
    const held: (() => void)[] = [];
    nodes.world.mail.answer = async ({ beforeText }) => {
      await beforeText();
      await new Promise<void>((resolve) => held.push(resolve));
    };
    await queue(two, 'ann@example.com');
    await nodes.pass(200);
    expect(nodes.world.mail.tries).toHaveLength(1);
    one.process.pause();
    nodes.world.mail.answer = ({ beforeText }) => beforeText();
    await nodes.pass(TAKE_OVER);
    // The first try may still go on.
    expect(nodes.world.mail.tries).toHaveLength(1);
    await nodes.pass(45_000);
    expect(recipients()).toEqual(['ann@example.com']);
    held[0]?.();
    one.process.resume();
    await nodes.pass(60_000);
    expect(recipients()).toEqual(['ann@example.com', 'ann@example.com']);
    expect(await nodes.ask(two, '(INFO FOR MAIL).map(|$mail| [$mail.state, $mail.tries])')).toBe("[['sent', 2]]");
    expect([...one.reported, ...two.reported]).toEqual([]);
  });

  test('that was not handed over when its node is closed is sent by another at once', async () => {
    const [one, two] = await byWork(await join(2, { network }), 'mail');
    await nodes.ask(two, CONFIG);
    nodes.world.mail.answer = ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    await queue(two, 'ann@example.com');
    await nodes.pass(200);
    nodes.world.mail.answer = ({ beforeText }) => beforeText();
    await nodes.during(one.database.close());
    await nodes.pass(200);
    expect(recipients()).toEqual(['ann@example.com']);
    expect(await nodes.ask(two, '(INFO FOR MAIL).map(|$mail| [$mail.state, $mail.tries])')).toBe("[['sent', 1]]");
  });
});

describe('An asynchronous event', () => {
  const CALL = "http::get('http://93.184.216.34:80/')";
  const network = { allow: 'all' as const };
  /** The answers that wait, each with what gives it. */
  let calls: (() => void)[];
  /** Whether calls wait until they are answered. */
  let areHeld: boolean;
  beforeEach(() => {
    calls = [];
    areHeld = false;
    const server = () =>
      new Promise<{ status: number; headers: object; body: Uint8Array }>((resolve) => {
        calls.push(() => resolve({ status: 200, headers: {}, body: new Uint8Array(0) }));
        if (!areHeld) calls.at(-1)?.();
      });
    nodes.network = fakeNetwork({ servers: { '93.184.216.34:80': server as never } });
  });

  async function define(node: DatabaseNode): Promise<void> {
    await nodes.ask(
      node,
      `DEFINE TABLE t; DEFINE TABLE log; DEFINE EVENT e ON t ASYNC THEN { ${CALL}; CREATE log SET n = $after.n }`,
    );
  }
  const logged = (node: DatabaseNode) => nodes.ask(node, 'SELECT VALUE n FROM log ORDER BY n');

  test('runs once, on the node that has the lease, soon after the commit of another', async () => {
    const [one, two, three] = (await join(3, { network })) as [DatabaseNode, DatabaseNode, DatabaseNode];
    await define(two);
    await nodes.ask(two, 'CREATE t:2 SET n = 2');
    await nodes.ask(three, 'CREATE t:3 SET n = 3');
    await nodes.ask(one, 'CREATE t:1 SET n = 1');
    await nodes.pass(200);
    expect(await logged(two)).toBe('[1, 2, 3]');
    await nodes.pass(20_000);
    expect(await logged(three)).toBe('[1, 2, 3]');
    expect(calls).toHaveLength(3);
  });

  test('is run again by the next node if one dies in the middle, with one effect on the store', async () => {
    const [one, two] = await byWork(await join(2, { network }), 'events');
    await define(one);
    areHeld = true;
    await nodes.ask(two, 'CREATE t:1 SET n = 1; CREATE t:2 SET n = 2');
    await nodes.pass(200);
    expect(calls).toHaveLength(1);
    areHeld = false;
    one.process.pause();
    await nodes.pass(TAKE_OVER);
    expect(await logged(two)).toBe('[1, 2]');
    expect(calls).toHaveLength(3);
    // Later commits of the first one have no effect.
    calls[0]?.();
    one.process.resume();
    await nodes.pass(TAKE_OVER);
    expect(await logged(two)).toBe('[1, 2]');
    expect([...one.reported, ...two.reported]).toEqual([]);
  });

  test('that failed is listed on each node, and runs again where the lease is when another retries it', async () => {
    const [one, two] = await byWork(await join(2, { network }), 'events');
    await nodes.ask(
      one,
      "DEFINE TABLE t; DEFINE TABLE log; CREATE closed:1; DEFINE EVENT e ON t ASYNC RETRY 0 THEN { IF record::exists(closed:1) { THROW 'closed' }; CREATE log SET n = $after.n }",
    );
    await nodes.ask(two, 'CREATE t:1 SET n = 1; CREATE t:2 SET n = 2');
    await nodes.pass(200);
    for (const node of [one, two]) expect(await nodes.ask(node, '(INFO FOR EVENTS).id')).toBe('[2, 1]');
    await nodes.ask(two, 'DELETE closed:1; KILL EVENT 1; RETRY EVENTS');
    await nodes.pass(200);
    expect(await logged(two)).toBe('[2]');
    expect(await nodes.ask(one, 'INFO FOR EVENTS')).toBe('[]');
  });

  test('goes on elsewhere as soon as its node is closed, when what is under way has ended', async () => {
    const [one, two] = await byWork(await join(2, { network }), 'events');
    await define(one);
    areHeld = true;
    await nodes.ask(two, 'CREATE t:1 SET n = 1; CREATE t:2 SET n = 2');
    await nodes.pass(200);
    const closed = one.database.close();
    await nodes.pass(300);
    areHeld = false;
    calls[0]?.();
    await nodes.during(closed);
    await nodes.pass(200);
    expect(await logged(two)).toBe('[1, 2]');
    expect(calls).toHaveLength(2);
  });

  test('of each database has its own order, and failed ones are repeated as often as they may', async () => {
    const [one, two] = (await join(2)) as [DatabaseNode, DatabaseNode];
    const databases = ['a', 'b', 'c', 'd', 'e', 'f'];
    for (const database of databases) {
      await nodes.ask(
        two,
        `USE DB ${database}; DEFINE TABLE t; DEFINE TABLE log;
        DEFINE EVENT e ON t ASYNC RETRY 2 THEN { IF $after.n = 2 { THROW 'no' }; CREATE log SET n = $after.n, at = count(SELECT * FROM log) }`,
      );
      await nodes.ask(two, `USE DB ${database}; FOR $n IN [3, 2, 1, 4] { CREATE t SET n = $n }`);
    }
    await nodes.pass(15_000);
    for (const database of databases)
      expect(await nodes.ask(two, `USE DB ${database}; SELECT VALUE n FROM log ORDER BY at`)).toBe('[3, 1, 4]');
    expect([...one.reported, ...two.reported].map(({ code }) => code)).toEqual(databases.map(() => 'event_lost'));
    // They have run those of some databases each.
    for (const { reported } of [one, two]) expect(reported.length).toBeGreaterThan(0);
  });
});

describe('The build of an index', () => {
  test('goes on where it was within seconds when its node dies, and disturbs no client', async () => {
    const [one, two] = await byWork(await join(2), 'indexes');
    await nodes.ask(two, 'DEFINE TABLE t; FOR $i IN 0..2500 { CREATE type::record("t", $i) SET a = $i % 7 }');
    // It yields after each step, of which there are two.
    one.process.pauseAfter(0);
    await nodes.ask(two, 'DEFINE INDEX i ON t FIELDS a CONCURRENTLY');
    await nodes.pass(200);
    expect(await nodes.ask(two, '(INFO FOR INDEX i ON t).building')).toBe(
      "{ initial: 2048, pending: 0, status: 'indexing' }",
    );
    await nodes.pass(TAKE_OVER);
    expect(await nodes.ask(two, '(INFO FOR INDEX i ON t).building')).toBe(
      "{ initial: 2500, pending: 0, status: 'ready', updated: 0 }",
    );
    one.process.resume();
    await nodes.pass(TAKE_OVER);
    expect(await nodes.ask(one, 'RETURN count(SELECT * FROM t WHERE a = 1)')).toBe('357');
    expect([...one.reported, ...two.reported]).toEqual([]);
    const faults = new Faults();
    await nodes.during(checkEntries(two.engine, faults, () => {}));
    expect(faults.listed).toEqual([]);
  });
});

describe('The retention of changefeeds', () => {
  test('is kept by the node that has the lease, and by the next one when it dies', async () => {
    // The first round comes when the lease is granted.
    const [one, two] = await byWork(await join(2), 'changefeeds');
    await nodes.ask(two, 'DEFINE TABLE t CHANGEFEED 1m; CREATE t:1');
    const changes = async () => {
      const reader = two.engine.begin({ writable: false });
      const entries = await nodes.during(entriesOf(reader, prefixRange('D')));
      reader.cancel();
      return entries.filter(([key]) => describeKey(key).startsWith('an entry of a changefeed')).length;
    };
    await nodes.pass(10_000);
    expect(await changes()).toBe(2);
    one.process.pause();
    await nodes.pass(100_000);
    expect(await changes()).toBe(0);
  });
});

describe('A node whose clock is a day ahead', () => {
  const DAY = 86_400_000_000_000n;
  /** Entries of changefeeds, of the log of live queries, and signals. */
  const logged = async ({ engine }: DatabaseNode) => {
    const reader = engine.begin({ writable: false });
    const entries = await nodes.during(entriesOf(reader, prefixRange('D')));
    reader.cancel();
    const kinds = entries.map(([key]) => (key.startsWith(SIGNAL_LOG) ? 'a signal' : describeKey(key)));
    return kinds.filter((kind) => /^(a signal|an entry of a changefeed|a change for live)/.test(kind)).length;
  };

  test('removes nothing before its time: of changefeeds, of live queries, of signals', async () => {
    const one = await nodes.join({}, DAY);
    const two = await nodes.join({}, DAY);
    two.owner.listen(() => undefined);
    await nodes.ask(one, 'DEFINE TABLE t CHANGEFEED 1h');
    const id = await nodes.ask(two, 'LIVE SELECT * FROM t');
    await nodes.ask(one, 'CREATE t:1');
    await nodes.ask(one, `KILL ${id}`);
    await nodes.pass(3_000);
    const before = await logged(one);
    expect(before).toBe(4);
    await nodes.pass(56_000);
    expect(await logged(one)).toBe(before);
    await nodes.pass(100_000);
    // The change for live queries is gone.
    expect(await logged(one)).toBe(before - 1);
    // Each says once that its clock is ahead of the store's.
    for (const { reported } of [one, two]) expect(reported.map(({ code }) => code)).toEqual(['clock_differs']);
  });
});

describe('The log of commits', () => {
  test('is pruned by the node that has the lease, and by the next one when that is closed', async () => {
    const [one, two] = [await nodes.join(), await nodes.join()];
    await nodes.pass(200_000);
    const before = one.prunings();
    expect(before).toBeGreaterThan(2);
    expect(two.prunings()).toBe(0);
    await nodes.during(one.database.close());
    await nodes.pass(70_000);
    expect(one.prunings()).toBe(before);
    expect(two.prunings()).toBeGreaterThan(0);
  });
});

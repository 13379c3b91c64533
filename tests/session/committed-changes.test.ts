/** Live queries, resumed ones too, and changefeeds show states that were committed, all of them, and no others. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Notification, Session } from '../../src/session/contract.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { toText } from '../../src/value/text/text.js';
import { isObject, type Value } from '../../src/value/value.js';
import { StubbedEnvironment } from '../support/environment.js';
import { run, World } from '../support/world.js';

let world: World;
/** A signed-in record user. */
let user: Session;
let received: string[];

beforeEach(async () => {
  const environment = new StubbedEnvironment();
  environment.timers.yield = () => new Promise((resolve) => setImmediate(resolve));
  world = await World.open({ environment }, new MemoryEngine(environment));
  await run(
    world.owner,
    `DEFINE TABLE a CHANGEFEED 1h INCLUDE ORIGINAL PERMISSIONS FOR select WHERE pub;
     DEFINE TABLE short CHANGEFEED 1h;
     DEFINE TABLE dropped DROP CHANGEFEED 1h INCLUDE ORIGINAL PERMISSIONS FULL;`,
  );
  user = await world.person('ann');
  received = receivedBy(user);
});

function receivedBy(session: Session): string[] {
  const texts: string[] = [];
  session.listen(({ action, result, reason }: Notification) => {
    texts.push(action === 'KILLED' ? `KILLED ${reason?.code}` : `${action} ${toText(result)}`);
  });
  return texts;
}

async function quiet(): Promise<void> {
  for (let turn = 0; turn < 60; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** What a live query of the record user has received since the last time. */
async function news(): Promise<string[]> {
  await quiet();
  return received.splice(0);
}

/** The changes in the feed of a table, commit by commit, without the definition. */
async function feed(table: string): Promise<string[]> {
  const [sets] = await run(world.owner, `SHOW CHANGES FOR TABLE ${table} SINCE 0`);
  return (sets as readonly Value[])
    .map((set) => toText(isObject(set) ? set['changes'] : undefined))
    .filter((text) => !text.includes('define_table'));
}

describe('a transaction', () => {
  beforeEach(() => run(user, 'LIVE SELECT * FROM a'));

  test.each([
    ['creates and hides a record', 'CREATE a:1 SET pub = true; UPDATE a:1 SET pub = false', []],
    ['hides and shows it', 'CREATE a:1 SET pub = false; UPDATE a:1 SET pub = true', ['CREATE { id: a:1, pub: true }']],
    ['creates and deletes one', 'CREATE a:1 SET pub = true; DELETE a:1', []],
    [
      'creates, deletes and creates one',
      'CREATE a:1 SET pub = true; DELETE a:1; CREATE a:1 SET pub = true, n = 1',
      ['CREATE { id: a:1, n: 1, pub: true }'],
    ],
    [
      'writes several',
      'CREATE a:1 SET pub = true; CREATE a:2 SET pub = true; UPDATE a:1 SET n = 1',
      ['CREATE { id: a:1, n: 1, pub: true }', 'CREATE { id: a:2, pub: true }'],
    ],
  ])('%s', async (_, statements, expected) => {
    await run(world.owner, `BEGIN; ${statements}; COMMIT`);
    expect(await news()).toEqual(expected);
  });

  test('hides a record and shows it again', async () => {
    await run(world.owner, 'CREATE a:1 SET pub = true, n = 1');
    await news();
    await run(world.owner, 'BEGIN; UPDATE a:1 SET pub = false; UPDATE a:1 SET pub = true; COMMIT');
    expect(await news()).toEqual([]);
    await run(world.owner, 'BEGIN; UPDATE a:1 SET n = 2; UPDATE a:1 SET n = 3; DELETE a:1; COMMIT');
    expect(await news()).toEqual(['DELETE { id: a:1, n: 1, pub: true }']);
  });

  test('deletes a record and creates it again', async () => {
    await run(world.owner, 'CREATE a:1 SET pub = true, n = 1');
    await news();
    await run(world.owner, 'BEGIN; DELETE a:1; CREATE a:1 SET pub = true, n = 2; COMMIT');
    expect(await news()).toEqual(['UPDATE { id: a:1, n: 2, pub: true }']);
  });

  test('has an event that hides the record', async () => {
    await run(world.owner, `DEFINE EVENT hide ON a WHEN $event = 'CREATE' THEN { UPDATE $after.id SET pub = false }`);
    await run(world.owner, 'CREATE a:1 SET pub = true');
    expect(await news()).toEqual([]);
  });

  test('rolls a statement back', async () => {
    const held = await world.owner.begin();
    await held.query('CREATE a:1 SET pub = true, n = 1');
    await held.query("{ UPDATE a:1 SET n = 2; CREATE a:2 SET pub = true; THROW 'no' }");
    await held.commit();
    expect(await news()).toEqual(['CREATE { id: a:1, n: 1, pub: true }']);
    expect(await feed('a')).toEqual(['[{ update: { id: a:1, n: 1, pub: true } }]']);
  });

  test('removes the table', async () => {
    await run(world.owner, 'BEGIN; CREATE a:1 SET pub = true; REMOVE TABLE a; DEFINE TABLE a CHANGEFEED 1h; COMMIT');
    expect(await news()).toEqual(['KILLED table_missing']);
    expect(await feed('a')).toEqual([]);
  });
});

describe('a changefeed', () => {
  test.each(['a', 'short'])('has one change for each record and transaction: %s', async (table) => {
    await run(
      world.owner,
      `BEGIN; CREATE ${table}:1 SET n = 1; UPDATE ${table}:1 SET n = 2; CREATE ${table}:2; DELETE ${table}:2; COMMIT;
       BEGIN; DELETE ${table}:1; CREATE ${table}:1 SET n = 2; COMMIT`,
    );
    expect(await feed(table)).toEqual([`[{ update: { id: ${table}:1, n: 2 } }]`]);
  });

  test('is what a resumed live query shows', async () => {
    await run(world.owner, 'BEGIN; CREATE a:1 SET pub = true; UPDATE a:1 SET pub = false; COMMIT');
    await run(world.owner, 'BEGIN; CREATE a:2 SET pub = false; UPDATE a:2 SET pub = true; COMMIT');
    await run(user, 'LIVE SELECT * FROM a SINCE 0');
    expect(await news()).toEqual(['CREATE { id: a:2, pub: true }']);
  });

  test('has each record of a table that keeps none', async () => {
    await run(user, 'LIVE SELECT n FROM dropped');
    await run(world.owner, 'BEGIN; CREATE dropped:1 SET n = 1; CREATE dropped:1 SET n = 2; COMMIT');
    expect(await news()).toEqual(['CREATE { n: 1 }', 'CREATE { n: 2 }']);
    expect(await feed('dropped')).toEqual([
      '[{ update: { id: dropped:1, n: 1 } }, { update: { id: dropped:1, n: 2 } }]',
    ]);
  });
});

describe('what is changed before a removal arrives before the end', () => {
  const CHANGES = ['CREATE { id: a:1, pub: true }', 'DELETE { id: a:1, pub: true }'];

  test.each([
    ['of the table', 'REMOVE TABLE a'],
    ['of the table, which is defined anew', 'REMOVE TABLE a; DEFINE TABLE a PERMISSIONS NONE'],
  ])('%s', async (_, removal) => {
    await run(user, 'LIVE SELECT * FROM a');
    await run(world.owner, `CREATE a:1 SET pub = true; DELETE a:1; ${removal}`);
    expect(await news()).toEqual([...CHANGES, 'KILLED table_missing']);
  });

  test.each(['REMOVE DATABASE test', 'REMOVE NAMESPACE test'])('of what it is in: %s', async (removal) => {
    const owner = world.database.ownerSession();
    await owner.use('test', 'test');
    const texts = receivedBy(owner);
    await run(owner, 'LIVE SELECT * FROM a');
    await run(user, 'LIVE SELECT * FROM a');
    await run(world.owner, `CREATE a:1 SET pub = true; DELETE a:1; ${removal}`);
    await quiet();
    expect(texts).toEqual([...CHANGES, 'KILLED table_missing']);
    // The record user is gone with the database.
    expect(received).toEqual(['KILLED table_missing']);
  });

  test('by the permissions just before it', async () => {
    await run(user, 'LIVE SELECT * FROM a');
    await run(
      world.owner,
      `CREATE a:1 SET pub = true; ALTER TABLE a PERMISSIONS NONE; CREATE a:2 SET pub = true; REMOVE TABLE a`,
    );
    expect(await news()).toEqual(['KILLED table_missing']);
  });
});

/** How many transactions and snapshots may be held, by whom, for how long, and what they may take. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { HeldTransaction, Session, StatementExecutor } from '../../src/session/contract.js';
import type { DatabaseOptions } from '../../src/session/database/options.js';
import { objectFrom } from '../../src/value/value.js';
import { StubbedEnvironment } from '../support/environment.js';
import { answer, run, World } from '../support/world.js';

const SECOND = 1_000;
const KIB = 2 ** 10;

let environment: StubbedEnvironment;
let world: World;

async function open(transactions: NonNullable<DatabaseOptions['transactions']>): Promise<void> {
  world = await World.open({ environment, transactions });
  await run(world.owner, 'DEFINE TABLE t PERMISSIONS FULL; CREATE t:1 SET n = 1');
}

beforeEach(() => {
  environment = new StubbedEnvironment();
  environment.timers.yield = () => new Promise((resolve) => setImmediate(resolve));
});

/** A guest at an address. */
async function guestAt(ip: string): Promise<Session> {
  const session = world.database.session({ ip });
  await session.use('test', 'test');
  return session;
}

const begin = (session: Session, writable = true) => (async () => session.begin({ writable }))();
const refused = (limit: number) => ({
  code: 'too_many_transactions',
  message: expect.stringContaining(`${limit}`),
  retryable: true,
});

describe('in number', () => {
  test('they are bounded for each user, over all sessions', async () => {
    await open({ perUser: 2, total: 100 });
    const [one, two, other] = [await world.person('ann'), world.guest(), await world.person('bob')];
    await two.authenticate(world.tokenOf(one) ?? '');
    const held = [await begin(one), await begin(two)];
    await expect(begin(one)).rejects.toMatchObject(refused(2));
    await expect(begin(two)).rejects.toMatchObject(refused(2));
    await begin(other);
    held[0]?.cancel();
    await begin(two);
  });

  test('guests are distinguished by their addresses, and the process itself is bounded as a whole', async () => {
    await open({ perUser: 1, total: 4 });
    const here = [await guestAt('192.0.2.1'), await guestAt('192.0.2.1'), await guestAt('192.0.2.2')] as const;
    await begin(here[0]);
    await expect(begin(here[1])).rejects.toMatchObject(refused(1));
    await begin(here[2]);
    await begin(world.owner);
    await begin(world.owner);
    await expect(begin(world.owner)).rejects.toMatchObject(refused(4));
  });

  test('snapshots have bounds of their own', async () => {
    await open({ perUser: 1, total: 2, snapshotsPerUser: 2, snapshots: 3 });
    const [here, there] = [await guestAt('192.0.2.1'), await guestAt('192.0.2.2')];
    await begin(here);
    const first = await begin(here, false);
    await begin(here, false);
    await expect(begin(here, false)).rejects.toMatchObject(refused(2));
    await begin(there, false);
    await expect(begin(there, false)).rejects.toMatchObject(refused(3));
    first.cancel();
    first.cancel();
    await begin(here, false);
    await expect(begin(there, false)).rejects.toMatchObject(refused(3));
  });

  test('an export is one of them until it is over or its session is', async () => {
    await open({ snapshots: 1 });
    const exporting = world.database.ownerSession();
    await exporting.use('test', 'test');
    const pieces = exporting.export();
    await pieces.next();
    expect(world.database.resourceUsage.transactions).toBe(1);
    await expect(begin(world.owner, false)).rejects.toMatchObject(refused(1));
    // Its reader never comes back.
    exporting.close();
    expect(world.database.resourceUsage.transactions).toBe(0);
    for await (const piece of world.owner.export()) expect(piece).toBeTypeOf('string');
    expect(world.database.resourceUsage.transactions).toBe(0);
  });

  test('one that fails to begin isn’t counted', async () => {
    await open({ total: 1 });
    await world.close();
    await expect(begin(world.database.ownerSession())).rejects.toMatchObject({ code: 'storage_unavailable' });
    await expect(begin(world.database.ownerSession())).rejects.toMatchObject({ code: 'storage_unavailable' });
    expect(world.database.resourceUsage.transactions).toBe(0);
  });
});

describe('in time', () => {
  const IDLE = 60 * SECOND;

  test('one of which nothing is asked is cancelled, and says so', async () => {
    await open({ idle: IDLE, age: undefined });
    const held = await begin(world.owner);
    await run(held, 'UPDATE t:1 SET n = 2');
    environment.advance(IDLE - 1);
    expect(await answer(held, 'SELECT VALUE n FROM ONLY t:1')).toBe('2');
    environment.advance(IDLE - 1);
    expect(world.owner.transaction(held.id)).toBe(held);
    environment.advance(1);
    const idle = {
      code: 'transaction_idle',
      retryable: true,
      message: 'The transaction was cancelled: nothing was asked of it for 1m',
    };
    expect(world.database.resourceUsage.transactions).toBe(0);
    expect(() => world.owner.transaction(held.id)).toThrow(expect.objectContaining(idle));
    await expect((async () => held.query('RETURN 1'))()).rejects.toMatchObject(idle);
    await expect(held.commit()).rejects.toMatchObject(idle);
    expect(await answer(world.owner, 'SELECT VALUE n FROM ONLY t:1')).toBe('1');
    expect(environment.nextTimer ?? Number.POSITIVE_INFINITY).not.toBe(IDLE);
  });

  test('a statement that runs doesn’t let it be idle', async () => {
    await open({ idle: IDLE, age: undefined });
    const held = await begin(world.owner);
    const sleeping = held.query('SLEEP 3m; UPDATE t:1 SET n = 3');
    for (let slept = 0; slept < 180; slept++) {
      // A nap of it ends, and it looks at the clock.
      environment.advance(SECOND);
      await new Promise(setImmediate);
    }
    expect((await sleeping).map(({ outcome }) => outcome.ok)).toEqual([true, true]);
    await held.commit();
    expect(await answer(world.owner, 'SELECT VALUE n FROM ONLY t:1')).toBe('3');
  });

  test('one that has lasted too long is cancelled, used or not, and so is a snapshot', async () => {
    await open({ idle: IDLE, age: 3 * IDLE });
    const [held, snapshot] = [await begin(world.owner), await begin(world.owner, false)];
    for (let used = 0; used < 5; used++) {
      environment.advance(IDLE / 2);
      expect(await answer(held, 'RETURN 1')).toBe('1');
    }
    const sleeping = held.query('SLEEP 1h; CREATE t:2');
    environment.advance(IDLE / 2);
    const expired = { code: 'transaction_expired', retryable: true };
    for (const each of [held, snapshot]) {
      await expect((async () => each.query('RETURN 1'))()).rejects.toMatchObject(expired);
    }
    expect(() => world.owner.transaction(held.id)).toThrow(expect.objectContaining(expired));
    expect(world.database.resourceUsage.transactions).toBe(0);
    // The nap that it takes ends.
    environment.advance(50);
    expect((await sleeping).at(-1)?.outcome).toMatchObject({ ok: false, error: expired });
    expect(await answer(world.owner, 'SELECT * FROM t:2')).toBe('[]');
  });

  test('those that begin later end later', async () => {
    await open({ idle: IDLE, age: undefined });
    const first = await begin(world.owner);
    environment.advance(IDLE / 2);
    const second = await begin(world.owner);
    environment.advance(IDLE / 2);
    expect(() => world.owner.transaction(first.id)).toThrow(expect.objectContaining({ code: 'transaction_idle' }));
    expect(world.owner.transaction(second.id)).toBe(second);
    environment.advance(IDLE / 2);
    expect(world.database.resourceUsage.transactions).toBe(0);
  });
});

describe('in memory', () => {
  const text = (kibibytes: number) => objectFrom({ text: 'x'.repeat((kibibytes * KIB) / 2) });
  const create = (door: StatementExecutor, kibibytes: number) =>
    answer(door, 'CREATE t SET text = $text RETURN NONE', text(kibibytes));

  test('a statement writes so much and no more, and so does a transaction in one text', async () => {
    await open({ memory: 64 * KIB });
    expect(await create(world.owner, 50)).toBe('[]');
    expect(await create(world.owner, 70)).toMatch(
      /^transaction_too_large: A transaction writes at most 65536 bytes at once/,
    );
    const block = 'BEGIN; CREATE t:a SET text = $text; CREATE t:b SET text = $text; COMMIT';
    expect(await answer(world.owner, block, text(40))).toMatch(/^transaction_(too_large|cancelled)/);
    expect(await answer(world.owner, 'SELECT VALUE id FROM t:a, t:b')).toBe('[]');
    expect(await answer(world.owner, 'INSERT INTO t $rows', objectFrom({ rows: [text(40), text(40)] }))).toMatch(
      /^transaction_too_large/,
    );
    expect(await answer(world.owner, 'RETURN 1')).toBe('1');
  });

  test('what is written again, or taken back, counts once', async () => {
    await open({ memory: 64 * KIB });
    const rewriting = 'FOR $i IN 0..200 { UPDATE t:1 SET text = $text, i = $i }';
    expect(await answer(world.owner, rewriting, text(30))).toBe('NONE');
    const held = await begin(world.owner);
    for (let round = 0; round < 20; round++) {
      expect(await answer(held, "{ CREATE t SET text = $text; THROW 'no' }", text(40))).toMatch(/^thrown/);
    }
    expect(await create(held, 40)).toBe('[]');
    await held.commit();
  });

  test('what is deleted and appended counts, too', async () => {
    await open({ memory: 64 * KIB });
    await run(world.owner, 'DEFINE TABLE fed CHANGEFEED 1h PERMISSIONS FULL');
    for (let at = 0; at < 10; at++) await run(world.owner, 'CREATE |t:100| RETURN NONE');
    expect(await answer(world.owner, 'DELETE t')).toMatch(/^transaction_too_large/);
    expect(await answer(world.owner, 'CREATE fed SET text = $text RETURN NONE', text(20))).toBe('[]');
    expect(await answer(world.owner, 'CREATE fed SET text = $text RETURN NONE', text(40))).toMatch(
      /^transaction_too_large/,
    );
  });

  test('held ones share a bound, of which a user takes a quarter at most; it is given back', async () => {
    await open({ memory: 1_000 * KIB, heldMemory: 200 * KIB, perUser: 10 });
    const [ann, bob] = [await world.person('ann'), await world.person('bob')];
    const held: HeldTransaction[] = [];
    const take = async (session: Session, kibibytes: number) => {
      const one = await begin(session);
      held.push(one);
      return create(one, kibibytes);
    };
    expect(await take(ann, 30)).toBe('[]');
    expect(await take(ann, 30)).toMatch(/^held_transactions_full: .*51200 bytes together/);
    expect(await take(bob, 30)).toBe('[]');
    for (const kibibytes of [60, 60]) expect(await take(world.owner, kibibytes)).toBe('[]');
    expect(await take(world.owner, 60)).toMatch(/^held_transactions_full: .*204800 bytes together/);
    // Statements of their own take nothing of it.
    expect(await create(ann, 100)).toBe('[]');
    expect(world.database.resourceUsage.memory).toBeGreaterThan(160 * KIB);
    for (const [at, each] of held.entries()) await (at % 2 === 0 ? each.commit() : each.cancel());
    expect(world.database.resourceUsage).toMatchObject({ transactions: 0, memory: 0 });
  });

  test('what is remembered of reads counts', async () => {
    await open({ heldMemory: 2_000 * KIB });
    await run(world.owner, 'DEFINE TABLE missing');
    for (let at = 0; at < 20; at++) await run(world.owner, 'CREATE |t:500| RETURN NONE');
    const held = await begin(world.owner);
    await run(
      held,
      'FOR $each IN (SELECT VALUE id FROM t) { SELECT * FROM $each; SELECT * FROM type::record("missing", $each.id()) }',
    );
    expect(world.database.resourceUsage.memory).toBeGreaterThan(500 * KIB);
    held.cancel();
    expect(world.database.resourceUsage.memory).toBe(0);
  });
});

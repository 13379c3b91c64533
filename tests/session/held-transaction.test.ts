/** Transactions that a client holds over several requests. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Session, StatementExecutor } from '../../src/session/contract.js';
import { type OpenDatabase, openDatabase } from '../../src/session/database/database.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { toText } from '../../src/value/text/text.js';

let database: OpenDatabase;
let session: Session;
beforeEach(async () => {
  database = await openDatabase(new MemoryEngine());
  session = database.ownerSession();
  await session.use('test', 'test');
  await session.query('DEFINE TABLE account; CREATE account:1 SET total = 10');
});

async function ask(door: StatementExecutor, text: string): Promise<string[]> {
  const results = await door.query(text);
  return results.map(({ outcome }) => (outcome.ok ? toText(outcome.value) : `! ${outcome.error.message}`));
}
const TOTAL = 'SELECT VALUE total FROM account:1';

describe('a held transaction', () => {
  test('is not seen by others until it is committed', async () => {
    const held = await session.begin();
    expect(await ask(held, 'UPDATE account:1 SET total = 20 RETURN NONE')).toEqual(['[]']);
    expect(await ask(held, TOTAL)).toEqual(['[20]']);
    expect(await ask(session, TOTAL)).toEqual(['[10]']);
    await held.commit();
    expect(await ask(session, TOTAL)).toEqual(['[20]']);
  });

  test('goes on after a statement that fails, which undoes itself alone', async () => {
    const held = await session.begin();
    await ask(held, 'CREATE account:2 SET total = 1');
    expect(await ask(held, 'CREATE account:3; CREATE account:1; THROW "no"')).toEqual([
      '[{ id: account:3 }]',
      '! Database record `account:1` already exists',
      '! An error occurred: no',
    ]);
    await ask(held, 'CREATE account:4');
    await held.commit();
    expect(await ask(session, 'SELECT VALUE id FROM account')).toEqual([
      '[account:1, account:2, account:3, account:4]',
    ]);
    await ask(session, 'BEGIN; CREATE account:5; CREATE account:1; COMMIT');
    expect(await ask(session, 'RETURN count(SELECT * FROM account)')).toEqual(['4']);
  });

  test('reads the literals of each text, whatever plan they share', async () => {
    const held = await session.begin();
    for (const total of [1, 2, 3, 4]) {
      expect(
        await ask(held, `UPSERT account:${total} SET total = ${total} RETURN VALUE total; RETURN ${total}`),
      ).toEqual([`[${total}]`, String(total)]);
    }
    await held.commit();
    const upserts = [5, 6, 7].map((total) => `UPSERT account:${total} SET total = ${total} RETURN VALUE total`);
    expect(await ask(session, ['BEGIN', ...upserts, 'COMMIT'].join('; '))).toEqual([
      'NONE',
      '[5]',
      '[6]',
      '[7]',
      'NONE',
    ]);
  });

  test('brings what it selects into being, if it is committed', async () => {
    const namespaces = "RETURN (INFO FOR ROOT).namespaces.keys().filter(|$name| $name != 'test')";
    for (const [end, left] of [
      ['cancel', '[]'],
      ['commit', "['fresh']"],
    ] as const) {
      const held = await session.begin();
      expect(await ask(held, 'USE NS fresh DB new; CREATE a:1')).toEqual([
        "{ database: 'new', namespace: 'fresh' }",
        '[{ id: a:1 }]',
      ]);
      expect(await ask(session, namespaces)).toEqual(['[]']);
      await held[end]();
      expect(await ask(session, namespaces)).toEqual([left]);
    }
  });

  test('leaves nothing when it is cancelled', async () => {
    const held = await session.begin();
    await held.query('DELETE account');
    held.cancel();
    expect(await ask(session, TOTAL)).toEqual(['[10]']);
  });

  test('goes on after a statement that failed, without a trace of it', async () => {
    const held = await session.begin();
    expect(await ask(held, 'UPDATE account:1 SET total = 11 RETURN NONE')).toEqual(['[]']);
    expect(await ask(held, "{ UPDATE account:1 SET total = 99; THROW 'no' }")).toEqual(['! An error occurred: no']);
    await held.commit();
    expect(await ask(session, TOTAL)).toEqual(['[11]']);
  });

  test('that lost against another says that it can be tried again', async () => {
    const held = await session.begin();
    await held.query('UPDATE account:1 SET total += 1');
    await session.query('UPDATE account:1 SET total += 5');
    await expect(held.commit()).rejects.toMatchObject({ code: 'transaction_conflict', retryable: true });
    expect(await ask(session, TOTAL)).toEqual(['[15]']);
  });

  test('takes no BEGIN, COMMIT or CANCEL of its own', async () => {
    const held = await session.begin();
    expect(await ask(held, 'BEGIN; RETURN 1; COMMIT')).toEqual([
      '! Invalid statement: Cannot BEGIN a transaction within a transaction',
      '1',
      '! Invalid statement: Cannot COMMIT without starting a transaction',
    ]);
  });

  test('ends with the session, and with who began it', async () => {
    const held = await session.begin();
    await held.query('DELETE account');
    session.invalidate();
    expect(() => session.transaction(held.id)).toThrow('Transaction not found');
    await expect(held.commit()).rejects.toMatchObject({ code: 'transaction_finished' });
    expect(await ask(database.ownerSession(), 'RETURN 1')).toEqual(['1']);
  });

  test('belongs to its session', async () => {
    const held = await session.begin();
    expect(() => database.ownerSession().transaction(held.id)).toThrow('Transaction not found');
    await held.commit();
    expect(() => session.transaction(held.id)).toThrow('Transaction not found');
  });
});

test('concurrent statements of one held transaction run one after the other', async () => {
  const held = await session.begin();
  await Promise.all(Array.from({ length: 20 }, () => held.query('UPDATE account:1 SET total += 1')));
  await held.commit();
  expect(await ask(session, TOTAL)).toEqual(['[30]']);
});

/** How long the logs of changes are kept. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Session } from '../../src/session/contract.js';
import { openDatabase } from '../../src/session/database/database.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { isArray, isObject } from '../../src/value/value.js';
import { StubbedEnvironment } from '../support/environment.js';

const MINUTE = 60_000;
let environment: StubbedEnvironment;
let session: Session;
beforeEach(async () => {
  environment = new StubbedEnvironment();
  const database = await openDatabase(new MemoryEngine(environment), { environment });
  session = database.ownerSession();
  await session.use('test', 'test');
});

async function changes(of: string): Promise<number> {
  const [result] = await session.query(`SHOW CHANGES FOR ${of} SINCE 0`);
  const { outcome } = result ?? {};
  return outcome?.ok && isArray(outcome.value) ? outcome.value.filter(isObject).length : -1;
}

/** Lets a timer that is due do its work. */
async function advance(milliseconds: number): Promise<void> {
  environment.advance(milliseconds);
  for (let turn = 0; turn < 100; turn++) await Promise.resolve();
}

describe('changes', () => {
  test('are kept as long as their feed says', async () => {
    await session.query('DEFINE TABLE a CHANGEFEED 10m; DEFINE TABLE b CHANGEFEED 1h; CREATE a:1; CREATE b:1');
    await advance(5 * MINUTE);
    await session.query('CREATE a:2');
    expect([await changes('TABLE a'), await changes('TABLE b')]).toEqual([3, 2]);
    await advance(6 * MINUTE);
    expect([await changes('TABLE a'), await changes('TABLE b')]).toEqual([1, 2]);
    await advance(60 * MINUTE);
    expect(await changes('DATABASE')).toBe(0);
  });

  test('go when nothing says how long they are kept, and not all in one transaction', async () => {
    await session.query('DEFINE TABLE a CHANGEFEED 10m; CREATE |a:1..2500| RETURN NONE');
    expect(await changes('TABLE a')).toBe(2);
    await session.query('REMOVE TABLE a');
    expect(await changes('TABLE a')).toBe(2);
    await advance(MINUTE);
    expect(await changes('TABLE a')).toBe(0);
  });

  test('have greater versionstamps even when the clock stands still', async () => {
    await session.query('DEFINE TABLE a CHANGEFEED 10m; CREATE a:1; CREATE a:2');
    const [result] = await session.query('SHOW CHANGES FOR TABLE a SINCE 0');
    const stamp = BigInt(environment.seconds) * 1000n * 65536n;
    expect(result?.outcome).toMatchObject({
      ok: true,
      value: [{ versionstamp: stamp }, { versionstamp: stamp + 1n }, { versionstamp: stamp + 2n }],
    });
  });
});

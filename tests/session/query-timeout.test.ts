/** ALTER SYSTEM QUERY_TIMEOUT holds for every request that follows, and outlives the server. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openDatabase } from '../../src/session/database/database.js';
import { openEngine } from '../../src/storage/open/open.js';
import { answer, run } from '../support/world.js';

const ENDLESS = 'FOR $n IN 1..1000000000 { LET $a = $n }';

it('ends what takes longer, until it is dropped', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-timeout-'));
  const open = async () => {
    const database = await openDatabase(await openEngine(folder));
    const session = database.ownerSession();
    await session.use('test', 'test');
    return { database, session };
  };
  const first = await open();
  // It holds for the statement that drops it, too, which waits for the disk.
  await run(first.session, 'ALTER SYSTEM QUERY_TIMEOUT 250ms');
  expect(await answer(first.session, ENDLESS)).toContain('exceeded the timeout: 250ms');
  expect(await answer(first.session, 'RETURN 1')).toBe('1');
  await first.database.close();

  const second = await open();
  expect(await answer(second.session, ENDLESS)).toContain('exceeded the timeout: 250ms');
  await second.session.query('BEGIN; ALTER SYSTEM DROP QUERY_TIMEOUT; CANCEL');
  expect(await answer(second.session, ENDLESS)).toContain('exceeded the timeout: 250ms');
  await run(second.session, 'ALTER SYSTEM DROP QUERY_TIMEOUT');
  expect(await answer(second.session, 'FOR $n IN 1..2000000 { LET $a = $n }; RETURN 2')).toBe('2');
  await second.database.close();
  rmSync(folder, { recursive: true, force: true });
});

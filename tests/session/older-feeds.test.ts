/** Changefeeds in stores of versions that knew no LIVE SELECT … SINCE. */
import { expect, test } from 'vitest';
import type { Session } from '../../src/session/contract.js';
import { openDatabase } from '../../src/session/database/database.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { toText } from '../../src/value/text/text.js';
import { isArray, isObject, objectFrom, RecordId } from '../../src/value/value.js';
import { StubbedEnvironment } from '../support/environment.js';
import { answer, run } from '../support/world.js';

/** What an older version would have left behind: entries of other forms, and nothing that says since when the feed is whole. */
async function older(engine: MemoryEngine): Promise<void> {
  const transaction = engine.begin({ writable: true });
  const cursor = transaction.scan({ from: 'D', to: 'E' });
  let log = '';
  for (let batch = await cursor.next(); batch !== undefined; batch = await cursor.next()) {
    for (const [key] of batch) {
      if (key[5] === 'f') transaction.delete(key);
      if (key[5] === 'l') log = key.slice(0, key.indexOf('\0', 6) + 1);
    }
  }
  const id = new RecordId('a', 1);
  transaction.append(log, ['set', objectFrom({ id, x: 1 })]);
  transaction.append(log, ['update', objectFrom({ id, x: 2 }), [objectFrom({ op: 'replace', path: '/x', value: 1 })]]);
  transaction.append(log, ['delete', id]);
  await transaction.commit();
}

async function shown(session: Session): Promise<string[]> {
  const [sets] = await run(session, 'SHOW CHANGES FOR TABLE a SINCE 0');
  return isArray(sets) ? sets.slice(1).map((set) => (isObject(set) ? toText(set['changes']) : '')) : [];
}

test('are shown as ever, and are whole from now on', async () => {
  const environment = new StubbedEnvironment();
  const engine = new MemoryEngine(environment);
  const session = (await openDatabase(engine, { environment })).ownerSession();
  session.listen(() => {});
  await session.use('test', 'test');
  await run(session, 'DEFINE TABLE a CHANGEFEED 1h INCLUDE ORIGINAL');
  await older(engine);
  expect(await shown(session)).toEqual([
    "[{ update: { id: a:1, x: 1 } }, { current: { id: a:1, x: 2 }, update: [{ op: 'replace', path: '/x', value: 1 }] }, { delete: { id: a:1 } }]",
  ]);
  for (const since of ['0', 'NONE']) {
    expect(await answer(session, `LIVE SELECT * FROM a SINCE ${since}`)).toContain('changefeed_too_short');
  }
  environment.advance(60_000);
  for (let turn = 0; turn < 100; turn++) await Promise.resolve();
  expect(await answer(session, 'LIVE SELECT * FROM a SINCE 0')).toContain('changefeed_too_short');
  const [id] = await run(session, 'LIVE SELECT * FROM a SINCE NONE');
  expect(toText(id)).toMatch(/^u'/);
});

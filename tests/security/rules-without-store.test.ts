/** A rule that can't be judged, since the store doesn't answer, fails the statement: it doesn't hide what it is about. */
import { expect, test } from 'vitest';
import type { Session } from '../../src/session/contract.js';
import { openDatabase } from '../../src/session/database/database.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { toText } from '../../src/value/text/text.js';
import { newObject, objectFrom } from '../../src/value/value.js';
import { FaultyEngine } from '../support/faulty-engine.js';

const SCHEMA = `
  DEFINE TABLE user PERMISSIONS FULL;
  DEFINE ACCESS people ON DATABASE TYPE RECORD SIGNUP (CREATE type::record('user', $name) SET team = 1);
  DEFINE TABLE note PERMISSIONS FOR select WHERE team = (SELECT VALUE team FROM ONLY $auth) AND seen;
  DEFINE FIELD seen ON note COMPUTED (SELECT VALUE team FROM ONLY user:ann) = 1;
  DEFINE FIELD text ON note PERMISSIONS FOR select WHERE $auth.team = 1;
  CREATE note:1 SET team = 1, text = 'a'; CREATE note:2 SET team = 1, text = 'b'`;

async function answerOf(session: Session, text: string): Promise<string> {
  try {
    const [{ outcome } = { outcome: undefined }] = await session.query(text, newObject());
    return outcome?.ok ? toText(outcome.value) : (outcome?.error.code ?? '');
  } catch (error) {
    return (error as { readonly code: string }).code;
  }
}

test.each([
  ['SELECT VALUE text FROM note', "['a', 'b']"],
  ['SELECT VALUE text FROM ONLY note:2', "'b'"],
  ['SELECT count() FROM note GROUP ALL', '[{ count: 2 }]'],
  ['note:1.text', "'a'"],
])('%s, whichever call of the store fails', async (text, right) => {
  /** Counts calls down; the one at 0 fails. */
  let left = Number.POSITIVE_INFINITY;
  const engine = new FaultyEngine(new MemoryEngine(), () => (left-- === 0 ? 'failed' : 'none'));
  const database = await openDatabase(engine, { guests: true });
  const owner = database.ownerSession();
  await owner.use('test', 'test');
  await owner.query(SCHEMA, newObject());
  const ann = database.session({});
  await ann.signUp(objectFrom({ NS: 'test', DB: 'test', AC: 'people', name: 'ann' }));
  expect(await answerOf(ann, text)).toBe(right);
  let failed = 0;
  for (let at = 0; ; at++) {
    left = at;
    const answer = await answerOf(ann, text);
    const isOver = left >= 0;
    left = Number.POSITIVE_INFINITY;
    if (isOver) break;
    expect([at, answer]).toEqual([at, expect.stringMatching(/^storage_unavailable$|^['[]/)]);
    if (answer === 'storage_unavailable') failed++;
    else expect([at, answer]).toEqual([at, right]);
  }
  expect(failed).toBeGreaterThan(2);
  await database.close();
});

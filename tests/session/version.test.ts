/** VERSION: what is known of the past. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Session } from '../../src/session/contract.js';
import { openDatabase } from '../../src/session/database/database.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { toText } from '../../src/value/text/text.js';
import { StubbedEnvironment } from '../support/environment.js';

let environment: StubbedEnvironment;
let session: Session;
beforeEach(async () => {
  environment = new StubbedEnvironment();
  const database = await openDatabase(new MemoryEngine(environment), { environment });
  session = database.ownerSession();
  await session.use('test', 'test');
  environment.advance(1_000);
  await session.query('CREATE t:1');
  environment.advance(1_000);
});

async function answer(text: string): Promise<string> {
  const results = await session.query(text);
  const outcome = results.at(-1)?.outcome;
  return outcome?.ok ? toText(outcome.value) : (outcome?.error.message ?? '');
}

describe('of a store in memory', () => {
  test.each([
    ['SELECT * FROM t', '[]'],
    ['SELECT * FROM t:1', '[]'],
    ['SELECT * FROM ONLY t:1', 'NONE'],
    ['SELECT * FROM t:1..3', '[]'],
    ['SELECT * FROM [t:1]', '[]'],
    ['SELECT count() FROM t GROUP ALL', '[{ count: 0 }]'],
    ['SELECT * FROM [1, 2]', '[1, 2]'],
    ['SELECT (SELECT * FROM t) AS x FROM 1', '[{ x: [] }]'],
    ['SELECT * FROM nope', "The table 'nope' does not exist"],
  ])('%s before it was opened', async (text, expected) => {
    expect(await answer(`${text} VERSION d'2020-01-01T00:00:00Z'`)).toBe(expected);
  });

  test('the present reaches back to the last change', async () => {
    expect(await answer('SELECT VALUE id FROM t VERSION time::now() - 500ms')).toBe('[t:1]');
    expect(await answer('LET $t = time::now(); SELECT VALUE id FROM t VERSION $t')).toBe('[t:1]');
    expect(await answer("SELECT VALUE id FROM t VERSION d'2999-01-01T00:00:00Z'")).toBe('[t:1]');
  });

  test('what was between is not known', async () => {
    expect(await answer('SELECT VALUE id FROM t VERSION time::now() - 1500ms')).toBe(
      'The underlying datastore does not support versioned queries',
    );
  });
});

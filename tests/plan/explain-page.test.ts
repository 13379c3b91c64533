/** The plans that docs/EXPLAIN.md shows are those of the statements before them. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openDatabase } from '../../src/session/database/database.js';
import { openEngine } from '../../src/storage/engines/open.js';

test('docs/EXPLAIN.md shows the plans that there are', async () => {
  const page = readFileSync('docs/EXPLAIN.md', 'utf8');
  const [, statements = '', shown = ''] = /```surql\n(DEFINE TABLE.*?)```\n\n```text\n(.*?)```/s.exec(page) ?? [];
  const database = await openDatabase(await openEngine('memory'));
  const owner = database.ownerSession();
  await owner.use('test', 'test');
  const answers = (await owner.query(statements)).map(({ outcome }) => (outcome.ok ? outcome.value : outcome.error));
  await database.close();
  const plans = answers.filter((answer) => answer !== undefined);
  expect(plans.join('\n\n')).toBe(shown.trim());
  expect(plans.length).toBeGreaterThan(10);
});

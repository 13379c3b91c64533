/** The example of `docs/guides/search.md`, run. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openDatabase } from '../../src/session/database/database.js';
import { openEngine } from '../../src/storage/open/open.js';
import { toText } from '../../src/value/text/text.js';

test('finds what the page says', async () => {
  const page = readFileSync('docs/guides/search.md', 'utf8');
  const [, example = ''] = /```surql\n(.*?)```/s.exec(page) ?? [];
  const database = await openDatabase(await openEngine('memory'), {});
  const session = database.ownerSession();
  await session.use('test', 'test');
  const results = await session.query(example);
  expect(results.filter(({ outcome }) => !outcome.ok)).toEqual([]);
  const found = results.at(-1)?.outcome;
  expect(found?.ok === true ? toText(found.value) : '').toContain('The <b>running</b> of the <b>bulls</b>');
  await database.close();
});

/** The plans that docs/reference/explain.md shows are those of the statements before them. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { RULE_NAMES } from '../../src/plan/rules/rule.js';
import { openDatabase } from '../../src/session/database/database.js';
import { openEngine } from '../../src/storage/open/open.js';

test('docs/reference/explain.md shows the plans that there are', async () => {
  const page = readFileSync('docs/reference/explain.md', 'utf8');
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

test('docs/reference/explain.md has a line for each operator and each rule', () => {
  const page = readFileSync('docs/reference/explain.md', 'utf8');
  const described = readFileSync('src/plan/describe.ts', 'utf8').matchAll(/operator: '(\w+)'/g);
  const operators = [...described].map(([, operator]) => `\`${operator}\``);
  expect(operators.length).toBeGreaterThan(30);
  const entries = page.split('\n').flatMap((line) => /^- ((?:`\w[\w-]*`(?:, )?)+)/.exec(line)?.[1] ?? []);
  const missing = [...operators, ...RULE_NAMES.map((rule) => `\`${rule}\``)].filter(
    (name) => !entries.some((entry) => entry.includes(name)),
  );
  expect(missing).toEqual([]);
});

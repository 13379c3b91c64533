/** Query: statements, their results and errors, plans, parameters, live queries, and what is kept of them. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Studio, startStudio, textOf } from './browser.js';

const HOSTILE = '<img src=x onerror="globalThis.attacked = 1">';

const SETUP = `DEFINE TABLE person; DEFINE FIELD name ON person; DEFINE FIELD nickname ON person; DEFINE INDEX by_name ON person FIELDS name;
  CREATE person:ann SET name = 'Ann', age = 40; CREATE person:bob SET name = '${HOSTILE}', age = 20`;

let studio: Studio | undefined;
beforeAll(async () => {
  studio = await startStudio(SETUP);
});
afterAll(() => studio?.close());

async function write(page: Page, text: string): Promise<void> {
  await page.getByLabel('Statements').click();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.insertText(text);
}

const result = (page: Page, number: number) => page.getByRole('region', { name: `Result ${number}` });

async function opened(at: Studio) {
  const shown = await at.tab('query');
  await shown.page.getByLabel('Statements').waitFor();
  return shown;
}

it('shows several results as grids and JSON, and hostile values as text', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await opened(studio);
  await write(page, 'SELECT * FROM person; RETURN 1 / 0 + <int>"x"; RETURN [1, 2]; RETURN "a text"');
  await page.keyboard.press('ControlOrMeta+Enter');
  await expect.poll(() => result(page, 1).getByRole('row').allInnerTexts()).toHaveLength(3);
  expect(await result(page, 1).innerText()).toContain(HOSTILE);
  expect(await result(page, 2).getByRole('alert').innerText()).not.toBe('');
  expect(await result(page, 4).innerText()).toContain('a text');
  await result(page, 1).getByRole('tab', { name: 'Grid' }).focus();
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => result(page, 1).getByRole('tabpanel').innerText()).toContain('3 fields');
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => result(page, 1).getByRole('tabpanel').innerText()).toContain('"age": 40');
  // Later results begin with the form that was chosen last.
  await result(page, 1).getByRole('tab', { name: 'Grid' }).click();
  expect(await page.evaluate('globalThis.attacked')).toBe(undefined);
  expect(complaints).toEqual([]);
});

it('replaces what is selected, over several lines, without an inline style', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await opened(studio);
  const statements = page.getByLabel('Statements');
  await write(page, 'RETURN (1);\nRETURN [2];\nSELECT * FROM person');
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type('(');
  expect(await statements.innerText()).toBe('(RETURN (1);\nRETURN [2];\nSELECT * FROM person)');
  await statements.fill('RETURN 5');
  expect(await statements.innerText()).toBe('RETURN 5');
  await page.keyboard.type('0');
  expect(await statements.innerText()).toBe('RETURN 50');
  await page.keyboard.press('ControlOrMeta+Enter');
  await expect.poll(() => result(page, 1).innerText()).toContain('50');
  expect(complaints).toEqual([]);
});

it('lays out statements with their comments', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await opened(studio);
  const statements = page.getByLabel('Statements');
  const long = `'\\n${'x'.repeat(70)}'`;
  await write(
    page,
    `select * from person where age>18; -- all of them\nreturn [b"00ff",u'018e9a6d-1111-7000-8000-000000000000',${long}]`,
  );
  await page.getByRole('button', { name: 'Format' }).click();
  const laidOut = `SELECT * FROM person WHERE age > 18; -- all of them
RETURN [
  b"00ff",
  u'018e9a6d-1111-7000-8000-000000000000',
  ${long}
]`;
  await expect.poll(async () => (await statements.innerText()).trimEnd()).toBe(laidOut);
  await write(page, 'select * form person');
  await page.getByRole('button', { name: 'Format' }).click();
  await expect.poll(() => page.getByRole('alert').innerText()).toContain('Unexpected token');
  expect(await statements.innerText()).toBe('select * form person');
  expect(complaints).toEqual([]);
});

it('marks an error at its place', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await opened(studio);
  await write(page, 'RETURN 1;\nRETURN 1 +;');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await expect.poll(() => page.getByRole('alert').innerText()).toContain('Parse error');
  await expect.poll(() => page.locator('.cm-lintRange-error').count()).toBe(1);
  expect(await page.locator('.cm-line').nth(1).locator('.cm-lintRange-error').innerText()).toBe(';');
  // It goes once one mends it.
  await page.getByLabel('Statements').click();
  await page.keyboard.type(' ');
  await expect.poll(() => page.locator('.cm-lintRange-error').count()).toBe(0);
  expect(await page.getByRole('alert').count()).toBe(0);
  expect(complaints).toEqual([]);
});

it('takes parameters of a type, whatever their text is', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page } = await opened(studio);
  const given = {
    text: 'it`s "quoted" \\ $who; REMOVE TABLE person',
    number: ' 41.5 ',
    duration: '1h30m',
    datetime: '2030-01-31T12:00:00Z',
    record: 'person:ann',
    'true or false': 'true',
  };
  for (const [at, [type, value]] of Object.entries(given).entries()) {
    await page.getByRole('button', { name: 'Add a parameter' }).click();
    await page.getByLabel(`Parameter ${at + 1}`, { exact: true }).fill(`p${at}`);
    await page.getByLabel(`Type of $p${at}`).selectOption(type);
    await page.getByLabel(`Value of $p${at}`, { exact: true }).fill(value);
  }
  await write(page, 'RETURN [$p0, $p1, $p2, $p3, $p4.age, $p5].map(|$value| type::of($value))');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await expect
    .poll(() => result(page, 1).innerText())
    .toMatch(/string[\s\S]*float[\s\S]*duration[\s\S]*datetime[\s\S]*int[\s\S]*bool/);
  await write(page, 'RETURN $p0');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await expect.poll(() => result(page, 1).innerText()).toContain(given.text);
  await page.getByLabel('Value of $p3', { exact: true }).fill('tomorrow');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await expect.poll(() => page.getByRole('alert').innerText()).toContain('$p3: ');
});

it('completes fields before words of the language', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page } = await opened(studio);
  await write(page, '');
  await page.keyboard.type('SELECT na');
  await expect.poll(() => page.getByRole('option').first().innerText()).toMatch(/^name\s*field/);
  await page.keyboard.press('Escape');
});

it('shows plans as trees, with rows and times where they are measured', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await opened(studio);
  await write(page, "SELECT * FROM person WHERE name = 'Ann'");
  await page.getByRole('button', { name: 'Explain', exact: true }).click();
  const plan = page.getByRole('list', { name: 'Plan' });
  await expect.poll(() => plan.innerText()).toContain('IndexScan');
  expect(await plan.innerText()).not.toContain(' ms');
  expect(await plan.locator('.bar').count()).toBe(0);
  await page.getByRole('button', { name: 'Explain and measure' }).click();
  await expect.poll(() => plan.innerText()).toMatch(/IndexScan[\s\S]*1 rows, \d+\.\d+ ms/);
  const widths = await plan.locator('.bar.time').evaluateAll((bars) => bars.map((bar) => bar.getAttribute('style')));
  expect(widths).toContain('width: 100%;');
  expect(widths).toHaveLength(await plan.locator('.bar.rows').count());
  expect(complaints).toEqual([]);
});

it('takes parameters, completes names, and cancels', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await opened(studio);
  await page.getByRole('button', { name: 'Add a parameter' }).click();
  await page.getByLabel('Parameter 1', { exact: true }).fill('who');
  await page.getByLabel('Value of $who in SurrealQL').fill('person:ann');
  await write(page, 'RETURN $who.age + 1');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await expect.poll(() => result(page, 1).innerText()).toContain('41');

  await write(page, '');
  await page.keyboard.type('SELECT nickn');
  await expect.poll(() => page.getByRole('option').first().innerText()).toContain('nickname');
  await page.keyboard.press('Escape');

  await write(page, 'SLEEP 1h');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect.poll(() => page.getByRole('alert').innerText()).toContain('cancelled');
  await write(page, 'RETURN "again"');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await expect.poll(() => result(page, 1).innerText()).toContain('again');
  expect(complaints).toEqual([]);
});

it('shows what a live query sends until it is stopped', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await opened(studio);
  await write(page, 'LIVE SELECT * FROM person');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await expect.poll(() => result(page, 1).innerText()).toContain('Nothing has changed yet');
  await studio.sql("CREATE person:eve SET name = 'Eve, live'");
  await expect.poll(() => result(page, 1).innerText()).toMatch(/CREATE[\s\S]*person:eve[\s\S]*Eve, live/);
  await page.getByRole('button', { name: 'Stop' }).click();
  await expect.poll(() => result(page, 1).innerText()).toContain('Ended');
  expect(complaints).toEqual([]);
});

it('keeps a result live until it is stopped', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await opened(studio);
  await studio.sql("DEFINE TABLE mark; CREATE mark:1 SET n = 1, text = 'the first'");
  await write(page, 'SELECT text, n FROM mark ORDER BY n DESC LIMIT 2; ');
  await page.getByRole('button', { name: 'Keep live' }).click();
  await expect.poll(() => result(page, 1).innerText()).toMatch(/Live[\s\S]*the first[\s\S]*1 row/);
  await studio.sql("CREATE mark:2 SET n = 2, text = 'the second'");
  await expect.poll(() => result(page, 1).innerText()).toMatch(/the second[\s\S]*the first[\s\S]*2 rows/);
  await page.getByRole('button', { name: 'Stop' }).click();
  await studio.sql('DELETE mark:1');
  await expect.poll(() => result(page, 1).innerText()).toMatch(/Ended[\s\S]*2 rows/);
  await write(page, 'rand()');
  await page.getByRole('button', { name: 'Keep live' }).click();
  await expect.poll(() => result(page, 1).innerText()).toContain('There is no random value in a LIVE QUERY');
  expect(complaints).toEqual([]);
});

it('draws a part of large results, and says how much there is', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await opened(studio);
  await write(
    page,
    'RETURN <array> 0..100000; RETURN string::repeat("ab", 500000); RETURN [{ long: string::repeat("ab", 500000) }];' +
      'RETURN object::from_entries(array::range(0, 1000).map(|$i| ["c" + <string> $i, $i]))',
  );
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await expect.poll(() => result(page, 4).innerText()).toContain('of 1000 columns, the first 100 are shown');
  expect(await result(page, 1).innerText()).toContain('100000 rows');
  expect(await result(page, 1).getByRole('row').count()).toBeLessThan(100);
  await result(page, 1).getByRole('grid').focus();
  await page.keyboard.press('End');
  await expect.poll(() => result(page, 1).getByRole('row').last().innerText()).toBe('99999');
  expect(await result(page, 2).innerText()).toContain('(900,000 more characters)');
  expect((await result(page, 3).innerText()).length).toBeLessThan(1000);
  expect(await result(page, 4).getByRole('columnheader').count()).toBe(100);
  await result(page, 3).getByRole('tab', { name: 'JSON' }).click();
  await expect.poll(() => result(page, 3).getByRole('tabpanel').innerText()).toMatch(/…$/);
  expect((await result(page, 3).innerText()).length).toBeLessThan(501_000);
  expect(complaints).toEqual([]);
});

it('keeps saved queries and a history, but nothing with a secret in it', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await opened(studio);
  await write(page, "DEFINE USER OVERWRITE eve ON ROOT PASSWORD 'never kept' ROLES VIEWER");
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await expect.poll(() => result(page, 1).isVisible()).toBe(true);
  expect(await textOf(page)).toContain('A query with a secret in it isn’t kept');
  await write(page, 'RETURN "kept"');
  await page.getByLabel('Name', { exact: true }).fill('mine');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await expect.poll(() => result(page, 1).innerText()).toContain('kept');
  const stored = String(await page.evaluate('JSON.stringify({ ...localStorage })'));
  expect(stored).toContain('RETURN');
  expect(stored).not.toContain('never kept');
  await page.reload();
  await page.getByRole('button', { name: 'mine', exact: true }).click();
  await expect.poll(() => page.getByLabel('Statements').innerText()).toContain('RETURN "kept"');
  expect(complaints).toEqual([]);
});

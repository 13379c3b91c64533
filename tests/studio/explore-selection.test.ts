/** Selecting rows by clicks and by keys, and what is done with all of them at once. */
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Studio, seriousFaults, startStudio } from './browser.js';

const HOSTILE = '<img src=x onerror="globalThis.attacked = 1">';
const NAME = `\`${HOSTILE}\``;

const SETUP = `DEFINE TABLE task; DEFINE FIELD state ON task TYPE 'open' | 'done'; DEFINE FIELD hours ON task TYPE option<int> ASSERT $value < 100;
  FOR $n IN 1..=250 { CREATE type::record('task', $n) SET state = 'open', hours = $n % 7, exact = 1f };
  DEFINE TABLE blocks TYPE RELATION FROM task TO task; RELATE task:1->blocks->task:2;
  CREATE ${NAME}:${NAME} SET ${NAME} = '${HOSTILE}', all = [{1, 2}, 1f, type::table('t')]; CREATE ${NAME}:2`;

let studio: Studio | undefined;
beforeAll(async () => {
  studio = await startStudio(SETUP);
});
afterAll(() => studio?.close());

const bar = (page: Page) => page.getByRole('region', { name: 'Selected rows' });
const box = (page: Page, id: string) => page.getByRole('checkbox', { name: `Select ${id}`, exact: true });
const said = (page: Page) => bar(page).getByRole('status').innerText();
const selectedIds = async (page: Page) => {
  const rows = await page.getByRole('row', { selected: true }).allInnerTexts();
  return rows.map((row) => row.split('\n')[0]);
};

it('selects rows by clicks and by keys, and says when more match than are loaded', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await studio.tab('explore/table/task');
  await box(page, 'task:2').click();
  await box(page, 'task:5').click({ modifiers: ['Shift'] });
  await expect.poll(() => said(page)).toBe('4 rows selected');
  await box(page, 'task:3').click();
  expect(await selectedIds(page)).toEqual(['task:2', 'task:4', 'task:5']);
  await bar(page).getByRole('button', { name: 'Clear' }).click();
  await expect.poll(() => bar(page).count()).toBe(0);

  const grid = page.getByRole('grid');
  await grid.focus();
  await page.keyboard.press('Control+Home');
  await page.keyboard.press('Space');
  for (let row = 0; row < 3; row++) await page.keyboard.press('Shift+ArrowDown');
  await expect.poll(() => said(page)).toBe('4 rows selected');
  await page.keyboard.press('Shift+ArrowUp');
  await expect.poll(() => said(page)).toBe('3 rows selected');
  expect(await selectedIds(page)).toEqual(['task:1', 'task:2', 'task:3']);
  // To the end, over rows that have to be read.
  await page.keyboard.press('Shift+End');
  await expect.poll(() => said(page)).toBe('250 rows selected');
  await page.keyboard.press('Space');
  await expect.poll(() => said(page)).toBe('249 rows selected');
  expect(await seriousFaults(page)).toEqual([]);
  await bar(page).getByRole('button', { name: 'Clear' }).click();

  await page.reload();
  await box(page, 'task:1').waitFor();
  await page.getByRole('checkbox', { name: 'Select rows' }).click();
  await expect.poll(() => said(page)).toBe('100 rows selected');
  await bar(page).getByRole('button', { name: 'Select all 250 that match' }).click();
  await expect.poll(() => said(page)).toBe('All 250 rows that match are selected, also those that aren’t loaded');
  await box(page, 'task:3').click();
  await expect.poll(() => said(page)).toBe('249 rows selected: all 250 that match but 1');
  // With another filter, other rows match.
  await page.getByLabel('Filter').fill('hours = 1');
  await page.keyboard.press('Enter');
  await expect.poll(() => bar(page).count()).toBe(0);
  expect(complaints).toEqual([]);
});

it('deletes rows after it has asked, in one transaction, and puts them back', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await studio.tab('explore/table/task');
  await box(page, 'task:1').click();
  await box(page, 'task:3').click({ modifiers: ['Shift'] });
  await bar(page).getByRole('button', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete 3 rows of task?' });
  await dialog.getByRole('button', { name: 'Delete 3 rows' }).click();
  await expect.poll(() => page.getByRole('grid').getAttribute('aria-rowcount')).toBe('248');
  expect(await studio.sql('SELECT VALUE id FROM task:1, task:2; SELECT * FROM blocks')).toEqual([[], []]);
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect.poll(() => page.getByRole('grid').getAttribute('aria-rowcount')).toBe('251');
  expect(await studio.sql('RETURN value::quote(task:1.exact); RETURN count(task:1->blocks->task)')).toEqual(['1f', 1]);

  // Others match than those that one was asked about.
  await page.getByLabel('Filter').fill('hours = 1 -- few');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByRole('grid').getAttribute('aria-rowcount')).toBe('37');
  await page.getByRole('checkbox', { name: 'Select rows' }).click();
  await box(page, 'task:1').click();
  await bar(page).getByRole('button', { name: 'Select all 36 that match' }).click();
  await studio.sql("CREATE task:0 SET state = 'open', hours = 1");
  await bar(page).getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete 36 rows' }).click();
  await expect.poll(() => page.getByRole('alert').innerText()).toContain('Meanwhile 37 rows match');
  await studio.sql('DELETE task:0');
  expect(await studio.sql('RETURN count(SELECT * FROM task)')).toEqual([250]);
  expect(complaints).toEqual([]);
});

it('edits a field of many rows: staged, or saved at once, or not at all', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await studio.tab('explore/table/task');
  await box(page, 'task:1').click();
  await box(page, 'task:2').click();
  await bar(page).getByRole('button', { name: 'Edit' }).click();
  const dialog = page.getByRole('dialog', { name: 'Edit 2 rows of task' });
  await dialog.getByRole('combobox', { name: 'Field to change' }).fill('state');
  await dialog.getByLabel('state', { exact: true }).selectOption("'done'");
  await dialog.getByRole('button', { name: 'Keep' }).click();
  await page.getByRole('button', { name: 'Save 2 changes' }).click();
  await expect.poll(() => studio?.sql("SELECT VALUE id.id() FROM task WHERE state = 'done'")).toEqual([[1, 2]]);

  await page.getByRole('checkbox', { name: 'Select rows' }).click();
  await page.getByRole('checkbox', { name: 'Select rows' }).click();
  await bar(page).getByRole('button', { name: 'Select all 250 that match' }).click();
  await bar(page).getByRole('button', { name: 'Edit' }).click();
  const all = page.getByRole('dialog', { name: 'Edit 250 rows of task' });
  await all.getByRole('combobox', { name: 'Field to change' }).fill('hours');
  const save = all.getByRole('button', { name: 'Save 250 rows now' });
  expect(await save.isDisabled()).toBe(true);
  await all.getByLabel('hours', { exact: true }).fill('100');
  await save.click();
  await expect.poll(() => all.getByRole('alert').innerText()).toContain('hours');
  await all.getByLabel('hours', { exact: true }).fill('8');
  await save.click();
  await expect.poll(() => studio?.sql('SELECT VALUE hours FROM task GROUP BY hours')).toEqual([[8]]);
  expect(await studio.sql('RETURN value::quote(task:7)')).toEqual(['task:7']);
  expect(complaints).toEqual([]);
});

it('exports what is selected, or all that matches, with names and values as they are', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await studio.tab(`explore/table/${encodeURIComponent(HOSTILE)}`);
  const save = async (format: string): Promise<string> => {
    await page.getByLabel('Format').selectOption(format);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save the file' }).click(),
    ]);
    return readFile(await file.path(), 'utf8');
  };
  await box(page, `${NAME}:${NAME}`).click();
  await bar(page).getByRole('button', { name: 'Export' }).click();
  const code = await save('SurrealQL, which keeps type and bits of every value');
  expect(code).toContain("all: [{1, 2}, 1f, type::table('t')]");
  const before = await studio.sql(`RETURN value::quote((SELECT * FROM ${NAME} WHERE all))`);
  await studio.sql(`DELETE ${NAME} WHERE all; ${code}`);
  expect(await studio.sql(`RETURN value::quote((SELECT * FROM ${NAME} WHERE all))`)).toEqual(before);
  expect(JSON.parse(await save('JSON'))).toMatchObject([{ [HOSTILE]: HOSTILE }]);
  await page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).last().click();

  await page.getByRole('button', { name: `More for ${HOSTILE}` }).click();
  await page.getByRole('menuitem', { name: 'Export rows' }).click();
  const cell = (text: string) => `"${text.replaceAll('"', '""')}"`;
  expect((await save('CSV, for spreadsheets')).split('\r\n').toSorted()).toEqual(
    [
      `id,${cell(HOSTILE)},all`,
      `${cell(`${NAME}:2`)},,`,
      `${cell(`${NAME}:${NAME}`)},${cell(HOSTILE)},"[{1, 2}, 1, t]"`,
      '',
    ].toSorted(),
  );
  expect(await page.evaluate('globalThis.attacked')).toBe(undefined);
  expect(complaints).toEqual([]);
});

/** Which columns a table shows, as the browser keeps it. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Studio, startStudio } from './browser.js';

const HOSTILE = '<img src=x onerror="globalThis.attacked = 1">';

let studio: Studio | undefined;
beforeAll(async () => {
  studio = await startStudio(`CREATE thing:1 SET a = 1, b = 2, ${'`'}${HOSTILE}${'`'} = 3; CREATE other:1 SET a = 1`);
});
afterAll(() => studio?.close());

it('hides columns of a table, and keeps them hidden', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await studio.tab('explore/table/thing');
  // The first column has the boxes that select rows.
  const headings = async () => (await page.getByRole('grid').getByRole('columnheader').allInnerTexts()).slice(1);
  await expect.poll(headings).toEqual(['id', HOSTILE, 'a', 'b']);
  await page.getByRole('button', { name: 'Columns' }).click();
  expect(await page.getByRole('menuitemcheckbox').allInnerTexts()).toEqual([HOSTILE, 'a', 'b']);
  await page.getByRole('menuitemcheckbox', { name: 'a', exact: true }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitemcheckbox', { name: HOSTILE }).click();
  await expect.poll(headings).toEqual(['id', 'b']);
  await page.keyboard.press('Escape');
  await page.reload();
  await expect.poll(headings).toEqual(['id', 'b']);
  await page.getByRole('complementary').getByRole('link', { name: 'other', exact: true }).click();
  await expect.poll(headings).toEqual(['id', 'a']);
  await page.goBack();
  await page.getByRole('button', { name: 'Columns (2 hidden)' }).click();
  await page.getByRole('menuitem', { name: 'Show all columns' }).click();
  await expect.poll(headings).toEqual(['id', HOSTILE, 'a', 'b']);
  expect(await page.evaluate('globalThis.attacked')).toBe(undefined);
  expect(complaints).toEqual([]);
});

/** Explore and Query by keyboard alone: no click, no focus that a script sets. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FOCUSED, openView, type Studio, startStudio, tabTo } from './browser.js';

const SETUP = `DEFINE TABLE person SCHEMAFULL; DEFINE FIELD name ON person TYPE string;
  DEFINE FIELD age ON person TYPE int;
  CREATE person:ann SET name = 'Ann', age = 40; CREATE person:bob SET name = 'Bob', age = 20`;

let studio: Studio | undefined;
beforeAll(async () => {
  studio = await startStudio(SETUP);
});
afterAll(() => studio?.close());

/** Tab indents in the editor, unless Escape is pressed before. The first closes the list of completions, if it is open. */
async function leaveEditor(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
}

it('chooses a table, moves in its rows, changes a record, undoes it and saves another change', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await studio.tab();
  const heading = () => page.getByRole('heading', { level: 1 }).innerText();
  await expect.poll(() => page.getByRole('complementary').innerText()).toMatch(/person\s+2/);
  await tabTo(page, 'person');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByRole('grid').innerText()).toContain('person:bob');
  await tabTo(page, 'Rows of person');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect.poll(heading).toBe('person:bob');

  const change = async (age: string) => {
    await expect.poll(() => page.getByRole('button', { name: 'Edit' }).isEnabled()).toBe(true);
    await tabTo(page, 'Edit');
    await page.keyboard.press('Enter');
    // The first field has the focus.
    await expect.poll(() => page.evaluate(FOCUSED)).toBe('age');
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type(age);
    await tabTo(page, 'Keep');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    // The focus is where it was.
    await expect.poll(() => page.evaluate(FOCUSED)).toBe('Edit');
  };
  const changes = page.getByRole('region', { name: 'Changes that are not saved' });
  await change('21');
  await expect.poll(() => changes.innerText()).toContain('Change age of person:bob');
  await tabTo(page, 'Undo: Change age of person:bob');
  await page.keyboard.press('Enter');
  await expect.poll(() => changes.count()).toBe(0);
  await change('22');
  await tabTo(page, 'Save 1 change');
  await page.keyboard.press('Enter');
  await expect.poll(() => studio?.sql('SELECT VALUE age FROM person:bob')).toEqual([[22]]);
  await expect.poll(() => changes.count()).toBe(0);
  expect(complaints).toEqual([]);
});

it('writes a query, runs it, looks at the results, takes it from the history and cancels a run', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await studio.tab();
  await openView(page, 'Query');
  await expect.poll(() => page.getByLabel('Statements').isVisible()).toBe(true);
  await tabTo(page, 'Statements');
  await page.keyboard.type('SELECT name FROM person:ann;');
  await page.keyboard.press('Escape');
  await page.keyboard.press('ControlOrMeta+Enter');
  const result = page.getByRole('region', { name: 'Result 1' });
  await expect.poll(() => result.innerText()).toContain('Ann');

  await leaveEditor(page);
  await tabTo(page, 'Grid');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => result.getByRole('tabpanel').innerText()).toContain('"name": "Ann"');

  await tabTo(page, 'History', 'Shift+Tab');
  await page.keyboard.press('Enter');
  await tabTo(page, 'SELECT name FROM person:ann;');
  await tabTo(page, 'Statements', 'Shift+Tab');
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type('SLEEP 1h');
  await page.keyboard.press('ControlOrMeta+Enter');
  await expect.poll(() => page.getByRole('button', { name: 'Cancel' }).isVisible()).toBe(true);
  await leaveEditor(page);
  await tabTo(page, 'Cancel');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByRole('alert').innerText()).toContain('cancelled');
  await tabTo(page, 'SELECT name FROM person:ann;');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByLabel('Statements').innerText()).toBe('SELECT name FROM person:ann;');
  expect(complaints).toEqual([]);
});

/** The tabs of queries, and finding in the history. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isKeepable } from '../../studio/views/query/keepable.js';
import { type Studio, startStudio } from './browser.js';

const HOSTILE = '<img src=x onerror="globalThis.attacked = 1">';

let studio: Studio | undefined;
beforeAll(async () => {
  studio = await startStudio('DEFINE TABLE person');
});
afterAll(() => studio?.close());

const names = (page: Page) => page.getByRole('tablist', { name: 'Queries' }).getByRole('tab').allInnerTexts();
const shown = (page: Page) => page.getByRole('textbox', { name: 'Statements' });

async function write(page: Page, text: string): Promise<void> {
  await shown(page).click();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.insertText(text);
}

async function choose(page: Page, action: string): Promise<void> {
  await page.getByRole('button', { name: /^Actions of the tab/ }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

it.each([
  ['SELECT * FROM person', true],
  ['SELECT monkey, keyboard, passage FROM person', true],
  ['', false],
  ['x'.repeat(20_001), false],
  ["DEFINE USER ann PASSWORD 'x'", false],
  ["UPDATE user SET userPassword = 'x'", false],
  ["UPDATE user SET pass_hash = 'x'", false],
  ["UPDATE user SET apiKey = 'x', API_TOKEN = 'y'", false],
])('keeps of %j, say: %j', (text, isKept) => {
  expect(isKeepable(text)).toBe(isKept);
});

it('keeps names, texts and the order of tabs, but neither results, parameters nor secrets', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await studio.tab('query');
  await write(page, 'RETURN "first"');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await expect.poll(() => page.getByRole('region', { name: 'Result 1' }).innerText()).toContain('first');
  await page.getByRole('button', { name: 'New tab' }).click();
  await write(page, 'RETURN $secretive');
  await page.getByRole('button', { name: 'Add a parameter' }).click();
  await page.getByLabel('Parameter 1', { exact: true }).fill('secretive');
  await page.getByLabel('Value of $secretive in SurrealQL').fill('"hidden value"');
  await choose(page, 'Rename');
  await page.getByLabel('Name of the tab').fill(HOSTILE);
  await page.getByRole('button', { name: 'Rename' }).click();
  await expect.poll(() => names(page)).toEqual(['Query 1', HOSTILE]);
  await choose(page, 'Move left');
  await expect.poll(() => names(page)).toEqual([HOSTILE, 'Query 1']);
  // What a tab showed is still there.
  await page.getByRole('tab', { name: 'Query 1' }).click();
  await expect.poll(() => page.getByRole('region', { name: 'Result 1' }).innerText()).toContain('first');
  await page.getByRole('button', { name: 'New tab' }).click();
  await write(page, "DEFINE USER eve ON ROOT PASSWORD 'never kept' ROLES VIEWER");
  await expect.poll(() => names(page)).toEqual([HOSTILE, 'Query 1', 'Query 2']);
  const stored = String(await page.evaluate('JSON.stringify({ ...localStorage })'));
  expect(stored).not.toMatch(/hidden value|never kept/);
  await page.reload();
  await expect.poll(() => names(page)).toEqual([HOSTILE, 'Query 1', 'Query 2']);
  expect(await shown(page).innerText()).toBe('RETURN $secretive');
  expect(await page.getByLabel('Parameter 1', { exact: true }).count()).toBe(0);
  expect(await page.evaluate('globalThis.attacked')).toBe(undefined);
  expect(complaints).toEqual([]);
});

it('finds in the history', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await studio.tab('query');
  for (const text of ['RETURN "apple"', 'RETURN "pear"']) {
    await write(page, text);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await expect.poll(() => page.getByRole('region', { name: 'Result 1' }).innerText()).toContain(text.slice(8, -1));
  }
  await page.getByText('History', { exact: true }).click();
  await page.getByLabel('Find in the history').fill('APPLE');
  await expect.poll(() => page.getByRole('button', { name: 'RETURN "pear"' }).count()).toBe(0);
  await page.getByRole('button', { name: 'RETURN "apple"' }).click();
  await expect.poll(() => shown(page).innerText()).toBe('RETURN "apple"');
  expect(complaints).toEqual([]);
});

it('closes a tab, with a way back, and keeps those of another database apart', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await studio.tab('query');
  await write(page, 'RETURN "only"');
  await choose(page, 'Close');
  await expect.poll(() => shown(page).innerText()).not.toContain('only');
  expect(await names(page)).toEqual(['Query 1']);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => shown(page).innerText()).toBe('RETURN "only"');
  await page.evaluate("location.hash = '#/query?namespace=test&database=other'");
  await expect.poll(() => shown(page).innerText()).not.toContain('only');
  expect(complaints).toEqual([]);
});

/** The Studio of a record user and of a guest: what works for them, and no more. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  openPage,
  PLACE,
  type Studio,
  type StudioPage,
  seriousFaults,
  startBrowser,
  startStudio,
  textOf,
  type User,
} from './browser.js';

const HOSTILE = '<i>n</i>';
const SETUP = `
  DEFINE TABLE person PERMISSIONS FOR select, update WHERE id = $auth;
  DEFINE TABLE note PERMISSIONS FOR select, create, update, delete WHERE owner = $auth;
  DEFINE TABLE news PERMISSIONS FOR select FULL;
  DEFINE TABLE \`${HOSTILE}\` PERMISSIONS FOR select FULL;
  DEFINE TABLE payroll;
  CREATE person:ann SET name = 'Ann of the notes'; CREATE person:bob; CREATE news:1; CREATE payroll:1;
  CREATE note:1 SET owner = person:ann; CREATE note:2 SET owner = person:bob;
  DEFINE ACCESS people ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM type::record('person', $name))`;

let studio: Studio | undefined;
beforeAll(async () => {
  studio = await startStudio(SETUP, { SVC_ALLOW_GUESTS: 'true' });
});
afterAll(() => studio?.close());

const recordUser = (name: string): User => ({
  level: 'record',
  // By which the shared tab tells them apart.
  name: `people: ${name}`,
  credentials: { NS: PLACE.namespace, DB: PLACE.database, AC: 'people', name },
});

const tables = (page: Page) => page.getByRole('complementary').getByRole('listitem').getByRole('link').allInnerTexts();
const views = (page: Page) => page.getByRole('navigation', { name: 'Views' }).getByRole('link').allInnerTexts();

it('lists the tables of which a record user may see records, and calls them by their name', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await studio.tab('explore', recordUser('ann'));
  await expect.poll(() => tables(page)).toEqual([HOSTILE, 'news', 'note', 'person']);
  await expect.poll(() => page.getByRole('button', { name: /^Account of/ }).innerText()).toBe('Ann of the notes');
  await expect.poll(() => views(page)).toEqual(['Explore', 'Files', 'Query', 'People']);
  expect(await textOf(page)).not.toMatch(/payroll|may not see|Import and export/);
  await page.getByRole('complementary').getByRole('link', { name: 'note', exact: true }).click();
  await expect.poll(() => page.getByRole('grid').getByRole('row').allInnerTexts()).toHaveLength(2);
  expect(await page.getByRole('button', { name: 'New row' }).isEnabled()).toBe(true);
  await page.getByRole('complementary').getByRole('link', { name: 'news', exact: true }).click();
  await expect.poll(() => page.getByRole('button', { name: 'New row' }).isDisabled()).toBe(true);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect([colorScheme, await seriousFaults(page)]).toEqual([colorScheme, []]);
  }
  await page.emulateMedia({ colorScheme: null });
  expect(await page.locator('main i, aside i').count()).toBe(0);
  expect(complaints).toEqual([]);
});

it('offers them no view that they can’t use, by the palette and by address neither', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page } = await studio.tab('schema', recordUser('bob'));
  await page.getByText('System users see this page.').waitFor();
  await expect.poll(() => page.getByRole('button', { name: /^Account of/ }).innerText()).toBe('person:bob');
  await page.keyboard.press('ControlOrMeta+K');
  await page.getByRole('textbox', { name: 'Find or do something' }).fill('e');
  await page.getByRole('button', { name: 'Query', exact: true }).waitFor();
  for (const title of ['People: Users', 'Server', 'Schema', 'GraphQL']) {
    expect([title, await page.getByRole('button', { name: title, exact: true }).count()]).toEqual([title, 0]);
  }
  await page.keyboard.press('Escape');
});

it('shows a guest what guests may see', async ({ skip }) => {
  const browser = await startBrowser();
  if (studio === undefined || browser === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints }: StudioPage = await openPage(browser, studio.server.url);
  await page.getByLabel('As', { exact: true }).selectOption('Guest, without signing in');
  await page.getByLabel('Namespace', { exact: true }).fill(PLACE.namespace);
  await page.getByLabel('Database', { exact: true }).fill(PLACE.database);
  await page.getByRole('button', { name: 'Go on' }).press('Enter');
  await expect.poll(() => tables(page)).toEqual([HOSTILE, 'news', 'note', 'person']);
  expect(await views(page)).toEqual(['Explore', 'Files', 'Query']);
  expect(await page.getByRole('button', { name: 'Account of Guest' }).count()).toBe(1);
  expect(complaints).toEqual([]);
  await page.close();
});

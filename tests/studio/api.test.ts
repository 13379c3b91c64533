/** The API page: what it shows for a table and a user, copied by the keyboard alone. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { databaseUser, type Studio, seriousFaults, startStudio, textOf } from './browser.js';

const HOSTILE = '<img src=x onerror=alert(1)> " \'';
const SETUP = `
  DEFINE TABLE note SCHEMAFULL PERMISSIONS FOR select WHERE public, FOR create FULL;
  DEFINE FIELD text ON note TYPE string;
  DEFINE FIELD public ON note TYPE bool;
  DEFINE FIELD secret ON note TYPE option<string> PERMISSIONS NONE;
  DEFINE TABLE \`${HOSTILE}\` PERMISSIONS FULL;
  DEFINE TABLE user;
  DEFINE ACCESS account ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM user WHERE email = $email);
  DEFINE USER vera ON DATABASE PASSWORD 'a viewers password' ROLES VIEWER`;

let studio: Studio | undefined;
beforeAll(async () => {
  studio = await startStudio(SETUP);
});
afterAll(() => studio?.close());

const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

it('shows what a user may do with a table, and what not', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await studio.tab('api/table/note');
  await expect.poll(() => region(page, 'Read').innerText()).toContain('SELECT id, public, text FROM note LIMIT 20');
  expect(await region(page, 'Sign in').innerText()).toContain("variables: { email: 'ann@example.com' }");
  const main = page.getByRole('main');
  await main.getByText('Change: PERMISSIONS refuse it to this user.').waitFor();
  expect(await main.innerText()).toContain('Of records for which public.');
  await main.getByLabel('Signed in as').selectOption('An editor of the database');
  await expect.poll(() => region(page, 'Read').innerText()).toContain('SELECT id, public, secret, text FROM note');
  expect(await region(page, 'Change').innerText()).toContain('UPDATE $id SET public = $public');
  await main.getByLabel('Table').selectOption(HOSTILE);
  await expect.poll(() => page.url()).toContain(encodeURIComponent('<img'));
  await expect.poll(() => region(page, 'Read').innerText()).toContain(`FROM \`${HOSTILE}\``.replaceAll('"', '\\"'));
  expect(await page.locator('main img').count()).toBe(0);
  expect(complaints).toEqual([]);
});

it('is used by the keyboard alone, in each language, light and dark', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page } = await studio.tab('api/table/note');
    await page.emulateMedia({ colorScheme });
    await page.getByRole('tab', { name: 'JavaScript' }).focus();
    for (const language of ['React', 'Python', 'curl', 'GraphQL']) {
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Enter');
      await expect.poll(() => page.getByRole('tab', { name: language }).getAttribute('aria-selected')).toBe('true');
      await region(page, 'Read').waitFor();
      expect([language, await seriousFaults(page)]).toEqual([language, []]);
    }
    await page.getByRole('button', { name: 'Copy: Read' }).press('Enter');
    await page
      .getByText(/^(Copied: Read|Select the text)/)
      .last()
      .waitFor();
    await page.emulateMedia({ colorScheme: null });
  }
});

it('is there for a viewer, too', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await studio.tab('api/table/note', databaseUser('vera', 'a viewers password'));
  await expect.poll(() => textOf(page)).toContain('SELECT id, public, text FROM note');
  expect(complaints).toEqual([]);
});

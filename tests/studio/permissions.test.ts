/** Permissions in the Studio: the matrix, views as other users, and explanations. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isInTurn } from '../support/runs-all.js';
import { databaseUser, openView, type Studio, seriousFaults, startStudio, textOf, type User } from './browser.js';

// In turns with other long tests.
const inTurn = it.skipIf(!isInTurn(2));

const SETUP = `DEFINE TABLE account PERMISSIONS FOR select WHERE id = $auth.id;
  CREATE account:1, account:2;
  DEFINE TABLE note PERMISSIONS FOR select WHERE owner = $auth.id, FOR create FULL;
  DEFINE FIELD secret ON note PERMISSIONS FOR select NONE;
  CREATE note:1 SET owner = account:1, secret = 'hidden'; CREATE note:2 SET owner = account:2;
  DEFINE TABLE \`<b>bold</b>\` PERMISSIONS FOR select WHERE '<i>x</i>' = 1;
  DEFINE ACCESS account ON DATABASE TYPE RECORD;
  DEFINE USER viewer ON DATABASE PASSWORD 'a view of it' ROLES VIEWER`;

let studio: Studio | undefined;
beforeAll(async () => {
  studio = await startStudio(SETUP);
});
afterAll(() => studio?.close());

async function openPermissions(at: Studio, user?: User) {
  const shown = await at.tab('permissions', user);
  await shown.page.getByRole('table').waitFor();
  return shown;
}

/** The cells of a row of the matrix. */
function row(page: Page, name: string): Promise<string[]> {
  const header = page.getByRole('rowheader', { name, exact: true });
  return page.getByRole('row').filter({ has: header }).getByRole('cell').allInnerTexts();
}

inTurn('shows who may do what with each table and field', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await openPermissions(studio);
  expect(await row(page, 'note')).toEqual(['WHERE owner = $auth.id', 'FULL', 'NONE', 'NONE']);
  expect(await row(page, 'note: secret')).toEqual(['NONE', 'as the table', 'as the table', '']);
  expect(await row(page, '<b>bold</b>')).toEqual(["WHERE '<i>x</i>' = 1", 'NONE', 'NONE', 'NONE']);
  await page.getByLabel('Who').selectOption('Viewers');
  expect(await row(page, 'note')).toEqual(['FULL', 'FULL', 'NONE', 'NONE']);
  await page.getByLabel('Who').selectOption('Editors and owners');
  expect(await row(page, 'account')).toEqual(['FULL', 'FULL', 'FULL', 'FULL']);
  expect(await seriousFaults(page)).toEqual([]);
  expect(complaints).toEqual([]);
});

inTurn('says which clause lets a user in or refuses', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page } = await openPermissions(studio);
  const explanation = page.getByRole('list', { name: 'Explanation' });
  await page.getByLabel('What record').fill('note:1');
  await page.getByLabel('Record user, a guest if empty').fill('account:1');
  await page.getByRole('button', { name: 'Explain' }).click();
  await expect.poll(() => explanation.innerText()).toContain('account:1 may select it');
  expect(await explanation.innerText()).toContain('The field secret is hidden: its clause is NONE.');
  await page.getByLabel('Record user, a guest if empty').fill('account:2');
  await page.getByRole('button', { name: 'Explain' }).click();
  await expect
    .poll(() => explanation.innerText())
    .toContain('account:2 may not select it: the clause of note is WHERE owner = $auth.id, which is not true');
  await page.getByLabel('What record').fill('note:<b>');
  await page.getByRole('button', { name: 'Explain' }).click();
  await expect.poll(() => page.getByRole('alert').count()).toBe(1);
});

inTurn('shows the database as a record user sees it, says so on each page, and ends it', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await openPermissions(studio);
  await page.getByLabel('Record', { exact: true }).fill('account:3');
  await page.getByRole('combobox', { name: 'Signed in by access', exact: true }).fill('account');
  await page.getByRole('button', { name: 'Begin the view' }).click();
  await expect.poll(() => page.getByRole('alert').innerText()).toContain('There is no record account:3 to view as');

  await page.getByLabel('Record', { exact: true }).fill('account:1');
  await page.getByRole('button', { name: 'Begin the view' }).click();
  const banner = page.getByRole('region', { name: 'View as another user' });
  await expect.poll(() => banner.innerText()).toContain('You see what account:1, signed in by account would see');
  // A record user doesn't see what is defined.
  await expect.poll(() => textOf(page)).toContain('You may not see this: it is for system users');
  for (const view of ['Explore', 'Query', 'Schema', 'GraphQL']) {
    await openView(page, view);
    await expect.poll(() => banner.isVisible()).toBe(true);
  }
  await openView(page, 'Explore');
  // The owner's list of tables, with the rows of the view.
  const tables = page.getByRole('complementary');
  await expect.poll(() => tables.getByRole('listitem').allInnerTexts()).toHaveLength(3);
  await tables.getByRole('link', { name: 'account', exact: true }).click();
  await expect.poll(() => page.getByRole('grid').getByRole('row').allInnerTexts()).toHaveLength(2);
  await openView(page, 'GraphQL');
  // The page of GraphQL asks with the owner's token.
  await expect.poll(() => textOf(page)).toContain('End the view to open it');
  expect(await page.locator('iframe').count()).toBe(0);

  await openView(page, 'Permissions');
  await banner.getByRole('button', { name: 'End the view' }).click();
  await expect.poll(() => banner.count()).toBe(0);
  await expect.poll(() => page.getByRole('rowheader', { name: 'note', exact: true }).count()).toBe(1);
  expect(complaints).toEqual([]);
});

inTurn('changes nothing in the view of an editor', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page } = await openPermissions(studio);
  await page.getByLabel('View as', { exact: true }).selectOption('An editor of the database');
  await page.getByRole('button', { name: 'Begin the view' }).click();
  await openView(page, 'Schema');
  await page.getByRole('button', { name: 'Remove account' }).first().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
  await expect.poll(() => page.getByRole('alert').innerText()).toContain('A view is read-only');
  expect(await studio.sql('SELECT VALUE id FROM account')).toEqual([['account:1', 'account:2']]);
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Designer' }).click();
  await page.getByRole('article', { name: 'Table account' }).waitFor();
  expect(await page.getByRole('button', { name: /^(New table|Add a field|Link )/ }).count()).toBe(0);
  await page.getByRole('button', { name: 'End the view' }).click();
});

inTurn('shows the matrix to a viewer, and refuses views', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page } = await openPermissions(studio, databaseUser('viewer', 'a view of it'));
  expect(await row(page, 'account')).toEqual(['WHERE id = $auth.id', 'NONE', 'NONE', 'NONE']);
  await page.getByLabel('View as', { exact: true }).selectOption('A guest');
  await page.getByRole('button', { name: 'Begin the view' }).click();
  await expect.poll(() => page.getByRole('alert').innerText()).toContain('Not enough permissions');
  expect(await page.getByRole('region', { name: 'View as another user' }).count()).toBe(0);
});

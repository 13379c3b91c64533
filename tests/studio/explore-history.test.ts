/** The history of a record: its versions with what they changed, put back as pending changes; and how a table gets one. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PLACE, type Studio, seriousFaults, startStudio, type User } from './browser.js';

const HOSTILE = '<img src=x onerror="globalThis.attacked = 1">';
const NAME = `\`${HOSTILE}\``;

const SETUP = `DEFINE TABLE person CHANGEFEED 1h INCLUDE ORIGINAL PERMISSIONS FOR select FULL; DEFINE TABLE ${NAME};
  CREATE person:ann SET name = 'Ann', sizes = {1, 2}, exact = 1f; CREATE person:bob SET name = 'Bob';
  UPDATE person:ann SET name = '${HOSTILE}', ${NAME} = 5; UPDATE person:ann SET sizes = {3,}; CREATE ${NAME}:1;
  DEFINE ACCESS account ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM type::record('person', $name))`;

let studio: Studio | undefined;
beforeAll(async () => {
  studio = await startStudio(SETUP);
});
afterAll(() => studio?.close());

const section = (page: Page) => page.getByRole('region', { name: 'History', exact: true });
const versions = (page: Page) => section(page).getByRole('listitem');
const changes = (page: Page) => page.getByRole('region', { name: 'Changes that are not saved' });

it('shows what each version changed, and puts one back once the changes are saved', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await studio.tab('explore/record/person:ann');
  await section(page).getByRole('button', { name: 'Show the history' }).click();
  await expect.poll(() => versions(page).count()).toBe(3);
  const cells = (at: number) => versions(page).nth(at).getByRole('row').allInnerTexts();
  expect(await cells(0)).toEqual(['Field\tBefore\tAfter', 'sizes\t{1, 2}\t{3,}']);
  expect(await cells(1)).toEqual(['Field\tBefore\tAfter', `${HOSTILE}\tNONE\t5`, `name\t'Ann'\t'${HOSTILE}'`]);
  expect(await versions(page).nth(2).innerText()).toContain('the first version of the feed');
  expect(await seriousFaults(page)).toEqual([]);

  // By keyboard alone.
  await versions(page)
    .nth(2)
    .getByRole('button', { name: /^Put back/ })
    .focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => changes(page).innerText()).toContain(`Change name, sizes, ${HOSTILE} of person:ann`);
  await page.getByRole('button', { name: 'Save 1 change' }).click();
  await expect
    .poll(() => studio?.sql('RETURN value::quote((SELECT * FROM ONLY person:ann))'))
    .toEqual(["{ exact: 1f, id: person:ann, name: 'Ann', sizes: {1, 2} }"]);
  await section(page).getByRole('button', { name: 'Read the history again' }).click();
  await expect.poll(() => versions(page).count()).toBe(4);
  expect(await page.evaluate('globalThis.attacked')).toBe(undefined);
  expect(complaints).toEqual([]);
});

it('makes a deleted record again, and says how a table gets a history', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  await studio.sql('DELETE person:bob');
  const { page, complaints } = await studio.tab('explore/record/person:bob');
  await expect.poll(() => page.locator('main').innerText()).toContain('There is no such record');
  await section(page).getByRole('button', { name: 'Show the history' }).click();
  await expect.poll(() => versions(page).first().innerText()).toContain('deleted');
  await section(page)
    .getByRole('button', { name: /^Put back/ })
    .click();
  await page.getByRole('button', { name: 'Save 1 change' }).click();
  await expect.poll(() => page.getByRole('heading', { level: 1 }).innerText()).toBe('person:bob');
  expect(await studio.sql('SELECT VALUE name FROM person:bob')).toEqual([['Bob']]);

  await page.goto(`${studio.server.url}/studio#/explore/record/${encodeURIComponent(`${NAME}:1`)}`);
  await expect.poll(() => section(page).innerText()).toContain(`ALTER TABLE ${NAME} CHANGEFEED 7d INCLUDE ORIGINAL;`);
  await studio.sql(`ALTER TABLE ${NAME} CHANGEFEED 7d INCLUDE ORIGINAL; UPDATE ${NAME}:1 SET a = 1`);
  await page.reload();
  await section(page).getByRole('button', { name: 'Show the history' }).click();
  await expect.poll(() => versions(page).count()).toBe(1);
  expect(await page.evaluate('globalThis.attacked')).toBe(undefined);
  expect(complaints).toEqual([]);
});

it('says to a record user that it is not theirs to see', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const user: User = {
    level: 'record',
    name: 'account',
    credentials: { NS: PLACE.namespace, DB: PLACE.database, AC: 'account', name: 'ann' },
  };
  const { page } = await studio.tab('explore/record/person:ann', user);
  await expect.poll(() => section(page).innerText()).toContain('for system users of the database to see');
});

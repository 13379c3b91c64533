/** Every view in light and in dark, at 1024 pixels and on a phone: nothing serious for axe, and nothing wider than the page. */
import type { BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { drawn, isInTurn } from '../support/runs-all.js';
import { temporaryFolder } from '../support/server-process.js';
import { openView, type Studio, seriousFaults, signIn, startStudio } from './browser.js';

const SETUP = `DEFINE TABLE person SCHEMAFULL PERMISSIONS FOR select WHERE id = $auth;
  DEFINE FIELD name ON person TYPE string PERMISSIONS FOR select NONE;
  DEFINE TABLE knows TYPE RELATION FROM person TO person;
  CREATE person:ann SET name = 'Ann'; CREATE person:bob SET name = 'Bob'; RELATE person:ann->knows->person:bob;
  DEFINE USER viewer ON DATABASE PASSWORD 'a view of it' ROLES VIEWER`;

/** A heading or a text by which each view has come. */
const VIEWS = {
  Explore: 'Choose a table',
  Query: 'Ctrl-Enter runs',
  Schema: 'person',
  Permissions: 'See what another user sees',
  People: 'Sessions',
  Server: 'Settings',
};

const inTurn = it.skipIf(!isInTurn(2));
const STORE = drawn('studio appearance') % 2 === 0 ? 'memory' : 'disk';

let studio: Studio | undefined;
beforeAll(async () => {
  studio = await startStudio(SETUP, {}, STORE === 'memory' ? 'memory' : temporaryFolder());
});
afterAll(() => studio?.close());

const wide = { width: 1024, height: 768 };
const phone = { width: 390, height: 800 };
type Appearance = [name: string, options: BrowserContextOptions];

it.each<Appearance>([
  ['light, 1024 pixels', { viewport: wide, colorScheme: 'light' }],
  ['a phone in dark', { viewport: phone, colorScheme: 'dark' }],
])(`%s, on a store in ${STORE}`, looksRight);

inTurn.each<Appearance>([
  ['dark, 1024 pixels', { viewport: wide, colorScheme: 'dark' }],
  ['a phone', { viewport: phone, colorScheme: 'light' }],
])(`%s, on a store in ${STORE}`, looksRight);

async function looksRight(_: string, options: BrowserContextOptions): Promise<void> {
  if (studio === undefined) return;
  const { page, complaints } = await studio.open(options);
  expect(await seriousFaults(page)).toEqual([]);
  await signIn(page);
  const isTooWide = () => page.evaluate('document.documentElement.scrollWidth > innerWidth');
  for (const [title, text] of Object.entries(VIEWS)) {
    await openView(page, title);
    await expect.poll(() => page.locator('main').innerText()).toContain(text);
    expect([title, await seriousFaults(page), await isTooWide()]).toEqual([title, [], false]);
  }
  await openView(page, 'Explore');
  await page.getByRole('complementary').getByRole('link', { name: 'person', exact: true }).click();
  await expect.poll(() => page.getByRole('grid').innerText()).toContain('person:ann');
  expect([await seriousFaults(page), await isTooWide()]).toEqual([[], false]);
  await page.getByRole('button', { name: 'New row' }).click();
  await expect.poll(() => page.getByRole('dialog').isVisible()).toBe(true);
  expect(await seriousFaults(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByRole('grid').getByRole('link', { name: 'person:ann' }).click();
  await expect.poll(() => page.getByRole('region', { name: 'Neighbours' }).innerText()).toContain('person:bob');
  expect([await seriousFaults(page), await isTooWide()]).toEqual([[], false]);
  expect(complaints).toEqual([]);
  await page.close();
}

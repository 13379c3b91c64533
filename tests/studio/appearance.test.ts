/** Every view in light and in dark, at 1024 pixels and on a phone: nothing serious for axe, and nothing wider than the page. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { drawn, isInTurn } from '../support/runs-all.js';
import { temporaryFolder } from '../support/server-process.js';
import { goTo, type Studio, seriousFaults, startStudio } from './browser.js';

const SETUP = `DEFINE TABLE person SCHEMAFULL PERMISSIONS FOR select WHERE id = $auth;
  DEFINE FIELD name ON person TYPE string PERMISSIONS FOR select NONE;
  DEFINE TABLE knows TYPE RELATION FROM person TO person;
  CREATE person:ann SET name = 'Ann'; CREATE person:bob SET name = 'Bob'; RELATE person:ann->knows->person:bob;
  DEFINE USER viewer ON DATABASE PASSWORD 'a view of it' ROLES VIEWER`;

/** A heading or a text by which each view has come. */
const VIEWS = {
  explore: 'Choose a table',
  query: 'Ctrl-Enter runs',
  schema: 'person',
  permissions: 'See what another user sees',
  people: 'Sessions',
  server: 'Settings',
};

const STORE = drawn('studio appearance') % 2 === 0 ? 'memory' : 'disk';

let studio: Studio | undefined;
beforeAll(async () => {
  studio = await startStudio(SETUP, {}, STORE === 'memory' ? 'memory' : temporaryFolder());
});
afterAll(() => studio?.close());

const wide = { width: 1024, height: 768 };
const phone = { width: 390, height: 800 };
/** Two of them, and the other two in turns. */
const APPEARANCES = [
  [wide, 'light'],
  [phone, 'dark'],
  ...(isInTurn(6)
    ? ([
        [wide, 'dark'],
        [phone, 'light'],
      ] as const)
    : []),
] as const;

it(`looks right in each view, on a store in ${STORE}`, async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const signedOut = await studio.open();
  await expectRight(signedOut.page, 'the form to sign in');
  await signedOut.page.close();

  const { page, complaints } = await studio.tab();
  for (const [address, text] of Object.entries(VIEWS)) {
    await goTo(page, address);
    await expect.poll(() => page.locator('main').innerText()).toContain(text);
    await expectRight(page, address);
  }
  await goTo(page, 'explore/table/person');
  await page.getByRole('grid').getByRole('link', { name: 'person:ann' }).waitFor();
  await expectRight(page, 'the rows of a table');
  await page.getByRole('button', { name: 'New row' }).click();
  await page.getByRole('dialog').waitFor();
  await expectRight(page, 'a new row');
  await page.keyboard.press('Escape');
  await page.getByRole('grid').getByRole('link', { name: 'person:ann' }).click();
  await expect.poll(() => page.getByRole('region', { name: 'Neighbours' }).innerText()).toContain('person:bob');
  await expectRight(page, 'a record');
  expect(complaints).toEqual([]);
}, 120_000);

async function expectRight(page: Page, what: string): Promise<void> {
  for (const [size, colorScheme] of APPEARANCES) {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme });
    const isTooWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
    const where = `${what} at ${size.width} pixels in ${colorScheme}`;
    expect([where, await seriousFaults(page), isTooWide]).toEqual([where, [], false]);
  }
}

/** Every dialog in light and in dark, a record's picture, and the page of GraphQL: nothing serious for axe. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isInTurn } from '../support/runs-all.js';
import { goTo, openView, type Studio, seriousFaults, startStudio } from './browser.js';

// In turns with other long tests.
const inTurn = it.skipIf(!isInTurn(6));

const SETUP = `DEFINE TABLE person SCHEMAFULL; DEFINE FIELD name ON person TYPE string;
  DEFINE TABLE knows TYPE RELATION FROM person TO person;
  CREATE person:ann SET name = 'Ann'; CREATE person:bob SET name = 'Bob'; RELATE person:ann->knows->person:bob;
  DEFINE ACCESS machine ON DATABASE TYPE BEARER FOR USER;
  DEFINE USER viewer ON DATABASE PASSWORD 'a view of it' ROLES VIEWER;
  ACCESS machine ON DATABASE GRANT FOR USER viewer;
  DEFINE CONFIG GRAPHQL AUTO`;

let studio: Studio | undefined;
beforeAll(async () => {
  studio = await startStudio(SETUP, { SVC_EXPERIMENTAL_GRAPHQL: 'true' });
});
afterAll(() => studio?.close());

/** The buttons that open dialogs, by where they are. */
const DIALOGS: Readonly<Record<string, readonly (string | RegExp)[]>> = {
  'explore/table/person': ['New row', 'Import and export'],
  'explore/record/person:ann': ['Edit'],
  schema: ['New table', 'New definition as text', 'Edit person', 'Remove person'],
  'schema/table/person': ['New field', 'New index', 'New event'],
  'people/users': ['Set up sign-up', 'Add a user', 'Change viewer', 'Remove viewer'],
  'people/accesses': [/^Grant/, /^Revoke/],
  'people/sessions': [/^End the session of/],
};

async function expectNoFaults(page: Page, where: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const what = `${where}, ${colorScheme}`;
    expect([what, await seriousFaults(page)]).toEqual([what, []]);
  }
}

inTurn(
  'finds nothing serious in a dialog',
  async ({ skip }) => {
    if (studio === undefined) return skip('There is no Chromium on this machine');
    const { page, complaints } = await studio.tab();
    for (const [address, buttons] of Object.entries(DIALOGS)) {
      await goTo(page, address);
      for (const name of buttons) {
        await page.getByRole('main').getByRole('button', { name, exact: true }).first().click();
        await expect.poll(() => page.getByRole('dialog').isVisible()).toBe(true);
        await expectNoFaults(page, `${address}: ${name}`);
        await page.keyboard.press('Escape');
        await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
      }
      if (address.includes('record')) {
        await page.getByRole('group', { name: 'Neighbours of person:ann' }).waitFor();
        await expectNoFaults(page, 'the picture of a record');
        await page.getByRole('button', { name: 'Delete', exact: true }).click();
        await page.getByRole('button', { name: 'Save 1 change' }).waitFor();
        await expectNoFaults(page, 'changes that are not saved');
        await page.getByRole('button', { name: 'Undo all' }).click();
      }
    }
    await openView(page, 'GraphQL');
    await expect
      .poll(() => page.frameLocator('iframe').getByRole('textbox', { name: 'Document' }).isVisible())
      .toBe(true);
    await expectNoFaults(page, 'GraphQL');
    expect(complaints).toEqual([]);
  },
  120_000,
);

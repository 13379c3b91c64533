/** Schema in the Studio: lists, forms and text that change definitions, and the diagram. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { linksOf, recordTables } from '../../studio/views/schema/designer/links.js';
import { isInTurn } from '../support/runs-all.js';
import { databaseUser, type Studio, seriousFaults, startStudio, textOf, type User } from './browser.js';

// In turns with other long tests.
const inTurn = it.skipIf(!isInTurn(2));

/** Names and comments that would be scripts, were they read as HTML. */
const HOSTILE = '<img src=x onerror="document.title=\'hacked\'">';
const QUOTED = `\`${HOSTILE}\``;

const SETUP = `DEFINE TABLE artist SCHEMAFULL COMMENT "${HOSTILE.replaceAll('"', '\\"')}";
  DEFINE FIELD name ON artist TYPE string;
  DEFINE TABLE album; DEFINE FIELD artist ON album TYPE option<record<artist>>;
  DEFINE TABLE likes TYPE RELATION IN artist OUT album;
  DEFINE FUNCTION fn::\`od d\`::one() { RETURN 1 };
  DEFINE TABLE ${QUOTED}; DEFINE FIELD ${QUOTED} ON ${QUOTED} TYPE record<artist>;
  DEFINE INDEX ${QUOTED} ON ${QUOTED} FIELDS ${QUOTED}; DEFINE EVENT ${QUOTED} ON ${QUOTED} THEN {};
  DEFINE USER viewer ON DATABASE PASSWORD 'a view of it' ROLES VIEWER`;

let studio: Studio | undefined;
beforeAll(async () => {
  studio = await startStudio(SETUP);
});
afterAll(() => studio?.close());

async function openSchema(at: Studio, user?: User) {
  const shown = await at.tab('schema', user);
  await shown.page.getByRole('region', { name: 'Tables' }).first().waitFor();
  return shown;
}

const dialogOf = (page: Page) => page.getByRole('dialog');
const shownIn = (page: Page, region: string) => () => page.getByRole('region', { name: region }).first().innerText();

inTurn('defines a table, a field and an index by forms, which show what will run', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await openSchema(studio);
  await page.getByRole('button', { name: 'New table' }).click();
  await dialogOf(page).getByLabel('Name', { exact: true }).fill('od`d');
  await dialogOf(page).getByLabel('Comment').fill('it\'s "new"');
  await dialogOf(page).getByLabel('May select').fill('owner = $auth');
  const table =
    'DEFINE TABLE `od\\`d` TYPE NORMAL SCHEMAFULL COMMENT "it\'s \\"new\\"" PERMISSIONS FOR select WHERE owner = $auth,' +
    ' FOR create, update, delete NONE';
  expect(await dialogOf(page).innerText()).toContain(table);
  await dialogOf(page).getByRole('button', { name: 'Define' }).click();
  await expect.poll(shownIn(page, 'Tables')).toContain('od`d');

  await page.getByRole('link', { name: 'od`d', exact: true }).click();
  await page.getByRole('button', { name: 'New field' }).click();
  await dialogOf(page).getByLabel('Path').fill('address.first name');
  await dialogOf(page).getByLabel('Assert').fill('$value = = 1');
  await dialogOf(page).getByRole('button', { name: 'Define' }).click();
  await expect.poll(() => dialogOf(page).getByRole('alert').innerText()).toContain('Parse error');
  await dialogOf(page).getByLabel('Assert').fill("$value != ''");
  expect(await dialogOf(page).innerText()).toContain(
    "DEFINE FIELD address.`first name` ON TABLE `od\\`d` TYPE string ASSERT $value != ''",
  );
  await dialogOf(page).getByRole('button', { name: 'Define' }).click();
  await expect.poll(shownIn(page, 'Fields')).toContain('address.`first name`');

  await page.getByRole('button', { name: 'New index' }).click();
  await dialogOf(page).getByLabel('Name', { exact: true }).fill('by address');
  await dialogOf(page).getByLabel('Kind').selectOption('Unique');
  await dialogOf(page).getByLabel('Fields').fill('address.first name');
  expect(await dialogOf(page).innerText()).toContain(
    'DEFINE INDEX `by address` ON TABLE `od\\`d` FIELDS address.`first name` UNIQUE CONCURRENTLY',
  );
  await dialogOf(page).getByRole('button', { name: 'Define' }).click();
  await expect.poll(shownIn(page, 'Indexes')).toContain('Ready');
  const [info] = await studio.sql('INFO FOR TABLE `od\\`d`');
  expect(info).toMatchObject({
    indexes: { 'by address': 'DEFINE INDEX `by address` ON `od\\`d` FIELDS address.`first name` UNIQUE' },
  });
  expect(complaints).toEqual([]);
});

inTurn('changes a definition as text, and removes one when that is confirmed', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page } = await openSchema(studio);
  await page.getByRole('button', { name: 'Edit od d::one' }).click();
  const text = dialogOf(page).getByLabel('Statement');
  expect(await text.inputValue()).toContain('DEFINE FUNCTION OVERWRITE fn::`od d`::one()');
  await text.fill('DEFINE FUNCTION OVERWRITE fn::`od d`::one() { RETURN 2 }');
  await dialogOf(page).getByRole('button', { name: 'Run' }).click();
  await expect.poll(shownIn(page, 'Functions')).toContain('RETURN 2');
  expect((await studio.sql('RETURN fn::`od d`::one()'))[0]).toBe(2);

  await page.getByRole('button', { name: 'Remove od d::one' }).click();
  expect(await dialogOf(page).innerText()).toContain('REMOVE FUNCTION fn::`od d`::one');
  await dialogOf(page).getByRole('button', { name: 'Cancel' }).click();
  await expect.poll(shownIn(page, 'Functions')).toContain('RETURN 2');
  await page.getByRole('button', { name: 'Remove od d::one' }).click();
  await dialogOf(page).getByRole('button', { name: 'Remove', exact: true }).click();
  await expect.poll(shownIn(page, 'Functions')).toContain('None');
});

inTurn('shows hostile names as text, and removes what bears them', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await openSchema(studio);
  await page.getByRole('link', { name: HOSTILE, exact: true }).click();
  for (const kind of ['Fields', 'Indexes', 'Events']) {
    await expect.poll(shownIn(page, kind)).toContain(HOSTILE);
    const section = page.getByRole('region', { name: kind }).first();
    await section.getByRole('button', { name: 'Remove' }).click();
    await dialogOf(page).getByRole('button', { name: 'Remove', exact: true }).click();
    await expect.poll(shownIn(page, kind)).toContain('None');
  }
  expect(await page.locator('img').count()).toBe(0);
  expect(await page.title()).toBe('Tessera Studio');
  expect(complaints).toEqual([]);
});

inTurn('draws tables, links and edges, and says the same in a list', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await openSchema(studio);
  await page.getByRole('link', { name: 'Designer' }).click();
  const list = page.getByRole('list', { name: 'Tables and links' });
  await expect.poll(() => list.innerText()).toContain('album · artist leads to artist');
  expect(await list.innerText()).toContain('likes (edges) · in comes from artist · out leads to album');
  expect(await page.getByRole('article', { name: `Table ${HOSTILE}` }).textContent()).toContain(HOSTILE);
  expect(await seriousFaults(page)).toEqual([]);
  expect(await page.title()).toBe('Tessera Studio');
  expect(complaints).toEqual([]);
});

inTurn('shows the schema to a viewer, and what the server says when one tries to change it', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page } = await openSchema(studio, databaseUser('viewer', 'a view of it'));
  expect(await textOf(page)).toContain('DEFINE TABLE artist');
  await page.getByRole('button', { name: 'Remove artist' }).click();
  await dialogOf(page).getByRole('button', { name: 'Remove', exact: true }).click();
  await expect.poll(() => dialogOf(page).getByRole('alert').innerText()).toContain('Not enough permissions');
  expect(await seriousFaults(page)).toEqual([]);
});

inTurn('finds the tables that a type leads to, whatever they are called', () => {
  expect(recordTables('none | array<record<person | `a|b>c`>, 5>')).toEqual(['person', 'a|b>c']);
  expect(recordTables('record<`it\\`s`>')).toEqual(['it`s']);
  expect(recordTables('record')).toEqual([]);
  const plain = { kind: { kind: 'NORMAL' } };
  const fields = [{ name: 'list', kind: 'array<record<b>>' }];
  const elements = { name: 'list.*', kind: 'record<b | gone>' };
  const tables = [
    { ...plain, name: 'a', fields: [...fields, elements] },
    { ...plain, name: 'b', fields: [] },
  ];
  expect(linksOf(tables)).toEqual([{ of: 'a', from: 'a', to: 'b', label: 'list' }]);
});

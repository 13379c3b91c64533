/** The designer: the schema drawn, changed in the picture, and saved as one transaction or as a migration. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isInTurn } from '../support/runs-all.js';
import { ROOT, temporaryFolder } from '../support/server-process.js';
import {
  databaseUser,
  PLACE,
  type Studio,
  seriousFaults,
  seriousFaultsInBoth,
  startStudio,
  tabTo,
  type User,
} from './browser.js';

// In turns with other long tests.
const inTurn = it.skipIf(!isInTurn(2));

const HOSTILE = '<img src=x onerror="document.title=\'hacked\'">';
const QUOTED = `\`${HOSTILE}\``;

const SETUP = `DEFINE TABLE artist SCHEMAFULL; DEFINE FIELD name ON artist TYPE string ASSERT $value != '';
  DEFINE FIELD plays ON artist TYPE option<int>; DEFINE INDEX by_name ON artist FIELDS name UNIQUE;
  DEFINE TABLE album SCHEMAFULL; DEFINE FIELD title ON album TYPE string PERMISSIONS FOR update NONE;
  DEFINE TABLE ${QUOTED}; DEFINE FIELD ${QUOTED} ON ${QUOTED} TYPE option<record<artist>> COMMENT ${JSON.stringify(HOSTILE)};
  CREATE artist:1 SET name = 'Ann', plays = 3; CREATE album:1 SET title = 'One';
  DEFINE TABLE user; CREATE user:ann;
  DEFINE ACCESS account ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM type::record('user', $name));
  DEFINE USER viewer ON DATABASE PASSWORD 'a view of it' ROLES VIEWER;
  DEFINE USER editor ON DATABASE PASSWORD 'an edit of it' ROLES EDITOR`;

const RECORD_USER: User = {
  level: 'record',
  name: 'account',
  credentials: { NS: PLACE.namespace, DB: PLACE.database, AC: 'account', name: 'ann' },
};

let studio: Studio | undefined;
beforeAll(async () => {
  studio = await startStudio(SETUP);
});
afterAll(() => studio?.close());

async function openDesigner(at: Studio, user?: User) {
  const shown = await at.tab('schema/designer', user);
  await boxOf(shown.page, 'artist').waitFor();
  return shown;
}

const boxOf = (page: Page, table: string) => page.getByRole('article', { name: `Table ${table}`, exact: true });
const panelOf = (page: Page) => page.getByRole('complementary');
const changesOf = (page: Page) => page.getByRole('region', { name: 'Changes that are not saved' });
const keep = (page: Page) => panelOf(page).getByRole('button', { name: 'Keep', exact: true }).click();

async function drag(page: Page, from: ReturnType<typeof boxOf>, to: ReturnType<typeof boxOf>) {
  await to.scrollIntoViewIfNeeded();
  await from.scrollIntoViewIfNeeded();
  const [start, end] = [await from.boundingBox(), await to.boundingBox()];
  if (start === null || end === null) throw new Error('It is not in the picture');
  await page.mouse.move(start.x + 10, start.y + 10);
  await page.mouse.down();
  await page.mouse.move(start.x + 20, start.y + 20);
  await page.mouse.move(end.x + 20, end.y + 10, { steps: 3 });
  await page.mouse.up();
}

inTurn('draws fields with their marks, and changes them in the picture', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await openDesigner(studio);
  await page.getByRole('button', { name: /^name string\s+unique\s+assertion$/ }).waitFor();
  await page.getByRole('button', { name: /^title string\s+permission$/ }).waitFor();

  // A link by dragging, a table of edges, and a field that becomes a link.
  await drag(page, boxOf(page, 'album').getByRole('button', { name: 'Link album to a table' }), boxOf(page, 'artist'));
  await expect.poll(() => panelOf(page).getByLabel('To table').inputValue()).toBe('artist');
  await panelOf(page).getByLabel('Holds').selectOption('One record, or none');
  await expect.poll(() => panelOf(page).innerText()).toContain('TYPE option<record<artist>> PERMISSIONS FULL');
  await keep(page);
  await boxOf(page, 'album')
    .getByRole('button', { name: /^artist option<record<artist>>\s+new$/ })
    .waitFor();
  await drag(page, boxOf(page, 'artist').getByRole('button', { name: 'Link artist to a table' }), boxOf(page, 'album'));
  await panelOf(page)
    .getByLabel('As', { exact: true })
    .selectOption('A table of edges, which have fields of their own');
  await panelOf(page).getByLabel('Name of the table').fill('plays on');
  await keep(page);
  await boxOf(page, 'plays on').waitFor();
  await drag(page, boxOf(page, 'artist').getByRole('button', { name: /^plays / }), boxOf(page, 'album'));
  await expect.poll(() => panelOf(page).innerText()).toContain('ALTER FIELD plays ON TABLE artist TYPE');
  await panelOf(page).getByRole('button', { name: 'Cancel' }).click();

  // A field is renamed with its values and its index, another is made, and all of it runs together.
  await boxOf(page, 'artist')
    .getByRole('button', { name: /^name / })
    .click();
  await panelOf(page).getByLabel('Path').fill('full name');
  await expect.poll(() => panelOf(page).innerText()).toContain('UPDATE artist SET `full name` = name, name = NONE');
  await keep(page);
  await boxOf(page, 'artist').getByRole('button', { name: 'Add a field to artist' }).click();
  await panelOf(page).getByLabel('Path').fill('born');
  await panelOf(page).getByRole('combobox', { name: 'Type' }).fill('option<datetime>');
  await panelOf(page).getByRole('button', { name: 'Keep and add another' }).click();
  await panelOf(page).getByLabel('Path').fill('full name');
  await panelOf(page).getByText('There is a field of this path already.').waitFor();
  await panelOf(page).getByRole('button', { name: 'Cancel' }).click();
  await expect
    .poll(() => changesOf(page).innerText())
    .toContain('DEFINE INDEX OVERWRITE by_name ON TABLE artist FIELDS');
  await changesOf(page).getByRole('button', { name: 'Save 4 changes' }).click();
  await expect.poll(() => changesOf(page).count()).toBe(0);
  const [rows, artist, album, database] = await studio.sql(
    'SELECT * FROM artist; INFO FOR TABLE artist; INFO FOR TABLE album; INFO FOR DB',
  );
  expect(rows).toEqual([{ id: 'artist:1', 'full name': 'Ann', plays: 3 }]);
  expect(artist).toMatchObject({
    fields: {
      '`full name`': expect.stringContaining("TYPE string ASSERT $value != ''"),
      born: expect.stringContaining('TYPE none | datetime'),
      plays: expect.stringContaining('TYPE none | int'),
    },
    indexes: { by_name: 'DEFINE INDEX by_name ON artist FIELDS `full name` UNIQUE' },
  });
  expect(album).toMatchObject({ fields: { artist: expect.stringContaining('TYPE none | record<artist>') } });
  expect(database).toMatchObject({
    tables: { 'plays on': expect.stringContaining('TYPE RELATION IN artist OUT album') },
  });
  expect(complaints).toEqual([]);
});

inTurn('shows the statement that was refused, saves nothing then, and takes changes back', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page } = await openDesigner(studio);
  await page.getByRole('button', { name: 'New table' }).click();
  await panelOf(page).getByRole('textbox', { name: 'Name', exact: true }).fill('odd `one');
  await keep(page);
  await panelOf(page).getByLabel('Path').fill('kind');
  await panelOf(page).getByRole('combobox', { name: 'Type' }).fill('strin');
  await keep(page);
  const changes = changesOf(page);
  await changes.getByRole('button', { name: 'Save 2 changes' }).click();
  await expect
    .poll(() => changes.getByRole('alert').innerText())
    .toMatch(/^Nothing was saved\. New field odd `one\.kind: Parse error/);
  expect(await changes.locator('pre.failed').innerText()).toContain(
    'DEFINE FIELD kind ON TABLE `odd \\`one` TYPE strin',
  );
  expect(JSON.stringify(await studio.sql('INFO FOR DB'))).not.toContain('odd');

  // As it was made, to be put right.
  await changes.getByRole('button', { name: 'Reopen: New field odd `one.kind' }).click();
  await panelOf(page).getByRole('combobox', { name: 'Type' }).fill('array<string>');
  await keep(page);
  await boxOf(page, 'odd `one')
    .getByRole('button', { name: /^kind array<string>\s+new$/ })
    .waitFor();
  await changes.getByRole('button', { name: 'Undo: New table odd `one' }).click();
  await expect.poll(() => changes.count()).toBe(0);
  await expect.poll(() => boxOf(page, 'odd `one').count()).toBe(0);
});

inTurn('saves changes as a migration, which is applied and undone by the command', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const definitions = 'INFO FOR TABLE album; INFO FOR DB';
  const before = await studio.sql(definitions);
  const { page } = await openDesigner(studio);
  await boxOf(page, 'album')
    .getByRole('button', { name: /^title / })
    .click();
  await panelOf(page).getByRole('button', { name: 'Remove' }).click();
  await boxOf(page, 'album').getByRole('button', { name: 'album', exact: true }).click();
  await panelOf(page).getByLabel('Only defined fields').uncheck();
  await panelOf(page).getByLabel('May select').fill('$auth.id != NONE');
  await keep(page);
  await page.getByRole('button', { name: 'New table' }).click();
  await panelOf(page).getByRole('textbox', { name: 'Name', exact: true }).fill(`${HOSTILE}; DROP`);
  await keep(page);
  await panelOf(page).getByRole('button', { name: 'Cancel' }).click();
  await changesOf(page).getByRole('button', { name: 'Save as migration' }).click();
  const dialog = page.getByRole('dialog');
  await expect.poll(() => dialog.getByLabel('Number').inputValue()).toBe('0001');
  await dialog.getByLabel('Name').fill('no/file');
  await dialog.getByText('No file may have this name').waitFor();
  await dialog.getByLabel('Name').fill('change albums');
  const folder = temporaryFolder();
  for (const name of ['0001_change_albums.surql', '0001_change_albums.down.surql']) {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: `Download ${name}`, exact: true }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(name);
    const text = await dialog.getByRole('region', { name, exact: true }).locator('pre').innerText();
    writeFileSync(join(folder, name), `${text}\n`);
  }
  await page.keyboard.press('Escape');
  await changesOf(page).getByRole('button', { name: 'Undo all' }).click();
  const url = studio.server.url;
  const migrate = (...command: readonly string[]) =>
    execFileSync(process.execPath, [
      ...['dist/bin/tessera.js', 'migrate', ...command, '--dir', folder, '--endpoint', url],
      ...['--user', ROOT.user, '--pass', ROOT.pass, '--ns', PLACE.namespace, '--db', PLACE.database],
    ]).toString();
  expect(migrate('apply')).toContain('applied 0001_change_albums');
  const [album, database] = await studio.sql(definitions);
  expect(album).not.toHaveProperty('fields.title');
  expect(database).toMatchObject({
    tables: {
      album: expect.stringContaining('SCHEMALESS PERMISSIONS FOR select WHERE $auth.id != NONE'),
      [`${HOSTILE}; DROP`]: expect.stringContaining('SCHEMAFULL PERMISSIONS NONE'),
    },
  });
  expect(migrate('down')).toContain('undone 0001_change_albums');
  await studio.sql('REMOVE TABLE tessera_migration; UPDATE album:1 SET title = "One"');
  expect(await studio.sql(definitions)).toEqual(before);
});

inTurn('makes a table with a field and a link by the keyboard alone', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await openDesigner(studio);
  await tabTo(page, 'New table');
  await page.keyboard.press('Enter');
  // The first field has the focus.
  await tabTo(page, 'Name');
  await page.keyboard.type('keyed');
  await page.keyboard.press('Enter');
  await panelOf(page).getByRole('heading', { name: 'New field of keyed' }).waitFor();
  await page.keyboard.type('label');
  await page.keyboard.press('Enter');
  await expect.poll(() => panelOf(page).count()).toBe(0);
  await tabTo(page, 'Link keyed to a table');
  await page.keyboard.press('Enter');
  await panelOf(page).getByRole('heading', { name: 'Link from keyed' }).waitFor();
  await page.keyboard.type('art');
  await expect.poll(() => panelOf(page).getByLabel('To table').inputValue()).toBe('artist');
  await tabTo(page, 'Keep');
  await page.keyboard.press('Enter');
  // The focus is where it was.
  await expect.poll(() => page.evaluate('document.activeElement.ariaLabel')).toBe('Link keyed to a table');
  await page.keyboard.press('Enter');
  await panelOf(page).waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => panelOf(page).count()).toBe(0);
  await tabTo(page, 'Save 3 changes');
  await page.keyboard.press('Enter');
  await expect.poll(() => changesOf(page).count()).toBe(0);
  const [info] = await studio.sql('INFO FOR TABLE keyed');
  expect(info).toMatchObject({
    fields: { label: expect.any(String), artist: expect.stringContaining('record<artist>') },
  });
  expect(complaints).toEqual([]);
});

inTurn('shows hostile names as text, in light and dark and on a phone', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await openDesigner(studio);
  await boxOf(page, HOSTILE)
    .getByRole('button', { name: /^`<img/ })
    .click();
  await expect.poll(() => panelOf(page).getByLabel('Comment').inputValue()).toBe(HOSTILE);
  await panelOf(page).getByLabel('Comment').fill(`${HOSTILE}"'`);
  await keep(page);
  await boxOf(page, HOSTILE).getByRole('button', { name: HOSTILE, exact: true }).click();
  expect(await seriousFaultsInBoth(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 800 });
  await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  expect(await seriousFaults(page)).toEqual([]);
  // The form is above the picture there.
  expect((await panelOf(page).boundingBox())?.y).toBeLessThan((await boxOf(page, 'artist').boundingBox())?.y ?? 0);
  await page.setViewportSize({ width: 1280, height: 720 });
  await changesOf(page).getByRole('button', { name: 'Undo all' }).click();
  expect(await page.locator('main img').count()).toBe(0);
  expect(await page.title()).toBe('Tessera Studio');
  expect(complaints).toEqual([]);
});

inTurn('shows the picture to a viewer, with what the server says against a change', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page } = await openDesigner(studio, databaseUser('viewer', 'a view of it'));
  await boxOf(page, 'artist').getByRole('button', { name: 'Add a field to artist' }).click();
  await panelOf(page).getByLabel('Path').fill('mine');
  await keep(page);
  await changesOf(page).getByRole('button', { name: 'Save 1 change' }).click();
  await expect.poll(() => changesOf(page).getByRole('alert').innerText()).toContain('Not enough permissions');
  await changesOf(page).getByRole('button', { name: 'Undo all' }).click();
  expect(JSON.stringify(await studio.sql('INFO FOR TABLE artist'))).not.toContain('mine');
});

inTurn('lets an editor change it, and isn’t there for a record user', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page } = await openDesigner(studio, databaseUser('editor', 'an edit of it'));
  await boxOf(page, 'user').getByRole('button', { name: 'user', exact: true }).click();
  await panelOf(page).getByRole('button', { name: 'Add an index' }).click();
  await panelOf(page).getByRole('combobox', { name: 'Fields' }).fill('nick');
  await panelOf(page).getByLabel('Kind').selectOption('Unique');
  await expect
    .poll(() => panelOf(page).innerText())
    .toContain('DEFINE INDEX by_nick ON TABLE user FIELDS nick UNIQUE;');
  await keep(page);
  await changesOf(page).getByRole('button', { name: 'Save 1 change' }).click();
  await expect.poll(() => changesOf(page).count()).toBe(0);
  expect(JSON.stringify(await studio.sql('INFO FOR TABLE user'))).toContain('FIELDS nick UNIQUE');
  await studio.tab('schema/designer', RECORD_USER);
  await page.getByText('System users see this page.').waitFor();
});

inTurn(
  'keeps what is typed when Escape closes a list, and stages nothing that differs in nothing',
  async ({ skip }) => {
    if (studio === undefined) return skip('There is no Chromium on this machine');
    const { page } = await openDesigner(studio);
    await boxOf(page, 'album').getByRole('button', { name: 'Add a field to album' }).click();
    await panelOf(page).getByLabel('Path').fill('year');
    await panelOf(page).getByRole('combobox', { name: 'Type' }).fill('in');
    await page.getByRole('option', { name: 'int', exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('option', { name: 'int', exact: true }).waitFor({ state: 'detached' });
    expect(await panelOf(page).getByLabel('Path').inputValue()).toBe('year');
    await page.keyboard.press('Escape');
    await expect.poll(() => panelOf(page).count()).toBe(0);
    await boxOf(page, 'album')
      .getByRole('button', { name: /^title / })
      .click();
    await keep(page);
    await expect.poll(() => panelOf(page).count()).toBe(0);
    expect(await changesOf(page).count()).toBe(0);
  },
);

inTurn('has columns for types, defaults, indexes and permissions on the page of a table', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page } = await studio.tab('schema/table/artist');
  const row = page.getByRole('row').filter({ hasText: 'plays' });
  await expect.poll(() => row.innerText()).toMatch(/plays\s+none \| int/);
  await expect
    .poll(() => page.getByRole('region', { name: 'Fields' }).first().innerText())
    .toMatch(/by_name \(unique\)/);
  await page.getByRole('link', { name: 'Designer' }).click();
  await panelOf(page).getByRole('heading', { name: 'Table artist' }).waitFor();
  await panelOf(page).getByRole('link', { name: 'Rows' }).click();
  await page.getByRole('grid').waitFor();
});

/** Changes of the designer that are run as a migration, which the command knows then. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ROOT, temporaryFolder } from '../support/server-process.js';
import { PLACE, type Studio, seriousFaultsInBoth, startStudio } from './browser.js';

const SETUP = `DEFINE TABLE album SCHEMAFULL; DEFINE FIELD title ON album TYPE string; CREATE album:1 SET title = 'One'`;

let studio: Studio | undefined;
beforeAll(async () => {
  studio = await startStudio(SETUP);
});
afterAll(() => studio?.close());

const panelOf = (page: Page) => page.getByRole('complementary');
const changesOf = (page: Page) => page.getByRole('region', { name: 'Changes that are not saved' });

/** Stages a field, and opens the dialog with its migration. */
async function stageField(page: Page, name: string): Promise<ReturnType<Page['getByRole']>> {
  await page.getByRole('button', { name: 'Add a field to album' }).click();
  await panelOf(page).getByLabel('Path').fill(name);
  await panelOf(page).getByRole('combobox', { name: 'Type' }).fill('option<string>');
  await panelOf(page).getByRole('button', { name: 'Keep', exact: true }).click();
  await changesOf(page).getByRole('button', { name: 'Save as migration' }).click();
  return page.getByRole('dialog');
}

it('runs a migration and notes it, so that the command has nothing to do, and can undo it', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { sql, server } = studio;
  const { page } = await studio.tab('schema/designer');
  const folder = temporaryFolder();
  const migrate = (...command: readonly string[]) =>
    execFileSync(process.execPath, [
      ...['dist/bin/tessera.js', 'migrate', ...command, '--dir', folder, '--endpoint', server.url],
      ...['--user', ROOT.user, '--pass', ROOT.pass, '--ns', PLACE.namespace, '--db', PLACE.database],
    ]).toString();

  for (const [number, field] of [
    ['0001', 'about'],
    ['0002', "o'clock"],
  ] as const) {
    const dialog = await stageField(page, field);
    await expect.poll(() => dialog.getByLabel('Number').inputValue()).toBe(number);
    await dialog.getByLabel('Name').fill(`field ${number}`);
    for (const name of [`${number}_field_${number}.surql`, `${number}_field_${number}.down.surql`]) {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        dialog.getByRole('button', { name: `Download ${name}`, exact: true }).click(),
      ]);
      await download.saveAs(join(folder, name));
    }
    if (number === '0002') {
      // One before the last would be out of its order.
      await dialog.getByLabel('Number').fill('0000');
      expect(await dialog.getByRole('button', { name: 'Apply here' }).isDisabled()).toBe(true);
      await dialog.getByLabel('Number').fill(number);
      expect(await seriousFaultsInBoth(page)).toEqual([]);
    }
    await dialog.getByRole('button', { name: 'Apply here' }).click();
    await expect.poll(() => changesOf(page).count()).toBe(0);
    await expect.poll(() => dialog.count()).toBe(0);
  }
  const fields = async () => {
    const [album] = (await sql('INFO FOR TABLE album')) as [{ fields: object }];
    return Object.keys(album.fields).sort();
  };
  expect(await fields()).toEqual(["`o'clock`", 'about', 'title']);
  expect(migrate('apply')).not.toContain('applied 000');
  expect(migrate('status')).toMatch(/0001_field_0001[\s\S]*0002_field_0002/);
  expect(migrate('down')).toContain('undone 0002_field_0002');
  expect(await fields()).toEqual(['about', 'title']);
  expect(migrate('apply')).toContain('applied 0002_field_0002');
});

it('says what was refused, and notes nothing then', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page } = await studio.tab('schema/designer');
  const dialog = await stageField(page, 'isbn');
  await expect.poll(() => dialog.getByLabel('Number').inputValue()).toBe('0003');
  const journal = async () => await studio?.sql('SELECT VALUE name FROM tessera_migration');
  const before = await journal();
  // Another one was quicker.
  await studio.sql("CREATE tessera_migration:3 SET name = '0003_other', checksum = 'x'; DEFINE FIELD other ON album");
  await dialog.getByRole('button', { name: 'Apply here' }).click();
  await dialog.getByText('already exists').waitFor();
  await expect.poll(() => dialog.getByLabel('Number').inputValue()).toBe('0004');
  await studio.sql('DELETE tessera_migration:3; REMOVE FIELD other ON album; DEFINE FIELD isbn ON album TYPE int');
  await page.keyboard.press('Escape');
  await changesOf(page).getByRole('button', { name: 'Save as migration' }).click();
  await expect.poll(() => dialog.getByLabel('Number').inputValue()).toBe('0003');
  await dialog.getByRole('button', { name: 'Apply here' }).click();
  await dialog.getByText("The field 'isbn' already exists").waitFor();
  expect(await journal()).toEqual(before);
  await page.keyboard.press('Escape');
  await changesOf(page).getByRole('button', { name: 'Undo all' }).click();
});

it('notes nothing if the journal isn’t what it was when it was read', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page } = await studio.tab('schema/designer');
  const dialog = await stageField(page, 'label');
  await expect.poll(() => dialog.getByLabel('Number').inputValue()).toBe('0003');
  // Another one has undone the last and applied another, in its place.
  await studio.sql("DELETE tessera_migration:2; CREATE tessera_migration:2 SET name = '0002_another', checksum = 'x'");
  await dialog.getByRole('button', { name: 'Apply here' }).click();
  await dialog.getByText('The journal of migrations has changed').waitFor();
  const [album, names] = await studio.sql('INFO FOR TABLE album; SELECT VALUE name FROM tessera_migration');
  expect(album).not.toHaveProperty('fields.label');
  expect(names).toEqual(['0001_field_0001', '0002_another']);
});

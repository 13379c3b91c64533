/** Rules of buckets that owners change, and fields that hold files: chosen, uploaded, and shown. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fileBuckets, nameOf, takesFiles } from '../../studio/connection/kinds.js';
import { editorFor } from '../../studio/views/explore/editors.js';
import { alterBucket, choiceOf, NEW_BUCKET } from '../../studio/views/files/buckets.js';
import { databaseUser, PLACE, type Studio, seriousFaultsInBoth, startStudio, type User } from './browser.js';

const HOSTILE = '<img src=x onerror=alert(1)> "\' ü`.txt';
const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const SETUP = `DEFINE TABLE user PERMISSIONS FOR select WHERE id = $auth.id;
  DEFINE TABLE album PERMISSIONS FULL; DEFINE FIELD title ON album TYPE option<string>;
  DEFINE FIELD cover ON album TYPE option<file>;
  CREATE user:ann;
  DEFINE ACCESS account ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM type::record('user', $name));
  DEFINE USER viewer ON DATABASE PASSWORD 'a view of it' ROLES VIEWER;
  DEFINE BUCKET covers MAXSIZE 1000 PERMISSIONS FOR get, head, list FULL COMMENT 'of albums';
  DEFINE BUCKET \`<b>b\` PERMISSIONS FULL;
  type::file('<b>b', ${JSON.stringify(`a/${HOSTILE}`)}).put('hostile content');
  f"covers:/dot.png".put(<bytes> encoding::base64::decode(${JSON.stringify(PICTURE)}));
  f"covers:/notes.txt".put('Some notes'); f"covers:/x/deep.txt".put('Deep');
  CREATE album:1 SET title = 'One', cover = f"covers:/dot.png"; CREATE album:2 SET title = 'Two'`;

let studio: Studio | undefined;
beforeAll(async () => {
  studio = await startStudio(SETUP);
});
afterAll(() => studio?.close());

const RECORD_USER: User = {
  level: 'record',
  name: 'account',
  credentials: { NS: PLACE.namespace, DB: PLACE.database, AC: 'account', name: 'ann' },
};
const dialogOf = (page: Page) => page.getByRole('dialog');

it('changes the rules and limits of a bucket, with the statement in sight', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await studio.tab('files/bucket/covers');
  await page.getByText('Rules and limits').click();
  await page.getByRole('button', { name: 'Edit the bucket' }).click();
  const dialog = dialogOf(page);
  expect(await dialog.getByLabel('Record users and guests').inputValue()).toBe('published');
  expect(await dialog.getByLabel('Backend').isDisabled()).toBe(true);
  // Nothing differs yet.
  expect(await dialog.getByRole('button', { name: 'Change', exact: true }).isDisabled()).toBe(true);
  await dialog.getByLabel('Most files').fill('many');
  expect(await dialog.getByRole('button', { name: 'Change', exact: true }).isDisabled()).toBe(true);
  await dialog.getByLabel('Most files').fill('50');
  await dialog.getByLabel('Largest file').fill('');
  await dialog.getByLabel('Types').fill('image/*, text/plain');
  await dialog.getByRole('combobox', { name: 'May put' }).fill('$auth.id != NONE AND = 1');
  await dialog.getByRole('button', { name: 'Change', exact: true }).press('Enter');
  await expect.poll(() => dialog.getByRole('alert').innerText()).toContain('Parse error');
  await dialog.getByRole('combobox', { name: 'May put' }).fill('$auth.id != NONE');
  await expect
    .poll(() => dialog.getByRole('region', { name: 'Statement' }).innerText())
    .toContain(
      'ALTER BUCKET covers DROP MAXSIZE MAXCOUNT 50 TYPES "image/*", "text/plain" PERMISSIONS FOR get, head, list FULL,' +
        ' FOR put WHERE $auth.id != NONE, FOR delete, copy, rename NONE',
    );
  expect(await seriousFaultsInBoth(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 800 });
  await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  await page.setViewportSize({ width: 1280, height: 720 });
  await dialog.getByRole('button', { name: 'Change', exact: true }).press('Enter');
  await page.getByText('At most 50 files').waitFor();
  expect(JSON.stringify(await studio.sql('INFO FOR DB'))).toContain('COMMENT');
  expect(complaints).toEqual([]);
});

it('shows a viewer the rules, and what the server says against changing them', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page } = await studio.tab('files/bucket/covers', databaseUser('viewer', 'a view of it'));
  await page.getByText('Rules and limits').click();
  await page.getByRole('button', { name: 'Edit the bucket' }).click();
  await dialogOf(page).getByLabel('Comment').fill('mine');
  await dialogOf(page).getByRole('button', { name: 'Change', exact: true }).click();
  await expect.poll(() => dialogOf(page).getByRole('alert').innerText()).toContain('Not enough permissions');
});

it('alters what differs, and nothing else', () => {
  const before = choiceOf({
    name: 'a b',
    readonly: true,
    max_size: 5,
    types: ['image/*'],
    comment: 'x',
    permissions: { get: true, put: 'owner = $auth.id' },
  });
  expect(alterBucket(before, before)).toBeUndefined();
  expect(alterBucket(before, { ...before, isReadonly: false, types: '', comment: '' })).toBe(
    'ALTER BUCKET `a b` DROP READONLY DROP TYPES DROP COMMENT',
  );
  expect(alterBucket(before, { ...before, permissions: NEW_BUCKET.permissions })).toBe(
    'ALTER BUCKET `a b` PERMISSIONS FOR get, head, list, put, delete, copy, rename WHERE owner = $auth.id',
  );
});

it('chooses a file for a field, by name, with its picture, and shows it in the cell', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await studio.tab('explore/record/album%3A2');
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  const dialog = dialogOf(page);
  await dialog.getByRole('button', { name: 'Choose a file for cover' }).click();
  await expect.poll(() => dialog.getByLabel('Bucket').inputValue()).toBe('<b>b');
  await dialog.getByLabel('Bucket').selectOption('covers');
  const files = dialog.getByRole('list', { name: 'Files to choose' });
  await expect.poll(() => files.getByRole('button').allInnerTexts()).toEqual(['dot.png', 'notes.txt', 'x/']);
  await dialog.getByLabel('Names in / that begin with').fill('d');
  await expect.poll(() => files.getByRole('button').allInnerTexts()).toEqual(['dot.png']);
  await files.getByRole('button', { name: 'dot.png' }).focus();
  await expect
    .poll(() =>
      dialog
        .getByRole('img', { name: 'dot.png' })
        .evaluate((image) => (image as { naturalWidth?: number }).naturalWidth),
    )
    .toBe(1);
  expect(await seriousFaultsInBoth(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 800 });
  await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.keyboard.press('Enter');
  await dialog.getByText('image/png, 70 B').waitFor();
  await dialog.getByRole('button', { name: 'Keep' }).click();
  await page.getByRole('button', { name: 'Save 1 change' }).click();
  await expect.poll(() => studio?.sql('SELECT VALUE cover FROM ONLY album:2')).toEqual(['f"covers:/dot.png"']);

  await page.getByRole('link', { name: 'All of album' }).click();
  const cell = page.getByRole('grid').getByRole('link', { name: 'dot.png' });
  await cell.first().hover();
  await page.getByRole('tooltip').getByText('image/png, 70 B').waitFor();
  await page.getByRole('tooltip').getByRole('img', { name: 'dot.png' }).waitFor();
  expect(complaints).toEqual([]);
});

it('uploads a file that is dropped on the field, in the folder that is open', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await studio.tab('explore/table/album');
  await page.getByRole('button', { name: 'New row' }).click();
  const dialog = dialogOf(page);
  await dialog.getByRole('button', { name: 'Choose a file for cover' }).click();
  await dialog.getByRole('list', { name: 'Files to choose' }).getByRole('button', { name: 'a/' }).click();
  await dialog.getByRole('button', { name: HOSTILE }).waitFor();
  const data = await page.evaluateHandle(
    "(() => { const data = new DataTransfer(); data.items.add(new File(['x'], 'dropped <b>.txt')); return data; })()",
  );
  await page.dispatchEvent('[role=dialog] .drop', 'drop', { dataTransfer: data });
  await dialog.getByText('dropped <b>.txt').waitFor();
  await expect.poll(() => dialog.getByRole('list', { name: 'Files to choose' }).count()).toBe(0);
  await dialog.getByRole('button', { name: 'Keep' }).click();
  await page.getByRole('button', { name: 'Save 1 change' }).click();
  await expect
    .poll(() => studio?.sql('SELECT VALUE cover.key() FROM album WHERE title = NONE'))
    .toEqual([['/a/dropped <b>.txt']]);
  expect(await page.locator('main b').count()).toBe(0);
  expect(complaints).toEqual([]);
});

it('lets a record user choose by the name of the bucket, under its rules', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page } = await studio.tab('explore/record/album%3A1', RECORD_USER);
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  const dialog = dialogOf(page);
  await dialog.getByText('image/png, 70 B').waitFor();
  await dialog.getByRole('button', { name: 'Choose a file for cover' }).click();
  expect(await dialog.getByLabel('Bucket').inputValue()).toBe('covers');
  await dialog.getByRole('button', { name: 'notes.txt' }).click();
  await dialog.getByText(/^text.plain.*, 10 B/).waitFor();
  await dialog.getByRole('button', { name: 'No file for cover' }).click();
  await dialog.getByRole('button', { name: 'Keep' }).click();
  await page.getByRole('button', { name: 'Save 1 change' }).click();
  await expect.poll(() => studio?.sql('SELECT VALUE cover FROM ONLY album:1')).toEqual([null]);
});

it('knows the buckets of a type, and the editor of a file by its code', () => {
  expect(fileBuckets('none | file<covers | `a|b>c`>').map(nameOf)).toEqual(['covers', 'a|b>c']);
  expect(['file', 'none | file', 'file<a>', 'string', 'array<file>'].map(takesFiles)).toEqual([
    ...[true, true, true, false, false],
  ]);
  expect(editorFor('none | file', '')?.name).toBe('file');
  expect(editorFor('any', 'f"a:/b"')?.name).toBe('file');
  expect(editorFor('file', "type::file('a b', '/c')")?.name).toBe('file');
  expect(editorFor('any', '"f"')?.name).toBeUndefined();
});

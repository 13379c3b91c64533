/** Files: buckets are defined, files put, found, shown, renamed and deleted, by an owner and by a record user. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PLACE, type Studio, seriousFaultsInBoth, startStudio, textOf, type User } from './browser.js';

const HOSTILE = '<img src=x onerror=alert(1)> "\' ü?#%.txt';
const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const SETUP = `
  DEFINE TABLE user PERMISSIONS FOR select WHERE id = $auth.id;
  DEFINE TABLE post PERMISSIONS FULL;
  CREATE user:ann; CREATE user:bob;
  DEFINE ACCESS account ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM type::record('user', $name));
  DEFINE BUCKET papers;
  DEFINE BUCKET \`<b>b\`;
  DEFINE BUCKET long;
  DEFINE BUCKET own PERMISSIONS WHERE owner = $auth.id;
  DEFINE BUCKET notices PERMISSIONS FOR get, head, list FULL;
  f"notices:/notice.txt".put('notice');
  FOR $at IN 100..=220 { type::file('long', 'a/' + <string> $at).put('x'); type::file('long', 'n' + <string> $at).put('x') };
  type::file('<b>b', ${JSON.stringify(`x y/${HOSTILE}`)}).put('hostile content');
  CREATE post:1 SET paper = type::file('<b>b', ${JSON.stringify(`x y/${HOSTILE}`)})`;

let studio: Studio | undefined;
beforeAll(async () => {
  studio = await startStudio(SETUP);
});
afterAll(() => studio?.close());

const recordUser = (name: string): User => ({
  level: 'record',
  name: `account: ${name}`,
  credentials: { NS: PLACE.namespace, DB: PLACE.database, AC: 'account', name },
});

/** The names in the list. */
const names = async (page: Page) =>
  (await page.getByRole('region', { name: 'Files', exact: true }).getByRole('link').allInnerTexts()).filter(
    (text) => !text.startsWith('user:'),
  );
const file = (name: string, mimeType: string, content: string | Buffer) => ({
  name,
  mimeType,
  buffer: Buffer.from(content),
});

it('defines a bucket, with the statement that runs in sight, by the keyboard alone', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await studio.tab('files');
  await page.getByRole('button', { name: 'Create a bucket' }).press('Enter');
  await page.keyboard.type('cov`ers');
  await page.getByLabel('Types').fill('image/*, text/plain');
  await page.getByLabel('Record users and guests').selectOption('Everyone may get, its owner the rest');
  await expect
    .poll(() => page.getByRole('region', { name: 'Statement' }).innerText())
    .toContain(
      'DEFINE BUCKET `cov\\`ers` MAXSIZE 10000000 TYPES "image/*", "text/plain" PERMISSIONS FOR get, head FULL',
    );
  await page.keyboard.press('Enter');
  await page.getByRole('complementary', { name: 'Buckets' }).getByRole('link', { name: 'cov`ers' }).waitFor();
  await page.getByText('Rules and limits').click();
  await page.getByText('Files of up to 9.5 MiB').waitFor();
  expect(await textOf(page)).toContain('WHERE owner = $auth.id');
  expect(complaints).toEqual([]);
});

it('takes several files with the reason of each refusal, and shows, renames and deletes them', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await studio.tab('files/bucket/papers/%2Fa%2F');
  const chooser = page.getByLabel('Files to upload');
  const files = [
    file('one.txt', 'text/plain', 'first'),
    file(HOSTILE.replace('?', ''), '', '<b>second</b>'),
    file('dot.png', 'image/png', Buffer.from(PICTURE, 'base64')),
  ];
  await chooser.setInputFiles(files);
  await expect.poll(() => names(page)).toHaveLength(3);
  await chooser.setInputFiles(files.slice(0, 1));
  await page.getByText('There is a file of this name already').waitFor();
  await page.getByLabel('Replace files of the same name').check();
  await chooser.setInputFiles([file('one.txt', 'text/plain', 'once more')]);
  await page.getByText('Stored, 9 B').waitFor();

  await page.getByRole('link', { name: 'one.txt' }).click();
  await page.getByText('once more').waitFor();
  await page.getByRole('button', { name: 'Link' }).press('Enter');
  const link = await page.getByRole('region', { name: 'Link', exact: true }).locator('pre').innerText();
  expect(await (await fetch(link)).text()).toBe('once more');
  await page.keyboard.press('Escape');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('one.txt');

  const rename = async (key: string) => {
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByLabel('Key').fill(key);
    await page.getByLabel('Key').press('Enter');
  };
  await rename('/a/dot.png');
  await page.getByRole('alert').getByText('There is a file of this name already').waitFor();
  await page.keyboard.press('Escape');
  await rename('b/two.txt');
  await page.getByRole('heading', { name: 'two.txt' }).waitFor();
  await page.getByRole('navigation', { name: 'Folders' }).getByRole('link', { name: 'papers' }).click();
  await expect.poll(() => names(page)).toEqual(['a/', 'b/']);
  await page.getByRole('link', { name: 'a/', exact: true }).click();
  await page.getByRole('link', { name: 'dot.png' }).click();
  await expect
    .poll(() =>
      page.getByRole('img', { name: 'dot.png' }).evaluate((image) => (image as { naturalWidth?: number }).naturalWidth),
    )
    .toBe(1);
  await page.goBack();
  await page.getByRole('button', { name: 'Select all of this page' }).click();
  await page.getByRole('button', { name: 'Delete 2 selected' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).press('Enter');
  await page.getByText('There are no files here that you may list.').waitFor();
  expect(await page.locator('main img').count()).toBe(0);
  expect(complaints).toEqual([]);
});

it('plays recordings, which the page’s policy allows from its own server', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await studio.tab('files/bucket/papers/%2Fd%2F');
  await page.getByLabel('Files to upload').setInputFiles([file('silence.wav', 'audio/wav', silence())]);
  await page.getByRole('link', { name: 'silence.wav' }).click();
  const seconds = () => page.locator('audio').evaluate((audio) => (audio as { duration?: number }).duration);
  await expect.poll(seconds).toBe(0.5);
  expect(complaints).toEqual([]);
});

/** Half a second of PCM, 8 bits at 8 kHz. */
function silence(): Buffer {
  const samples = Buffer.alloc(4000, 128);
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.write('WAVE', 8);
  head.write('fmt ', 12);
  head.writeUInt32LE(36 + samples.length, 4);
  for (const [at, value] of [16, 0x0001_0001, 8000, 8000, 0x0008_0001].entries())
    head.writeUInt32LE(value, 16 + 4 * at);
  head.write('data', 36);
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
}

it('takes files that are dropped', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page } = await studio.tab('files/bucket/papers/%2Fc%2F');
  await page.getByText('or drop them here').waitFor();
  const data = await page.evaluateHandle(
    "(() => { const data = new DataTransfer(); data.items.add(new File(['x'], 'dropped.txt')); return data; })()",
  );
  await page.dispatchEvent('.drop', 'drop', { dataTransfer: data });
  await expect.poll(() => names(page)).toEqual(['dropped.txt']);
});

it('shows folders once, page by page, and finds names', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page } = await studio.tab('files/bucket/long');
  await expect.poll(() => names(page)).toHaveLength(100);
  expect((await names(page)).slice(0, 2)).toEqual(['a/', 'n100']);
  await page.getByRole('button', { name: 'Next page' }).press('Enter');
  await expect.poll(async () => (await names(page))[0]).toBe('n199');
  expect((await names(page)).at(-1)).toBe('n220');
  expect(await page.getByRole('button', { name: 'Next page' }).isDisabled()).toBe(true);
  await page.getByLabel('Names that begin with').fill('n11');
  await expect.poll(() => names(page)).toHaveLength(10);
});

it('shows hostile names as text, and is reached from a record', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await studio.tab('explore/record/post%3A1');
  await page
    .getByRole('region', { name: 'Record post:1' })
    .getByRole('link', { name: /onerror/ })
    .click();
  await page.getByText('hostile content').waitFor();
  expect(await seriousFaultsInBoth(page)).toEqual([]);
  await page.getByRole('navigation', { name: 'Folders' }).getByRole('link', { name: 'x y' }).click();
  await expect.poll(() => names(page)).toEqual([HOSTILE]);
  await page.getByText('Rules and limits').click();
  expect(await seriousFaultsInBoth(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 800 });
  await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  await page.setViewportSize({ width: 1280, height: 720 });
  expect(await page.locator('main img, main b').count()).toBe(0);
  expect(complaints).toEqual([]);
});

it('shows a record user what the rules allow, with what refuses the rest', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  await studio.sql("f'own:/of-root.txt'.put('root')");
  const { page, complaints } = await studio.tab('files', recordUser('ann'));
  const buckets = page.getByRole('complementary', { name: 'Buckets' });
  // Those that have a rule for them, without how to define one.
  await buckets.getByRole('link', { name: 'own' }).waitFor();
  const listed = await buckets.getByRole('link').allInnerTexts();
  expect(['own', 'notices', 'papers', 'long'].filter((name) => listed.includes(name))).toEqual(['own', 'notices']);
  expect(await buckets.getByRole('button').count()).toBe(0);
  await buckets.getByRole('link', { name: 'notices' }).click();
  await page.getByRole('link', { name: 'notice.txt' }).click();
  await page.getByRole('button', { name: 'Link' }).waitFor();
  expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Rename' }).count()).toBe(0);
  await buckets.getByRole('link', { name: 'own' }).click();
  await page.getByText('There are no files here that you may list.').waitFor();
  const chooser = page.getByLabel('Files to upload');
  await chooser.setInputFiles([file('mine.txt', 'text/plain', 'of Ann')]);
  await expect.poll(() => names(page)).toEqual(['mine.txt']);
  await page.getByRole('link', { name: 'user:ann' }).waitFor();
  await page.getByLabel('Replace files of the same name').check();
  await chooser.setInputFiles([file('of-root.txt', 'text/plain', 'x')]);
  await expect.poll(() => page.getByRole('list', { name: 'Uploads' }).innerText()).toMatch(/not allow|permission/i);
  await page.getByRole('link', { name: 'mine.txt' }).click();
  await page.getByText('of Ann').waitFor();
  await page.getByRole('button', { name: 'Rename' }).click();
  await page.getByLabel('Key').fill('/other.txt');
  await page.getByLabel('Key').press('Enter');
  await page.getByRole('heading', { name: 'other.txt' }).waitFor();
  expect(await page.getByText('of Ann').innerText()).toBe('of Ann');
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).last().click();
  await page.getByText('There are no files here that you may list.').waitFor();
  expect(complaints).toEqual([]);
});

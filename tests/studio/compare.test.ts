/** Two users side by side in Permissions, and the test that is saved of it, run by `tessera test`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runTests } from '../../src/cli/test/run.js';
import { temporaryFolder } from '../support/server-process.js';
import { databaseUser, type Studio, seriousFaults, startStudio } from './browser.js';

const HOSTILE = "it`s <b>a</b> '--";
const SCHEMA = `
DEFINE TABLE person SCHEMAFULL PERMISSIONS FOR select WHERE id = $auth;
DEFINE FIELD email ON person TYPE string ASSERT string::is_email($value);
DEFINE FIELD pass ON person TYPE string VALUE crypto::argon2::generate($value) PERMISSIONS NONE;
DEFINE TABLE team PERMISSIONS FOR select FULL;
DEFINE TABLE member TYPE RELATION IN person OUT team PERMISSIONS NONE;
DEFINE TABLE note SCHEMAFULL PERMISSIONS FOR select WHERE public OR owner = $auth OR team<-member<-person CONTAINS $auth;
DEFINE FIELD owner ON note TYPE record<person>;
DEFINE FIELD team ON note TYPE option<record<team>>;
DEFINE FIELD public ON note TYPE bool DEFAULT false;
DEFINE FIELD text ON note TYPE string;
DEFINE FIELD draft ON note TYPE option<string> PERMISSIONS FOR select WHERE owner = $auth;
DEFINE FIELD length ON note COMPUTED string::len(text);
DEFINE FIELD made ON note TYPE datetime VALUE time::now() READONLY;
DEFINE TABLE \`${HOSTILE.replace('`', '\\`')}\` PERMISSIONS FOR select WHERE $auth != NONE;
DEFINE ACCESS account ON DATABASE TYPE RECORD;
`;
const DATA = `
CREATE person:ann SET email = 'ann@example.com', pass = 'hers'; CREATE person:bob SET email = 'bob@example.com', pass = 'his';
CREATE team:red; RELATE person:bob->member->team:red;
CREATE note:1 SET owner = person:ann, text = 'hers';
CREATE note:2 SET owner = person:ann, text = 'for all', public = true, draft = '"quoted" \\\\ \\'';
CREATE note:3 SET owner = person:ann, text = 'for the team', team = team:red;
CREATE note:[4, 'x'] SET owner = person:bob, text = 'his';
CREATE \`${HOSTILE.replace('`', '\\`')}\`:1;
DEFINE USER vera ON DATABASE PASSWORD 'a viewer of it' ROLES VIEWER`;

let studio: Studio | undefined;
beforeAll(async () => {
  studio = await startStudio(SCHEMA + DATA, { SVC_ALLOW_GUESTS: 'true' });
});
afterAll(() => studio?.close());

/** Chooses a record user for one of both. */
async function chooseRecord(page: Page, which: 'first' | 'second', record: string): Promise<void> {
  await page.getByLabel(`${which === 'first' ? 'First' : 'Second'} user`).selectOption('A record user');
  await page.getByLabel(`Record of the ${which}`).fill(record);
  await page.getByRole('combobox', { name: `Signed in by access of the ${which}` }).fill('account');
}

async function compare(page: Page, statement: string): Promise<string> {
  await page.getByLabel('Statement').fill(statement);
  await page.getByRole('button', { name: 'Compare' }).click();
  const summary = page.getByRole('region', { name: 'Compare two users' }).getByRole('status');
  await summary.waitFor();
  return summary.innerText();
}

/** Saves the comparison, and runs what was saved. */
async function runSaved(page: Page): Promise<{ code: number; printed: string; text: string }> {
  const button = page.getByRole('button', { name: 'Save as permission test' });
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
  const folder = temporaryFolder();
  const [path, schema] = [join(folder, download.suggestedFilename()), join(folder, 'schema.surql')];
  await download.saveAs(path);
  writeFileSync(schema, SCHEMA);
  const output = new PassThrough();
  const code = await runTests(path, { reporter: 'text', schema: [schema] }, output);
  return { code, printed: String(output.read()), text: readFileSync(path, 'utf8') };
}

it('shows what differs between two users, and why, and saves a test that passes', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await studio.tab('permissions');
  await chooseRecord(page, 'first', 'person:ann');
  await chooseRecord(page, 'second', 'person:bob');
  expect(await compare(page, 'SELECT * FROM note ORDER BY id')).toBe('3 of 4 rows differ.');
  const rowOf = (id: string) =>
    page.getByRole('region', { name: 'Comparison' }).getByRole('row').filter({ hasText: id });
  expect(await rowOf('note:1').innerText()).toMatch(/not seen[\s\S]*select of note:1 is refused for person:bob/);
  expect(await rowOf('note:2').innerText()).toMatch(/draft:[\s\S]*draft/);
  expect(await rowOf('note:3').innerText()).toContain('the same');
  expect(await rowOf("note:[4, 'x']").innerText()).toContain('is refused for person:ann');
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect([colorScheme, await seriousFaults(page)]).toEqual([colorScheme, []]);
  }
  await page.emulateMedia({ colorScheme: null });
  const { code, printed, text } = await runSaved(page);
  expect([printed, code]).toEqual([expect.stringContaining('1 passed, 0 failed'), 0]);
  expect(text).toContain('-- as person:bob via account\nSELECT * FROM note ORDER BY id;\n-- sees note:2');
  expect(text).toContain('RETURN note:2.draft;\n--> NONE');
  expect(text).not.toContain('argon2');
  expect(complaints).toEqual([]);
});

it('fails, once a rule allows more', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page } = await studio.tab('permissions');
  await chooseRecord(page, 'first', 'person:bob');
  await compare(page, 'SELECT * FROM note');
  const { text } = await runSaved(page);
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'a.surql'), text);
  writeFileSync(join(folder, 'schema.surql'), SCHEMA.replace('WHERE public OR owner', 'WHERE true OR owner'));
  const output = new PassThrough();
  expect(
    await runTests(join(folder, 'a.surql'), { reporter: 'text', schema: [join(folder, 'schema.surql')] }, output),
  ).toBe(1);
});

it('compares guests and system users, with the keyboard alone, and hostile names', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await studio.tab('permissions');
  await page.getByLabel('Second user').selectOption('A viewer of the database');
  await page.getByLabel('First user').selectOption('A guest');
  await page.getByLabel('Statement').focus();
  await page.keyboard.type(`SELECT * FROM \`${HOSTILE.replace('`', '\\`')}\``);
  for (let tab = 0; tab < 3; tab++) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  const comparison = page.getByRole('region', { name: 'Comparison' });
  await expect.poll(() => comparison.innerText()).toContain('not seen');
  expect(await page.locator('main b').count()).toBe(0);
  const { code, printed } = await runSaved(page);
  expect([printed, code]).toEqual([expect.stringContaining('1 passed, 0 failed'), 0]);
  await page.getByLabel('Statement').fill('DELETE note');
  await page.getByRole('button', { name: 'Compare' }).click();
  await expect.poll(() => comparison.innerText()).toMatch(/read-only|not allowed|permissions/i);
  await page.getByLabel('Statement').fill('RETURN 1; RETURN 2');
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByText('Write one statement.').waitFor();
  expect(complaints).toEqual([]);
});

it('says to a viewer that it is for owners', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page } = await studio.tab('permissions', databaseUser('vera', 'a viewer of it'));
  await page.getByLabel('First user').selectOption('A guest');
  await page.getByLabel('Statement').fill('SELECT * FROM note');
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByRole('region', { name: 'Compare two users' }).getByRole('alert').waitFor();
});

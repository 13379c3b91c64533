/** Importing rows: files and pasted texts, mapped to fields, shown before they are stored, and what was refused. */
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { databaseUser, type Studio, seriousFaults, startStudio } from './browser.js';

const HOSTILE = '<img src=x onerror="globalThis.attacked = 1">';

const SETUP = `DEFINE TABLE team; DEFINE TABLE person SCHEMAFULL; DEFINE FIELD name ON person TYPE string;
  DEFINE FIELD age ON person TYPE option<int> ASSERT $value > 0; DEFINE FIELD team ON person TYPE option<record<team>>;
  CREATE person:1 SET name = 'Old', age = 90; DEFINE USER viewer ON DATABASE PASSWORD 'a view of it' ROLES VIEWER`;

let studio: Studio | undefined;
beforeAll(async () => {
  studio = await startStudio(SETUP);
});
afterAll(() => studio?.close());

const preview = (page: Page) => page.getByRole('region', { name: 'Preview' });
const outcome = (page: Page) => page.getByRole('region', { name: 'What was imported' });
const paste = (page: Page, text: string) => page.getByLabel('Or paste it here').fill(text);

it('imports a file with mapped columns, and gives back what was refused', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await studio.tab('explore/table/person');
  await page.getByRole('button', { name: 'More for person' }).click();
  await page.getByRole('menuitem', { name: 'Import rows' }).click();
  const csv = `id;Name;years;team;note\n1;New;40;red;x\n2;"Bea; B.";;blue;x\n3;Cy;-1;;x\n4;Di;many;;x\n`;
  await page.getByLabel('File', { exact: true }).setInputFiles({
    name: 'people.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(csv),
  });
  const field = (column: string) => page.getByRole('combobox', { name: `Field of ${column}`, exact: true });
  await expect.poll(() => field('Name').inputValue()).toBe('name');
  // It isn't defined, and the table is schemafull.
  expect(await field('note').inputValue()).toBe('');
  await field('years').fill('age');
  expect(await page.getByLabel('Type of years').inputValue()).toBe('int');
  expect(await page.getByRole('combobox', { name: 'Table of the keys of team' }).inputValue()).toBe('team');
  await expect
    .poll(() => preview(page).getByRole('row').allInnerTexts())
    .toEqual([
      'id\tname\tage\tteam',
      "person:1\t'New'\t40\tteam:red",
      "person:2\t'Bea; B.'\tNONE\tteam:blue",
      "person:3\t'Cy'\t-1\tNONE",
      expect.stringMatching(/^person:4\t'Di'\tCould not cast into `int`/),
    ]);
  expect(await seriousFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Import 4 rows' }).click();
  await expect.poll(() => outcome(page).innerText()).toContain('1 row stored, 3 refused.');
  expect(await outcome(page).getByRole('row').allInnerTexts()).toEqual([
    'In the file\tReason',
    expect.stringMatching(/^2\t.*already exists/),
    expect.stringMatching(/^4\t.*age/),
    expect.stringMatching(/^5\t.*'many'/),
  ]);
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    outcome(page).getByRole('button', { name: 'Download the refused rows' }).click(),
  ]);
  expect(file.suggestedFilename()).toBe('person-refused.csv');
  const refused = await readFile(await file.path(), 'utf8');
  expect(refused.split('\r\n')[0]).toBe('id,Name,years,team,note,refused because');

  // Put right, and imported again.
  await paste(page, refused.replace(',-1,', ',1,').replace(',many,', ',2,'));
  await field('years').fill('age');
  expect(await field('refused because').inputValue()).toBe('');
  await page.getByLabel('Where the id is there already').selectOption('merge');
  await page.getByRole('button', { name: 'Import 3 rows' }).click();
  await expect.poll(() => outcome(page).innerText()).toContain('3 rows stored.');
  expect(await studio.sql('RETURN value::quote((SELECT * FROM person))')).toEqual([
    "[{ age: 40, id: person:1, name: 'New', team: team:red }, { id: person:2, name: 'Bea; B.', team: team:blue }, " +
      "{ age: 1, id: person:3, name: 'Cy' }, { age: 2, id: person:4, name: 'Di' }]",
  ]);
  await outcome(page).getByRole('link', { name: 'Show the rows of person' }).click();
  await expect.poll(() => page.getByRole('grid').getAttribute('aria-rowcount')).toBe('5');
  expect(complaints).toEqual([]);
});

it('keeps each digit of JSON, hostile names and values, in a table that it makes', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await studio.tab('explore');
  await page.getByRole('button', { name: 'Import and export' }).click();
  await page.getByRole('dialog').getByRole('link', { name: 'Import rows' }).click();
  await page.getByRole('combobox', { name: 'Table' }).fill(HOSTILE);
  const value = JSON.stringify(HOSTILE);
  await paste(
    page,
    `[{"id":"a","big":9007199254740993,"f":1.0,"e":1e2,${value}:{"__proto__":[${value},null]}}, 5, {"id":"b","big":18446744073709551615}]`,
  );
  expect(await page.getByLabel('Format').inputValue()).toBe('json');
  await expect.poll(() => preview(page).innerText()).toContain('9007199254740993');
  await page.getByRole('button', { name: 'Import 2 rows' }).click();
  await expect.poll(() => outcome(page).innerText()).toContain('2 rows stored, 1 refused.');
  const name = `\`${HOSTILE}\``;
  expect(
    await studio.sql(
      `RETURN value::quote((SELECT * OMIT id, ${name} FROM ${name})); SELECT VALUE ${name} FROM ${name}:a`,
    ),
  ).toEqual([
    '[{ big: 9007199254740993, e: 100f, f: 1f }, { big: 18446744073709551615dec }]',
    [JSON.parse(`{"__proto__":[${value},null]}`)],
  ]);

  // A text that can't be read says why, and NDJSON line by line.
  await paste(page, '[{"a": }]');
  await expect.poll(() => page.getByRole('alert').innerText()).toContain('JSON');
  await paste(page, `{"a":1}\n${HOSTILE}\n{"a":2}`);
  await page.getByRole('button', { name: 'Import 2 rows' }).click();
  await expect.poll(() => outcome(page).innerText()).toContain('2 rows stored, 1 refused.');
  expect(await page.evaluate('globalThis.attacked')).toBe(undefined);
  expect(complaints).toEqual([]);
});

it('maps and imports by keyboard alone, and says what a viewer may not', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page } = await studio.tab('explore/import/team', databaseUser('viewer', 'a view of it'));
  await page.getByLabel('Or paste it here').focus();
  await page.keyboard.insertText('id,colour\nred,#f00');
  const focused = () => page.evaluate('document.activeElement.ariaLabel ?? document.activeElement.textContent');
  const tabTo = async (name: string) => {
    for (let step = 0; step < 40 && (await focused()) !== name; step++) await page.keyboard.press('Tab');
    expect(await focused()).toBe(name);
  };
  await expect.poll(() => preview(page).innerText()).toContain('team:red');
  await tabTo('Field of colour');
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type('hue');
  await expect.poll(() => preview(page).innerText()).toMatch(/hue[\s\S]*#f00/);
  await page.keyboard.press('Escape');
  await tabTo('Import 1 row');
  await page.keyboard.press('Enter');
  await expect.poll(() => outcome(page).innerText()).toContain('0 rows stored, 1 refused.');
  await expect.poll(() => outcome(page).innerText()).toMatch(/not allowed|permission/i);
  expect(await studio.sql('SELECT * FROM team')).toEqual([[]]);
});

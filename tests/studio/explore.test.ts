/** Explore: tables, rows, records and their neighbours, and changes that are saved or undone. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { databaseUser, type Studio, startStudio, textOf } from './browser.js';

/** What a page that reads texts as HTML would run. */
const HOSTILE = '<img src=x onerror="globalThis.attacked = 1"><script>globalThis.attacked = 1</script>';

const SETUP = `DEFINE TABLE person SCHEMAFULL; DEFINE FIELD name ON person TYPE string;
  DEFINE FIELD age ON person TYPE option<int> ASSERT $value = NONE OR $value >= 0;
  DEFINE FIELD address ON person TYPE option<object> FLEXIBLE; DEFINE FIELD boss ON person TYPE option<record<person>>;
  DEFINE TABLE knows TYPE RELATION FROM person TO person;
  CREATE person:ann SET name = 'Ann', age = 40, address = { city: 'Lund', rooms: [1, 2] };
  CREATE person:bob SET name = 'Bob', age = 20, boss = person:ann;
  RELATE person:ann->knows->person:bob SET since = 1999;
  CREATE |many:3000| RETURN NONE;
  CREATE hostile:⟨${HOSTILE}⟩ SET ${'`'}${HOSTILE}${'`'} = '${HOSTILE}', linked = person:ann;
  CREATE ${'`'}${HOSTILE}${'`'} SET name = '${HOSTILE}';
  DEFINE USER viewer ON DATABASE PASSWORD 'a view of it' ROLES VIEWER`;

let studio: Studio | undefined;
beforeAll(async () => {
  studio = await startStudio(SETUP);
});
afterAll(() => studio?.close());

const rows = (page: Page) => page.getByRole('grid').getByRole('row').allInnerTexts();
const tables = (page: Page) => page.getByRole('complementary');

async function openTable(page: Page, table: string): Promise<void> {
  await tables(page).getByRole('link', { name: table, exact: true }).click();
  await expect.poll(() => page.getByRole('heading', { level: 1 }).innerText()).toBe(table);
}

it('lists tables with counts, filters and orders rows, and draws only those in sight', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await studio.tab();
  await expect.poll(() => tables(page).innerText()).toMatch(/many\s+3,000/);

  await openTable(page, 'person');
  await expect.poll(async () => (await rows(page)).join('|')).toMatch(/^id.*\|person:ann.*\|person:bob/s);
  await page.getByRole('button', { name: 'age', exact: true }).click();
  await expect.poll(async () => (await rows(page))[1]).toContain('person:bob');
  await page.getByLabel('Filter').fill("name = 'Ann' -- only her");
  await page.getByRole('button', { name: 'Apply' }).click();
  await expect.poll(() => page.getByRole('status').first().innerText()).toBe('1 row');
  await page.getByLabel('Filter').fill('name = ');
  await page.getByRole('button', { name: 'Apply' }).click();
  await expect.poll(() => page.getByRole('alert').innerText()).toContain('Parse error');

  await openTable(page, 'many');
  const grid = page.getByRole('grid');
  await expect.poll(() => grid.getAttribute('aria-rowcount')).toBe('3001');
  await expect.poll(() => rows(page).then(({ length }) => length)).toBeGreaterThan(3);
  expect((await rows(page)).length).toBeLessThan(100);
  await grid.focus();
  await page.keyboard.press('End');
  await expect.poll(() => grid.getByRole('row').last().getAttribute('aria-rowindex')).toBe('3001');
  await expect.poll(async () => (await rows(page)).at(-1)).toContain('many:');
  expect(complaints).toEqual([]);
});

it('shows a record with what is in it, and follows links and edges', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await studio.tab();
  await openTable(page, 'person');
  await page.getByRole('grid').getByRole('link', { name: 'person:bob' }).click();
  await expect.poll(() => page.getByRole('heading', { level: 1 }).innerText()).toBe('person:bob');
  const neighbours = page.getByRole('region', { name: 'Neighbours' });
  await expect.poll(() => neighbours.getByRole('row').allInnerTexts()).toHaveLength(3);
  // By the edge that leads to it, and by a link.
  await expect.poll(() => neighbours.getByRole('group').innerHTML()).toContain('knows');
  await neighbours.getByRole('group').getByRole('link', { name: 'person:ann' }).first().click();
  await expect.poll(() => page.getByRole('heading', { level: 1 }).innerText()).toBe('person:ann');
  await expect.poll(() => textOf(page)).toContain('Lund');
  expect(await textOf(page)).toContain('2 elements');
  await page.goBack();
  await expect.poll(() => page.getByRole('heading', { level: 1 }).innerText()).toBe('person:bob');
  expect(complaints).toEqual([]);
});

it('keeps changes until they are saved, all or none of them, and undoes them', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  await studio.sql("CREATE person:eve SET name = 'Eve', age = 1; CREATE person:dan SET name = 'Dan'");
  const { page, complaints } = await studio.tab();
  await openTable(page, 'person');
  await page.getByRole('button', { name: 'New row' }).click();
  await page.getByLabel('name', { exact: true }).fill(HOSTILE);
  await page.getByLabel('id', { exact: true }).fill('person:new');
  await page.getByRole('button', { name: 'Keep' }).click();
  await page.getByRole('grid').getByRole('link', { name: 'person:dan' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('link', { name: 'All of person' }).click();
  await page.getByRole('grid').getByRole('link', { name: 'person:eve' }).click();
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('age', { exact: true }).fill('-1');
  await page.getByRole('button', { name: 'Keep' }).click();
  expect(await studio.sql('SELECT VALUE age FROM person:eve')).toEqual([[1]]);

  // The server refuses one of them: nothing is saved.
  await page.getByRole('button', { name: 'Save 3 changes' }).click();
  await expect.poll(() => page.getByRole('alert').innerText()).toMatch(/Nothing was saved.*age/s);
  expect(await studio.sql('SELECT VALUE age FROM person:eve; SELECT VALUE name FROM person:dan')).toEqual([
    [1],
    ['Dan'],
  ]);

  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('age', { exact: true }).fill('2');
  await page.getByRole('button', { name: 'Keep' }).click();
  await page.getByRole('button', { name: 'Undo: Delete person:dan' }).click();
  await page.getByRole('button', { name: 'Save 2 changes' }).click();
  await expect.poll(() => page.getByRole('region', { name: 'Changes that are not saved' }).count()).toBe(0);
  expect(await studio.sql('SELECT VALUE age FROM person:eve; SELECT VALUE name FROM person:dan, person:new')).toEqual([
    [2],
    ['Dan', HOSTILE],
  ]);
  expect(complaints).toEqual([]);
});

it('opens what the server refused again, with all that was typed', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await studio.tab();
  await openTable(page, 'person');
  await page.getByRole('button', { name: 'New row' }).click();
  await page.getByLabel('id', { exact: true }).fill('person:refused');
  await page.getByLabel('name', { exact: true }).fill('Rosa');
  await page.getByLabel('age', { exact: true }).fill('-7');
  await page.getByRole('button', { name: 'Keep' }).click();
  await page.getByRole('button', { name: 'Save 1 change' }).click();
  await expect.poll(() => page.getByRole('alert').innerText()).toMatch(/Nothing was saved.*age/s);
  await page.getByRole('button', { name: 'Reopen: New row in person' }).click();
  expect(await page.getByLabel('name', { exact: true }).inputValue()).toBe('Rosa');
  expect(await page.getByLabel('age', { exact: true }).inputValue()).toBe('-7');
  await page.getByLabel('age', { exact: true }).fill('7');
  await page.getByRole('button', { name: 'Keep' }).click();
  await page.getByRole('button', { name: 'Save 1 change' }).click();
  await expect.poll(() => studio?.sql('SELECT name, age FROM person:refused')).toEqual([[{ name: 'Rosa', age: 7 }]]);

  await page.getByRole('link', { name: 'person:refused' }).click();
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('age', { exact: true }).fill('-1');
  await page.getByRole('button', { name: 'Keep' }).click();
  await page.getByRole('button', { name: 'Reopen: Change age of person:refused' }).click();
  await expect.poll(() => page.getByLabel('age', { exact: true }).inputValue()).toBe('-1');
  await page.getByLabel('age', { exact: true }).fill('8');
  await page.getByRole('button', { name: 'Keep' }).click();
  await page.getByRole('button', { name: 'Save 1 change' }).click();
  await expect.poll(() => studio?.sql('SELECT VALUE age FROM person:refused')).toEqual([[8]]);
  await studio.sql('DELETE person:refused');
  expect(complaints).toEqual([]);
});

it('changes a field within a value, and nothing else of it', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  // Two records whose ids are the same to a page.
  await studio.sql(`CREATE kinds:[1] SET v = 'other'; CREATE kinds:[1f] CONTENT { v: 'mine',
    all: { set: {1, 2}, table: type::table('person'), whole: 1f, zero: -0f, large: 1e30, bytes: <bytes> 'ab', id: kinds:[1f] } }`);
  const { page, complaints } = await studio.tab();
  await openTable(page, 'kinds');
  await page.getByRole('grid').getByRole('link', { name: 'kinds:[1f]' }).first().click();
  await expect.poll(() => page.getByRole('heading', { level: 1 }).innerText()).toBe('kinds:[1f]');
  await page.getByRole('button', { name: 'Edit' }).click();
  const all = page.getByLabel('all', { exact: true });
  await all.fill((await all.inputValue()).replace('}', ', 3 }'));
  await page.getByRole('button', { name: 'Keep' }).click();
  await page.getByRole('button', { name: 'Save 1 change' }).click();
  await expect.poll(() => page.getByRole('region', { name: 'Changes that are not saved' }).count()).toBe(0);
  const [mine, other] = await studio.sql(
    'RETURN value::quote((SELECT * FROM ONLY kinds:[1f])); SELECT * FROM kinds:[1]',
  );
  expect(mine).toBe(
    `{ all: { set: {1, 2, 3}, table: type::table('person'), whole: 1f, zero: -0f, ` +
      `large: 1000000000000000000000000000000f, bytes: b"6162", id: kinds:[1f] }, id: kinds:[1f], v: 'mine' }`,
  );
  expect(other).toMatchObject([{ v: 'other' }]);
  expect(complaints).toEqual([]);
});

it('shows hostile names and values as text', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await studio.tab();
  await openTable(page, HOSTILE);
  await expect.poll(async () => (await rows(page))[1]).toContain(HOSTILE);
  await openTable(page, 'hostile');
  await expect.poll(async () => (await rows(page))[0]).toContain(HOSTILE);
  await page.getByRole('grid').getByRole('row').nth(1).getByRole('link').first().click();
  await expect.poll(() => page.getByRole('heading', { level: 1 }).innerText()).toContain(HOSTILE);
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel(HOSTILE, { exact: true }).fill('changed');
  await page.getByRole('button', { name: 'Keep' }).click();
  await page.getByRole('button', { name: 'Save 1 change' }).click();
  await expect.poll(() => studio?.sql(`SELECT VALUE ${'`'}${HOSTILE}${'`'} FROM hostile`)).toEqual([['changed']]);
  expect(await page.evaluate('globalThis.attacked')).toBe(undefined);
  expect(complaints).toEqual([]);
});

it('says what the server refuses a viewer', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page } = await studio.tab('explore/table/person', databaseUser('viewer', 'a view of it'));
  await page.getByRole('grid').getByRole('link', { name: 'person:bob' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('button', { name: 'Save 1 change' }).click();
  await expect
    .poll(() => page.getByRole('alert').innerText())
    .toMatch(/Nothing was saved. Delete person:bob: Not allowed/);
  expect(await studio.sql('SELECT VALUE name FROM person:bob')).toEqual([['Bob']]);
});

it('exports the database, and imports a file or says what is wrong with it', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await studio.tab();
  await page.getByRole('button', { name: 'Import and export' }).click();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export', exact: true }).click(),
  ]);
  expect(file.suggestedFilename()).toBe('test-test.surql');
  await expect.poll(() => page.getByRole('dialog').innerText()).toMatch(/Exported \d+ KiB/);
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await expect.poll(() => page.getByRole('alert').innerText()).toBe('Choose a file first.');
  const buffer = Buffer.from('CREATE imported:1 SET name = 1;');
  await page.getByLabel('File to import').setInputFiles({ name: 'a.surql', mimeType: 'text/plain', buffer });
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await expect.poll(() => page.getByRole('dialog').innerText()).toContain('Imported 1 KiB');
  await expect.poll(() => tables(page).innerText()).toMatch(/imported\s+1/);
  await page.getByLabel('File to import').setInputFiles({
    name: 'b.surql',
    mimeType: 'text/plain',
    buffer: Buffer.from('CREATE'),
  });
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await expect.poll(() => page.getByRole('alert').innerText()).toContain('error');
  // What a file names or throws is text, and so is what it isn't.
  for (const [content, says] of [
    [`THROW '${HOSTILE}'`, HOSTILE],
    [`CREATE ${'`'}${HOSTILE}`, '`'],
    ['\u0000\uFFFD<script>', 'error'],
  ] as const) {
    await page
      .getByLabel('File to import')
      .setInputFiles({ name: `${HOSTILE}.surql`, mimeType: 'text/html', buffer: Buffer.from(content) });
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await expect.poll(() => page.getByRole('alert').innerText()).toContain(says);
  }
  expect(await page.evaluate('globalThis.attacked')).toBe(undefined);
  expect(complaints).toEqual([]);
});

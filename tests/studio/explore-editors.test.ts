/** The form of a row: an editor for each kind of value, which keeps what isn't changed. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Studio, startStudio } from './browser.js';

const HOSTILE = '<img src=x onerror="globalThis.attacked = 1">';

const SETUP = `DEFINE TABLE person SCHEMAFULL; DEFINE FIELD name ON person TYPE string;
  CREATE person:ann SET name = 'Ann'; CREATE person:bob SET name = 'Bob';
  CREATE person:⟨${HOSTILE}⟩ SET name = "${HOSTILE.replaceAll('"', '\\"')} '";
  DEFINE TABLE all; DEFINE FIELD yes ON all TYPE option<bool>; DEFINE FIELD int ON all TYPE int; DEFINE FIELD float ON all TYPE float;
  DEFINE FIELD dec ON all TYPE decimal; DEFINE FIELD at ON all TYPE datetime; DEFINE FIELD long ON all TYPE duration;
  DEFINE FIELD state ON all TYPE 'new' | 'it''s' | "${HOSTILE.replaceAll('"', '\\"')}"; DEFINE FIELD who ON all TYPE option<record<person>>;
  CREATE all:1 SET yes = true, int = 9007199254740993, float = 1f, dec = 1dec, at = d'2026-01-02T03:04:05.123456789Z', long = 1h30m,
    state = 'new', who = person:ann, free = 2f`.replace(" | 'it''s'", ` | "it's"`);

let studio: Studio | undefined;
beforeAll(async () => {
  studio = await startStudio(SETUP);
});
afterAll(() => studio?.close());

/** The list of what an input offers has its label too. */
const field = (page: Page, name: string) =>
  page.getByLabel(name, { exact: true }).and(page.locator('input, select, textarea'));

async function saveOne(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Keep' }).click();
  await page.getByRole('button', { name: 'Save 1 change' }).click();
  await expect.poll(() => page.getByRole('region', { name: 'Changes that are not saved' }).count()).toBe(0);
}

const CODES = 'RETURN object::entries((SELECT * OMIT id FROM ONLY all:1)).map(|$e| $e[0] + " " + value::quote($e[1]))';

it('shows each kind in its editor, and changes what is changed alone', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await studio.tab('explore/record/all:1');
  await page.getByRole('button', { name: 'Edit' }).click();
  const shown = ['yes', 'int', 'float', 'dec', 'at', 'long', 'state', 'who', 'free'];
  expect(await Promise.all(shown.map((name) => field(page, name).inputValue()))).toEqual([
    'true',
    '9007199254740993',
    '1',
    '1',
    '2026-01-02T03:04:05',
    '1h30m',
    "'new'",
    'person:ann',
    '2',
  ]);
  // Looking at a value as SurrealQL, and back, isn't a change.
  await field(page, 'How float is written').selectOption('SurrealQL');
  expect(await field(page, 'float').inputValue()).toBe('1f');
  await field(page, 'How float is written').selectOption('Float');
  await field(page, 'int').fill('1.5');
  await page.getByRole('button', { name: 'Keep' }).click();
  await expect.poll(() => page.getByRole('alert').innerText()).toContain('int: expected a whole number');
  await field(page, 'int').fill('9007199254740995');
  await field(page, 'at').fill('2027-01-02T03:04:05');
  await field(page, 'yes').selectOption('—');
  await field(page, 'free').fill('3');
  await page.getByRole('button', { name: 'Keep' }).click();
  const changes = page.getByRole('region', { name: 'Changes that are not saved' });
  await expect.poll(() => changes.innerText()).toContain('Change at, int, free, yes of all:1');
  await page.getByRole('button', { name: 'Save 1 change' }).click();
  await expect.poll(() => changes.count()).toBe(0);
  const [codes] = (await studio.sql(CODES)) as [string[]];
  expect(codes.toSorted()).toEqual([
    "at d'2027-01-02T03:04:05.123456789Z'",
    'dec 1dec',
    'float 1f',
    'free 3f',
    'int 9007199254740995',
    'long 1h30m',
    "state 'new'",
    'who person:ann',
  ]);
  expect(complaints).toEqual([]);
});

it('finds the record of a link by its id and its first text, and offers choices, hostile ones too', async ({
  skip,
}) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await studio.tab('explore/record/all:1');
  await page.getByRole('button', { name: 'Edit' }).click();
  await field(page, 'who').fill('BO');
  await page.getByRole('option', { name: 'person:bob Bob' }).click();
  expect(await field(page, 'who').inputValue()).toBe('person:bob');
  await field(page, 'who').fill('onerror="');
  const hostile = page.getByRole('listbox', { name: 'who' }).getByRole('option');
  await expect.poll(() => hostile.allInnerTexts()).toEqual([expect.stringContaining(HOSTILE)]);
  await hostile.click();
  await field(page, 'state').selectOption({ index: 3 });
  await saveOne(page);
  expect(await studio.sql('SELECT VALUE [record::id(who), state] FROM all:1')).toEqual([[[HOSTILE, HOSTILE]]]);
  expect(await page.evaluate('globalThis.attacked')).toBe(undefined);
  expect(complaints).toEqual([]);
});

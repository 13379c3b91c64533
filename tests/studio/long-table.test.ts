/** A long table in the grid: 10⁶ rows where all tests are run. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { drawn, RUNS_ALL } from '../support/runs-all.js';
import { temporaryFolder } from '../support/server-process.js';
import { type Studio, startStudio } from './browser.js';

const ROWS = RUNS_ALL ? 1_000_000 : 20_000;
const AT_ONCE = 10_000;
const STORE = drawn('studio long table') % 2 === 0 ? 'memory' : 'disk';

let studio: Studio | undefined;
beforeAll(async () => {
  studio = await startStudio('DEFINE TABLE long', {}, STORE === 'memory' ? 'memory' : temporaryFolder());
  for (let from = 0; from < ROWS; from += AT_ONCE) {
    await studio?.sql(
      `FOR $i IN ${from}..${from + AT_ONCE} { CREATE type::record('long', $i) SET n = $i RETURN NONE }`,
    );
  }
}, 600_000);
afterAll(() => studio?.close());

const firstRow = async (page: Page) => (await page.getByRole('grid').getByRole('row').allInnerTexts())[1];

/** Moves the scroll bar to a part of its way. */
const scrollTo = (page: Page, part: number) =>
  page.getByRole('grid').evaluate((grid, to) => {
    grid.scrollTop = (grid.scrollHeight - grid.clientHeight) * to;
  }, part);

it(`scrolls, ends, comes back and is changed at its end, in ${STORE}`, async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await studio.tab('explore/table/long');
  await expect.poll(() => page.getByRole('status').first().innerText()).toBe(`${ROWS.toLocaleString('en')} rows`);
  await expect.poll(() => firstRow(page)).toContain('long:0');
  for (const part of [0.5, 0.25, 0.75]) {
    await scrollTo(page, part);
    const shown = async () => Number(/long:(\d+)/.exec((await firstRow(page)) ?? '')?.[1]);
    await expect.poll(async () => Math.abs((await shown()) / ROWS - part)).toBeLessThan(0.01);
  }
  const grid = page.getByRole('grid');
  await grid.focus();
  await page.keyboard.press('End');
  await expect.poll(() => grid.innerText()).toContain(`long:${ROWS - 1}`);
  // Of what is drawn, what is out of sight is gone.
  expect(await grid.getByRole('row').count()).toBeLessThan(100);

  await grid.getByRole('link', { name: `long:${ROWS - 1}`, exact: true }).click();
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('n', { exact: true }).fill('-1');
  await page.getByRole('button', { name: 'Keep' }).click();
  await page.getByRole('button', { name: 'Save 1 change' }).click();
  await expect.poll(() => studio?.sql(`SELECT VALUE n FROM long:${ROWS - 1}`)).toEqual([[-1]]);

  await page.getByRole('link', { name: 'All of long' }).click();
  await expect.poll(() => grid.getAttribute('aria-rowcount')).toBe(String(ROWS + 1));
  await grid.focus();
  await page.keyboard.press('End');
  await page.keyboard.press('Home');
  await expect.poll(() => firstRow(page)).toContain('long:0');
  expect(complaints).toEqual([]);
}, 120_000);

/** The forms of a result in the browser: what is kept of the choice, charts, and what is downloaded. */
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Studio, startStudio } from './browser.js';

const HOSTILE = '<img src=x onerror="globalThis.attacked = 1">';

let studio: Studio | undefined;
beforeAll(async () => {
  studio = await startStudio('DEFINE TABLE sale');
});
afterAll(() => studio?.close());

const result = (page: Page, number: number) => page.getByRole('region', { name: `Result ${number}` });

async function run(page: Page, text: string): Promise<void> {
  await page.getByLabel('Statements').click();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.insertText(text);
  await page.keyboard.press('ControlOrMeta+Enter');
}

async function downloaded(page: Page, name: string): Promise<string> {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    result(page, 1).getByRole('button', { name }).click(),
  ]);
  return readFile(await file.path(), 'utf8');
}

it('draws chosen columns of numbers, and keeps the form that was chosen', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await studio.tab('query');
  await run(page, `RETURN [{ who: '${HOSTILE}', n: 3, z: -1 }, { who: 'Ann', n: 1.5dec, z: 2 }, { who: 'Bob' }]`);
  await result(page, 1).getByRole('tab', { name: 'Chart' }).click();
  const chart = result(page, 1).locator('svg.plot');
  expect(await chart.getAttribute('aria-label')).toBe(`n: ${HOSTILE} 3, Ann 1.5, Bob –`);
  expect(await chart.locator('rect').count()).toBe(2);
  await result(page, 1).getByLabel('z', { exact: true }).check();
  expect(await chart.getAttribute('aria-label')).toContain(`; z: ${HOSTILE} -1, Ann 2, Bob –`);
  expect(await chart.locator('rect').count()).toBe(4);
  expect(await result(page, 1).innerText()).toMatch(/n \(1.5 to 3\)[\s\S]*z \(-1 to 2\)/);
  await result(page, 1).getByRole('combobox', { name: 'Chart' }).selectOption('Lines');
  expect(await chart.locator('polyline').count()).toBe(2);
  await result(page, 1).getByRole('combobox', { name: 'Chart' }).selectOption('Pie');
  expect(await chart.locator('path').count()).toBe(3);
  expect(await result(page, 1).innerText()).toContain(HOSTILE);
  await run(page, "RETURN [{ text: 'none' }]");
  await expect.poll(() => result(page, 1).innerText()).toContain('no column of numbers');
  await page.reload();
  await run(page, 'RETURN [{ n: 1 }]');
  await expect.poll(() => result(page, 1).getByRole('tab', { selected: true }).innerText()).toBe('Chart');
  expect(await page.evaluate('globalThis.attacked')).toBe(undefined);
  expect(complaints).toEqual([]);
});

it('downloads a result as JSON and as CSV, with formulas defused', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await studio.tab('query');
  await run(
    page,
    `RETURN [{ id: sale:1, n: -5, f: '=1+1', d: 1.10dec, q: 'say "a, b"', u: NONE, t: 2w, i: -1f / 0f, b: true },
      { id: sale:2, f: '@x', q: '-2', \`+col\`: [1, { a: 9223372036854775807 }] }]`,
  );
  await result(page, 1).getByRole('tab', { name: 'Grid' }).waitFor();
  const [first, second] = JSON.parse(await downloaded(page, 'Download JSON'));
  expect(first).toEqual({
    id: 'sale:1',
    n: -5,
    f: '=1+1',
    d: '1.1dec',
    q: 'say "a, b"',
    t: '2w',
    i: '-Infinity',
    b: true,
  });
  expect(second['+col']).toEqual([1, { a: '9223372036854775807' }]);
  const lines = (await downloaded(page, 'Download CSV')).split('\r\n');
  const columns = (lines[0] as string).split(',');
  expect(columns).toContain("'+col");
  expect(lines[1]).toContain(',"say ""a, b""",');
  expect(lines[1]).toContain(",'=1+1,");
  expect(lines[1]).toContain(',-5,');
  expect(lines[2]).toContain(",'@x,");
  expect(lines[2]).toContain(",'-2,");
  expect(lines).toHaveLength(4);
  expect(complaints).toEqual([]);
});

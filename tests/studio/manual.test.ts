/** The documentation in a browser, and the ways from the Studio to it. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Studio, seriousFaults, startStudio } from './browser.js';

let studio: Studio | undefined;
beforeAll(async () => {
  studio = await startStudio('DEFINE TABLE person');
});
afterAll(() => studio?.close());

const heading = (page: Page) => page.getByRole('heading', { level: 1 }).innerText();

it('finds a section by its words, with the keyboard alone', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, requests, complaints } = await studio.open();
  await page.goto(`${studio.server.url}/docs`);
  expect(await heading(page)).toBe('Documentation');
  const search = page.getByRole('searchbox', { name: 'Search the documentation' });
  await search.focus();
  expect(requests.filter((request) => request.endsWith('search.json'))).toEqual([]);
  await page.keyboard.type('second factor pay');
  // The list of pages has a link of this name, too.
  await page.getByRole('search').getByRole('link', { name: 'A second factor for payments' }).first().waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect.poll(() => heading(page)).toBe('A second factor for payments');
  await search.fill('no such words anywhere');
  await page.getByText('Nothing has these words.').waitFor();
  await search.press('Escape');
  await expect.poll(() => page.getByRole('status').isVisible()).toBe(false);
  expect(requests.filter((request) => !request.startsWith(`${studio?.server.url}/`))).toEqual([]);
  expect(complaints).toEqual([]);
  await page.close();
});

it.each(['light', 'dark'] as const)('is accessible in %s, and fits a phone', async (colorScheme) => {
  if (studio === undefined) return;
  const { page } = await studio.open({ colorScheme, viewport: { width: 390, height: 800 } });
  for (const address of ['/docs', '/docs/guides/clients']) {
    await page.goto(`${studio.server.url}${address}`);
    await page.getByRole('searchbox').waitFor();
    expect([address, await seriousFaults(page)]).toEqual([address, []]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  }
  await page.close();
});

it('is opened from the bar of each view, and from the command palette', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page } = await studio.tab('people');
  const opened = async (act: () => Promise<void>) => {
    const [tab] = await Promise.all([page.context().waitForEvent('page'), act()]);
    await tab.waitForLoadState();
    const shown = { url: tab.url(), heading: await heading(tab) };
    await tab.close();
    return shown;
  };
  const { url } = studio.server;
  expect(await opened(() => page.getByRole('link', { name: 'Docs' }).click())).toEqual({
    url: `${url}/docs/guides/studio#people`,
    heading: 'The Studio',
  });
  const byPalette = async () => {
    await page.keyboard.press('ControlOrMeta+K');
    await page.getByRole('textbox', { name: 'Find or do something' }).fill('full-text');
    await page.getByRole('button', { name: 'Read: Full-text search' }).waitFor();
    await page.keyboard.press('Enter');
  };
  expect(await opened(byPalette)).toEqual({ url: `${url}/docs/guides/search`, heading: 'Full-text search' });
});

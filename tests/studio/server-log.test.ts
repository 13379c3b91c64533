/** The log, slow statements and the settings of the start in Server: for owners of the root. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ROOT } from '../support/server-process.js';
import { type Studio, seriousFaults, startStudio, type User } from './browser.js';

/** Takes longer than the threshold. */
const SLOW = 'FOR $turn IN [1] { SLEEP 3ms; SELECT * FROM `<b>bold</b>` }';

let studio: Studio | undefined;
beforeAll(async () => {
  studio = await startStudio('DEFINE TABLE `<b>bold</b>`', { SVC_SLOW_LOG_THRESHOLD: '1ms' });
  await studio?.sql("DEFINE USER viewer ON ROOT PASSWORD 'a view of it' ROLES VIEWER; SLEEP 3ms");
});
afterAll(() => studio?.close());

it('shows an owner slow statements, the log with a filter, and what gives each setting', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, requests, complaints } = await studio.tab('server');
  const tableOf = (name: string) => page.getByRole('region', { name, exact: true });
  await expect.poll(() => tableOf('Slow statements').innerText()).toMatch(/SLEEP/);
  await expect.poll(() => tableOf('Log').innerText()).toContain('Listening');
  await page.getByLabel('Lines with').focus();
  await page.keyboard.type('listening');
  await page.getByText(/^1 of the last \d+ lines$/).waitFor();
  await page.getByLabel('Level').selectOption('Errors');
  await page.getByText('No line is so.').waitFor();
  const settings = tableOf('Settings of the start');
  expect(await settings.innerText()).toMatch(/--slow-log-threshold\s+1ms\s+SVC_SLOW_LOG_THRESHOLD/);
  expect(await settings.innerText()).toMatch(/--pass\s+not shown\s+--pass/);
  expect(await page.locator('main').innerText()).not.toContain(ROOT.pass);
  await page.getByLabel('Also those with their defaults').press('Space');
  await expect.poll(() => settings.innerText()).toMatch(/--drain-time/);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect([colorScheme, await seriousFaults(page)]).toEqual([colorScheme, []]);
  }
  await page.emulateMedia({ colorScheme: null });
  expect(requests.filter((url) => url.includes('eyJ'))).toEqual([]);
  expect(complaints).toEqual([]);
});

it('shows what is hostile in a line as text', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  await studio.sql(SLOW);
  const { page } = await studio.tab('server');
  await expect.poll(() => page.getByRole('region', { name: 'Slow statements' }).innerText()).toContain('<b>bold</b>');
  expect(await page.locator('main b').count()).toBe(0);
});

it('says to a viewer of the root that it is for owners', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const viewer: User = { level: 'root', name: 'viewer', credentials: { user: 'viewer', pass: 'a view of it' } };
  const { page } = await studio.tab('server', viewer);
  await expect.poll(() => page.getByText('You may not see this: it is for owners of the root.').count()).toBe(2);
});

/** Making the first root user in the Studio of a fresh server. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cleanUp, type ServerProcess, startFreshServer } from '../support/server-process.js';
import { openPage, seriousFaults, signOut, startBrowser, textOf } from './browser.js';

let browser: Awaited<ReturnType<typeof startBrowser>>;
let server: ServerProcess | undefined;
beforeAll(async () => {
  [browser, server] = await Promise.all([startBrowser(), startFreshServer()]);
});
afterAll(cleanUp);

it('asks for the code, by keyboard alone, and signs the user in', async ({ skip }) => {
  if (browser === undefined || server === undefined) return skip('There is no Chromium on this machine');
  await expect.poll(() => server?.log()).toMatch(/with the code \w{32}/);
  const [, code = ''] = /with the code (\w{32})/.exec(server.log()) ?? [];
  const { page, requests, complaints } = await openPage(browser, server.url);
  expect(await textOf(page)).toContain('Make the first root user');
  expect(await seriousFaults(page)).toEqual([]);
  await expect.poll(() => page.evaluate('document.activeElement.labels?.[0]?.textContent')).toBe('Code');
  await page.keyboard.type('not the code');
  await page.keyboard.press('Tab');
  await page.keyboard.type('the first');
  await page.keyboard.press('Tab');
  await page.keyboard.type('a password of it');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByRole('alert').innerText()).toContain('not the code that the server has printed');
  await page.getByLabel('Code', { exact: true }).fill(code);
  await page.getByLabel('Code', { exact: true }).press('Enter');
  await expect.poll(() => page.getByRole('navigation', { name: 'Views' }).isVisible()).toBe(true);
  expect(await textOf(page)).toContain('the first');
  const kept = String(await page.evaluate('JSON.stringify([{ ...sessionStorage }, { ...localStorage }])'));
  for (const secret of [code, 'a password of it']) {
    expect(kept).not.toContain(secret);
    expect(requests.join('\n')).not.toContain(secret);
  }
  expect(complaints).toEqual([]);
  await signOut(page);
  await expect.poll(() => page.getByRole('button', { name: 'Sign in', exact: true }).isVisible()).toBe(true);
  await page.reload();
  expect(await page.getByRole('button', { name: 'Sign in', exact: true }).isVisible()).toBe(true);
  await page.close();
});

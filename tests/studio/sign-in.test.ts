/** Signing in to the Studio as each kind of user, and what is kept of it. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ROOT } from '../support/server-process.js';
import { PLACE, type Studio, signIn, signOut, startStudio, textOf } from './browser.js';

const SETUP = `DEFINE TABLE account PERMISSIONS FOR select WHERE id = $auth.id;
  CREATE account:1 SET email = 'ann@example.com', code = 'a code of Ann';
  DEFINE ACCESS account ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM account WHERE email = $email AND code = $code)
    WITH REFRESH;
  DEFINE TABLE careful PERMISSIONS FOR select WHERE id = $auth.id;
  CREATE careful:1 SET email = 'ann@example.com', totp = crypto::totp::secret();
  DEFINE ACCESS careful ON DATABASE TYPE RECORD SIGNIN {
    LET $user = (SELECT * FROM careful WHERE email = $email)[0];
    LET $used = crypto::totp::verify($user.totp, $code, $user.totp_used);
    IF $used != NONE { RETURN UPDATE $user.id SET totp_used = $used }
  };
  DEFINE USER viewer ON DATABASE PASSWORD 'a view of it' ROLES VIEWER;
  DEFINE USER editor ON NAMESPACE PASSWORD 'a pen for it' ROLES EDITOR`;

let studio: Studio | undefined;
beforeAll(async () => {
  studio = await startStudio(SETUP);
});
afterAll(() => studio?.close());

/** What the browser keeps of the page. */
async function kept(page: Page): Promise<{ tab: string; beyond: string }> {
  const tab = await page.evaluate('JSON.stringify({ ...sessionStorage })');
  const beyond = await page.evaluate('JSON.stringify([{ ...localStorage }, document.cookie, location.href])');
  return { tab: String(tab), beyond: String(beyond) };
}

it('signs a root user in and out, keeps the token with the tab alone, and loads from its own server', async ({
  skip,
}) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, requests, complaints } = await studio.tab('explore', 'nobody');
  await page.getByLabel('User', { exact: true }).fill(ROOT.user);
  await page.getByLabel('Password', { exact: true }).fill('not the password');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect.poll(() => page.getByRole('alert').innerText()).toContain('There was a problem with authentication');

  await signIn(page);
  await expect.poll(() => page.getByRole('heading', { level: 1 }).innerText()).toContain('Explore');
  const { tab, beyond } = await kept(page);
  expect(tab).toContain('eyJ');
  expect(tab + beyond).not.toContain(ROOT.pass);
  expect(beyond).not.toMatch(/eyJ|Bearer/);
  await page.reload();
  await expect.poll(() => page.getByRole('heading', { level: 1 }).innerText()).toContain('Explore');

  await signOut(page);
  await expect.poll(() => page.getByRole('button', { name: 'Sign in' }).isVisible()).toBe(true);
  expect((await kept(page)).tab).toBe('{}');
  expect(requests.filter((url) => !url.startsWith(`${studio?.server.url}/`) && !url.startsWith('data:'))).toEqual([]);
  expect(requests.filter((url) => url.includes('eyJ') || url.includes('password'))).toEqual([]);
  expect(complaints).toEqual([]);
});

it('signs in by keyboard alone, from the first key on', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page } = await studio.tab('explore', 'nobody');
  await expect.poll(() => page.evaluate('document.activeElement.labels?.[0]?.textContent')).toBe('User');
  for (const text of [ROOT.user, ROOT.pass, PLACE.namespace, PLACE.database]) {
    await page.keyboard.type(text);
    await page.keyboard.press('Tab');
  }
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Sign in');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByRole('heading', { level: 1 }).innerText()).toContain('Explore');
});

it.each([
  ['Namespace user', 'editor', 'a pen for it'],
  ['Database user', 'viewer', 'a view of it'],
])('signs a %s in', async (level, user, pass) => {
  if (studio === undefined) return;
  const { page, complaints } = await studio.tab('explore', 'nobody');
  await page.getByLabel('As', { exact: true }).selectOption(level);
  await signIn(page, user, pass);
  await expect.poll(() => page.getByRole('heading', { level: 1 }).innerText()).toContain('Explore');
  expect(await textOf(page)).toContain(user);
  expect(complaints).toEqual([]);
});

it('signs in by a record access with what its SIGNIN reads, and keeps no refresh token', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await studio.tab('explore', 'nobody');
  await page.getByLabel('As', { exact: true }).selectOption('Record access');
  await page.getByLabel('Access method').fill('account');
  await page.getByLabel('Variable 2', { exact: true }).fill('code');
  expect(await page.getByLabel('Value of code').getAttribute('type')).toBe('password');
  await page.getByLabel('Value of email').fill('ann@example.com');
  await page.getByLabel('Value of code').fill('a code of Ann');
  await page.getByLabel('Namespace', { exact: true }).fill(PLACE.namespace);
  await page.getByLabel('Database', { exact: true }).fill(PLACE.database);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect.poll(() => page.getByRole('heading', { level: 1 }).innerText()).toContain('Explore');
  const { tab, beyond } = await kept(page);
  expect(tab).not.toContain('refresh');
  expect(tab + beyond).not.toContain('a code of Ann');
  expect(complaints).toEqual([]);
});

it('signs in with a one-time code, once', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await studio.tab('explore', 'nobody');
  const [[code]] = (await studio.sql('SELECT VALUE crypto::totp::code(totp) FROM careful')) as [[string]];
  const enter = async (digits: string) => {
    await page.getByLabel('As', { exact: true }).selectOption('Record access');
    await page.getByLabel('Access method').fill('careful');
    await page.getByLabel('Value of email').fill('ann@example.com');
    await page.getByRole('button', { name: 'Remove variable 2' }).click();
    await page.getByRole('button', { name: 'Add a one-time code' }).click();
    await page.getByLabel('Value of code').fill(digits);
    await page.getByLabel('Namespace', { exact: true }).fill(PLACE.namespace);
    await page.getByLabel('Database', { exact: true }).fill(PLACE.database);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };
  await enter(code);
  await expect.poll(() => page.getByRole('heading', { level: 1 }).innerText()).toContain('Explore');
  const { tab, beyond } = await kept(page);
  expect(tab + beyond).not.toContain(`"${code}"`);
  await signOut(page);
  await enter(code);
  await expect.poll(() => page.getByRole('alert').innerText()).toContain('There was a problem with authentication');
  expect(complaints).toEqual([]);
});

it('goes back to the form when the server no longer takes the token', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  await studio.sql(`DEFINE USER passing ON ROOT PASSWORD 'for a while' ROLES VIEWER`);
  const { page } = await studio.tab('explore', 'nobody');
  await signIn(page, 'passing', 'for a while');
  await expect.poll(() => page.getByRole('heading', { level: 1 }).innerText()).toContain('Explore');
  await studio.sql('REMOVE USER passing ON ROOT');
  await page.reload();
  await expect.poll(() => textOf(page)).toContain('Your sign-in has ended');
  expect((await kept(page)).tab).toBe('{}');
});

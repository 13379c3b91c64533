/** `docs/guides/sign-in/several-apps.md` in a browser: two apps of two origins, one page to sign in. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cleanUp } from '../../support/server-process.js';
import { accessFaults, type Recipe, startRecipe } from './recipe.js';

let recipe: Recipe;
beforeAll(async () => {
  recipe = await startRecipe('docs/guides/sign-in/several-apps.md');
});
afterAll(async () => {
  await recipe?.close();
  await cleanUp();
});

const status = (page: Page) => page.getByRole('status').innerText();

it('signs up for one app, and in for the other', async (test) => {
  const { page, complaints } = await recipe.open(test);
  expect(await accessFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Sign in' }).click();
  expect(await page.getByRole('heading').innerText()).toBe('Sign in to The Shop');
  expect(await page.locator('.onward').innerText()).toBe(`You go on to ${new URL(recipe.site).host}.`);
  await page.getByText('New here?').click();
  const form = page.locator('details');
  await form.getByLabel('E-mail address').fill('ann@example.com');
  await form.getByLabel('Password').fill('password');
  await form.getByRole('button').click();
  expect(await page.getByRole('alert').innerText()).toBe('Please check: Password.');
  await form.getByLabel('Password').fill('correct horse');
  await form.getByRole('button').click();
  await expect.poll(() => status(page)).toBe('You are signed in as ann@example.com.');
  expect(page.url()).toBe(recipe.site);

  await page.goto(recipe.site.replace('127.0.0.1', 'localhost'));
  expect(await page.getByRole('heading').innerText()).toBe('The blog');
  await page.getByRole('button', { name: 'Sign in' }).click();
  const signIn = page.locator('form').first();
  await signIn.getByLabel('E-mail address').fill('ann@example.com');
  await signIn.getByLabel('Password').fill('correct horse');
  await signIn.getByRole('button').click();
  await expect.poll(() => status(page)).toBe('You are signed in as ann@example.com.');
  expect(await recipe.sql('SELECT VALUE count() FROM user GROUP ALL')).toEqual([[1]]);
  expect(complaints).toEqual([]);
});

it('is tried out without an app', async (test) => {
  const { page, context } = await recipe.open(test);
  await page.goto(`${recipe.server.url}/`);
  expect(await accessFaults(page)).toEqual([]);
  const door = page.getByRole('region', { name: 'Sign in to an app' });
  await door.getByLabel('Namespace').fill('test');
  await door.getByLabel('Database').fill('test');
  await door.getByRole('button').click();
  await page.getByRole('button', { name: 'Try it out' }).click();
  expect(await page.locator('.onward').innerText()).toBe('You are trying it out.');
  await page.getByText('New here?').click();
  const form = page.locator('details');
  await form.getByLabel('E-mail address').fill('bob@example.com');
  await form.getByLabel('Password').fill('correct horse');
  await form.getByRole('button').click();
  await expect.poll(() => status(page)).toBe('You were signed in.');
  expect(await page.locator('dd').allInnerTexts()).toEqual([expect.stringMatching(/^user:/), 'account', 'pwd', 'aal1']);
  expect(await accessFaults(page)).toEqual([]);
  // Nothing of it is kept.
  expect(page.url()).toBe(`${recipe.server.url}/auth/test/test`);
  expect(await context.cookies()).toEqual([]);
  expect(await page.evaluate('sessionStorage.length + localStorage.length')).toBe(0);
});

it('asks for an authenticator app where one is set up', async (test) => {
  const { page } = await recipe.open(test);
  const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
  await recipe.sql(`CREATE user:carl SET email = 'carl@example.com', password = 'correct horse';
    ACCESS totp LINK RECORD user:carl SUBJECT '${secret}'`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  const signIn = page.locator('form').first();
  await signIn.getByLabel('E-mail address').fill('carl@example.com');
  await signIn.getByLabel('Password').fill('correct horse');
  await signIn.getByRole('button').click();
  const [code] = await recipe.sql(`RETURN crypto::totp::code('${secret}')`);
  await page.getByLabel('The code of your authenticator app').fill(String(code));
  await page.getByRole('button', { name: 'Go on' }).click();
  await expect.poll(() => status(page)).toBe('You are signed in as carl@example.com.');
});

/** `docs/guides/sign-in/reset-password.md` in a browser: the new password, and what the old one has signed in. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { cleanUp } from '../../support/server-process.js';
import { account, inTurn, status } from './account.js';
import { mailsTo, nextMail } from './mails.js';
import { accessFaults, type Recipe, startRecipe } from './recipe.js';

let recipe: Recipe;
beforeAll(async () => {
  recipe = await startRecipe('docs/guides/sign-in/reset-password.md');
});
afterAll(async () => {
  await recipe?.close();
  await cleanUp();
});

async function begin(page: Page, email: string): Promise<void> {
  await page.getByLabel('Mail address').fill(email);
  await page.getByRole('button', { name: 'Send me a code' }).click();
  await page.getByLabel('Code').waitFor();
}

inTurn('sets a new password, which signs all other devices out', async (test) => {
  const thief = await recipe.device();
  const stolen = await thief.signup(account('ann@example.com'));
  const { page, complaints } = await recipe.open(test);
  expect(await accessFaults(page)).toEqual([]);
  await begin(page, 'Ann@example.com');
  expect(await accessFaults(page)).toEqual([]);
  const { code = '' } = await nextMail(recipe, 'ann@example.com');
  await page.getByLabel('Code').fill(code);
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.getByLabel('New password').fill('password123');
  await page.getByRole('button', { name: 'Set my password' }).click();
  await expect.poll(() => status(page)).toMatch(/^A password has eight characters/);
  expect(await thief.query('RETURN $auth.email')).toEqual(['ann@example.com']);
  await page.getByLabel('New password').fill('a new horse battery');
  await page.getByRole('button', { name: 'Set my password' }).click();
  await expect.poll(() => status(page)).toBe('Your password is set, and all other devices are signed out.');
  expect(complaints).toEqual([]);

  await expect(thief.query('RETURN 1')).rejects.toThrow('The session has expired');
  await expect((await recipe.device()).authenticate(stolen)).rejects.toThrow();
  await expect((await recipe.device()).authenticate(stolen.access)).rejects.toThrow();
  const ann = await recipe.device();
  await expect(ann.signin(account('ann@example.com'))).rejects.toThrow('There was a problem with authentication');
  await ann.signin(account('ann@example.com', 'a new horse battery'));
});

inTurn('says the same for an address without an account, and mails nothing', async (test) => {
  const { page } = await recipe.open(test);
  await begin(page, 'nobody@example.com');
  await page.getByLabel('Code').fill('12345678');
  await page.getByRole('button', { name: 'Go on' }).click();
  await expect.poll(() => status(page)).toBe('This code is wrong, or too old.');
  expect(await mailsTo(recipe, 'nobody@example.com')).toEqual([]);
});

inTurn('takes no password from a session that isn’t recent', async () => {
  const bob = await recipe.device();
  await bob.signup(account('bob@example.com'));
  // The sign-in is as old as the rule is long.
  await recipe.sql(`ALTER FIELD password ON user PERMISSIONS FOR select NONE
    FOR update WHERE $token.auth_time > time::unix() + 600`);
  await bob.query("UPDATE $auth SET password = 'another horse'");
  const other = account('bob@example.com', 'another horse');
  await expect((await recipe.device()).signin(other)).rejects.toThrow('There was a problem with authentication');
  await (await recipe.device()).signin(account('bob@example.com'));
});

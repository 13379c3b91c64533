/** `docs/guides/sign-in/change-address.md` in a browser: the new address counts when it is proved, and the old one gets a notice. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { cleanUp } from '../../support/server-process.js';
import { account, inTurn, PASSWORD, status } from './account.js';
import { mailsTo, nextMail } from './mails.js';
import { accessFaults, type Recipe, startRecipe } from './recipe.js';

let recipe: Recipe;
beforeAll(async () => {
  recipe = await startRecipe('docs/guides/sign-in/change-address.md');
});
afterAll(async () => {
  await recipe?.close();
  await cleanUp();
});

async function press(page: Page, name: string, fields: Readonly<Record<string, string>>): Promise<void> {
  for (const [label, text] of Object.entries(fields)) await page.getByLabel(label).fill(text);
  await page.getByRole('button', { name }).click();
}

inTurn('moves to an address that is proved', async (test) => {
  const { page, complaints } = await recipe.open(test);
  expect(await accessFaults(page)).toEqual([]);
  await press(page, 'Sign up', { 'Mail address': 'ann@example.com', Password: PASSWORD });
  await expect.poll(() => status(page)).toBe('You are signed in as ann@example.com.');
  expect(await accessFaults(page)).toEqual([]);
  await press(page, 'Send a code there', { 'New address': 'Ann@new.example' });
  const first = await nextMail(recipe, 'ann@new.example');
  await press(page, 'Change my address', { Code: '1234' });
  await expect.poll(() => status(page)).toBe('This code is wrong, or too old.');
  await press(page, 'Change my address', { Code: first.code ?? '' });
  await expect.poll(() => status(page)).toBe('Your address is ann@new.example now.');

  // The address before was written and never proved; this one was.
  await page.reload();
  await press(page, 'Sign in', { 'Mail address': 'ann@new.example', Password: PASSWORD });
  await expect.poll(() => status(page)).toBe('You are signed in as ann@new.example.');
  await press(page, 'Send a code there', { 'New address': 'ann@third.example' });
  const second = await nextMail(recipe, 'ann@third.example');
  await press(page, 'Change my address', { Code: second.code ?? '' });
  await expect.poll(() => status(page)).toBe('Your address is ann@third.example now.');
  const notice = await nextMail(recipe, 'ann@new.example', 1);
  expect(notice).toMatchObject({ kind: 'notice', subject: 'Your address at The Shop was changed' });
  expect(await mailsTo(recipe, 'ann@example.com')).toEqual([]);
  expect(complaints).toEqual([]);
});

inTurn('takes no address that isn’t proved, and none that another account has', async (test) => {
  const eve = await recipe.device();
  await eve.signup(account('eve@example.com'));
  await eve.query("UPDATE $auth SET email = 'bob@example.com'");
  expect(await eve.query('RETURN $auth.email')).toEqual(['eve@example.com']);

  const { page } = await recipe.open(test);
  await press(page, 'Sign up', { 'Mail address': 'bob@example.com', Password: PASSWORD });
  await expect.poll(() => status(page)).toBe('You are signed in as bob@example.com.');
  await press(page, 'Send a code there', { 'New address': 'eve@example.com' });
  const { code = '' } = await nextMail(recipe, 'eve@example.com');
  await press(page, 'Change my address', { Code: code });
  await expect.poll(() => status(page)).toBe('Another account has this address.');
});

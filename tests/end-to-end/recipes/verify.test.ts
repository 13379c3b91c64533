/** `docs/guides/sign-in/verify.md` in a browser: what a proven address allows, and what proves none. */
import { afterAll, beforeAll, expect } from 'vitest';
import { cleanUp } from '../../support/server-process.js';
import { account, inTurn, PASSWORD, status } from './account.js';
import { nextMail } from './mails.js';
import { accessFaults, PLACE, type Recipe, startRecipe } from './recipe.js';

let recipe: Recipe;
beforeAll(async () => {
  recipe = await startRecipe('docs/guides/sign-in/verify.md');
});
afterAll(async () => {
  await recipe?.close();
  await cleanUp();
});

inTurn('asks for the proof, and takes the code of the mail', async (test) => {
  const { page, complaints } = await recipe.open(test);
  expect(await accessFaults(page)).toEqual([]);
  await page.getByLabel('Mail address').fill('Ann@example.com');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign up' }).click();
  await expect.poll(() => status(page)).toBe('Your address is not verified yet.');
  expect(await accessFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Post' }).click();
  await expect.poll(() => status(page)).toBe('Please verify your address first.');

  const mail = await nextMail(recipe, 'ann@example.com');
  expect(mail.subject).toBe('Confirm your address for The Shop');
  const code = mail.code ?? '';
  await page.getByLabel('Code').fill(code === '00000000' ? '00000001' : '00000000');
  await page.getByRole('button', { name: 'Verify my address' }).click();
  await expect.poll(() => status(page)).toBe('This code is wrong, or too old.');
  await page.getByLabel('Code').fill(code);
  await page.getByRole('button', { name: 'Verify my address' }).click();
  await expect.poll(() => status(page)).toBe('Your address is verified.');
  await page.getByRole('button', { name: 'Post' }).click();
  await expect.poll(() => status(page)).toBe('Posted.');
  expect(complaints).toEqual([]);

  // It lasts.
  await page.reload();
  await page.getByLabel('Mail address').fill('ann@example.com');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect.poll(() => status(page)).toBe('You are signed in as ann@example.com.');
});

inTurn('lets no one prove an address by writing it, nor take the code of another', async () => {
  const eve = await recipe.device();
  const { access: token } = await eve.signup(account('eve@example.com'));
  await eve.query("UPDATE $auth SET email = 'bob@example.com', verified = true").catch(() => undefined);
  expect(await eve.query('RETURN [$auth.email, access::identities($auth)]')).toEqual([['eve@example.com', []]]);
  // A code that was sent for Eve's session proves Eve's address to Eve, also where another user types it.
  const answer = await fetch(`${recipe.server.url}/auth/test/test/mail/start`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ email: 'eve@example.com', challenge: 'v'.repeat(43), link: true }),
  });
  const { request } = (await answer.json()) as { request: string };
  const { code } = await nextMail(recipe, 'eve@example.com');
  const bob = await recipe.device();
  await bob.signup(account('bob@example.com'));
  await bob.signin({ ...PLACE, access: 'mail', variables: { request, code } });
  expect(await bob.query('RETURN $auth.email')).toEqual(['eve@example.com']);
  const proved = 'SELECT VALUE array::len(access::identities(id)) FROM user WHERE email = "bob@example.com"';
  expect(await recipe.sql(proved)).toEqual([[0]]);
});

/** `docs/guides/sign-in/sign-up.md` in a browser. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cleanUp } from '../../support/server-process.js';
import { accessFaults, type Recipe, type RecipePage, startRecipe } from './recipe.js';

let recipe: Recipe;
beforeAll(async () => {
  recipe = await startRecipe('docs/guides/sign-in/sign-up.md');
});
afterAll(async () => {
  await recipe?.close();
  await cleanUp();
});

async function send({ page }: RecipePage, email: string, password: string, button = 'Sign up'): Promise<void> {
  await page.getByLabel('Mail address').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: button }).click();
}

it('says at the field why a sign-up fails, and signs up', async (test) => {
  const opened = await recipe.open(test);
  const { page, complaints } = opened;
  expect(await accessFaults(page)).toEqual([]);
  const textOf = (id: string) => page.locator(`#${id}`).innerText();

  await send(opened, 'ann', 'correct horse battery');
  await expect.poll(() => textOf('email')).toBe('This is not a mail address.');
  expect(await page.getByLabel('Mail address').getAttribute('aria-invalid')).toBe('true');
  await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('email');
  for (const password of ['short', 'Password123']) {
    await send(opened, 'ann@example.com', password);
    await expect.poll(() => textOf('password')).toMatch(/^A password has eight characters or more/);
    await send(opened, 'ann', 'correct horse battery');
    await expect.poll(() => textOf('password')).toBe('');
  }
  await send(opened, 'ann@example.com', 'short');
  await expect.poll(() => textOf('password')).toMatch(/^A password/);
  expect(await textOf('email')).toBe('');
  expect(await accessFaults(page)).toEqual([]);

  await send(opened, 'Ann@example.com', 'correct horse battery');
  await expect.poll(() => page.getByRole('status').innerText()).toBe('You are signed in as ann@example.com.');
  expect(complaints).toEqual([]);

  const again = await recipe.open(test);
  await send(again, 'ANN@example.com', 'correct horse battery');
  await expect
    .poll(() => again.page.locator('#email').innerText())
    .toBe('There is an account with this address. Sign in instead.');
  await send(again, 'ANN@example.com', 'not the password', 'Sign in');
  await expect.poll(() => again.page.getByRole('alert').innerText()).toBe('Address or password are wrong.');
  await send(again, 'ANN@example.com', 'correct horse battery', 'Sign in');
  await expect.poll(() => again.page.getByRole('status').innerText()).toBe('You are signed in as ann@example.com.');
  expect(await recipe.sql('SELECT VALUE email FROM user')).toEqual([['ann@example.com']]);
});

it('says so where the server is gone', async (test) => {
  const opened = await recipe.open(test);
  await recipe.server.stop();
  await send(opened, 'bob@example.com', 'correct horse battery');
  await expect
    .poll(() => opened.page.getByRole('alert').innerText())
    .toBe('The server can’t be reached. Try again in a moment.');
});

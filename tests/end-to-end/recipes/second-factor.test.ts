/** `docs/guides/sign-in/second-factor.md` in a browser: an app is enrolled to pay, and owed from then on. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cleanUp } from '../../support/server-process.js';
import { accessFaults, PLACE, type Recipe, startRecipe } from './recipe.js';

const PASSWORD = 'correct horse battery';

let recipe: Recipe;
beforeAll(async () => {
  recipe = await startRecipe('docs/guides/sign-in/second-factor.md');
});
afterAll(async () => {
  await recipe?.close();
  await cleanUp();
});

const status = (page: Page) => page.getByRole('status').innerText();
const press = (page: Page, name: string) => page.getByRole('button', { name }).click();

async function enter(page: Page, button: string): Promise<void> {
  await page.getByLabel('Mail address').fill('ann@example.com');
  await page.getByLabel('Password').fill(PASSWORD);
  await press(page, button);
}

async function prove(page: Page, code: string): Promise<void> {
  await page.getByLabel('Code').fill(code);
  await press(page, 'Confirm');
}

it('asks for an app to pay, and for its codes to sign in', async (test) => {
  const { page, complaints } = await recipe.open(test);
  expect(await accessFaults(page)).toEqual([]);
  await enter(page, 'Sign up');
  await expect.poll(() => status(page)).toBe('You are signed in as ann@example.com.');
  await press(page, 'Pay 10 €');
  await expect.poll(() => status(page)).toBe('Payments need a second factor.');
  expect(await accessFaults(page)).toEqual([]);
  const secret = await page.locator('code').innerText();
  const code = async () => (await recipe.sql(`RETURN crypto::totp::code('${secret}')`))[0] as string;
  await prove(page, (await code()) === '000000' ? '000001' : '000000');
  await expect.poll(() => status(page)).toBe('This code is wrong, or was used before.');
  const first = await code();
  await prove(page, first);
  await expect.poll(() => status(page)).toBe('You are signed in as ann@example.com.');
  const codes = await page.getByRole('listitem').allInnerTexts();
  expect(codes).toHaveLength(10);
  await press(page, 'Pay 10 €');
  await expect.poll(() => status(page)).toBe('Paid.');

  // A password alone opens nothing now.
  const eve = await recipe.device();
  const alone = { ...PLACE, access: 'account', variables: { email: 'ann@example.com', password: PASSWORD } };
  await expect(eve.signin(alone)).rejects.toThrow('A second factor is required');
  await expect(eve.query('SELECT * FROM payment')).rejects.toThrow();

  await page.reload();
  await enter(page, 'Sign in');
  await expect.poll(() => status(page)).toBe('Type the code of your app, or a recovery code.');
  expect(await accessFaults(page)).toEqual([]);
  await prove(page, first);
  await expect.poll(() => status(page)).toBe('This code is wrong, or was used before.');
  await prove(page, codes[3] ?? '');
  await expect.poll(() => status(page)).toBe('You are signed in as ann@example.com.');
  await press(page, 'Pay 10 €');
  await expect.poll(() => status(page)).toBe('Paid.');
  expect(complaints).toEqual([]);
});

it('lets no one pay by writing who has proved what', async () => {
  const bob = await recipe.device();
  const account = { email: 'bob@example.com', password: PASSWORD };
  await bob.signup({ ...PLACE, access: 'account', variables: account });
  expect(await bob.query('CREATE payment SET amount = 10dec')).toEqual([[]]);
  for (const variables of [
    { ...account, acr: 'aal2', amr: ['pwd', 'otp'] },
    { ...account, code: '000000' },
  ]) {
    await bob.signin({ ...PLACE, access: 'account', variables });
    expect(await bob.query('CREATE payment SET amount = 10dec')).toEqual([[]]);
  }
});

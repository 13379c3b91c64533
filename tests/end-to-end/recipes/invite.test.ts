/** `docs/guides/sign-in/invite.md` in a browser: the invitation signs in once, and its user chooses a password. */
import { afterAll, beforeAll, expect } from 'vitest';
import { cleanUp } from '../../support/server-process.js';
import { account, inTurn, PASSWORD, status } from './account.js';
import { nextMail } from './mails.js';
import { accessFaults, type Recipe, startRecipe } from './recipe.js';

let recipe: Recipe;
beforeAll(async () => {
  recipe = await startRecipe('docs/guides/sign-in/invite.md');
});
afterAll(async () => {
  await recipe?.close();
  await cleanUp();
});

inTurn('lets the invited one in, once, who chooses a password', async (test) => {
  const { link = '', kind, subject } = await nextMail(recipe, 'ann@example.com');
  expect([kind, subject]).toEqual(['invitation', 'You are invited to The Shop']);
  // No one gets in without: not by a password that isn't there, nor by signing up.
  const eve = await recipe.device();
  await expect(eve.signin(account('ann@example.com', ''))).rejects.toThrow('There was a problem with authentication');
  await expect(eve.signup(account('eve@example.com'))).rejects.toThrow();
  expect((await fetch(link)).status).toBe(200);

  const { page, complaints } = await recipe.open(test);
  await expect.poll(() => status(page)).toMatch(/^Please open the link of your invitation/);
  await page.goto(link);
  expect(await accessFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Go on to The Shop' }).click();
  await page.getByText('Welcome, ann@example.com').waitFor();
  expect(await accessFaults(page)).toEqual([]);
  await page.getByLabel('Choose a password').fill('12345678');
  await page.getByRole('button', { name: 'Set my password' }).click();
  await expect.poll(() => status(page)).toMatch(/^A password has eight characters/);
  await page.getByLabel('Choose a password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Set my password' }).click();
  await expect.poll(() => status(page)).toBe('Your password is set. Welcome!');
  expect(complaints).toEqual([]);

  const ann = await recipe.device();
  await ann.signin(account('ann@example.com'));
  await ann.query("UPDATE $auth SET role = 'owner', email = 'eve@example.com'");
  expect(await ann.query('RETURN [$auth.role, access::identities($auth).subject]')).toEqual([
    ['clerk', ['ann@example.com']],
  ]);
  await page.goto(link);
  await page.getByRole('button', { name: 'Go on to The Shop' }).click();
  await expect.poll(() => page.getByRole('alert').innerText()).toMatch(/used already, or is too old/);
});

inTurn('is void when it was revoked, or its record is gone', async (test) => {
  await recipe.sql(`CREATE user:bob SET email = 'bob@example.com', role = 'clerk';
    CREATE user:cid SET email = 'cid@example.com', role = 'clerk'`);
  await recipe.sql('ACCESS mail GRANT FOR RECORD user:bob; ACCESS mail GRANT FOR RECORD user:cid');
  const links = [await nextMail(recipe, 'bob@example.com'), await nextMail(recipe, 'cid@example.com')];
  await recipe.sql('ACCESS mail REVOKE ALL; DELETE user:cid');
  const { page } = await recipe.open(test);
  for (const { link = '' } of links) {
    await page.goto(link);
    await page.getByRole('button', { name: 'Go on to The Shop' }).click();
    await expect.poll(() => page.getByRole('alert').innerText()).toMatch(/used already, or is too old/);
  }
});

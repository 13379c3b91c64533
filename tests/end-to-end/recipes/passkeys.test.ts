/** `docs/guides/sign-in/passkeys.md` in browsers, with Chromium's virtual authenticator. */
import type { CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, type TestContext } from 'vitest';
import { cleanUp } from '../../support/server-process.js';
import { accessFaults, addAuthenticator, type Recipe, type RecipePage, startRecipe } from './recipe.js';

const PAGE = 'docs/guides/sign-in/passkeys.md';

let recipe: Recipe;
beforeAll(async () => {
  recipe = await startRecipe(PAGE);
});
afterAll(async () => {
  await recipe?.close();
  await cleanUp();
});

const status = (page: Page) => page.getByRole('status').innerText();

interface Device extends RecipePage {
  readonly cdp: CDPSession;
  /** The authenticator that it has. */
  readonly authenticatorId: string;
}

/** A browser with an authenticator of its own. */
async function device(test: TestContext): Promise<Device> {
  const opened = await recipe.open(test);
  const authenticator = await addAuthenticator(opened.page);
  // An IP address is no domain.
  await opened.page.goto(recipe.site.replace('127.0.0.1', 'localhost'));
  return { ...opened, ...authenticator };
}

async function signUp(page: Page, name: string): Promise<void> {
  await page.getByLabel('Your name').fill(name);
  await page.getByRole('button', { name: 'Create an account' }).click();
  await expect.poll(() => status(page)).toBe(`You are signed in as ${name}.`);
}

async function signIn(page: Page): Promise<void> {
  await page.reload();
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
}

it('makes an account, and signs in without a name', async (test) => {
  const { page, complaints } = await device(test);
  expect(await accessFaults(page)).toEqual([]);
  await signUp(page, 'Ann');
  expect(await accessFaults(page)).toEqual([]);
  await signIn(page);
  await expect.poll(() => status(page)).toBe('You are signed in as Ann.');
  expect(await recipe.sql("SELECT VALUE name FROM user WHERE name = 'Ann'")).toEqual([['Ann']]);
  expect(complaints).toEqual([]);
});

it('adds another passkey, and removes the first one', async (test) => {
  const { page, cdp, authenticatorId } = await device(test);
  await signUp(page, 'Bob');
  // An authenticator makes one for each account: the next is on another.
  const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId });
  expect(credentials).toHaveLength(1);
  await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'usb',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await page.getByLabel('Its name').fill('The blue key');
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await expect.poll(() => page.getByRole('listitem').allInnerTexts()).toHaveLength(2);
  const remove = page.getByRole('button', { name: 'Remove The first one' });
  await remove.click();
  await expect.poll(() => page.getByRole('listitem').allInnerTexts()).toEqual(['The blue key Remove The blue key']);
  await cdp.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId });
  await signIn(page);
  await expect.poll(() => status(page)).toBe('You are signed in as Bob.');
  // It is the last one.
  await page.getByRole('button', { name: 'Remove The blue key' }).click();
  await expect.poll(() => status(page)).toMatch(/^This didn’t work: .*the last way to sign in/);
});

it('refuses who isn’t verified, and what is no longer known', async (test) => {
  const { page, cdp, authenticatorId } = await device(test);
  await signUp(page, 'Eve');
  await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
  await signIn(page);
  await expect.poll(() => status(page), { timeout: 10_000 }).toMatch(/^No passkey was used|^This didn’t work/);
  await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true });
  await recipe.sql("DELETE user WHERE name = 'Eve'");
  await signIn(page);
  await expect.poll(() => status(page)).toBe('This didn’t work: There was a problem with authentication');
});

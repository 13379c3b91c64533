/** `docs/guides/sign-in/company-account.md` in a browser; a certified provider on this machine takes the company's place. */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it, type TestContext } from 'vitest';
import { startBrowser } from '../../studio/browser.js';
import { type CertifiedProvider, startCertifiedProvider } from '../../support/certified-provider.js';
import { cleanUp } from '../../support/server-process.js';
import { accessFaults, type Recipe, startRecipe } from './recipe.js';

let provider: CertifiedProvider;
let recipe: Recipe;
beforeAll(async () => {
  provider = await startCertifiedProvider('YOUR-SECRET');
  recipe = await startRecipe('docs/guides/sign-in/company-account.md', {
    addresses: {
      'https://login.corp.example': provider.issuer,
      'login.corp.example': new URL(provider.issuer).host,
      'YOUR-ID': 'shop',
    },
    settings: ['--allow-experimental', 'graphql'],
  });
}, 60_000);
afterAll(async () => {
  await recipe?.close();
  await provider?.close();
  await cleanUp();
});

let context: BrowserContext | undefined;
afterEach(() => context?.close());

/** A page of the server, and the addresses that it had. */
async function open({ skip }: TestContext, path: string): Promise<{ page: Page; seen: string[] }> {
  context = await (await startBrowser())?.newContext();
  if (context === undefined) return skip('There is no Chromium on this machine');
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const seen: string[] = [];
  page.on('framenavigated', (frame) => void seen.push(frame.url()));
  await page.goto(`${recipe.server.url}${path}`);
  return { page, seen };
}

it('opens the Studio by one click, as who one is at the company', async (test) => {
  const { page, seen } = await open(test, '/studio');
  const button = page.getByRole('button', { name: 'Sign in with company' });
  await button.waitFor();
  expect(await accessFaults(page)).toEqual([]);
  await button.click();
  const account = page.getByRole('button', { name: 'Account of ann@example.com' });
  await account.waitFor();
  expect(new URL(page.url()).search).toBe('');
  expect(seen.some((url) => url.includes('/studio?code='))).toBe(true);
  const kept = String(await page.evaluate('JSON.stringify({ ...sessionStorage })'));
  expect(kept).not.toContain('verifier');
  // The page knows the user before its connection has signed in.
  await expect
    .poll(() => recipe.sql('RETURN (INFO FOR SESSIONS).map(|$each| [$each.user, $each.level, $each.access])'))
    .toEqual([[['ann@example.com', 'root', 'company']]]);
  await page.reload();
  await account.waitFor();
});

it.for(['/', '/graphql'])('signs in at the page %s, too', async (path, test) => {
  const { page } = await open(test, path);
  await page.getByRole('button', { name: 'Sign in with company' }).click();
  await expect.poll(() => page.locator('.signed-in').innerText()).toContain('ann@example.com (Root user)');
  expect(page.url()).toBe(`${recipe.server.url}${path}`);
});

it('refuses who has no role, and says why in the log', async (test) => {
  await open(test, '/studio');
  const page = context?.pages()[0] as Page;
  // The person is another one at the provider.
  await page.route(`${provider.issuer}/**`, (route) =>
    route.continue({ headers: { ...route.request().headers(), 'x-account': 'bob' } }),
  );
  await page.getByRole('button', { name: 'Sign in with company' }).click();
  await expect.poll(() => page.locator('form').innerText()).toContain('There was a problem with authentication');
  expect(recipe.server.log()).toContain("gives 'bob@example.com' no role: it answers none");
});

it.for(['root/company', 'namespace/test/company'])(
  'shows a page to who comes back without a request, at %s',
  async (path, test) => {
    const { page } = await open(test, '/');
    const missing: string[] = [];
    page.on('response', (response) => void (response.status() === 404 && missing.push(response.url())));
    await page.goto(`${recipe.server.url}/auth-system/${path}/callback?state=x`);
    await expect.poll(() => page.getByRole('heading').innerText()).toContain('Tessera');
    expect(missing).toEqual([]);
  },
);

it('says what went wrong at the provider, and takes no code that was begun elsewhere', async (test) => {
  const { page } = await open(test, '/studio?error=access_denied');
  await expect.poll(() => page.locator('form').innerText()).toContain('The provider has not signed you in.');
  await page.goto(`${recipe.server.url}/studio?code=${'x'.repeat(22)}`);
  await expect.poll(() => page.locator('form').innerText()).toContain('This sign-in was begun in another tab.');
  expect(new URL(page.url()).search).toBe('');
});

/** `docs/guides/sign-in/google.md` in a browser; a certified provider on this machine takes the place of Google. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CertifiedProvider, startCertifiedProvider } from '../../support/certified-provider.js';
import { cleanUp } from '../../support/server-process.js';
import { accessFaults, type Recipe, startRecipe } from './recipe.js';

let provider: CertifiedProvider;
let recipe: Recipe;
beforeAll(async () => {
  provider = await startCertifiedProvider('YOUR-SECRET');
  const { host } = new URL(provider.issuer);
  recipe = await startRecipe('docs/guides/sign-in/google.md', {
    addresses: {
      'OIDC GOOGLE': `OIDC ISSUER '${provider.issuer}'`,
      'YOUR-ID.apps.googleusercontent.com': 'shop',
      'accounts.google.com,oauth2.googleapis.com,openidconnect.googleapis.com,www.googleapis.com': host,
    },
  });
}, 60_000);
afterAll(async () => {
  await recipe?.close();
  await provider?.close();
  await cleanUp();
});

it('signs up and in by one click', async (test) => {
  const { page, complaints } = await recipe.open(test);
  expect(await accessFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Sign in with Google' }).click();
  const status = () => page.getByRole('status').innerText();
  await expect.poll(status).toBe('You are signed in as The person ann.');
  expect(page.url()).toBe(recipe.site);
  expect(await recipe.sql('SELECT VALUE email FROM user')).toEqual([['ann@example.com']]);
  expect(complaints).toEqual([]);
});

it('says who isn’t signed in', async (test) => {
  const { page } = await recipe.open(test);
  await page.goto(`${recipe.site}?error=access_denied`);
  await expect.poll(() => page.getByRole('status').innerText()).toBe('You are not signed in.');
  await page.goto(`${recipe.site}?code=${'x'.repeat(22)}`);
  await expect.poll(() => page.getByRole('status').innerText()).toBe('There was a problem with authentication');
});

/** `docs/guides/sign-in/stay-signed-in.md` in the tabs of a browser. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, type TestContext } from 'vitest';
import { cleanUp } from '../../support/server-process.js';
import { accessFaults, type Recipe, type RecipePage, startRecipe } from './recipe.js';

let recipe: Recipe;
beforeAll(async () => {
  recipe = await startRecipe('docs/guides/sign-in/stay-signed-in.md');
});
afterAll(async () => {
  await recipe?.close();
  await cleanUp();
});

const SIGNED_OUT = 'You are not signed in.';
const PASSWORD = 'correct horse battery';
const statusOf = (page: Page) => page.getByRole('status').innerText();

interface Tokens {
  readonly access: string;
  readonly refresh: string;
}
const keptBy = (page: Page) => page.evaluate('JSON.parse(localStorage.getItem("tokens"))') as Promise<Tokens>;

let count = 0;
/** A new user in a browser of its own. */
async function signUp(
  test: TestContext,
  before?: (opened: RecipePage) => Promise<void>,
): Promise<[RecipePage, string]> {
  const email = `user-${++count}@example.com`;
  const opened = await recipe.open(test);
  await before?.(opened);
  const { page } = opened;
  await expect.poll(() => statusOf(page)).toBe(SIGNED_OUT);
  await page.getByLabel('Mail address').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign up' }).click();
  await expect.poll(() => statusOf(page)).toBe(`You are signed in as ${email}.`);
  return [opened, email];
}

/** The pair as it is a quarter of an hour later: the refresh token works, the other one has expired. */
async function age(page: Page): Promise<Tokens> {
  const tokens = await keptBy(page);
  const expired = `e30.${btoa(JSON.stringify({ exp: 1_700_000_000 }))}.e30`;
  await page.evaluate(
    `localStorage.setItem('tokens', ${JSON.stringify(JSON.stringify({ ...tokens, access: expired }))})`,
  );
  return tokens;
}

const renewals = (...pages: readonly RecipePage[]) =>
  pages.flatMap(({ requests }) => requests).filter((request) => request === 'POST /signin').length;

/** What a token is worth at the server, without a page. */
async function statusWith({ access }: Tokens): Promise<number> {
  const headers = { authorization: `Bearer ${access}`, accept: 'application/json', 'svc-ns': 'test', 'svc-db': 'test' };
  return (await fetch(`${recipe.server.url}/sql`, { method: 'POST', headers, body: 'RETURN 1' })).status;
}
async function refreshWith({ refresh }: Tokens): Promise<number> {
  const body = JSON.stringify({ NS: 'test', DB: 'test', AC: 'account', refresh });
  return (await fetch(`${recipe.server.url}/signin`, { method: 'POST', headers: { accept: 'application/json' }, body }))
    .status;
}

it('lasts over reloads and in another tab', async (test) => {
  const [first, email] = await signUp(test);
  await first.page.reload();
  await expect.poll(() => statusOf(first.page)).toBe(`You are signed in as ${email}.`);
  const second = await recipe.open(test, first.context);
  await expect.poll(() => statusOf(second.page)).toBe(`You are signed in as ${email}.`);
  expect(await accessFaults(second.page)).toEqual([]);
  expect(renewals(first, second)).toBe(0);
  expect([...first.complaints, ...second.complaints]).toEqual([]);
});

it('renews for all tabs when the token has expired, again and again', async (test) => {
  const [first, email] = await signUp(test);
  const second = await recipe.open(test, first.context);
  await expect.poll(() => statusOf(second.page)).toBe(`You are signed in as ${email}.`);
  for (const round of [1, 2]) {
    const before = await age(first.page);
    await expect.poll(() => keptBy(second.page)).toEqual(await keptBy(first.page));
    await Promise.all([first.page.reload(), second.page.reload()]);
    for (const { page } of [first, second])
      await expect.poll(() => statusOf(page)).toBe(`You are signed in as ${email}.`);
    // One tab may read what it keeps before the other's writing has reached it: then the server gives both the same.
    expect(renewals(first, second)).toBeLessThanOrEqual(2 * round);
    await expect.poll(() => keptBy(second.page)).toEqual(await keptBy(first.page));
    expect((await keptBy(first.page)).refresh).not.toBe(before.refresh);
  }
  expect([...first.complaints, ...second.complaints]).toEqual([]);
});

it('renews by itself in a page that stays open', async (test) => {
  const [opened, email] = await signUp(test, async ({ page }) => {
    await page.clock.install();
    await page.reload();
  });
  const before = await keptBy(opened.page);
  await opened.page.clock.fastForward('14:30');
  await expect.poll(() => renewals(opened)).toBe(1);
  await expect.poll(async () => (await keptBy(opened.page)).refresh).not.toBe(before.refresh);
  expect(await statusOf(opened.page)).toBe(`You are signed in as ${email}.`);
});

it('signs out in all tabs, and at the server', async (test) => {
  const [first, email] = await signUp(test);
  const second = await recipe.open(test, first.context);
  await expect.poll(() => statusOf(second.page)).toBe(`You are signed in as ${email}.`);
  const tokens = await keptBy(first.page);
  expect(await statusWith(tokens)).toBe(200);
  await second.page.getByRole('button', { name: 'Sign out' }).click();
  for (const { page } of [first, second]) await expect.poll(() => statusOf(page)).toBe(SIGNED_OUT);
  expect([await statusWith(tokens), await refreshWith(tokens)]).toEqual([401, 401]);
  // And in again, in both.
  await first.page.getByLabel('Mail address').fill(email);
  await first.page.getByLabel('Password').fill(PASSWORD);
  await first.page.getByRole('button', { name: 'Sign in' }).click();
  for (const { page } of [first, second])
    await expect.poll(() => statusOf(page)).toBe(`You are signed in as ${email}.`);
});

it('shows the form when the sign-in was ended from elsewhere', async (test) => {
  const [opened, email] = await signUp(test);
  const [[id] = []] = (await recipe.sql(`SELECT VALUE id FROM user WHERE email = '${email}'`)) as string[][];
  await recipe.sql(`KILL SESSIONS FOR RECORD ${id}`);
  await opened.page.reload();
  await expect.poll(() => statusOf(opened.page)).toBe(SIGNED_OUT);
  expect(await opened.page.evaluate('localStorage.length')).toBe(0);
});

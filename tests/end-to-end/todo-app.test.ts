/** The app of `tessera init todo`, used by two people: signing up, sharing, changes that are seen, and no connection. */
import { execFileSync } from 'node:child_process';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, type TestContext } from 'vitest';
import { seriousFaults } from '../studio/browser.js';
import { AppFolder } from '../support/app-folder.js';
import { CuttingProxy } from '../support/cutting-proxy.js';
import { isInTurn } from '../support/runs-all.js';
import { startVitePage, type VitePage } from '../support/vite-page.js';

let app: AppFolder;
let proxy: CuttingProxy;
let pages: VitePage;
const inTurn = it.skipIf(!isInTurn(2));

beforeAll(async () => {
  app = new AppFolder();
  await app.run(['init', 'todo']);
  const server = app.dev();
  const [, port] = /127\.0\.0\.1:(\d+)\/rpc/.exec(await server.says('ran seed.surql')) ?? [];
  proxy = await CuttingProxy.start(Number(port), 'nothing that is sent');
  const packages = ['tesseradb', 'surrealdb', '@tanstack/db', 'react', 'react-dom', 'vite'];
  const types = ['@types/react', '@types/react-dom'];
  pages = await startVitePage(app.path, [...packages, ...types], `http://127.0.0.1:${proxy.port}`);
});
afterAll(async () => {
  await pages?.close();
  await proxy?.close();
  app?.remove();
});

async function signIn(page: Page, email: string, password: string, button = 'Sign in'): Promise<void> {
  await page.getByLabel('Mail address').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: button }).click();
}

async function signedIn(test: TestContext, email: string, password: string): Promise<Page> {
  const page = await pages.open(test);
  await signIn(page, email, password);
  await expect.poll(() => page.locator('header').innerText()).toContain(email);
  return page;
}
const asAnn = (test: TestContext) => signedIn(test, 'ann@example.com', 'correct horse');
const asBob = (test: TestContext) => signedIn(test, 'bob@example.com', 'battery staple');

const tasks = async (page: Page) =>
  (await page.getByRole('listitem').allInnerTexts()).map((text) => text.split('\n')[0]);
const status = (page: Page) => page.getByRole('status').innerText();
const add = async (page: Page, text: string) => {
  await page.getByLabel('New task').fill(text);
  await page.keyboard.press('Enter');
};

inTurn('its types are those of the database', () => {
  expect(app.read('src/database.ts')).toContain('export type Task');
  execFileSync('node_modules/.bin/tsc', ['-p', app.path]);
});

inTurn('two people see each other’s changes', async (test) => {
  const [ann, bob] = [await asAnn(test), await asBob(test)];
  await bob.getByRole('button', { name: 'Home shared with you' }).click();
  await expect.poll(() => tasks(ann)).toEqual(['Buy milk', 'Call the plumber']);
  await expect.poll(() => tasks(bob)).toEqual(['Buy milk', 'Call the plumber']);
  await add(ann, 'Bake bread');
  await expect.poll(() => tasks(bob)).toEqual(['Buy milk', 'Call the plumber', 'Bake bread']);
  await bob.getByRole('checkbox', { name: 'Bake bread' }).check();
  await expect.poll(() => ann.getByRole('checkbox', { name: 'Bake bread' }).isChecked()).toBe(true);
  await ann.getByRole('button', { name: 'Remove Bake bread' }).click();
  await expect.poll(() => tasks(bob)).toEqual(['Buy milk', 'Call the plumber']);
});

inTurn('a list is shared, also with those who sign up later', async (test) => {
  const ann = await asAnn(test);
  await ann.getByLabel('New list').fill('Party');
  await ann.keyboard.press('Enter');
  await add(ann, 'Invite all');
  await ann.getByLabel('Share with').fill('Cy@example.com');
  await ann.keyboard.press('Enter');
  await expect.poll(() => ann.getByText('Shared with cy@example.com').isVisible()).toBe(true);
  await expect.poll(() => status(ann)).toBe('Saved');

  const cy = await pages.open(test);
  await signIn(cy, 'cy@example.com', 'short', 'Sign up');
  await expect.poll(() => cy.getByRole('alert').innerText()).toContain('A password has eight characters or more');
  await signIn(cy, 'ann@example.com', 'staple the battery', 'Sign up');
  await expect.poll(() => cy.getByRole('alert').innerText()).toContain('There is an account with this address');
  await signIn(cy, 'cy@example.com', 'staple the battery', 'Sign up');
  await expect.poll(() => tasks(cy)).toEqual(['Invite all']);
  await add(cy, 'Buy crisps');
  await expect.poll(() => tasks(ann)).toEqual(['Invite all', 'Buy crisps']);
});

inTurn('goes on without a connection, also after a reload, and is the same for all afterwards', async (test) => {
  const [ann, bob] = [await asAnn(test), await asBob(test)];
  await ann.getByRole('button', { name: 'Home' }).click();
  await bob.getByRole('button', { name: 'Home shared with you' }).click();
  await expect.poll(() => tasks(bob)).toEqual(['Buy milk', 'Call the plumber']);
  await expect
    .poll(() => ann.evaluate('Object.keys(localStorage).some((key) => key.includes("rows:SELECT * FROM task"))'))
    .toBe(true);
  proxy.refuse();
  await expect.poll(() => status(ann)).toBe('No connection');
  await add(ann, 'Fix the roof');
  await ann.getByRole('checkbox', { name: 'Buy milk' }).check();
  await expect.poll(() => status(ann)).toBe('No connection, 2 to save');
  await ann.reload();
  await expect.poll(() => status(ann)).toBe('No connection, 2 to save');
  expect(await tasks(ann)).toEqual(['Buy milk', 'Call the plumber', 'Fix the roof']);
  expect(await ann.getByRole('checkbox', { name: 'Buy milk' }).isChecked()).toBe(true);
  proxy.accept();
  await expect.poll(() => status(ann), { timeout: 15_000 }).toBe('Saved');
  await expect.poll(() => tasks(bob), { timeout: 15_000 }).toEqual(['Buy milk', 'Call the plumber', 'Fix the roof']);
  expect(await bob.getByRole('checkbox', { name: 'Buy milk' }).isChecked()).toBe(true);
});

inTurn('what two tabs have written without a connection is sent, also that of one that is closed', async (test) => {
  const [first, bob] = [await asAnn(test), await asBob(test)];
  await bob.getByRole('button', { name: 'Home shared with you' }).click();
  const second = await first.context().newPage();
  await second.goto(first.url());
  const [firstTask, secondTask] = ['Of the first tab', 'Of the second tab'];
  for (const page of [first, second]) await page.getByRole('button', { name: 'Home' }).click();
  for (const page of [first, second]) await expect.poll(() => tasks(page)).toContain('Call the plumber');
  proxy.refuse();
  for (const page of [first, second]) await expect.poll(() => status(page)).toContain('No connection');
  await add(first, firstTask);
  await add(second, secondTask);
  await expect.poll(() => status(first)).toBe('No connection, 2 to save');
  await second.close();
  proxy.accept();
  await expect.poll(() => tasks(bob), { timeout: 15_000 }).toEqual(expect.arrayContaining([firstTask, secondTask]));
  await expect.poll(() => status(first), { timeout: 15_000 }).toBe('Saved');
  await expect.poll(() => tasks(first)).toEqual(expect.arrayContaining([firstTask, secondTask]));
  const own = (await tasks(bob)).filter((task) => [firstTask, secondTask].includes(task ?? ''));
  expect(own).toEqual([firstTask, secondTask]);
});

inTurn('tabs share the sign-in, and its end', async (test) => {
  const first = await asAnn(test);
  const second = await first.context().newPage();
  await second.goto(first.url());
  await expect.poll(() => second.locator('header').innerText()).toContain('ann@example.com');
  await expect.poll(() => status(second)).toBe('Saved');
  await second.getByRole('button', { name: 'Sign out' }).click();
  for (const page of [first, second])
    await expect.poll(() => page.getByRole('button', { name: 'Sign in' }).isVisible()).toBe(true);
  await signIn(first, 'bob@example.com', 'battery staple');
  for (const page of [first, second]) {
    await expect.poll(() => page.locator('header').innerText()).toContain('bob@example.com');
    await expect.poll(() => page.getByRole('button', { name: 'Garden' }).isVisible()).toBe(true);
  }
});

inTurn('is accessible, in light and dark and on a small screen, and complains of nothing', async (test) => {
  const page = await asAnn(test);
  await page.getByRole('button', { name: 'Home' }).click();
  await expect.poll(() => tasks(page)).toContain('Buy milk');
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await seriousFaults(page)).toEqual([]);
  }
  await page.setViewportSize({ width: 390, height: 800 });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  expect(pages.complaints).toEqual([]);
});

/** The example of a chat, in two browsers. */
import { cpSync, readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, type TestContext } from 'vitest';
import { seriousFaults } from '../studio/browser.js';
import { CuttingProxy } from '../support/cutting-proxy.js';
import { isInTurn } from '../support/runs-all.js';
import { cleanUp, ROOT, type ServerProcess, startServer, temporaryFolder } from '../support/server-process.js';
import { startVitePage, type VitePage } from '../support/vite-page.js';

const inTurn = it.skipIf(!isInTurn(2));
let server: ServerProcess;
let proxy: CuttingProxy;
let pages: VitePage;

beforeAll(async () => {
  server = await startServer('memory', { SVC_EXPERIMENTAL_GRAPHQL: 'true' });
  await sql(readFileSync('examples/chat/schema.surql', 'utf8'));
  proxy = await CuttingProxy.start(Number(new URL(server.url).port), 'nothing that is sent');
  const folder = temporaryFolder();
  cpSync('examples/chat', folder, { recursive: true });
  pages = await startVitePage(folder, ['graphql-ws', 'graphql'], `http://127.0.0.1:${proxy.port}`);
});
afterAll(async () => {
  await pages?.close();
  await proxy?.close();
  await cleanUp();
});

async function sql(body: string): Promise<void> {
  const authorization = `Basic ${Buffer.from(`${ROOT.user}:${ROOT.pass}`).toString('base64')}`;
  const headers = { accept: 'application/json', 'svc-ns': 'example', 'svc-db': 'chat', authorization };
  const answer = await fetch(`${server.url}/sql`, { method: 'POST', headers, body });
  expect(JSON.stringify(await answer.json())).not.toContain('"ERR"');
}

async function enter(page: Page, name: string, button: string, password = 'a long password'): Promise<void> {
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: button }).click();
}
async function signedUp(test: TestContext, name: string): Promise<Page> {
  const page = await pages.open(test);
  await enter(page, name, 'Sign up');
  await expect.poll(() => page.getByRole('heading', { name: 'Lobby' }).isVisible()).toBe(true);
  return page;
}
const say = async (page: Page, text: string) => {
  await page.getByLabel('Message', { exact: true }).fill(text);
  await page.keyboard.press('Enter');
};
const texts = (page: Page) => page.locator('li p').allInnerTexts();

inTurn('two people write to each other, also after their connection was lost', async (test) => {
  const ann = await signedUp(test, 'Ann');
  await say(ann, 'Is anyone here?');
  await expect.poll(() => texts(ann)).toEqual(['Is anyone here?']);
  const bob = await signedUp(test, 'Bob');
  await expect.poll(() => texts(bob)).toEqual(['Is anyone here?']);
  await say(bob, '<b>I am</b>');
  for (const page of [ann, bob]) await expect.poll(() => texts(page)).toEqual(['Is anyone here?', '<b>I am</b>']);
  expect(await bob.getByRole('button', { name: /^Remove/ }).count()).toBe(1);
  await bob.getByRole('button', { name: 'Remove <b>I am</b>' }).click();
  await expect.poll(() => texts(ann)).toEqual(['Is anyone here?']);

  proxy.refuse();
  await expect.poll(() => ann.getByRole('status').innerText()).toBe('No connection');
  await sql(
    "CREATE message SET room = 'Lobby', text = 'Meanwhile', author = (SELECT VALUE id FROM ONLY person LIMIT 1)",
  );
  proxy.accept();
  await expect.poll(() => texts(ann), { timeout: 15_000 }).toEqual(['Is anyone here?', 'Meanwhile']);
  await say(ann, 'Back');
  await expect.poll(() => texts(bob), { timeout: 15_000 }).toEqual(['Is anyone here?', 'Meanwhile', 'Back']);
  for (const colorScheme of ['light', 'dark'] as const) {
    await ann.emulateMedia({ colorScheme });
    expect(await seriousFaults(ann)).toEqual([]);
  }
});

inTurn('says why a sign-in fails', async (test) => {
  await signedUp(test, 'Cy');
  const page = await pages.open(test);
  const alert = () => page.getByRole('alert').innerText();
  await enter(page, 'Cy', 'Sign up');
  await expect.poll(alert).toBe('This name is taken.');
  await enter(page, 'Cy', 'Sign in', 'another password');
  await expect.poll(alert).toBe('Name or password are wrong.');
  await enter(page, 'Dee', 'Sign up', 'short');
  await expect.poll(alert).toContain('A password has eight characters or more');
  expect(pages.complaints).toEqual([]);
});

/** The hooks of `tesseradb/react` in Chromium and StrictMode, and what they add to a page. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import type { Surreal } from 'surrealdb';
import { afterAll, beforeAll, beforeEach, expect, it, type TestContext } from 'vitest';
import type { RunningServer } from '../../src/server/server.js';
import { CuttingProxy } from '../support/cutting-proxy.js';
import { startTestServer } from '../support/server.js';
import { startVitePage, type VitePage } from '../support/vite-page.js';
import { newApp } from './app.js';

const folder = mkdtempSync(join(tmpdir(), 'tessera-hooks-'));
let server: RunningServer;
let proxy: CuttingProxy;
let owner: Surreal;
let pages: VitePage;

beforeAll(async () => {
  server = await startTestServer();
  proxy = await CuttingProxy.start(Number(new URL(server.url).port), 'nothing that is sent');
  cpSync('tests/collections/page', folder, { recursive: true });
  const packages = ['tesseradb', 'surrealdb', '@tanstack/db', 'react', 'react-dom'];
  pages = await startVitePage(folder, packages, `http://127.0.0.1:${proxy.port}`);
});
beforeEach(async () => {
  owner = await newApp(server);
});
afterAll(async () => {
  await pages.close();
  await proxy.close();
  await server.close();
  rmSync(folder, { recursive: true });
});

const click = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).first().click();
const status = (page: Page) => page.getByRole('status').innerText();
const count = async (page: Page) =>
  (
    await page
      .getByText(/^Count: /)
      .locator('b')
      .innerText()
  ).trim();
const shown = (page: Page, name = 'first') => page.getByRole('region', { name }).locator('b').innerText();

async function signedUp(test: TestContext): Promise<Page> {
  const page = await pages.open(test);
  await expect.poll(() => status(page)).toContain('signed-out');
  await click(page, 'Sign up');
  await expect.poll(() => status(page)).toBe('signed-in person connected 0');
  return page;
}

it('a session’s states and errors', async (test) => {
  const page = await signedUp(test);
  await click(page, 'Sign out');
  await expect.poll(() => status(page)).toContain('signed-out');
  await click(page, 'Sign up');
  await expect.poll(() => status(page)).toContain('signup_conflict');
  await click(page, 'Sign in wrongly');
  await expect.poll(() => status(page)).toContain('invalid_auth');
  await click(page, 'Sign in');
  await expect.poll(() => status(page)).toBe('signed-in person connected 0');
});

it('queries answer once, live results follow, both with the parameters of now', async (test) => {
  await owner.query(
    "CREATE task:1 SET text = 'a'; CREATE task:2 SET text = 'b'; CREATE task:3 SET text = 'c', done = true",
  );
  const page = await signedUp(test);
  await expect.poll(() => shown(page)).toBe('b, a');
  await expect.poll(() => count(page)).toBe('2');
  await owner.query("CREATE task:4 SET text = 'd'");
  await expect.poll(() => shown(page)).toBe('d, b, a');
  expect(await count(page)).toBe('2');
  await click(page, 'Count again');
  await expect.poll(() => count(page)).toBe('3');
  await page.getByLabel('done').check();
  await expect.poll(() => shown(page)).toBe('c');
  await expect.poll(() => count(page)).toBe('1');
  await owner.query('UPDATE task:4 SET done = true');
  await expect.poll(() => shown(page)).toBe('d, c');
});

it('components that ask for the same share it, and what is written is seen by all at once', async (test) => {
  const page = await signedUp(test);
  await page.getByLabel('twice').check();
  await click(page, 'Add');
  for (const name of ['first', 'second']) await expect.poll(() => shown(page, name)).toBe('0');
  await click(page, 'Add too much');
  await expect.poll(() => page.getByRole('alert').first().innerText()).toContain('text');
  for (const name of ['first', 'second']) await expect.poll(() => shown(page, name)).toBe('0');
  await page.getByLabel('twice').uncheck();
  await owner.query("UPDATE task SET text = 'still followed'");
  await expect.poll(() => shown(page)).toBe('still followed');
});

it('is right again after a lost connection, and shows nothing of a user who has signed out', async (test) => {
  const page = await signedUp(test);
  await owner.query("CREATE task:1 SET text = 'a'");
  await expect.poll(() => shown(page)).toBe('a');
  proxy.refuse();
  await expect.poll(() => status(page)).toContain('cut');
  await owner.query("UPDATE task:1 SET text = 'b'");
  await page.getByLabel('done').check();
  await page.getByLabel('done').uncheck();
  expect(await shown(page)).toBe('a');
  await click(page, 'Count again');
  expect(await count(page)).toBe('loading');
  proxy.accept();
  await expect.poll(() => shown(page)).toBe('b');
  await expect.poll(() => count(page)).toBe('1');
  await click(page, 'Sign out');
  await expect.poll(() => page.locator('body').innerText()).not.toContain('Count');
  await owner.query("UPDATE task:1 SET text = 'c'");
  await click(page, 'Sign in');
  await expect.poll(() => shown(page)).toBe('c');
});

it('a sign-in that the server ends is an end in the page', async (test) => {
  const page = await signedUp(test);
  await expect.poll(() => shown(page)).toBe('');
  await owner.query('KILL SESSIONS FOR RECORD (SELECT VALUE id FROM person)[0]');
  await expect.poll(() => status(page), { timeout: 10_000 }).toContain('session_ended');
  expect(pages.complaints).toEqual([]);
});

it('its types fit the page', () => {
  execFileSync('node_modules/.bin/tsc', ['-p', 'tests/collections/page']);
});

it('with TanStack DB it adds less than 40 KB to the client and React', async () => {
  const { outputFiles } = await build({
    stdin: { contents: "export * from './dist/collections/react.js'", resolveDir: '.' },
    bundle: true,
    minify: true,
    format: 'esm',
    external: ['react', 'surrealdb'],
    define: { 'process.env.NODE_ENV': '"production"' },
    write: false,
  });
  expect(gzipSync(outputFiles[0]?.contents ?? '').length).toBeLessThan(40 * 1024);
});

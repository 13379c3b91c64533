/** The Studio in a real browser, against a real server: what the tests of its views share. */
import { existsSync } from 'node:fs';
import axe, { type AxeResults } from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { cleanUp, ROOT, type ServerProcess, startServer } from '../support/server-process.js';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(existsSync);
const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'];

/** Where the tests keep their data. */
export const PLACE = { namespace: 'test', database: 'test' } as const;

export interface Studio {
  readonly server: ServerProcess;
  /** Runs statements as the root user, and gives their results. Fails if one of them fails. */
  sql(text: string): Promise<unknown[]>;
  /** A page of its own, with nothing kept. */
  open(options?: BrowserContextOptions): Promise<StudioPage>;
  close(): Promise<void>;
}

export interface StudioPage {
  readonly page: Page;
  /** The addresses of all that it has asked for. */
  readonly requests: readonly string[];
  /** Errors and warnings of its console, those of failed requests aside. */
  readonly complaints: readonly string[];
}

/** Starts a server on `store`, in memory or a folder, with these statements run; `undefined` where there is no browser on this machine. */
export async function startStudio(
  setup: string,
  environment: Readonly<Record<string, string>> = {},
  store = 'memory',
): Promise<Studio | undefined> {
  if (CHROMIUM === undefined) return undefined;
  const [server, browser] = await Promise.all([startServer(store, environment), launchBrowser(CHROMIUM)]);
  const sql = (text: string) => runStatements(server, text);
  await sql(setup);
  return {
    server,
    sql,
    open: (options) => openPage(browser, server.url, options),
    async close() {
      await browser.close();
      await cleanUp();
    },
  };
}

/** A browser without a server; `undefined` where there is none on this machine. */
export async function startBrowser(): Promise<Browser | undefined> {
  return CHROMIUM === undefined ? undefined : launchBrowser(CHROMIUM);
}

function launchBrowser(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: FLAGS });
}

async function runStatements(server: ServerProcess, body: string): Promise<unknown[]> {
  const headers = {
    accept: 'application/json',
    'svc-ns': PLACE.namespace,
    'svc-db': PLACE.database,
    Authorization: `Basic ${Buffer.from(`${ROOT.user}:${ROOT.pass}`).toString('base64')}`,
  };
  const answer = await fetch(`${server.url}/sql`, { method: 'POST', headers, body });
  const results = (await answer.json()) as readonly { readonly status: string; readonly result: unknown }[];
  expect(answer.ok, JSON.stringify(results)).toBe(true);
  return results.map(({ status, result }) => {
    expect(status, String(result)).toBe('OK');
    return result;
  });
}

/** Opens the Studio of the server at this URL. */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<StudioPage> {
  const page = await browser.newPage(options);
  // A click on what isn't there fails before the test does, and says what it was.
  page.setDefaultTimeout(15_000);
  const requests: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('console', (message) => {
    const isOfRequest = message.text().startsWith('Failed to load resource');
    if (['error', 'warning'].includes(message.type()) && !isOfRequest) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(`${url}/studio`);
  return { page, requests, complaints };
}

/** Signs in with the form, by default as the root user, in the database of the tests. */
export async function signIn(page: Page, user: string = ROOT.user, pass: string = ROOT.pass): Promise<void> {
  await page.getByLabel('User', { exact: true }).fill(user);
  await page.getByLabel('Password', { exact: true }).fill(pass);
  await page.getByLabel('Namespace', { exact: true }).fill(PLACE.namespace);
  await page.getByLabel('Database', { exact: true }).fill(PLACE.database);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect.poll(() => page.getByRole('navigation', { name: 'Views' }).isVisible()).toBe(true);
}

/** Opens a view by the navigation. */
export async function openView(page: Page, title: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: title, exact: true }).click();
}

/** The text that the page shows. */
export function textOf(page: Page): Promise<string> {
  return page.locator('body').innerText();
}

/** What axe finds on the page that is serious: the rule, and where. */
export async function seriousFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate('axe.run()')) as AxeResults;
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
}

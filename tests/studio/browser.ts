/** The Studio in a real browser, against a real server: what the tests of its views share. */
import { existsSync } from 'node:fs';
import axe, { type AxeResults } from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect, onTestFailed } from 'vitest';
import type { Level, SignedIn } from '../../pages/session.js';
import { cleanUp, ROOT, type ServerProcess, startServer } from '../support/server-process.js';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(existsSync);
const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'];

/** Where the tests keep their data. */
export const PLACE = { namespace: 'test', database: 'test' } as const;

/** Who signs in: a system user, or whom a record access lets in. */
export interface User {
  readonly level: Level;
  /** What is shown of it: the name, or the access method. */
  readonly name: string;
  /** What it sends to sign in. */
  readonly credentials: Readonly<Record<string, string>>;
}

/** The root user of `startServer`. */
export const ROOT_USER: User = { level: 'root', name: ROOT.user, credentials: { ...ROOT } };

export function databaseUser(name: string, pass: string): User {
  return {
    level: 'database',
    name,
    credentials: { NS: PLACE.namespace, DB: PLACE.database, user: name, pass },
  };
}

export interface Studio {
  readonly server: ServerProcess;
  /** Runs statements as the root user, and gives their results. Fails if one of them fails. */
  sql(text: string): Promise<unknown[]>;
  /** A page of its own, with nothing kept. */
  open(options?: BrowserContextOptions): Promise<StudioPage>;
  /**
   * The tab that the tests of a file share, at an address such as `query`, signed in as a user, or with the form to sign in: nothing of
   * the view before is left, and nothing in the browser's storage but the token. After a test that failed the browser is another one.
   */
  tab(address?: string, user?: User | 'nobody'): Promise<StudioPage>;
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
  const [server] = await Promise.all([startServer(store, environment), launchBrowser(CHROMIUM)]);
  const sql = (text: string) => runStatements(server, text);
  await sql(setup);
  const tabs = new SharedTab(() => launchBrowser(CHROMIUM), server.url);
  return {
    server,
    sql,
    open: async (options) => openPage(await launchBrowser(CHROMIUM), server.url, options),
    tab: (address, user) => tabs.at(address, user),
    async close() {
      await tabs.close();
      await cleanUp();
    },
  };
}

/** The browser of these tests, without a server; `undefined` where there is none on this machine. */
export async function startBrowser(): Promise<Browser | undefined> {
  return CHROMIUM === undefined ? undefined : launchBrowser(CHROMIUM);
}

/** One for all files of a worker. It ends with the worker, whose end of their pipe closes. */
let launched: Promise<Browser> | undefined;

function launchBrowser(executablePath: string): Promise<Browser> {
  launched ??= chromium.launch({ executablePath, args: FLAGS });
  return launched;
}

/** Nothing waits for its end, which one that no longer answers takes its time for. */
function endBrowser(): void {
  void launched?.then((browser) => browser.close()).catch(() => {});
  launched = undefined;
}

/** Loading the page and signing in take longer than most tests do. */
class SharedTab {
  readonly #browser: () => Promise<Browser>;
  readonly #url: string;
  #opened: (StudioPage & { readonly requests: string[]; readonly complaints: string[] }) | undefined;
  #user: User | undefined;

  constructor(browser: () => Promise<Browser>, url: string) {
    this.#browser = browser;
    this.#url = url;
  }

  async at(address = 'explore', user: User | 'nobody' = ROOT_USER): Promise<StudioPage> {
    onTestFailed(() => this.#abandon());
    this.#opened ??= await openPage(await this.#browser(), this.#url);
    const { page, requests, complaints } = this.#opened;
    await page.goto(`${this.#url}/studio#/nowhere`);
    await page.evaluate('localStorage.clear()');
    // A test that uses the form may have signed in another user.
    const isSame = user !== 'nobody' && user.level === this.#user?.level && user.name === this.#user.name;
    if (!isSame) {
      const kept = user === 'nobody' ? {} : { 'tessera:signed-in': await this.#signedIn(user) };
      await page.evaluate(`sessionStorage.clear(); Object.assign(sessionStorage, ${JSON.stringify(kept)})`);
      requests.length = 0;
      await page.reload();
      this.#user = user === 'nobody' ? undefined : user;
    } else requests.length = 0;
    await page.getByText(user === 'nobody' ? 'Tessera Studio' : 'There is no view of this name').waitFor();
    complaints.length = 0;
    await goTo(page, address);
    return this.#opened;
  }

  /** What a tab keeps of a user: see `pages/session.ts`. */
  async #signedIn({ level, name, credentials }: User): Promise<string> {
    const answer = await fetch(`${this.#url}/signin`, {
      method: 'POST',
      headers: { accept: 'application/json' },
      body: JSON.stringify(credentials),
    });
    const { token: issued } = (await answer.json()) as { readonly token: string | { readonly access: string } };
    const token = typeof issued === 'string' ? issued : issued.access;
    expect(answer.ok).toBe(true);
    const signedIn: SignedIn = { level, name, token, ...PLACE };
    return JSON.stringify(signedIn);
  }

  /** What a test has left may no longer answer. */
  #abandon(): void {
    this.#opened = undefined;
    this.#user = undefined;
    endBrowser();
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    this.#user = undefined;
    await opened?.page.close();
  }
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
export async function openPage(browser: Browser, url: string, options: BrowserContextOptions = {}) {
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

/** Signs out by the menu of the account. */
export async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Account of / }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
}

/** Opens a view by the navigation. */
export async function openView(page: Page, title: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: title, exact: true }).click();
}

/** Goes to a place in the Studio, such as `explore/table/person`, as a bookmark does. */
export async function goTo(page: Page, address: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(`#/${address}`)}`);
}

/** The text that the page shows. */
export function textOf(page: Page): Promise<string> {
  return page.locator('body').innerText();
}

/** What axe finds on the page that is serious: the rule, and where. */
export async function seriousFaults(page: Page): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
  const { violations } = (await page.evaluate('axe.run({ resultTypes: ["violations"] })')) as AxeResults;
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
}

/** The same in light and in dark, with the scheme before it. */
export async function seriousFaultsInBoth(page: Page): Promise<string[]> {
  const faults: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    faults.push(...(await seriousFaults(page)).map((fault) => `${colorScheme}: ${fault}`));
  }
  await page.emulateMedia({ colorScheme: null });
  return faults;
}

/** More steps than there is to step on. */
const STEPS = 120;

/** What the focused element is called: by its label, or by what it says. */
export const FOCUSED = `(() => {
  const { ariaLabel, labels, textContent } = document.activeElement;
  return ariaLabel ?? labels?.[0]?.textContent ?? textContent;
})()`;

/** Steps on with Tab, or back, until what is called this has the focus. */
export async function tabTo(page: Page, name: string, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  const passed: unknown[] = [];
  for (let step = 0; step < STEPS; step++) {
    await page.keyboard.press(key);
    const focused = await page.evaluate(FOCUSED);
    if (focused === name) return;
    passed.push(focused);
  }
  expect(passed).toContain(name);
}

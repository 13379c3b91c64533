/**
 * A recipe of `docs/guides/sign-in/`, as its reader follows it: the page's own commands start the built server and
 * define the schema, and its HTML is served from another port to a real browser, with the official client.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join, resolve } from 'node:path';
import axe, { type AxeResults } from 'axe-core';
import type { BrowserContext, CDPSession, Page } from 'playwright-core';
import type { Surreal } from 'surrealdb';
import { expect, type TestContext } from 'vitest';
import { startBrowser } from '../../studio/browser.js';
import { newClient } from '../../support/official-client.js';
import { ROOT_OF_PAGES, type ServerProcess, startServerWith, temporaryFolder } from '../../support/server-process.js';
import { blocksOf, runSteps, stable, startArguments, stepsOf } from '../pages.js';

/** The addresses that the pages name: the server, and the application's own page. */
const SERVER = '127.0.0.1:8000';
const SITE = '127.0.0.1:5173';
/** The same by its name, which passkeys need. */
const NAMED_SITE = 'localhost:5173';

/** Where the recipes work. */
export const PLACE = { namespace: 'test', database: 'test' } as const;

export interface Recipe {
  readonly server: ServerProcess;
  /** Where the HTML of the page is served, such as `http://127.0.0.1:41234/`. */
  readonly site: string;
  /**
   * Opens the application's page, in a browser of its own or as another tab of one that is open. Skips the test where
   * there is no browser.
   */
  open(test: TestContext, context?: BrowserContext): Promise<RecipePage>;
  /** Another device: the official client in this process, connected and not signed in. */
  device(): Promise<Surreal>;
  /** Runs statements as the root user, in the database of the recipes; fails if one of them fails. */
  sql(text: string): Promise<unknown[]>;
  /** `cleanUp` removes the folders. */
  close(): Promise<void>;
}

export interface RecipePage {
  readonly page: Page;
  /** Another tab, which shares what the browser keeps. */
  readonly context: BrowserContext;
  /** `POST /signin` and the like: method and path of what the page has asked the server for over HTTP. */
  readonly requests: readonly string[];
  /** Errors and warnings of its console, those of failed requests aside. */
  readonly complaints: readonly string[];
}

export interface RecipeOptions {
  /** What other addresses of the page become: `{ '127.0.0.1:9000': '127.0.0.1:40123' }`. */
  readonly addresses?: Readonly<Record<string, string>>;
  /** Settings of the server besides those of the page. */
  readonly settings?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * Follows the page from its first command to its last one, comparing what they print. Blocks of `js` are commands;
 * those of `javascript` are programs that go on, for the test to start.
 */
export async function startRecipe(
  path: string,
  { addresses = {}, settings = [], environment = {} }: RecipeOptions = {},
): Promise<Recipe> {
  const [serverPort, sitePort] = await freePorts(2);
  const all = {
    [SERVER]: `127.0.0.1:${serverPort}`,
    [SITE]: `127.0.0.1:${sitePort}`,
    [NAMED_SITE]: `localhost:${sitePort}`,
    ...addresses,
  };
  const placed = (text: string) => {
    let own = text;
    for (const [named, real] of Object.entries(all)) own = own.replaceAll(named, real);
    return own;
  };

  const given = startArguments(path) ?? ['memory', '--user', ROOT_OF_PAGES.user, '--pass', ROOT_OF_PAGES.pass];
  // A reader's folder is kept; a test has no use for it.
  const arguments_ = ['memory', ...given.slice(1).map(placed), ...settings, '--bind', `127.0.0.1:${serverPort}`];
  const server = await startServerWith(arguments_, environment);
  const html = blocksOf(path).find(({ language }) => language === 'html')?.text;
  const site = html === undefined ? undefined : await serve(placed(html), Number(sitePort));
  await follow(path, server, placed);

  const contexts: BrowserContext[] = [];
  const devices: Surreal[] = [];
  return {
    server,
    site: `http://127.0.0.1:${sitePort}/`,
    async open({ skip }, context) {
      const own = context ?? (await (await startBrowser())?.newContext());
      if (own === undefined) return skip('There is no Chromium on this machine');
      if (context === undefined) contexts.push(own);
      return openPage(own, `http://127.0.0.1:${sitePort}/`, server.url);
    },
    async device() {
      const db = newClient();
      devices.push(db);
      await db.connect(server.rpcUrl, { ...PLACE, reconnect: false });
      return db;
    },
    sql: (text) => runStatements(server, text),
    async close() {
      await Promise.all([...contexts, ...devices].map((opened) => opened.close()));
      site?.kill();
      await server.stop('SIGKILL');
    },
  };
}

/** Runs the commands of the page, and compares the outputs that it shows. */
async function follow(path: string, server: ServerProcess, placed: (text: string) => string): Promise<void> {
  const steps = stepsOf(path).map((step) => ({
    ...step,
    command: { ...step.command, text: placed(step.command.text) },
  }));
  const outputs = await runSteps(steps, server);
  for (const [at, { command, output }] of steps.entries()) {
    if (output === undefined) continue;
    const { language, text } = output;
    const seen = `${path}:${command.line} gives\n${outputs[at]}`;
    expect(stable(outputs[at] ?? '', language), seen).toEqual(stable(text, language));
  }
}

/** Serves the page as `docs/guides/sign-in.md` says, from a folder that has the client installed. */
async function serve(html: string, port: number): Promise<ChildProcess> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'index.html'), html);
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(resolve('node_modules/surrealdb'), join(folder, 'node_modules/surrealdb'), 'dir');
  const esbuild = spawn(resolve('node_modules/.bin/esbuild'), ['--servedir=.', `--serve=127.0.0.1:${port}`], {
    cwd: folder,
    // It serves as long as its input is open.
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  await new Promise((started, failed) => {
    esbuild.stderr.on('data', started);
    esbuild.once('close', failed);
  });
  return esbuild;
}

/** Ports that no one listens on at the moment. All are held until the last one is found, so that they differ. */
export async function freePorts(count: number): Promise<number[]> {
  const held = await Promise.all(
    Array.from({ length: count }, async () => {
      const one = createServer();
      await new Promise<void>((resolve) => one.listen(0, '127.0.0.1', resolve));
      return one;
    }),
  );
  const ports = held.map((one) => (one.address() as AddressInfo).port);
  await Promise.all(held.map((one) => new Promise((resolve) => one.close(resolve))));
  return ports;
}

async function openPage(context: BrowserContext, site: string, server: string): Promise<RecipePage> {
  const page = await context.newPage();
  // A click on what isn't there fails before the test does, and says what it was.
  page.setDefaultTimeout(15_000);
  const requests: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => {
    const { origin, pathname } = new URL(request.url());
    if (origin === server) requests.push(`${request.method()} ${pathname}`);
  });
  page.on('console', (message) => {
    const isOfRequest = message.text().startsWith('Failed to load resource');
    if (['error', 'warning'].includes(message.type()) && !isOfRequest) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(site);
  return { page, context, requests, complaints };
}

async function runStatements(server: ServerProcess, body: string): Promise<unknown[]> {
  const headers = {
    accept: 'application/json',
    'svc-ns': PLACE.namespace,
    'svc-db': PLACE.database,
    Authorization: `Basic ${Buffer.from(`${ROOT_OF_PAGES.user}:${ROOT_OF_PAGES.pass}`).toString('base64')}`,
  };
  const answer = await fetch(`${server.url}/sql`, { method: 'POST', headers, body });
  const results = (await answer.json()) as readonly { readonly status: string; readonly result: unknown }[];
  expect(answer.ok, JSON.stringify(results)).toBe(true);
  return results.map(({ status, result }) => {
    expect(status, String(result)).toBe('OK');
    return result;
  });
}

/** The faults for people who use a keyboard or a screen reader that axe finds on the page: the rule, and where. */
export async function accessFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate('axe.run({ resultTypes: ["violations"] })')) as AxeResults;
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
}

/** Gives a page an authenticator with user verification (Chromium's virtual one). */
export async function addAuthenticator(
  page: Page,
): Promise<{ readonly cdp: CDPSession; readonly authenticatorId: string }> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { cdp, authenticatorId };
}

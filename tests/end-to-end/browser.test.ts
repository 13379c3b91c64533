/** The pages of `GET /` and `GET /graphql` in a real browser. */
import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cleanUp, ROOT, type ServerProcess, startServer } from '../support/server-process.js';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(existsSync);
const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'];

const HEADERS = {
  'svc-ns': 'test',
  'svc-db': 'test',
  Authorization: `Basic ${Buffer.from(`${ROOT.user}:${ROOT.pass}`).toString('base64')}`,
};

let server: ServerProcess;
let browser: Browser | undefined;

beforeAll(async () => {
  server = await startServer('memory', { SVC_EXPERIMENTAL_GRAPHQL: 'true' });
  const setup = `DEFINE CONFIG GRAPHQL AUTO; DEFINE TABLE person SCHEMAFULL COMMENT 'Somebody' PERMISSIONS FULL;
    DEFINE FIELD name ON person TYPE string; CREATE person:ann SET name = 'Ann of the page';
    DEFINE TABLE account; CREATE account:1 SET email = 'ann@example.com', code = 'a code of Ann';
    DEFINE ACCESS account ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM account WHERE email = $email AND code = $code)`;
  const { ok } = await fetch(`${server.url}/sql`, { method: 'POST', headers: HEADERS, body: setup });
  expect(ok).toBe(true);
  if (CHROMIUM !== undefined) browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
});
afterAll(async () => {
  await browser?.close();
  await cleanUp();
});

/** The values of the elements that are found. */
const valuesOf = (found: readonly { readonly value?: string }[]) => found.map(({ value }) => value);

/** A page that keeps what it asks for and what its console says. */
async function open(browser: Browser): Promise<{ page: Page; requests: string[]; complaints: string[] }> {
  const page = await browser.newPage();
  const requests: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  return { page, requests, complaints };
}

/** Puts a text into one of the editors, as a person would who pastes it. */
async function fill(page: Page, editor: string, text: string): Promise<void> {
  await page.getByRole('textbox', { name: editor }).click();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.insertText(text);
}

const documentOf = (page: Page) => page.getByRole('textbox', { name: 'Document' });
const answersOf = (page: Page) => page.getByRole('region', { name: 'Answers' });

/** Signs in with the form of a page, as a root user. */
async function signIn(page: Page, pass: string = ROOT.pass, place = true): Promise<void> {
  await page.getByLabel('User', { exact: true }).fill(ROOT.user);
  await page.getByLabel('Password', { exact: true }).fill(pass);
  if (place) {
    await page.getByLabel('Namespace', { exact: true }).fill('test');
    await page.getByLabel('Database', { exact: true }).fill('test');
  }
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** What the browser keeps beyond the tab, and all that it was asked to open. */
async function kept(page: Page): Promise<string> {
  return String(await page.evaluate('JSON.stringify([{ ...localStorage }, document.cookie, location.href])'));
}

describe('GET /', () => {
  it('says what this is, signs in, and leads to the page of GraphQL, where one is signed in', async ({ skip }) => {
    if (browser === undefined) return skip('There is no Chromium on this machine');
    const { page, requests, complaints } = await open(browser);
    const answer = await page.goto(`${server.url}/`);
    expect(answer?.status()).toBe(200);
    expect(answer?.headers()['content-security-policy']).toMatch(
      /default-src 'none'; script-src 'self'; style-src 'self' 'nonce-/,
    );
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Tessera');
    const text = () => page.locator('body').innerText();
    expect(await text()).toContain('Surrealist');
    expect(await text()).toContain(new URL(server.url).host);

    await signIn(page, 'not the password');
    await expect.poll(() => page.getByRole('alert').innerText()).toContain('There was a problem with authentication');
    await signIn(page);
    await expect.poll(text).toContain(`Signed in as ${ROOT.user} (Root user)`);
    expect(complaints.filter((complaint) => !complaint.includes('401'))).toEqual([]);

    await page.getByRole('link', { name: 'GraphQL' }).click();
    await expect.poll(text).toContain(`Signed in as ${ROOT.user} (Root user)`);
    await expect.poll(() => documentOf(page).isVisible()).toBe(true);
    await page.goBack();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await expect.poll(() => page.getByRole('button', { name: 'Sign in' }).isVisible()).toBe(true);
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    expect(requests.filter((url) => !url.startsWith(`${server.url}/`) && !url.startsWith('data:'))).toEqual([]);
    await page.close();
  });

  it('is JSON to programs', async () => {
    const answer = await fetch(server.url);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(await answer.json()).toMatchObject({ name: 'Tessera' });
  });
});

it('the page of GraphQL opens with a form, which complains of nothing, and picks what there is', async ({ skip }) => {
  if (browser === undefined) return skip('There is no Chromium on this machine');
  const { page, requests, complaints } = await open(browser);
  await page.goto(`${server.url}/graphql`);
  await expect.poll(() => page.getByRole('button', { name: 'Sign in' }).isVisible()).toBe(true);
  expect(await documentOf(page).count()).toBe(0);
  expect(complaints).toEqual([]);

  // Namespace and database are picked afterwards, from those that there are.
  await signIn(page, ROOT.pass, false);
  // The form to sign in has fields of the same names.
  await expect.poll(() => page.locator('body').innerText()).toContain(`Signed in as ${ROOT.user}`);
  await page.getByLabel('Namespace', { exact: true }).focus();
  await expect.poll(() => page.locator('#namespaces option').evaluateAll(valuesOf)).toContain('test');
  await page.getByLabel('Namespace', { exact: true }).fill('test');
  await page.getByLabel('Database', { exact: true }).focus();
  await expect.poll(() => page.locator('#databases option').evaluateAll(valuesOf)).toContain('test');
  await page.getByLabel('Database', { exact: true }).fill('test');
  await page.getByRole('button', { name: 'Use' }).click();
  await expect.poll(() => documentOf(page).isVisible()).toBe(true);
  // It stays so when the page is loaded again, and for this tab alone.
  await page.reload();
  await expect.poll(() => documentOf(page).isVisible()).toBe(true);
  expect(await kept(page)).not.toMatch(/eyJ|Bearer|secret/);
  expect(requests.filter((url) => url.includes(ROOT.pass) || url.includes('eyJ'))).toEqual([]);
  expect(complaints).toEqual([]);
  const other = await browser.newPage();
  await other.goto(`${server.url}/graphql`);
  await expect.poll(() => other.getByRole('button', { name: 'Sign in' }).isVisible()).toBe(true);
  await other.close();
  await page.close();
});

it('signs in by a record access, with what that asks for', async ({ skip }) => {
  if (browser === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await open(browser);
  await page.goto(`${server.url}/graphql`);
  await page.getByLabel('As', { exact: true }).selectOption('Record access');
  await page.getByLabel('Access method').fill('account');
  await page.getByLabel('Namespace', { exact: true }).fill('test');
  await page.getByLabel('Database', { exact: true }).fill('test');
  const [email, code] = [0, 1].map((at) => page.getByLabel('Its value').nth(at));
  await page.getByLabel('Name of a variable').nth(1).fill('code');
  expect(await code?.getAttribute('type')).toBe('password');
  await email?.fill('ann@example.com');
  await code?.fill('a code of Ann');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect.poll(() => page.locator('body').innerText()).toContain('Signed in as account (Record access)');
  await fill(page, 'Document', '{ person { name } }');
  await page.getByRole('button', { name: 'Run' }).click();
  await expect.poll(() => answersOf(page).innerText()).toContain('Ann of the page');
  expect(complaints).toEqual([]);
  // A token that is no longer valid leads back to the form.
  await page.route('**/graphql', (route) => route.fulfill({ status: 401, body: '{}' }));
  await page.getByRole('button', { name: 'Run' }).click();
  await expect.poll(() => page.getByRole('alert').innerText()).toContain('Your sign-in has ended');
  await page.close();
});

it('lets people write queries, and loads from its own server alone', async ({ skip }) => {
  if (browser === undefined) return skip('There is no Chromium on this machine');
  const { page, requests, complaints } = await open(browser);
  await page.goto(`${server.url}/graphql`);
  await signIn(page);
  await fill(page, 'Document', '{ person { id name } }');
  await page.getByRole('button', { name: 'Run' }).click();
  await expect.poll(() => answersOf(page).innerText()).toContain('Ann of the page');

  // The schema is documented, and completes what is written.
  await page.getByRole('button', { name: 'Query', exact: true }).click();
  const heading = page.getByRole('heading', { level: 2 });
  expect(await heading.innerText()).toBe('Query');
  await page.getByRole('button', { name: '← Schema' }).click();
  await page.getByRole('searchbox').fill('person');
  await page.getByRole('button', { name: 'person', exact: true }).click();
  await expect.poll(() => page.locator('aside').innerText()).toContain('Somebody');
  await fill(page, 'Document', '{ person { na');
  await page.keyboard.press('Control+Space');
  await page.getByRole('option', { name: /^name/ }).click();
  await expect.poll(() => documentOf(page).innerText()).toContain('name');

  // Of several operations one is chosen; what was run is kept with the tab.
  await fill(page, 'Document', 'query One { person { id } }\nquery Two { person { name } }');
  await page.getByRole('combobox', { name: 'Operation' }).selectOption('Two');
  await page.getByRole('button', { name: 'Run' }).click();
  await expect.poll(() => answersOf(page).innerText()).not.toContain('"id"');
  await page.getByText('History', { exact: true }).click();
  await page.getByRole('button', { name: '{ person { id name } }' }).click();
  expect(await documentOf(page).innerText()).toBe('{ person { id name } }');
  await page.getByRole('button', { name: 'Prettify' }).click();
  expect((await documentOf(page).innerText()).split('\n')).toContain('    id');
  await page.getByText('Variables', { exact: true }).click();
  await fill(page, 'Variables', '[1]');
  await page.keyboard.press('ControlOrMeta+Enter');
  await expect.poll(() => page.getByRole('alert').innerText()).toBe('The variables must be an object.');

  expect(requests.filter((url) => !url.startsWith(`${server.url}/`) && !url.startsWith('data:'))).toEqual([]);
  expect(requests.filter((url) => url === `${server.url}/graphql`).length).toBeGreaterThan(1);
  expect(complaints).toEqual([]);
  await page.close();
});

it('has several documents in tabs, which a reload keeps', async ({ skip }) => {
  if (browser === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await open(browser);
  await page.goto(`${server.url}/graphql`);
  await signIn(page);
  const tabs = () => page.getByRole('tab').allInnerTexts();
  const openTab = () => page.getByRole('tab', { selected: true }).innerText();
  await fill(page, 'Document', 'query Names { person { name } }');
  await page.getByRole('button', { name: 'Run' }).click();
  await expect.poll(() => answersOf(page).innerText()).toContain('Ann of the page');
  await page.getByRole('button', { name: 'New tab' }).click();
  expect(await tabs()).toEqual(['Names', 'Empty']);
  expect(await answersOf(page).innerText()).toBe('');
  await fill(page, 'Document', '{ person { id } }');
  await page.getByText('Variables', { exact: true }).click();
  await fill(page, 'Variables', '{ "a": 1 }');

  // Each tab has its text, its answers, and what can be undone.
  await page.getByRole('tab', { name: 'Names' }).click();
  expect(await documentOf(page).innerText()).toBe('query Names { person { name } }');
  expect(await answersOf(page).innerText()).toContain('Ann of the page');
  await page.keyboard.press('ArrowRight');
  expect(await openTab()).toBe('{ person { id } }');
  await documentOf(page).click();
  await page.keyboard.press('ControlOrMeta+z');
  expect(await documentOf(page).innerText()).not.toContain('Names');
  await page.keyboard.press('ControlOrMeta+Shift+z');
  await expect.poll(() => documentOf(page).innerText()).toBe('{ person { id } }');

  await page.reload();
  await expect.poll(tabs).toEqual(['Names', '{ person { id } }']);
  expect(await documentOf(page).innerText()).toBe('{ person { id } }');
  await page.getByText('Variables', { exact: true }).click();
  expect(await page.getByRole('textbox', { name: 'Variables' }).innerText()).toBe('{ "a": 1 }');

  await page.getByRole('tab', { selected: true }).focus();
  await page.keyboard.press('Delete');
  expect(await tabs()).toEqual(['Names']);
  await page.getByRole('button', { name: 'Close the tab Names' }).click();
  expect(await tabs()).toEqual(['Empty']);
  expect(complaints).toEqual([]);
  await page.close();
});

it('subscribes over a WebSocket, with the headers as the payload of the connection', async ({ skip }) => {
  if (browser === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await open(browser);
  const address = `${server.url.replace('http', 'ws')}/graphql`;
  const received: { type: string; id?: string; payload?: unknown }[] = [];
  await page.routeWebSocket(address, (socket) => {
    const send = (message: object) => socket.send(JSON.stringify(message));
    socket.onMessage((text) => {
      const message = JSON.parse(String(text));
      received.push(message);
      if (message.type === 'connection_init') send({ type: 'connection_ack' });
      if (message.type !== 'subscribe') return;
      send({ type: 'next', id: message.id, payload: { data: { person: { name: 'Eve of the socket' } } } });
      send({ type: 'complete', id: message.id });
    });
  });
  await page.goto(`${server.url}/graphql`);
  await signIn(page);
  // What is written in the editor for headers counts before the sign-in.
  await page.getByText('Headers', { exact: true }).click();
  await fill(page, 'Headers', JSON.stringify(HEADERS));
  await fill(page, 'Document', 'subscription { person { name } }');
  await page.getByRole('button', { name: 'Run' }).click();
  await expect.poll(() => answersOf(page).innerText()).toContain('Eve of the socket');
  expect(received).toMatchObject([{ type: 'connection_init', payload: HEADERS }, { type: 'subscribe' }]);

  // What stands in for the server here isn't held to the policy of the page. Another socket of the same server is.
  const opens =
    "new Promise((resolve) => { new WebSocket(location.origin.replace('http', 'ws') + '/rpc').onopen = resolve })";
  await page.evaluate(`${opens}.then(() => true)`);
  expect(complaints.filter((text) => text.includes('Content Security Policy'))).toEqual([]);
  await page.close();
});

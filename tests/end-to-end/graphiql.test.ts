/** The page of `GET /graphql` in a real browser. */
import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cleanUp, ROOT, type ServerProcess, startServer } from './server.js';

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
  const setup = `DEFINE CONFIG GRAPHQL AUTO; DEFINE TABLE person SCHEMAFULL COMMENT 'Somebody'; DEFINE FIELD name ON person TYPE string;
    CREATE person:ann SET name = 'Ann of the page'`;
  const { ok } = await fetch(`${server.url}/sql`, { method: 'POST', headers: HEADERS, body: setup });
  expect(ok).toBe(true);
  if (CHROMIUM !== undefined) browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
});
afterAll(async () => {
  await browser?.close();
  await cleanUp();
});

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
  await page.locator(`${editor} .CodeMirror`).filter({ visible: true }).click();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.insertText(text);
}

it('lets people write queries, and asks nobody but its own server', async ({ skip }) => {
  if (browser === undefined) return skip('There is no Chromium on this machine');
  const { page, requests, complaints } = await open(browser);
  await page.goto(`${server.url}/graphql`);
  const headers = page.locator('.graphiql-editor-tool');
  await expect.poll(() => headers.innerText()).toMatch(/svc-ns.*svc-db.*Authorization/s);

  await fill(page, '.graphiql-editor-tool', JSON.stringify(HEADERS));
  await fill(page, '.graphiql-query-editor', '{ person { id name } }');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Execute query' }).click();
  const result = page.locator('.graphiql-response');
  await expect.poll(() => result.innerText()).toContain('Ann of the page');

  // The schema is read anew with the headers, and shown; the dialogs bring styles of their own along.
  await page.getByRole('button', { name: 'Re-fetch GraphQL schema' }).click();
  await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
  const explorer = page.locator('.graphiql-doc-explorer');
  await expect.poll(() => explorer.innerText()).toContain('Query');
  await page.getByRole('button', { name: 'Open settings dialog' }).click();
  await expect.poll(() => page.getByRole('dialog').innerText()).toContain('Settings');

  expect(requests.filter((url) => !url.startsWith(`${server.url}/`) && !url.startsWith('data:'))).toEqual([]);
  expect(requests.filter((url) => url === `${server.url}/graphql`).length).toBeGreaterThan(2);
  // Before anybody had filled the headers in, the server said what is missing.
  expect(complaints.filter((text) => !text.includes('400 (Bad Request)'))).toEqual([]);
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
  await fill(page, '.graphiql-editor-tool', JSON.stringify(HEADERS));
  await fill(page, '.graphiql-query-editor', 'subscription { person { name } }');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Execute query' }).click();
  await expect.poll(() => page.locator('.graphiql-response').innerText()).toContain('Eve of the socket');
  expect(received).toMatchObject([{ type: 'connection_init', payload: HEADERS }, { type: 'subscribe' }]);

  // What stands in for the server here isn't held to the policy of the page. Another socket of the same server is.
  const opens =
    "new Promise((resolve) => { new WebSocket(location.origin.replace('http', 'ws') + '/rpc').onopen = resolve })";
  await page.evaluate(`${opens}.then(() => true)`);
  expect(complaints.filter((text) => text.includes('Content Security Policy'))).toEqual([]);
  await page.close();
});

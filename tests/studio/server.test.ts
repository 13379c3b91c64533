/** The server's figures and the page of GraphQL in the Studio, and who may frame which page. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isInTurn } from '../support/runs-all.js';
import { temporaryFolder } from '../support/server-process.js';
import { databaseUser, type Studio, startStudio, textOf, type User } from './browser.js';

// In turns with other long tests.
const inTurn = it.skipIf(!isInTurn(1));

const SETUP = `DEFINE USER viewer ON ROOT PASSWORD 'a view of it' ROLES VIEWER;
  DEFINE USER keeper ON DATABASE PASSWORD 'a key to it' ROLES OWNER;
  DEFINE TABLE song SCHEMAFULL;
  DEFINE FIELD title ON song TYPE string;
  DEFINE CONFIG GRAPHQL AUTO`;

let studio: Studio | undefined;
beforeAll(async () => {
  studio = await startStudio(SETUP, { SVC_EXPERIMENTAL_GRAPHQL: 'true' }, temporaryFolder());
});
afterAll(() => studio?.close());

inTurn(
  'draws the figures with their words, and lists nodes and settings, for a viewer of the root',
  async ({ skip }) => {
    if (studio === undefined) return skip('There is no Chromium on this machine');
    const viewer: User = { level: 'root', name: 'viewer', credentials: { user: 'viewer', pass: 'a view of it' } };
    const { page, requests, complaints } = await studio.tab('server', viewer);
    const chart = (name: string) => page.getByRole('img', { name: new RegExp(`^${name}: Now`) });
    await expect.poll(() => chart('Memory').count(), { timeout: 20_000 }).toBe(1);
    expect(await chart('Memory').getAttribute('aria-label')).toMatch(/Now \d+\.\d MiB, lowest .* highest .* MiB/);
    expect(await chart('Requests').getAttribute('aria-label')).toMatch(/Now \d+(\.\d)?\/s/);
    expect(await chart('Signed-in sessions').getAttribute('aria-label')).toMatch(/highest [1-9]/);
    expect(await chart('Size of the store').getAttribute('aria-label')).toMatch(/iB/);
    await expect.poll(() => page.getByRole('row').filter({ hasText: '(this one)' }).count()).toBe(1);
    await expect.poll(() => page.getByRole('row').filter({ hasText: 'GRAPHQL' }).count()).toBe(1);
    expect(requests.filter((url) => url.includes('eyJ'))).toEqual([]);
    expect(complaints).toEqual([]);
  },
);

inTurn('asks for no metrics as a user of a database', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, requests } = await studio.tab('server', databaseUser('keeper', 'a key to it'));
  await expect.poll(() => textOf(page)).toContain('Users of the root see metrics and nodes.');
  await expect.poll(() => page.getByRole('row').filter({ hasText: 'GRAPHQL' }).count()).toBe(1);
  expect(requests.filter((url) => url.endsWith('/metrics'))).toEqual([]);
});

inTurn('lists events that failed, runs them again and discards them, for owners of the database', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  await studio.sql(`DEFINE TABLE job; CREATE closed:1 SET yes = true;
    DEFINE EVENT ring ON job ASYNC RETRY 0 THEN { IF closed:1.yes { THROW 'the bell is off' }; CREATE rung };
    CREATE job:1; CREATE job:2`);
  const { page, complaints } = await studio.tab('server', databaseUser('keeper', 'a key to it'));
  const rows = page.getByRole('row').filter({ hasText: 'the bell is off' });
  const reload = page.getByRole('button', { name: 'Load again: failed events' });
  await expect.poll(async () => reload.click().then(() => rows.count())).toBe(2);
  expect(await rows.first().innerText()).toMatch(/ring on job\s+CREATE job:[12]/);
  await page.getByRole('button', { name: 'Discard event 1' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
  await expect.poll(() => rows.count()).toBe(1);
  await studio.sql('UPDATE closed:1 SET yes = false');
  await page.getByRole('button', { name: 'Run event 2 again' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Run again' }).click();
  await expect.poll(() => textOf(page)).toContain('No asynchronous event has failed');
  expect(complaints).toEqual([]);
  const viewer: User = { level: 'root', name: 'viewer', credentials: { user: 'viewer', pass: 'a view of it' } };
  const other = await studio.tab('server', viewer);
  await expect.poll(() => textOf(other.page)).toContain('owners of the database');
});

inTurn('frames the page of GraphQL, signed in, and signs out with it', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, requests, complaints } = await studio.tab('graphql');
  const frame = page.frameLocator('iframe[title="GraphQL"]');
  await expect.poll(() => frame.getByRole('textbox', { name: 'Document' }).isVisible()).toBe(true);
  expect(requests.filter((url) => url.includes('eyJ'))).toEqual([]);
  expect(complaints).toEqual([]);
  // The Studio says above the frame who is signed in; what ends it in the frame ends it here.
  expect(await frame.locator('#sign-in').textContent()).toContain('Signed in as root');
  expect(await frame.locator('#sign-in').isVisible()).toBe(false);
  await frame.locator('body').evaluate(() => Reflect.get(globalThis, 'sessionStorage').clear());
  await expect.poll(() => page.getByRole('heading', { name: 'Tessera Studio' }).isVisible()).toBe(true);
});

it.each([
  ['/', 'none', 'none'],
  ['/studio', 'none', 'self'],
  ['/graphql', 'self', 'none'],
])('%s may be framed by %s, and frames %s', async (path, ancestors, frames) => {
  if (studio === undefined) return;
  const answer = await fetch(studio.server.url + path, { headers: { accept: 'text/html' } });
  const policy = answer.headers.get('content-security-policy') ?? '';
  expect(policy).toContain(`frame-ancestors '${ancestors}'`);
  expect(policy).toContain(`frame-src '${frames}'`);
});

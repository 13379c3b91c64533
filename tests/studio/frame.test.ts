/** The frame: addresses, the command palette, the database switcher, the appearance, and other tabs. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ROOT } from '../support/server-process.js';
import { goTo, PLACE, type Studio, seriousFaults, signIn, signOut, startStudio } from './browser.js';

const SETUP = `DEFINE TABLE person; CREATE person:ann SET age = 40; CREATE person:bob SET age = 20;
  DEFINE NAMESPACE other; USE NS other; DEFINE DATABASE archive`;

let studio: Studio | undefined;
beforeAll(async () => {
  studio = await startStudio(SETUP);
});
afterAll(() => studio?.close());

const heading = (page: Page) => page.getByRole('heading', { level: 1 }).innerText();

/** A tab of its own, which is no copy of the one that opens it. */
async function openTab(page: Page, address: string): Promise<Page> {
  const [tab] = await Promise.all([
    page.context().waitForEvent('page'),
    page.evaluate(`void open(${JSON.stringify(address)}, '_blank', 'noopener')`),
  ]);
  return tab;
}

it('names namespace, database, view and filter in the address, and follows it', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await studio.tab('explore/table/person');
  await expect.poll(() => page.url()).toMatch(/#\/explore\/table\/person\?namespace=test&database=test$/);
  await page.getByLabel('Filter').fill('age > 30');
  await page.getByRole('button', { name: 'Apply' }).click();
  await expect.poll(() => page.url()).toContain('&filter=age+%3E+30');
  await expect.poll(() => page.getByRole('grid').getAttribute('aria-rowcount')).toBe('2');
  await page.goBack();
  await expect.poll(() => page.getByRole('grid').getAttribute('aria-rowcount')).toBe('3');
  await goTo(page, 'explore?namespace=other&database=archive');
  await expect.poll(() => heading(page)).toBe('Explore archive');
  await goTo(page, `explore?namespace=${PLACE.namespace}&database=${PLACE.database}`);
  await expect.poll(() => heading(page)).toBe('Explore test');
  expect(complaints).toEqual([]);
});

it('opens a record, a table and a view by the command palette', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await studio.tab();
  await expect.poll(() => heading(page)).toBe('Explore test');
  const choose = async (text: string, found: string) => {
    await page.keyboard.press('ControlOrMeta+K');
    await page.getByRole('textbox', { name: 'Find or do something' }).fill(text);
    await expect.poll(() => page.getByRole('button', { name: found, exact: true }).isVisible()).toBe(true);
    await page.keyboard.press('Enter');
  };
  await choose('person:ann', 'Open person:ann');
  await expect.poll(() => heading(page)).toBe('person:ann');
  await choose('pers', 'person');
  await expect.poll(() => heading(page)).toBe('person');
  await choose('attempts', 'People: Sign-in attempts');
  await expect
    .poll(() => page.getByRole('tab', { name: 'Sign-in attempts' }).getAttribute('aria-selected'))
    .toBe('true');
  expect(complaints).toEqual([]);
});

it('switches to another database, and makes one that says what to do first', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await studio.tab();
  const choose = async (typed: string, option: string) => {
    await page.getByRole('button', { name: /^Database: / }).click();
    await page.getByLabel('Find a database').fill(typed);
    await page.getByRole('option', { name: option }).click();
  };
  await choose('arch', 'other / archive');
  await expect.poll(() => heading(page)).toBe('Explore archive');
  await choose('other / fresh', 'Create other / fresh');
  await expect.poll(() => heading(page)).toBe('Explore fresh');
  expect(await studio.sql('USE NS other; INFO FOR NS')).toMatchObject([
    expect.anything(),
    { databases: { fresh: expect.anything() } },
  ]);
  expect(await seriousFaults(page)).toEqual([]);
  await page.getByRole('link', { name: 'Define the first table' }).click();
  await page.getByRole('complementary', { name: 'New table' }).waitFor();
  await page.keyboard.press('Escape');
  await choose('', 'test / test');
  await expect.poll(() => page.url()).toContain('namespace=test&database=test');
  expect(complaints).toEqual([]);
});

it('is light, dark or of high contrast, and stays so', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await studio.tab('explore/table/person');
  const look = () =>
    page.evaluate(
      `(({ contrast, mantineColorScheme }) => [contrast, mantineColorScheme].join())(document.documentElement.dataset)`,
    );
  await page.getByRole('grid').getByRole('link', { name: 'person:ann' }).waitFor();
  await page.getByRole('button', { name: /^Account of / }).click();
  await page.getByRole('menuitemcheckbox', { name: 'High contrast' }).click();
  await page.keyboard.press('Escape');
  for (const [title, scheme] of [
    ['Light', 'light'],
    ['Dark', 'dark'],
  ] as const) {
    await page.getByRole('button', { name: /^Account of / }).click();
    await page.getByRole('menuitemradio', { name: title }).click();
    await page.keyboard.press('Escape');
    await expect.poll(look).toBe(`more,${scheme}`);
    await expect.poll(() => page.getByRole('menu').count()).toBe(0);
    expect([scheme, await seriousFaults(page)]).toEqual([scheme, []]);
  }
  await page.reload();
  await expect.poll(look).toBe('more,dark');
  await page.getByRole('button', { name: 'Narrow the side bar' }).click();
  await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Schema', exact: true }).click();
  await expect.poll(() => heading(page)).toBe('Schema of test');
  expect(await seriousFaults(page)).toEqual([]);
  expect(complaints).toEqual([]);
});

it('takes back what was removed', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await studio.tab('query');
  await page.getByLabel('Statements').fill('RETURN 1');
  await page.getByLabel('Name', { exact: true }).fill('mine');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('button', { name: 'Remove mine' }).click();
  await expect.poll(() => page.getByRole('button', { name: 'mine', exact: true }).count()).toBe(0);
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => page.getByRole('button', { name: 'mine', exact: true }).count()).toBe(1);
  expect(complaints).toEqual([]);
});

it('signs a new tab in as another one is, and none after that has signed out', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await studio.open();
  await signIn(page);
  const second = await openTab(page, '/studio#/schema');
  await expect.poll(() => heading(second)).toBe('Schema of test');
  const stored = await second.evaluate('JSON.stringify([{ ...localStorage }, document.cookie, location.href])');
  expect(String(stored)).not.toMatch(/eyJ|Bearer/);
  await signOut(second);
  await signOut(page);
  const third = await openTab(page, '/studio');
  await third.getByRole('button', { name: 'Sign in' }).waitFor();
  // The time in which an answer counts is over.
  await expect.poll(() => third.evaluate('performance.now() > 2000')).toBe(true);
  expect(await third.evaluate('sessionStorage.length')).toBe(0);
  expect(complaints).toEqual([]);
  await page.context().close();
});

/** Script of a page that asks the other tabs for their token, and shows the answer as its title. */
const ASKS = `<title></title><script>
  const channel = new BroadcastChannel('tessera:sign-in');
  channel.onmessage = ({ data }) => { document.title = JSON.stringify(data) };
  channel.postMessage({ kind: 'ask' });
  setTimeout(() => { document.title ||= 'silence' }, 1000);
</script>`;

it('sends no token to the page of an endpoint of DEFINE API, which is of the same server', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page } = await studio.open();
  await signIn(page);
  await studio.sql(
    `DEFINE API OVERWRITE '/asks' FOR get THEN { { headers: { 'content-type': 'text/html' }, body: ${JSON.stringify(ASKS)} } }`,
  );
  const tab = await openTab(page, 'about:blank');
  const authorization = `Basic ${Buffer.from(`${ROOT.user}:${ROOT.pass}`).toString('base64')}`;
  await tab.setExtraHTTPHeaders({ authorization });
  await tab.goto(`${studio.server.url}/api/${PLACE.namespace}/${PLACE.database}/asks`);
  await expect.poll(() => tab.title()).toBe('silence');
  await page.context().close();
});

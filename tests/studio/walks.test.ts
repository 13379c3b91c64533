/** Every view as a viewer of the database, as a record user and as a guest: what they may see, and words where they may not. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { drawn, RUNS_ALL } from '../support/runs-all.js';
import { temporaryFolder } from '../support/server-process.js';
import { databaseUser, goTo, openView, PLACE, type Studio, startStudio, type User } from './browser.js';

const SETUP = `DEFINE TABLE song PERMISSIONS FOR select WHERE owner = $auth.id;
  DEFINE TABLE account PERMISSIONS FOR select WHERE id = $auth.id;
  CREATE account:ann, account:bob; CREATE song:1 SET owner = account:ann; CREATE song:2 SET owner = account:bob;
  DEFINE ACCESS account ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM type::record('account', $name)) WITH REFRESH;
  DEFINE USER viewer ON DATABASE PASSWORD 'a view of it' ROLES VIEWER;
  DEFINE CONFIG GRAPHQL AUTO`;

/** Both of them, or the one that the commit draws. */
const STORES = ['memory', 'disk'].filter((_, at) => RUNS_ALL || at === drawn('studio walks') % 2);

/** What a view says, by its title, or the name of a tab in People. */
type Walk = Readonly<Record<string, RegExp>>;

const VIEWER: Walk = {
  Schema: /DEFINE TABLE song/,
  Permissions: /WHERE owner = \$auth\.id[\s\S]*See what another user sees/,
  Users: /viewer\s+database test\/test/,
  'Access methods': /account[\s\S]*Record users come in by it/,
  'Record users': /Its clauses don’t name a table/,
  Sessions: /viewer \(this one\)/,
  'Sign-in attempts': /You may not see this: it is for owners\./,
  'Audit log': /You may not see this: it is for owners\./,
  Server: /Users of the root see metrics and nodes[\s\S]*database test\/test/,
};

const RECORD: Walk = { People: /account:ann \(this one\)/ };

const RECORD_USER: User = {
  level: 'record',
  name: 'account',
  credentials: { NS: PLACE.namespace, DB: PLACE.database, AC: 'account', name: 'ann' },
};

describe.each(STORES)('on a store in %s', (store) => {
  let studio: Studio | undefined;
  beforeAll(async () => {
    const environment = { SVC_EXPERIMENTAL_GRAPHQL: 'true' };
    studio = await startStudio(SETUP, environment, store === 'memory' ? 'memory' : temporaryFolder());
  });
  afterAll(() => studio?.close());

  it.each([
    ['a viewer', databaseUser('viewer', 'a view of it'), VIEWER, ['song:1', 'song:2']],
    ['a record user', RECORD_USER, RECORD, ['song:1']],
  ] as const)('walks through every view as %s', async (_, user, walk, songs) => {
    if (studio === undefined) return;
    const { page, complaints } = await studio.tab('explore', user);
    const main = page.locator('main');
    await page.getByRole('complementary').getByRole('link', { name: 'song', exact: true }).click();
    const links = page.getByRole('grid').getByRole('link', { name: /^song:/ });
    await expect.poll(() => links.allInnerTexts()).toEqual(songs);
    await links.first().click();
    await expect.poll(() => page.getByRole('heading', { level: 1 }).innerText()).toBe('song:1');
    await expect.poll(() => main.innerText()).toContain('account:ann');

    await openView(page, 'Query');
    await page.getByLabel('Statements').fill('SELECT VALUE id FROM song; UPDATE song SET stolen = true; INFO FOR ROOT');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const first = page.getByRole('region', { name: 'Result 1' });
    await expect.poll(() => first.getByRole('link').allInnerTexts()).toEqual(songs);
    expect(await page.getByRole('alert').last().innerText()).toMatch(/permissions/i);

    for (const [title, says] of Object.entries(walk)) {
      const tab = page.getByRole('tab', { name: title, exact: true });
      if (title === 'Users') await openView(page, 'People');
      else if (await tab.isVisible()) await tab.click();
      else await openView(page, title);
      await expect.poll(() => main.innerText(), { message: title }).toMatch(says);
      await expect.poll(() => main.innerText(), { message: title }).not.toMatch(/Loading…|has failed|IAM error/);
    }
    await openView(page, 'GraphQL');
    const frame = page.frameLocator('iframe[title="GraphQL"]');
    await expect.poll(() => frame.getByRole('textbox', { name: 'Document' }).isVisible()).toBe(true);
    expect(await frame.locator('#sign-in').textContent()).toContain('Signed in as');
    expect(await studio.sql('SELECT VALUE stolen FROM song')).toEqual([[null, null]]);
    expect(complaints).toEqual([]);
  });

  it('says to a guest where guests may not look', async ({ skip }) => {
    if (studio === undefined) return skip('There is no Chromium on this machine');
    const { page } = await studio.tab('explore', 'nobody');
    await page.getByLabel('As', { exact: true }).selectOption('Guest, without signing in');
    await page.getByLabel('Namespace', { exact: true }).fill(PLACE.namespace);
    await page.getByLabel('Database', { exact: true }).fill(PLACE.database);
    await page.getByRole('button', { name: 'Go on' }).click();
    // This server lets no guests query.
    await expect.poll(() => page.locator('main').innerText()).toMatch(/it is for users who sign in/);
    const views = page.getByRole('navigation', { name: 'Views' }).getByRole('link');
    await expect.poll(() => views.allInnerTexts()).toEqual(['Explore', 'Files', 'Query', 'GraphQL']);
    for (const view of ['schema', 'people', 'server']) {
      await goTo(page, view);
      await page.getByText('System users see this page.').waitFor();
    }
  });
});

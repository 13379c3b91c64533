/** A stranger's first minute: from an empty server to a table with two users and a rule that works, without a statement that is typed. */
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isInTurn } from '../support/runs-all.js';
import { cleanUp, type ServerProcess, startFreshServer } from '../support/server-process.js';
import { atLeast } from '../support/timeouts.js';
import { openPage, startBrowser } from './browser.js';

// In turns with other long tests.
const inTurn = it.skipIf(!isInTurn(5));

let browser: Awaited<ReturnType<typeof startBrowser>>;
let server: ServerProcess | undefined;
beforeAll(async () => {
  [browser, server] = await Promise.all([startBrowser(), startFreshServer()]);
});
afterAll(cleanUp);

/** What a user does, counted: a click, a choice, or a field that is filled. */
class Steps {
  count = 0;
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  async click(role: 'button' | 'link' | 'option' | 'tab', name: string | RegExp, within: Page | Locator = this.#page) {
    this.count++;
    await within.getByRole(role, { name, exact: true }).last().click();
  }

  async fill(label: string, text: string) {
    this.count++;
    // Lists of suggestions have the labels of their fields.
    const fields = this.#page.locator('input, textarea');
    await fields
      .and(this.#page.getByLabel(label, { exact: true }))
      .last()
      .fill(text);
  }

  async choose(label: string, option: string) {
    this.count++;
    await this.#page.getByLabel(label, { exact: true }).last().selectOption(option);
  }
}

/** What a program of one of the users reads. */
async function readAs(url: string, email: string): Promise<unknown> {
  const headers = { accept: 'application/json' };
  const signIn = { ns: 'shop', db: 'notes', ac: 'account', email, password: `the words of ${email}` };
  const answer = await fetch(`${url}/signin`, { method: 'POST', headers, body: JSON.stringify(signIn) });
  const { token } = (await answer.json()) as { readonly token: string };
  const read = await fetch(`${url}/sql`, {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${token}` },
    body: 'SELECT VALUE text FROM note; UPDATE note SET text = "changed" RETURN VALUE text',
  });
  return ((await read.json()) as readonly { readonly result: unknown }[]).map(({ result }) => result);
}

inTurn(
  'makes a table, two users and a rule in at most 50 steps, none of them a statement',
  { timeout: atLeast(90_000) },
  async ({ skip }) => {
    if (browser === undefined || server === undefined) return skip('There is no Chromium on this machine');
    await expect.poll(() => server?.log()).toMatch(/with the code \w{32}/);
    const [, code = ''] = /with the code (\w{32})/.exec(server.log()) ?? [];
    const { page, complaints } = await openPage(browser, server.url);
    const steps = new Steps(page);
    const saved = () => page.getByRole('region', { name: 'Changes that are not saved' }).waitFor({ state: 'detached' });

    await steps.fill('Code', code);
    await steps.fill('User', 'admin');
    await steps.fill('Password', 'a password of it');
    await steps.click('button', /^(Make|Create)/);
    await steps.click('button', /^Database: /);
    await steps.fill('Find a database', 'shop / notes');
    await steps.click('option', /Create shop \/ notes/);

    // Users can sign up, and two of them are there.
    await steps.click('link', 'People');
    await steps.click('tab', 'Access methods');
    await steps.click('button', 'Set up sign-up');
    await steps.click('button', 'Set it up');
    await steps.click('button', 'Done');
    await steps.click('link', 'Explore');
    await steps.click('link', 'user');
    for (const name of ['ann', 'bob']) {
      await steps.click('button', 'New row');
      await steps.fill('email', `${name}@example.com`);
      await steps.fill('password', `the words of ${name}@example.com`);
      await steps.click('button', 'Keep');
    }
    await steps.click('button', 'Save 2 changes');
    await saved();

    // A table of notes, each of which its owner alone reads and changes.
    await steps.click('link', 'Schema');
    await steps.click('link', 'Designer');
    await steps.click('button', 'New table');
    await steps.choose('Rule for users of the app', 'Each user their own rows');
    await expect.poll(() => page.getByRole('combobox', { name: 'Users are records of' }).inputValue()).toBe('user');
    await steps.fill('Name', 'note');
    await steps.click('button', 'Keep');
    await steps.fill('Path', 'text');
    await steps.click('button', 'Keep');
    await steps.click('button', 'Save 3 changes');
    await saved();
    await page.getByRole('button', { name: 'text string', exact: true }).waitFor();
    await steps.click('link', 'Explore');
    await steps.click('link', 'note');
    for (const name of ['ann', 'bob']) {
      await steps.click('button', 'New row');
      await steps.fill('owner', name);
      await steps.click('option', new RegExp(`${name}@example\\.com`));
      await steps.fill('text', `Of ${name}`);
      await steps.click('button', 'Keep');
    }
    await steps.click('button', 'Save 2 changes');
    await saved();

    // It works: in the Studio, as each of them would see it, and for a program.
    await steps.click('link', 'People');
    await steps.click('tab', 'Record users');
    const row = page.getByRole('row').filter({ hasText: 'ann@example.com' });
    await steps.click('button', /^View as/, row);
    await steps.click('link', 'Explore');
    await steps.click('link', 'note');
    await expect.poll(() => page.getByRole('grid').innerText()).toContain('Of ann');
    expect(await page.getByRole('grid').innerText()).not.toContain('Of bob');
    expect(await readAs(server.url, 'bob@example.com')).toEqual([['Of bob'], ['changed']]);
    expect(await readAs(server.url, 'ann@example.com')).toEqual([['Of ann'], ['changed']]);
    expect(steps.count).toBeLessThanOrEqual(50);
    expect(complaints).toEqual([]);
    await page.close();
  },
);

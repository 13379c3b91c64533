/** From an empty database to two users and a rule that works, without typing a statement. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newClient } from '../support/official-client.js';
import { isInTurn } from '../support/runs-all.js';
import { goTo, PLACE, type Studio, startStudio, textOf } from './browser.js';

// In turns with other long tests.
const inTurn = it.skipIf(!isInTurn(5));

let studio: Studio | undefined;
beforeAll(async () => {
  studio = await startStudio('RETURN 1');
});
afterAll(() => studio?.close());

/** What the dialog shows for curl, sent: the status and the token of the answer. */
async function send(command: string, email: string): Promise<{ readonly status: number; readonly token: string }> {
  const [, address = ''] = /^curl -s '([^']+)'/.exec(command) ?? [];
  const [, body = ''] = /-d '([^']+)'/.exec(command) ?? [];
  const answer = await fetch(address, {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: body.replace('ann@example.com', email),
  });
  const { token } = (await answer.json()) as { readonly token: string };
  return { status: answer.status, token };
}

function readAs(token = ''): Promise<Response> {
  return fetch(`${studio?.server.url}/sql`, {
    method: 'POST',
    headers: { accept: 'application/json', authorization: `Bearer ${token}` },
    body: 'SELECT VALUE email FROM user',
  });
}

inTurn(
  'sets up sign-up, and lets two users in, who see themselves alone',
  async ({ skip }) => {
    if (studio === undefined) return skip('There is no Chromium on this machine');
    const { page, complaints } = await studio.tab('people/accesses');
    const main = page.getByRole('main');
    await main.getByText('There are no access methods at these levels').waitFor();
    await main.getByRole('button', { name: 'Set up sign-up' }).last().click();
    const dialog = page.getByRole('dialog');
    await expect.poll(() => dialog.innerText()).toContain('DEFINE ACCESS account ON DATABASE TYPE RECORD');
    await dialog.getByLabel('Users sign in with').selectOption('A passkey');
    await expect.poll(() => dialog.innerText()).toContain('DOMAIN "localhost"');
    await dialog.getByLabel('Users sign in with').selectOption('E-mail and password');
    await dialog.getByLabel('Tokens last').fill('soon');
    await expect.poll(() => dialog.getByRole('status').innerText()).toContain('“soon” is no duration');
    await dialog.getByLabel('Tokens last').fill('30m');
    await dialog.getByRole('button', { name: 'Set it up' }).click();
    await dialog.getByRole('heading', { name: 'Users can sign up' }).waitFor();
    const curl = await dialog.getByRole('region', { name: 'curl' }).locator('pre').innerText();
    const [signUp = ''] = curl.split('\ncurl').map((command) => command.trim());
    expect(await dialog.getByRole('button', { name: /^Copy: / }).count()).toBe(3);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await expect.poll(() => textOf(page)).toContain('Tokens last 30m.');

    const [ann] = await Promise.all(['ann@example.com', 'bob@example.com'].map((email) => send(signUp, email)));
    expect(ann?.status).toBe(200);
    expect(await studio.sql('(SELECT VALUE email FROM user ORDER BY email)')).toEqual([
      ['ann@example.com', 'bob@example.com'],
    ]);
    const seen = await readAs(ann?.token);
    expect(await seen.json()).toMatchObject([{ status: 'OK', result: ['ann@example.com'] }]);

    const app = newClient();
    await app.connect(`${studio.server.url.replace('http', 'ws')}/rpc`, { authentication: ann?.token ?? '', ...PLACE });
    await goTo(page, 'people/records');
    const rowOf = (email: string) => page.getByRole('row').filter({ hasText: email });
    await expect.poll(() => rowOf('@example.com').count()).toBe(2);
    await main.getByLabel('Id or e-mail').fill('BOB@');
    await main.getByRole('button', { name: 'Search', exact: true }).click();
    await expect
      .poll(() => rowOf('@example.com').allInnerTexts())
      .toEqual([expect.stringContaining('bob@example.com')]);
    await main.getByLabel('Id or e-mail').fill('ann');
    await main.getByRole('button', { name: 'Search', exact: true }).click();
    await rowOf('ann@')
      .getByRole('button', { name: /^Sign out/ })
      .click();
    await dialog.getByRole('button', { name: 'Sign out everywhere' }).click();
    await expect.poll(() => dialog.count()).toBe(0);
    await expect.poll(() => rowOf('ann@').innerText()).toMatch(/ann@example\.com\s+0\s/);
    expect((await readAs(ann?.token)).status).toBe(401);
    await app.close();
    await rowOf('ann@')
      .getByRole('button', { name: /^View as/ })
      .click();
    await page.getByRole('region', { name: 'View as another user' }).waitFor();
    await goTo(page, 'explore/table/user');
    await expect
      .poll(() =>
        page
          .getByRole('grid')
          .getByRole('link', { name: /^user:/ })
          .count(),
      )
      .toBe(1);
    await page.getByRole('region', { name: 'View as another user' }).getByRole('button').click();

    await goTo(page, 'people/users');
    await main.getByRole('button', { name: 'Set up sign-up' }).click();
    await expect
      .poll(() => dialog.getByRole('status').innerText())
      .toContain('There is a table user and an access method account already');
    expect(await dialog.getByRole('button', { name: 'Set it up' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Table of users').fill('member');
    await expect
      .poll(() => dialog.getByRole('status').innerText())
      .toContain('There is an access method account already');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(complaints).toEqual([]);
  },
  60_000,
);

/** People in the Studio: users, access methods, grants and sessions, with script in every name. */
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isInTurn } from '../support/runs-all.js';
import { type Studio, signIn, startStudio, textOf, type User } from './browser.js';

// In turns with other long tests.
const inTurn = it.skipIf(!isInTurn(5));

const HOSTILE = '<img src=x onerror=alert(1)>';
const SETUP = `DEFINE USER viewer ON ROOT PASSWORD 'a view of it' ROLES VIEWER;
  DEFINE USER \`${HOSTILE}\` ON DATABASE PASSWORD 'any at all' ROLES EDITOR COMMENT '${HOSTILE}';
  CREATE account:1;
  DEFINE ACCESS \`${HOSTILE}\` ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM account WHERE x = '${HOSTILE}') WITH REFRESH
    COMMENT '${HOSTILE}';
  DEFINE ACCESS machine ON DATABASE TYPE BEARER FOR USER DURATION FOR GRANT 90d;
  DEFINE ACCESS devices ON DATABASE TYPE BEARER FOR RECORD;
  DEFINE ACCESS partner ON DATABASE TYPE JWT ALGORITHM HS256 KEY 'a secret of at least 32 characters'
    REQUIRE ISSUER 'https://partner.example' AUDIENCE 'shop'`;

const folder = mkdtempSync(join(tmpdir(), 'tessera-people-'));
const auditLog = join(folder, 'audit.log');

let studio: Studio | undefined;
beforeAll(async () => {
  studio = await startStudio(SETUP, { SVC_AUDIT_LOG: auditLog });
});
afterAll(async () => {
  await studio?.close();
  rmSync(folder, { recursive: true, force: true });
});

const VIEWER: User = {
  level: 'root',
  name: 'viewer',
  credentials: { user: 'viewer', pass: 'a view of it' },
};

const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });

inTurn('adds, changes and removes a user, and keeps no password', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await studio.tab('people/users');
  await expect.poll(() => rowOf(page, HOSTILE).count()).toBe(1);
  expect(await page.locator('img').count()).toBe(0);

  const name = 'ann` \\"<script>alert(1)</script>';
  const password = 'a "new" \\ password\'';
  await page.getByRole('button', { name: 'Add a user' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name', { exact: true }).fill(name);
  await dialog.getByLabel('Password', { exact: true }).fill(password);
  expect(await dialog.getByLabel('Password', { exact: true }).getAttribute('type')).toBe('password');
  await dialog.getByLabel('Sessions last').fill('12h; REMOVE USER viewer ON ROOT');
  await dialog.getByRole('button', { name: 'Add the user' }).click();
  await expect.poll(() => dialog.getByRole('alert').innerText()).toContain('is no duration');
  await dialog.getByLabel('Sessions last').fill('12h');
  await dialog.getByRole('button', { name: 'Add the user' }).click();
  await expect.poll(() => rowOf(page, name).innerText()).toMatch(/database test\/test\s+Viewer\s+1h\s+12h/);

  const signedIn = await fetch(`${studio.server.url}/signin`, {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: JSON.stringify({ NS: 'test', DB: 'test', user: name, pass: password }),
  });
  expect(signedIn.status).toBe(200);
  expect(String(await page.evaluate('JSON.stringify([{ ...sessionStorage }, location.href])'))).not.toContain('new');

  await page.getByRole('button', { name: `Change ${name}` }).click();
  await dialog.getByLabel('Role').selectOption('Editor');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => rowOf(page, name).innerText()).toContain('Editor');
  await page.getByRole('button', { name: `Remove ${name}` }).click();
  await dialog.getByRole('button', { name: 'Remove the user' }).click();
  await expect.poll(() => rowOf(page, name).count()).toBe(0);
  expect(await textOf(page)).toContain('viewer');
  expect(complaints).toEqual([]);
});

inTurn('says access methods in words, shows a granted key once, and revokes it', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await studio.tab('people/accesses');
  await expect.poll(() => textOf(page)).toContain('They have to be issued by https://partner.example.');
  const text = await textOf(page);
  expect(text).toContain(`Signing in runs SELECT * FROM account WHERE x = '${HOSTILE}'`);
  expect(text).toContain('A key lasts 12w6d.');
  expect(text).not.toContain('a secret of');

  const machine = page.getByRole('article', { name: 'machine' });
  await machine.getByRole('button', { name: 'Grant a key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('User', { exact: true }).fill('x; REMOVE ACCESS machine ON DATABASE');
  await dialog.getByRole('button', { name: 'Grant', exact: true }).click();
  await expect.poll(() => dialog.getByRole('alert').innerText()).toContain('REMOVE ACCESS machine');
  await dialog.getByLabel('User', { exact: true }).fill(HOSTILE);
  await dialog.getByRole('button', { name: 'Grant', exact: true }).click();
  await expect.poll(() => dialog.locator('pre').innerText()).toMatch(/^surreal-bearer-/);
  const key = await dialog.locator('pre').innerText();
  const take = async () => {
    const body = JSON.stringify({ NS: 'test', DB: 'test', AC: 'machine', key });
    const headers = { accept: 'application/json' };
    return (await fetch(`${studio?.server.url}/signin`, { method: 'POST', headers, body })).status;
  };
  expect(await take()).toBe(200);
  await dialog.getByRole('button', { name: 'Done' }).click();
  await expect.poll(() => rowOf(page, HOSTILE).count()).toBe(1);
  expect(await page.content()).not.toContain(key);
  await machine.getByRole('button', { name: /^Revoke/ }).click();
  await dialog.getByRole('button', { name: 'Revoke the grant' }).click();
  await expect.poll(() => machine.getByRole('button', { name: /^Revoke/ }).count()).toBe(0);
  expect(await take()).toBe(401);

  await page.getByRole('article', { name: 'devices' }).getByRole('button', { name: 'Grant a key' }).click();
  await dialog.getByLabel('Record', { exact: true }).fill('account:1');
  await dialog.getByRole('button', { name: 'Grant', exact: true }).click();
  await expect.poll(() => dialog.locator('pre').innerText()).toMatch(/^surreal-bearer-/);
  expect(complaints).toEqual([]);
});

inTurn('lists sessions and ends one, whose tab goes back to the form', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const other = await studio.open();
  await signIn(other.page, 'viewer', 'a view of it');
  await expect.poll(() => studio?.sql("(INFO FOR SESSIONS)[WHERE user = 'viewer'].len()")).toEqual([1]);
  const { page, complaints } = await studio.tab('people/sessions');
  await expect.poll(() => rowOf(page, 'viewer').count()).toBe(1);
  await expect.poll(() => rowOf(page, '(this one)').innerText()).toContain('root');
  await rowOf(page, 'viewer').getByRole('button', { name: 'End the session of viewer' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'End the session' }).click();
  await expect.poll(() => rowOf(page, 'viewer').count()).toBe(0);
  await other.page.reload();
  await expect.poll(() => textOf(other.page)).toContain('Your sign-in has ended');
  expect(complaints).toEqual([]);
  await other.page.close();
});

inTurn('says to a viewer why a change is refused', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await studio.tab('people/users', VIEWER);
  await page.getByRole('button', { name: `Remove ${HOSTILE}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove the user' }).click();
  await expect.poll(() => page.getByRole('alert').innerText()).toContain('Not enough permissions');
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await expect.poll(() => rowOf(page, HOSTILE).count()).toBe(1);
  expect(complaints).toEqual([]);
});

async function failToSignIn(user: string): Promise<void> {
  const answer = await fetch(`${studio?.server.url}/signin`, {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: JSON.stringify({ NS: 'test', DB: 'test', user, pass: 'a wrong password' }),
  });
  expect(answer.status).toBe(401);
}

inTurn('lists failed sign-ins, hostile names as text', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  await failToSignIn(HOSTILE);
  const { page, complaints } = await studio.tab('people/attempts');
  const row = rowOf(page, HOSTILE).filter({ hasText: 'account and address' });
  await expect.poll(() => row.innerText()).toMatch(/database test\/test\s+127\.0\.0\.1/);
  expect(await page.locator('img').count()).toBe(0);
  expect(await page.content()).not.toContain('a wrong password');
  expect(complaints).toEqual([]);
});

inTurn('filters the audit log and verifies it', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  await failToSignIn(HOSTILE);
  const { page, complaints } = await studio.tab('people/audit');
  await expect.poll(() => rowOf(page, 'audit-start').count()).toBe(1);
  const filter = page.getByRole('form', { name: 'Filter' });
  await filter.getByLabel('Action').fill("sign-in' OR true OR '");
  await filter.getByRole('button', { name: 'Filter' }).click();
  await expect.poll(() => textOf(page)).toContain('No such events');
  await filter.getByLabel('Action').fill('sign-in');
  await filter.getByLabel('Who').fill(HOSTILE);
  await filter.getByRole('button', { name: 'Filter' }).click();
  await expect.poll(() => rowOf(page, HOSTILE).count()).toBeGreaterThan(0);
  expect(await page.getByRole('row').count()).toBe((await rowOf(page, HOSTILE).count()) + 1);
  expect(await rowOf(page, 'failed: invalid_auth').count()).toBe(2);
  await filter.getByLabel('From', { exact: true }).fill('yesterday');
  await filter.getByRole('button', { name: 'Filter' }).click();
  await expect.poll(() => page.getByRole('alert').innerText()).toContain('yesterday');

  await page.getByRole('button', { name: 'Verify the log' }).click();
  await expect.poll(() => textOf(page)).toContain('records are as they were written');
  appendFileSync(auditLog, `{"action":"${HOSTILE}"}\n`);
  await page.getByRole('button', { name: 'Verify the log' }).click();
  await expect.poll(() => page.getByText('it is not a record').count()).toBeGreaterThan(0);
  expect(await page.locator('img').count()).toBe(0);
  expect(complaints).toEqual([]);
});

inTurn.each(['attempts', 'audit'])('shows a viewer no %s', async (part) => {
  if (studio === undefined) return;
  const { page } = await studio.tab(`people/${part}`, VIEWER);
  await expect.poll(() => textOf(page)).toContain('You may not see this: it is for owners.');
  expect(await page.getByRole('row').count()).toBe(0);
});

/** `docs/guides/sign-in/code-by-mail.md` in browsers: codes and links, as records of a table and by a real mail server. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { certificateFor, startMailServer } from '../../support/mail-server.js';
import { cleanUp, temporaryFolder } from '../../support/server-process.js';
import { blocksOf } from '../pages.js';
import { nextMail } from './mails.js';
import { accessFaults, type Recipe, startRecipe } from './recipe.js';

const PAGE = 'docs/guides/sign-in/code-by-mail.md';
const [LOOK = '', SEND = ''] = blocksOf(PAGE).flatMap(({ language, text }) => (language === 'sql' ? [text] : []));

let recipe: Recipe;
beforeAll(async () => {
  recipe = await startRecipe(PAGE);
});
afterAll(async () => {
  await recipe?.close();
  await cleanUp();
});

const status = (page: Page) => page.getByRole('status').innerText();

async function begin(page: Page, email: string): Promise<void> {
  await page.getByLabel('Mail address').fill(email);
  await page.getByRole('button', { name: 'Send me a code' }).click();
  await page.getByLabel('Code').waitFor();
}

async function type(page: Page, code: string): Promise<void> {
  await page.getByLabel('Code').fill(code);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

it('signs up and in by the code, after a wrong one', async (test) => {
  const { page, complaints } = await recipe.open(test);
  expect(await accessFaults(page)).toEqual([]);
  await begin(page, 'Ann@example.com');
  expect(await accessFaults(page)).toEqual([]);
  const { code = '', subject } = await nextMail(recipe, 'ann@example.com');
  expect(subject).toBe('Sign in to The Shop');
  const [seen] = (await recipe.sql(LOOK)) as [{ code: string }[]];
  expect(seen.map((mail) => mail.code)).toEqual([code]);
  await type(page, code === '00000000' ? '00000001' : '00000000');
  await expect.poll(() => status(page)).toBe('This code is wrong, or too old.');
  await type(page, `${code.slice(0, 4)} ${code.slice(4)}`);
  await expect.poll(() => status(page)).toBe('You are signed in as ann@example.com.');
  expect(await recipe.sql('SELECT VALUE email FROM user')).toEqual([['ann@example.com']]);
  expect(complaints).toEqual([]);

  // The next mail has to wait, in any browser.
  const other = await recipe.open(test);
  await other.page.getByLabel('Mail address').fill('ann@example.com');
  await other.page.getByRole('button', { name: 'Send me a code' }).click();
  await expect.poll(() => status(other.page)).toMatch(/^Please wait \d\d? seconds\.$/);
});

it('signs in by the link, in a new tab of the browser that began', async (test) => {
  const { page, context, complaints } = await recipe.open(test);
  await begin(page, 'bob@example.com');
  const { link = '' } = await nextMail(recipe, 'bob@example.com');
  // What opens links before their readers do uses nothing up.
  const scanned = await fetch(link);
  expect([scanned.status, scanned.headers.get('cache-control')]).toEqual([200, 'no-store']);
  const tab = await context.newPage();
  await tab.goto(link);
  expect(await accessFaults(tab)).toEqual([]);
  await tab.getByRole('button', { name: 'Go on to The Shop' }).click();
  await expect.poll(() => status(tab)).toBe('You are signed in as bob@example.com.');
  expect(tab.url()).toBe(recipe.site);
  expect(complaints).toEqual([]);
  // It is used up.
  await tab.goto(link);
  await tab.getByRole('button', { name: 'Go on to The Shop' }).click();
  await expect.poll(() => tab.getByRole('alert').innerText()).toMatch(/used already, or is too old/);
});

it('shows the code in another browser, which the link doesn’t sign in', async (test) => {
  const { page } = await recipe.open(test);
  await begin(page, 'eve@example.com');
  const { link = '', code = '' } = await nextMail(recipe, 'eve@example.com');
  const phone = await recipe.open(test);
  await phone.page.goto(link);
  await expect.poll(() => phone.page.getByRole('main').innerText()).toContain(code);
  await type(page, code);
  await expect.poll(() => status(page)).toBe('You are signed in as eve@example.com.');

  const second = await recipe.open(test);
  await begin(second.page, 'fay@example.com');
  const mail = await nextMail(recipe, 'fay@example.com');
  await phone.page.goto(mail.link ?? '');
  await phone.page.getByRole('button', { name: 'Go on to The Shop' }).click();
  await expect.poll(() => status(phone.page)).toBe('This link is for another browser, or too old.');
});

it('refuses what is no address', async (test) => {
  const { page } = await recipe.open(test);
  await page.getByLabel('Mail address').fill('ann@localhost,eve@example.com');
  await page.locator('#begin').evaluate((form) => form.setAttribute('novalidate', ''));
  await page.getByRole('button', { name: 'Send me a code' }).click();
  await expect.poll(() => status(page)).toBe('This is not a mail address.');
});

it('sends the code by a real mail server, with TLS', async (test) => {
  const certificate = await certificateFor('127.0.0.1');
  const mailServer = await startMailServer({
    ...certificate,
    secure: true,
    authOptional: false,
    onAuth: ({ username, password }, _session, callback) =>
      password === 'the password of the mail account' ? callback(null, { user: username }) : callback(new Error('no')),
  });
  const authority = join(temporaryFolder(), 'authority.pem');
  writeFileSync(authority, certificate.cert);
  const real = await startRecipe(PAGE, {
    settings: ['--allow-net', `127.0.0.1:${mailServer.port}`],
    environment: { NODE_EXTRA_CA_CERTS: authority },
  });
  await real.sql(SEND.replace('mail.example:465', `127.0.0.1:${mailServer.port}`));
  onTestFinished(async () => {
    await real.close();
    await mailServer.close();
  });
  const { page } = await real.open(test);
  await begin(page, 'ann@example.com');
  await expect.poll(() => mailServer.received.length).toBe(1);
  const [mail] = mailServer.received;
  expect(mail).toMatchObject({ from: 'no-reply@shop.example', to: ['ann@example.com'], isEncrypted: true });
  expect(mail?.parsed).toMatchObject({
    subject: 'Sign in to The Shop',
    from: { text: '"The Shop" <no-reply@shop.example>' },
  });
  await type(page, /^\d{8}$/m.exec(mail?.parsed.text ?? '')?.[0] ?? '');
  await expect.poll(() => status(page)).toBe('You are signed in as ann@example.com.');
});

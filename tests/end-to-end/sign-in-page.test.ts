/**
 * The page to sign in, in a real browser with a virtual authenticator: all ways in of a database, for an app that takes
 * over. The built server, a certified provider, and mails as records.
 */
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { decodeJwt } from 'jose';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it, type TestContext } from 'vitest';
import { startBrowser } from '../studio/browser.js';
import { type CertifiedProvider, startCertifiedProvider } from '../support/certified-provider.js';
import { cleanUp, ROOT, type ServerProcess, startServerWith } from '../support/server-process.js';
import { asRoot, SHOP } from './clients.js';
import { accessFaults, addAuthenticator, freePorts } from './recipes/recipe.js';

let provider: CertifiedProvider;
let server: ServerProcess;
/** Where people reach the server: by a name, which passkeys need. */
let site: string;
let app: Server;
let redirect: string;
const contexts: BrowserContext[] = [];

beforeAll(async () => {
  provider = await startCertifiedProvider('a secret');
  const [port, appPort] = await freePorts(2);
  site = `http://localhost:${port}`;
  redirect = `http://127.0.0.1:${appPort}/in`;
  app = createServer((_, response) => response.end('<title>The app</title>')).listen(Number(appPort), '127.0.0.1');
  server = await startServerWith([
    ...['memory', '--user', ROOT.user, '--pass', ROOT.pass, '--bind', `127.0.0.1:${port}`],
    ...['--public-url', site, '--allow-net', new URL(provider.issuer).host],
  ]);
  await sql(`
    DEFINE CONFIG AUTH NAME 'The <Shop>' REDIRECT '${redirect}' COLOR '#7a3fb0';
    DEFINE CONFIG MAIL FROM 'shop@shop.example' THEN { CREATE mail SET to = $mail.to, text = $mail.text };
    DEFINE TABLE user PERMISSIONS FOR select WHERE id = $auth;
    DEFINE INDEX email ON user FIELDS email UNIQUE;
    DEFINE ACCESS account ON DATABASE TYPE RECORD
      SIGNUP (CREATE user SET email = $email, pass = crypto::argon2::generate($pass), name.first = $name.first)
      SIGNIN (SELECT * FROM user WHERE email = $email AND crypto::argon2::compare(pass, $pass))
      WITH REFRESH ERRORS DETAILED;
    DEFINE ACCESS google ON DATABASE TYPE RECORD SIGNUP (CREATE user SET email = $identity.email)
      WITH OIDC ISSUER '${provider.issuer}' CLIENT 'shop' SECRET 'a secret';
    DEFINE ACCESS mail ON DATABASE TYPE RECORD SIGNUP (CREATE user SET email = $email)
      SIGNIN (SELECT * FROM user WHERE email = $email) WITH MAIL CODE, LINK;
    DEFINE ACCESS passkey ON DATABASE TYPE RECORD SIGNUP (CREATE user SET name.first = $name.first)
      WITH PASSKEY DOMAIN 'localhost' ORIGIN '${site}';
    DEFINE ACCESS totp ON DATABASE TYPE RECORD WITH TOTP;
    DEFINE ACCESS recovery ON DATABASE TYPE RECORD WITH RECOVERY CODES;
    DEFINE ACCESS safe ON DATABASE TYPE RECORD
      SIGNIN (SELECT * FROM user WHERE email = $email AND crypto::argon2::compare(pass, $pass)) SECOND FACTOR ALWAYS;
  `);
}, 60_000);
afterEach(async () => {
  await Promise.all(contexts.splice(0).map((context) => context.close()));
});
afterAll(async () => {
  app?.close();
  await cleanUp();
  await provider?.close();
});

const sql = (text: string) => asRoot(server.url, text, ROOT);

interface Visit {
  readonly page: Page;
  readonly verifier: string;
  /** Errors and warnings of the browser, such as what a policy refuses. */
  readonly complaints: readonly string[];
}

/** An app leads to the page, in a browser of its own. */
async function visit({ skip }: TestContext, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = (await (await startBrowser())?.newContext(options)) ?? skip('There is no Chromium on this machine');
  contexts.push(context);
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const complaints: string[] = [];
  page.on('console', (message) => {
    const isOfRequest = message.text().startsWith('Failed to load resource');
    if (['error', 'warning'].includes(message.type()) && !isOfRequest) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  const verifier = randomBytes(32).toString('base64url');
  await lead(page, verifier);
  return { page, verifier, complaints };
}

async function lead(page: Page, verifier: string): Promise<void> {
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const query = new URLSearchParams({ challenge, redirect });
  await page.goto(`${site}/auth/${SHOP.namespace}/${SHOP.database}?${query}`);
}

/** The app takes over: the claims of its session. */
async function takeOver({ page, verifier }: Visit): Promise<Record<string, unknown>> {
  await page.waitForURL(`${redirect}?*`);
  const { code, access } = Object.fromEntries(new URL(page.url()).searchParams);
  const body = { NS: SHOP.namespace, DB: SHOP.database, AC: access, code, verifier };
  const answer = await fetch(`${server.url}/signin`, { method: 'POST', body: JSON.stringify(body) });
  const { token } = (await answer.json()) as { token: string | { access: string } };
  return decodeJwt(typeof token === 'string' ? token : token.access);
}

const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

async function signUp(page: Page, email: string): Promise<void> {
  const account = section(page, 'account');
  await account.getByText('New here?').click();
  const form = account.locator('details');
  await form.getByLabel('E-mail address').fill(email);
  await form.getByLabel('Password').fill('correct horse battery');
  await form.getByLabel('First').fill('Ann');
  await form.getByRole('button').click();
}

async function signIn(page: Page, email: string, password: string, access = 'account'): Promise<void> {
  const form = section(page, access).locator('form').first();
  await form.getByLabel('E-mail address').fill(email);
  await form.getByLabel('Password').fill(password);
  await form.getByRole('button').click();
}

const SCHEMES = ['light', 'dark'] as const;
for (const colorScheme of SCHEMES) {
  it(`shows all ways in to every user, on a ${colorScheme} screen`, async (test) => {
    const { page, complaints } = await visit(test, { colorScheme });
    expect(await page.title()).toBe('Sign in to The <Shop>');
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Sign in to The <Shop>');
    expect(await page.locator('.onward').innerText()).toBe(`You go on to ${new URL(redirect).host}.`);
    const names = await page.locator('section').evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')));
    expect(names).toEqual(['passkey', 'google', 'account', 'safe', 'mail']);
    expect(await accessFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });
}

it('signs up and in by a password, and only the verifier takes over', async (test) => {
  const visited = await visit(test);
  await signUp(visited.page, 'ann@example.com');
  const claims = await takeOver(visited);
  expect(claims).toMatchObject({ AC: 'account', amr: ['pwd'], acr: 'aal1' });
  expect(await sql('SELECT email, name FROM user WHERE email = "ann@example.com"')).toEqual([
    [{ email: 'ann@example.com', name: { first: 'Ann' } }],
  ]);

  await lead(visited.page, visited.verifier);
  await signUp(visited.page, 'ann@example.com');
  expect(await visited.page.getByRole('alert').innerText()).toBe('Please check: E-mail address.');
  expect(await section(visited.page, 'account').locator('details').getByLabel('First').inputValue()).toBe('Ann');
  await signIn(visited.page, 'ann@example.com', 'wrong');
  expect(await visited.page.getByRole('alert').innerText()).toBe('That wasn’t right. Please try again.');
  expect(await accessFaults(visited.page)).toEqual([]);
  await signIn(visited.page, 'ann@example.com', 'correct horse battery');
  await visited.page.waitForURL(`${redirect}?*`);
  await expect(takeOver({ ...visited, verifier: 'v'.repeat(43) })).rejects.toThrow();
  expect(await takeOver(visited)).toMatchObject({ ID: claims['ID'] });
  await expect(takeOver(visited)).rejects.toThrow();
  expect(visited.complaints).toEqual([]);
});

it('works without scripts, for passwords, providers and mails', async (test) => {
  const visited = await visit(test, { javaScriptEnabled: false, extraHTTPHeaders: { 'x-account': 'frank' } });
  const { page } = visited;
  expect(await page.getByRole('button', { name: 'Sign in with a passkey' }).isVisible()).toBe(false);
  await signUp(page, 'bob@example.com');
  const { ID } = await takeOver(visited);

  await lead(page, visited.verifier);
  await page.getByRole('link', { name: 'Continue with google' }).click();
  expect(await takeOver(visited)).toMatchObject({ AC: 'google', amr: ['fed'] });

  await page.setExtraHTTPHeaders({ 'x-account': 'bob' });
  await page.context().clearCookies();
  await lead(page, visited.verifier);
  await page.getByRole('link', { name: 'Continue with google' }).click();
  // The address is taken by an account that has never proved it.
  expect(await page.getByRole('alert').innerText()).toContain('There is an account with this address already.');

  await lead(page, visited.verifier);
  await section(page, 'mail').getByLabel('E-mail address').fill('bob@example.com');
  await press(page, 'Send me a mail');
  await page.getByLabel('The code in the mail').fill('00000000');
  await press(page, 'Sign in');
  expect(await page.getByRole('alert').innerText()).toBe('That wasn’t right. Please try again.');
  await page.getByLabel('The code in the mail').fill(await mailedTo('bob@example.com', /\b\d{8}\b/));
  await press(page, 'Sign in');
  expect(await takeOver(visited)).toMatchObject({ ID, AC: 'mail', amr: ['mail'] });
});

async function mailedTo(to: string, pattern: RegExp): Promise<string> {
  let found = '';
  const look = async () => {
    const [texts] = (await sql(`SELECT VALUE text FROM mail WHERE to = '${to}'`)) as [string[]];
    found = pattern.exec(texts.at(-1) ?? '')?.[0] ?? '';
    return found;
  };
  await expect.poll(look, { timeout: 10_000 }).not.toBe('');
  await sql(`DELETE mail WHERE to = '${to}'`);
  return found;
}

it('goes on by a mailed link, in the browser that began', async (test) => {
  const visited = await visit(test);
  await section(visited.page, 'mail').getByLabel('E-mail address').fill('carl@example.com');
  await press(visited.page, 'Send me a mail');
  await visited.page.getByLabel('The code in the mail').waitFor();
  await visited.page.goto(await mailedTo('carl@example.com', /http:\S+#\S+/));
  expect(await accessFaults(visited.page)).toEqual([]);
  await press(visited.page, 'Go on to The <Shop>');
  expect(await takeOver(visited)).toMatchObject({ AC: 'mail', amr: ['mail'] });
});

it('makes a passkey, and signs in by it', async (test) => {
  const visited = await visit(test);
  const { page } = visited;
  await addAuthenticator(page);
  const passkey = section(page, 'passkey');
  await passkey.getByText('New here?').click();
  await passkey.getByLabel('First').fill('Dora');
  await press(page, 'Make a passkey');
  const { ID } = await takeOver(visited);
  expect(await sql(`SELECT VALUE name.first FROM ${ID}`)).toEqual([['Dora']]);

  await lead(page, visited.verifier);
  await press(page, 'Sign in with a passkey');
  expect(await takeOver(visited)).toMatchObject({ ID, AC: 'passkey', acr: 'aal2' });
  expect(visited.complaints).toEqual([]);

  // With an authenticator app, it owes a second proof on other ways: by either.
  await sql(`UPDATE ${ID} SET email = 'dora@example.com'; ACCESS totp LINK RECORD ${ID} SUBJECT '${'A'.repeat(32)}'`);
  await lead(page, visited.verifier);
  await section(page, 'mail').getByLabel('E-mail address').fill('dora@example.com');
  await press(page, 'Send me a mail');
  await page.getByLabel('The code in the mail').fill(await mailedTo('dora@example.com', /\b\d{8}\b/));
  await press(page, 'Sign in');
  expect(await page.getByLabel('The code of your authenticator app').isVisible()).toBe(true);
  await press(page, 'Use a passkey');
  expect(await takeOver(visited)).toMatchObject({ ID, AC: 'mail', acr: 'aal2' });
});

it('asks for a second factor on every way, and gets the first one', async (test) => {
  const visited = await visit(test);
  const { page } = visited;
  await signUp(page, 'emma@example.com');
  const { ID } = await takeOver(visited);

  await lead(page, visited.verifier);
  await signIn(page, 'emma@example.com', 'correct horse battery', 'safe');
  await press(page, 'Set up an authenticator app');
  expect(await accessFaults(page)).toEqual([]);
  const secret = await page.locator('code').innerText();
  await page.getByLabel('The code that it shows').fill(await codeOf(secret));
  await press(page, 'Go on');
  expect(await takeOver(visited)).toMatchObject({ ID, AC: 'safe', amr: ['pwd', 'otp'], acr: 'aal2' });

  // The next window of codes: each counts once.
  await sql(`ACCESS totp REVOKE ALL; ACCESS totp LINK RECORD ${ID} SUBJECT '${secret}'`);
  await lead(page, visited.verifier);
  await section(page, 'mail').getByLabel('E-mail address').fill('emma@example.com');
  await press(page, 'Send me a mail');
  await page.getByLabel('The code in the mail').waitFor();
  await page.goto(await mailedTo('emma@example.com', /http:\S+#\S+/));
  await press(page, 'Go on to The <Shop>');
  const code = page.getByLabel('The code of your authenticator app');
  await code.fill('000000');
  await press(page, 'Go on');
  expect(await page.getByRole('alert').innerText()).toBe('That wasn’t right. Please try again.');
  await code.fill(await codeOf(secret));
  await press(page, 'Go on');
  expect(await takeOver(visited)).toMatchObject({ ID, AC: 'mail', amr: ['mail', 'otp'], acr: 'aal2' });
  expect(visited.complaints).toEqual([]);
});

async function codeOf(secret: string): Promise<string> {
  const [code] = await sql(`RETURN crypto::totp::code('${secret}')`);
  return code as string;
}

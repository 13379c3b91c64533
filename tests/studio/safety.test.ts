/** Attacks on the Studio as a whole: frames, requests and sockets of other sites, leaks by addresses, and script in every text. */
import { readdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isInTurn } from '../support/runs-all.js';
import { ROOT } from '../support/server-process.js';
import { openView, PLACE, type Studio, signIn, startStudio, textOf } from './browser.js';

// In turns with other long tests.
const inTurn = it.skipIf(!isInTurn(4));

/** Read as HTML it would make an element, ask for an image and run a script. */
const HOSTILE = `"><x-canary></x-canary><img src=/canary onerror="globalThis.attacked=1"><script>globalThis.attacked=1</script>`;
const NAME = `\`${HOSTILE}\``;
const TEXT = `'${HOSTILE}'`;

const SETUP = `DEFINE TABLE ${NAME} SCHEMALESS COMMENT ${TEXT} PERMISSIONS FOR select WHERE x = ${TEXT};
  DEFINE FIELD ${NAME} ON ${NAME} TYPE option<string> COMMENT ${TEXT} PERMISSIONS FOR select WHERE x = ${TEXT};
  DEFINE INDEX ${NAME} ON ${NAME} FIELDS ${NAME} COMMENT ${TEXT};
  DEFINE EVENT ${NAME} ON ${NAME} WHEN $value.x = ${TEXT} THEN {};
  DEFINE TABLE edge TYPE RELATION;
  DEFINE FUNCTION fn::${NAME}($a: any) { RETURN ${TEXT} } COMMENT ${TEXT};
  DEFINE PARAM $${NAME} VALUE ${TEXT};
  DEFINE USER ${NAME} ON DATABASE PASSWORD 'any at all' ROLES VIEWER COMMENT ${TEXT};
  DEFINE ACCESS ${NAME} ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM account WHERE x = ${TEXT}) COMMENT ${TEXT};
  CREATE ${NAME}:${NAME} SET ${NAME} = ${TEXT}, nested = { ${NAME}: [${TEXT}] }, x = ${TEXT};
  RELATE ${NAME}:${NAME}->edge->${NAME}:${NAME} SET ${NAME} = ${TEXT}`;

let studio: Studio | undefined;
let other: Server;
let otherUrl: string;
beforeAll(async () => {
  studio = await startStudio(SETUP, { SVC_EXPERIMENTAL_GRAPHQL: 'true' });
  // A page of another origin.
  other = createServer((_request, response) => response.setHeader('content-type', 'text/html').end('<p>Another site'));
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  otherUrl = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`;
});
afterAll(async () => {
  other.close();
  await studio?.close();
});

it('answers each file with headers that bind it, and keeps the page itself in no cache', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { url } = studio.server;
  const page = await fetch(`${url}/studio`);
  const policy = String(page.headers.get('content-security-policy'));
  const [, nonce] = /'nonce-([^']{22,})'/.exec(policy) ?? [];
  expect(policy.split('; ')).toEqual([
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "media-src 'self'",
    "connect-src 'self'",
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]);
  expect(page.headers.get('cache-control')).toBe('no-store');
  expect(page.headers.get('referrer-policy')).toBe('no-referrer');
  expect(page.headers.get('x-content-type-options')).toBe('nosniff');
  expect((await fetch(`${url}/studio`)).headers.get('content-security-policy')).not.toBe(policy);

  const names = readdirSync(new URL('../../dist/pages/studio', import.meta.url))
    .filter((name) => name !== 'index.html')
    .map((name) => name.replace(/\.br$/, ''));
  expect(names.length).toBeGreaterThan(5);
  for (const name of names) {
    const file = await fetch(`${url}/studio/${name}`);
    expect(file.status, name).toBe(200);
    expect(file.headers.get('x-content-type-options'), name).toBe('nosniff');
    expect(file.headers.get('content-type'), name).toMatch(/^text\/(javascript|css|plain); charset=utf-8$/);
    expect(file.headers.get('cache-control'), name).toContain('immutable');
    expect(await file.text()).not.toContain('sourceMappingURL');
  }
  for (const name of [
    'index.html',
    `${names.find((one) => one.endsWith('.js'))}.br`,
    '..%2Fwelcome%2Findex.html',
    '%2e%2e%2fserver.js',
    '__proto__',
  ]) {
    expect((await fetch(`${url}/studio/${name}`)).status, name).toBe(404);
  }
});

it('is in no frame of another site, nor are the other pages', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page } = await studio.tab();
  await page.goto(otherUrl);
  const framed = async (source: string) => {
    await page.evaluate(`(${FRAME})(${JSON.stringify(source)})`);
    return page.frames().at(-1)?.url();
  };
  expect(await framed(`${otherUrl}framed`)).toBe(`${otherUrl}framed`);
  for (const path of ['/studio', '/', '/graphql']) {
    expect(await framed(`${studio.server.url}${path}`), path).toMatch(/^chrome-error:/);
  }
});

/** Shows a page in a frame until it has loaded, or what Chromium shows in place of what is blocked. */
const FRAME = `(source) => new Promise((resolve) => {
  const frame = document.createElement('iframe');
  frame.onload = () => resolve('loaded');
  frame.src = source;
  document.body.append(frame);
})`;

it('lends no rights to pages of other sites, by requests or by sockets', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page } = await studio.tab();
  // The same tab, which keeps the token for pages of the Studio's origin.
  await page.goto(otherUrl);
  expect(await page.evaluate('JSON.stringify({ ...sessionStorage })')).toBe('{}');
  const { url, rpcUrl } = studio.server;
  const create = 'CREATE attack';
  const asked = JSON.stringify({ id: 1, method: 'query', params: [create] });
  for (const [path, type, body] of [
    ['/sql', 'text/plain', create],
    ['/sql', 'application/x-www-form-urlencoded', create],
    ['/rpc', 'application/json', asked],
    ['/rpc', 'text/plain', asked],
    ['/import', 'text/plain', create],
    ['/key/attack', 'application/json', '{}'],
    ['/signin', 'text/plain', '{}'],
    ['/signup', 'text/plain', '{}'],
    ['/setup', 'application/json', '{"user":"eve","pass":"a password","code":"0"}'],
  ] as const) {
    const answer = (await page.evaluate(`(${POST})(${JSON.stringify([`${url}${path}`, type, body])})`)) as {
      text: string;
      status: number;
    };
    // Methods of RPC answer an error with status 200.
    expect([path, answer.status < 400 && !answer.text.includes('"error"')]).toEqual([path, false]);
  }
  // Any origin may connect unless --allow-origin says which ones: a socket has no rights before it signs in.
  expect(await page.evaluate(`(${SOCKET})(${JSON.stringify([rpcUrl, asked])})`)).toMatch(/"error"/);
  expect(await studio.sql('(INFO FOR DB).tables.keys()')).toEqual([[HOSTILE, 'edge']]);
  expect(await studio.sql('(INFO FOR ROOT).users.keys()')).toEqual([[ROOT.user]]);
});

it('has its token read by no page of an endpoint of DEFINE API, which is of the same server', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page } = await studio.open();
  await signIn(page);
  await expect.poll(() => page.evaluate('Object.keys(sessionStorage).length')).toBeGreaterThan(0);
  await studio.sql(
    `DEFINE API OVERWRITE '/hostile' FOR get THEN { { headers: { 'content-type': 'text/html' }, body: ${JSON.stringify(STEALS)} } }`,
  );
  // A navigation is a guest's, so that it needs --allow-guests to get there without the header.
  const authorization = `Basic ${Buffer.from(`${ROOT.user}:${ROOT.pass}`).toString('base64')}`;
  await page.setExtraHTTPHeaders({ authorization });
  await page.goto(`${studio.server.url}/api/${PLACE.namespace}/${PLACE.database}/hostile`);
  await expect.poll(() => page.title()).toBe('SecurityError SecurityError');
  await studio.sql("REMOVE API '/hostile'");
  await page.close();
});

/** Script of a page that tries to read the tab's storage and to register a service worker, and shows both errors as its title. */
const STEALS = `<title></title><script>
  const tried = async (work) => { try { return String(await work()) } catch ({ name }) { return name } };
  Promise.all([
    tried(() => JSON.stringify(sessionStorage)),
    tried(() => navigator.serviceWorker.register(location.href)),
  ]).then((found) => { document.title = found.join(' ') })
</script>`;

const POST = `async ([url, type, body]) => {
  const headers = { 'content-type': type, 'svc-ns': '${PLACE.namespace}', 'svc-db': '${PLACE.database}', accept: 'application/json' };
  // As a form would, and with all that a script may send.
  await fetch(url, { method: 'POST', mode: 'no-cors', credentials: 'include', body }).catch(() => {});
  const answer = await fetch(url, { method: 'POST', headers, body });
  return { status: answer.status, text: await answer.text() };
}`;
const SOCKET = `([url, message]) => new Promise((resolve) => {
  const socket = new WebSocket(url, ['json']);
  socket.onopen = () => socket.send(message);
  socket.onmessage = ({ data }) => resolve(data);
  socket.onclose = () => resolve('closed');
})`;

/** Addresses of the Studio behind its `#`, with how often at least each shows the text. */
const PLACES: readonly (readonly [path: readonly string[], times: number])[] = [
  [['explore'], 1],
  [['explore', 'table', HOSTILE], 3],
  [['explore', 'record', `${NAME}:${NAME}`], 4],
  [['schema'], 5],
  [['schema', 'table', HOSTILE], 4],
  [['schema', 'designer'], 1],
  [['permissions'], 2],
  [['people', 'users'], 2],
  [['people', 'accesses'], 1],
  [['people', 'sessions'], 0],
  [['server'], 0],
  [['graphql'], 0],
  [[HOSTILE, HOSTILE], 0],
];

inTurn('shows script as text in every view, and has no token in an address', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, requests, complaints } = await studio.open();
  const addresses: string[] = [];
  page.on('request', (request) => addresses.push(request.headers()['referer'] ?? ''));
  page.on('websocket', (socket) => addresses.push(socket.url()));
  page.on('framenavigated', (frame) => addresses.push(frame.url()));
  page.on('dialog', (dialog) => void dialog.dismiss());
  await page.addInitScript(`globalThis.violations = [];
    addEventListener('securitypolicyviolation', ({ violatedDirective }) => violations.push(violatedDirective))`);
  await page.reload();
  await signIn(page);
  for (const [path, times] of PLACES) {
    await page.evaluate(`location.hash = ${JSON.stringify(`#/${path.map(encodeURIComponent).join('/')}`)}`);
    const shown = async () => (await textOf(page)).split('<x-canary></x-canary>').length - 1;
    await expect.poll(shown, { message: path.join(' ') }).toBeGreaterThanOrEqual(times);
    await expectNoScript(page);
  }
  await runHostileStatements(page);

  const { token } = JSON.parse(String(await page.evaluate(`sessionStorage.getItem('tessera:signed-in')`)));
  expect(token).toMatch(/^eyJ/);
  for (const address of [...requests, ...addresses]) {
    for (const secret of [token, ROOT.pass, encodeURIComponent(ROOT.pass)]) expect(address).not.toContain(secret);
  }
  expect(requests.filter((address) => address.endsWith('/canary'))).toEqual([]);
  expect(complaints).toEqual([]);
  await page.close();
});

/** Values, as tables and as JSON, errors with what a statement throws, and a plan. */
async function runHostileStatements(page: Page): Promise<void> {
  await openView(page, 'Query');
  await page
    .getByLabel('Statements')
    .fill(
      `SELECT * FROM ${NAME}; THROW ${TEXT}; RETURN <int> ${TEXT}; EXPLAIN SELECT * FROM ${NAME} WHERE x = ${TEXT}`,
    );
  await page.keyboard.press('ControlOrMeta+Enter');
  const result = (number: number) => page.getByRole('region', { name: `Result ${number}` });
  for (const number of [1, 2, 3, 4]) await expect.poll(() => result(number).innerText()).toContain('<x-canary>');
  await expectNoScript(page);
  await result(1).getByRole('tab', { name: 'JSON' }).click();
  await expect.poll(() => result(1).getByRole('tabpanel').innerText()).toContain('<x-canary>');
  await expectNoScript(page);
}

/** Nothing that the texts would make is there, none of them has run, and the policy had nothing to block. */
async function expectNoScript(page: Page): Promise<void> {
  expect(await page.locator('x-canary, img[src="/canary"]').count()).toBe(0);
  expect(await page.evaluate('[globalThis.attacked, globalThis.violations]')).toEqual([undefined, []]);
}

/** The example of retrieval for language models: each member finds chunks of their team alone, by words and by nearness. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { seriousFaults, startBrowser } from '../studio/browser.js';
import { cleanUp, ROOT, type ServerProcess, startServer } from '../support/server-process.js';
import { send } from './clients.js';

const PASSWORD = 'the password of members';
const ROOT_OPTIONS = ['--user', ROOT.user, '--pass', ROOT.pass];

let server: ServerProcess;
beforeAll(async () => {
  server = await startServer();
  expect(await run('load', ...ROOT_OPTIONS, '--member-pass', PASSWORD)).toMatch(/^\d+ chunks of \d+ pages\n$/);
}, 120_000);
afterAll(cleanUp);

async function run(script: string, ...options: readonly string[]): Promise<string> {
  const command = [`examples/retrieval/${script}.mjs`, '--endpoint', server.url, ...options];
  const { stdout } = await promisify(execFile)(process.execPath, command);
  return stdout;
}

/** The pages of the chunks that are found for a question, the best first. */
async function pagesFor(member: string, question: string): Promise<string[]> {
  const found = await run('ask', question, '--member', member, '--pass', PASSWORD, '--most', '30');
  return [...found.matchAll(/^\d\.\d{4} {2}([\w/-]+\.md): /gm)].map(([, page]) => page as string);
}

it('finds what a question is about, within the own team', async () => {
  const question = 'How do I restore a backup to a point in time?';
  const operating = await pagesFor('bob', question);
  expect(operating.slice(0, 3)).toContain('operating/backups.md');
  const developing = await pagesFor('ada', question);
  expect(developing.length).toBeGreaterThan(9);
  expect(developing.filter((page) => operating.includes(page))).toEqual([]);
  expect((await pagesFor('ada', 'phrases and prefixes in full-text search')).slice(0, 5)).toContain('guides/search.md');
});

it('gives no answer to others', async () => {
  const wrong = run('ask', 'backup', '--member', 'bob', '--pass', 'another password');
  await expect(wrong).rejects.toThrow(/There was a problem with authentication/);
  const headers = { accept: 'application/json', 'svc-ns': 'example', 'svc-db': 'retrieval' };
  const { status } = await send(`${server.url}/sql`, headers, 'SELECT * FROM chunk');
  expect(status).toBe(403);
});

it('answers on a page, from what the member may read', async ({ skip }) => {
  const context = await (await startBrowser())?.newContext();
  if (context === undefined) return skip('There is no Chromium on this machine');
  const program = spawn(process.execPath, ['examples/retrieval/answer.mjs', '--endpoint', server.url, '--port', '0']);
  const [url] = (await once(program.stdout.setEncoding('utf8'), 'data')) as [string];
  const ask = async (member: string, question: string) => {
    const page = await context.newPage();
    await page.goto(url.trim());
    await page.getByLabel('Name').fill(member);
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect.poll(() => page.getByRole('alert').innerText()).toContain('Name or password are wrong');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Question').fill(question);
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await expect.poll(() => page.getByRole('article').innerText()).toMatch(/\[\d\]|don’t say/);
    expect(await seriousFaults(page)).toEqual([]);
    return page.getByRole('list', { name: 'Sources' }).innerText();
  };
  const question = 'How do I restore a backup to a point in time?';
  expect(await ask('bob', question)).toContain('operating/backups.md');
  expect(await ask('ada', question)).not.toContain('operating/');
  expect((await fetch(new URL('answer', url.trim()), { method: 'POST', body: question })).status).toBe(502);
  program.kill();
  await context.close();
});

it('measures the recall of its index', async () => {
  const printed = await run('recall', ...ROOT_OPTIONS, '--ef', '40,100', '--questions', '20');
  const recalls = [...printed.matchAll(/^ef \d+: recall@10 (\d\.\d{4})$/gm)].map(([, recall]) => Number(recall));
  expect(recalls).toHaveLength(2);
  for (const recall of recalls) expect(recall).toBeGreaterThanOrEqual(0.95);
});

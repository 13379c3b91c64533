/** `docs/guides/sign-in/webhooks.md`: its endpoint is called by the page's own commands, its receiver by the server. */
import { type ChildProcess, spawn } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isInTurn } from '../../support/runs-all.js';
import { cleanUp } from '../../support/server-process.js';
import { blocksOf } from '../pages.js';
import { freePorts, type Recipe, startRecipe } from './recipe.js';

/** With other long tests. */
const inTurn = it.skipIf(!isInTurn(2));

const PAGE = 'docs/guides/sign-in/webhooks.md';

let recipe: Recipe;
let receiver: ChildProcess;
let printed = '';
let port: number;
beforeAll(async () => {
  [port = 0] = await freePorts(1);
  recipe = await startRecipe(PAGE, { addresses: { '127.0.0.1:9000': `127.0.0.1:${port}` } });
  const program = blocksOf(PAGE).find(({ language }) => language === 'javascript')?.text ?? '';
  receiver = spawn(process.execPath, ['--input-type=module'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const listening = new Promise((resolve) => receiver.stdout?.once('data', resolve));
  receiver.stdout?.on('data', (chunk) => {
    printed += chunk;
  });
  receiver.stdin?.end(program.replace('9000', String(port)));
  await listening;
});
afterAll(async () => {
  receiver?.kill();
  await recipe?.close();
  await cleanUp();
});

inTurn('the receiver takes what the server has signed', async () => {
  await recipe.sql('CREATE order:7 SET total = 30');
  await expect.poll(() => printed).toContain('received {"id":7,"total":30}\n');
});

inTurn('the receiver refuses other codes', async () => {
  const now = String(Math.floor(Date.now() / 1000));
  for (const signature of ['', 'ab', '00'.repeat(32)]) {
    const headers = { 'x-time': now, 'x-signature': signature };
    const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body: '{"id":8,"total":1}' });
    expect(answer.status).toBe(401);
  }
  expect(printed).not.toContain('"id":8');
});

inTurn('the endpoint refuses what isn’t signed, and guests can do nothing else', async () => {
  const call = (headers: Record<string, string>, body: string | Uint8Array) =>
    fetch(`${recipe.server.url}/api/test/test/payments`, { method: 'POST', headers, body });
  expect((await call({}, '')).status).toBe(401);
  expect((await call({ 'x-time': 'now', 'x-signature': 'ab' }, '{"id":"p2","amount":1}')).status).toBe(401);
  expect((await call({}, new Uint8Array([0xff, 0xfe]))).status).not.toBe(204);
  const headers = { accept: 'application/json', 'svc-ns': 'test', 'svc-db': 'test' };
  const asked = await fetch(`${recipe.server.url}/sql`, { method: 'POST', headers, body: 'RETURN $hook_secret' });
  expect([asked.status, await asked.text()]).toEqual([403, expect.not.stringContaining('32 characters')]);
  expect(await recipe.sql('SELECT VALUE amount FROM payment')).toEqual([[1200]]);
});

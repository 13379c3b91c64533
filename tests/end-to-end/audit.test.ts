/** The audit log of a real server, and the command that checks it. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { cleanUp, ROOT, startServerWith, temporaryFolder } from '../support/server-process.js';

afterEach(cleanUp);

/** Runs `tessera audit verify` and gives its exit code and what it says. */
function verify(...args: string[]): { code: number; text: string } {
  try {
    const text = execFileSync(process.execPath, ['dist/bin/tessera.js', 'audit', 'verify', ...args], {
      encoding: 'utf8',
    });
    return { code: 0, text };
  } catch (error) {
    const { status, stdout, stderr } = error as { status: number; stdout: string; stderr: string };
    return { code: status, text: `${stdout}${stderr}` };
  }
}

async function sql(url: string, text: string, password: string = ROOT.pass): Promise<number> {
  const authorization = `Basic ${Buffer.from(`${ROOT.user}:${password}`).toString('base64')}`;
  const headers = { authorization, 'svc-ns': 'test', 'svc-db': 'test', accept: 'application/json' };
  return (await fetch(`${url}/sql`, { method: 'POST', headers, body: text })).status;
}

test('goes on over restarts and kills, and shows where it was changed', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'audit.log');
  const keyFile = join(folder, 'audit.key');
  writeFileSync(keyFile, `${'0123456789abcdef'.repeat(4)}\n`);
  const args = [join(folder, 'data'), '--user', ROOT.user, '--pass', ROOT.pass, '--audit-log', file];
  const start = () => startServerWith([...args, '--audit-key-file', keyFile]);
  const actions = () =>
    readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));

  const first = await start();
  expect(await sql(first.url, 'DEFINE TABLE person')).toBe(200);
  expect(await sql(first.url, 'RETURN 1', 'a wrong password')).toBe(401);
  expect(await first.stop()).toBe(0);
  expect(actions().at(-1)).toMatchObject({ action: 'audit-stop' });
  expect(actions().filter(({ action }) => action === 'sign-in')).toMatchObject([
    { outcome: 'ok', client: { ip: '127.0.0.1' }, what: { method: 'basic' } },
    { outcome: 'failed', error: 'invalid_auth', what: { method: 'basic', as: { user: 'root' } } },
  ]);

  const second = await start();
  await sql(second.url, 'DEFINE TABLE animal');
  await expect.poll(() => readFileSync(file, 'utf8')).toContain('animal');
  await second.stop('SIGKILL');
  const third = await start();
  await third.stop();

  const sound = verify(file, '--key-file', keyFile);
  expect(sound).toMatchObject({ code: 0, text: expect.stringContaining(`${actions().length} records`) });
  expect(readFileSync(file, 'utf8')).not.toContain(ROOT.pass);
  expect(verify(file)).toMatchObject({ code: 1, text: expect.stringContaining('line 1:') });

  const head = actions().at(-1)?.hash as string;
  expect(verify(file, '--key-file', keyFile, '--includes', head).code).toBe(0);
  const lines = readFileSync(file, 'utf8').split('\n');
  const at = lines.findIndex((line) => line.includes('"person"'));
  writeFileSync(file, lines.with(at, (lines[at] as string).replace('person', 'nobody')).join('\n'));
  expect(verify(file, '--key-file', keyFile)).toMatchObject({
    code: 1,
    text: expect.stringContaining(`line ${at + 1}: it was changed`),
  });
  writeFileSync(file, `${lines.slice(0, -2).join('\n')}\n`);
  expect(verify(file, '--key-file', keyFile).code).toBe(0);
  expect(verify(file, '--key-file', keyFile, '--includes', head).code).toBe(1);
}, 60_000);

test('goes to standard output, on which nothing else is printed', async () => {
  const server = await startServerWith(['memory', '--user', ROOT.user, '--pass', ROOT.pass, '--audit-log', 'stdout']);
  await sql(server.url, 'DEFINE TABLE person');
  await server.stop();
  expect(server.log()).toContain('"action":"define"');
}, 60_000);

test('a server does not start on a log that it cannot continue', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'audit.log');
  writeFileSync(file, 'something else\n');
  const data = join(folder, 'data');
  await expect(startServerWith([data, '--audit-log', file])).rejects.toThrow('The audit log cannot be used');
  await expect(startServerWith([data, '--audit-key-file', file])).rejects.toThrow('--audit-key-file needs --audit-log');
  // The store isn't held by those that didn't start.
  const server = await startServerWith([data]);
  expect(await server.stop()).toBe(0);
}, 60_000);

test('verifying says what is wrong with its arguments', () => {
  expect(verify('no/such/file')).toMatchObject({
    code: 1,
    text: expect.stringContaining('There is no file no/such/file'),
  });
  const short = join(temporaryFolder(), 'key');
  writeFileSync(short, 'short\n');
  expect(verify('no/such/file', '--key-file', short)).toMatchObject({ code: 1, text: expect.stringContaining('32') });
});

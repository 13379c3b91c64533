import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AuditLog } from '../../src/audit/audit-log.js';
import { openFileSink } from '../../src/audit/file-sink.js';
import { verifyAuditLog } from '../../src/audit/verify.js';
import { realEnvironment } from '../../src/env/real.js';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tessera-audit-'));
  path = join(folder, 'audit.log');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** One run of a server that records `names`. */
async function run(...names: string[]): Promise<void> {
  const log = await AuditLog.open({ sink: await openFileSink(path) }, realEnvironment, () => undefined);
  for (const name of names) log.record({ action: 'define', outcome: 'ok', who: { kind: 'guest' }, what: { name } });
  await log.close();
}

const lines = () => readFileSync(path, 'utf8').trimEnd().split('\n');

test('a file is made for its owner alone, and the chain goes on with each run', async () => {
  await run('a');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  await run('b', 'c');
  await run();
  expect(await verifyAuditLog(lines())).toMatchObject({ records: 9 });
});

test('what a crash has left in half is cut off, and reported', async () => {
  await run('a');
  appendFileSync(path, '{"action":"defi');
  await run('b');
  expect(await verifyAuditLog(lines())).toMatchObject({ records: 6 });
  expect(JSON.parse(lines()[3] as string).what).toEqual({ tornBytes: 15 });
});

test('a crash within the first line leaves nothing', async () => {
  writeFileSync(path, '{"action"');
  await run('a');
  expect(await verifyAuditLog(lines())).toMatchObject({ records: 3 });
});

test('the last line is found however long it and the ones before are', async () => {
  await run(...Array.from({ length: 2_000 }, () => 'x'.repeat(300)));
  await run('b');
  expect(await verifyAuditLog(lines())).toMatchObject({ records: 2_005 });
});

test.each([
  ['something else\n'],
  ['a key without a line break'],
  ['x'.repeat(3_000_000)],
  [`${'x'.repeat(3_000_000)}\n`],
  ['\n'],
])('a file that is none of ours is left alone', async (content) => {
  writeFileSync(path, content);
  await expect(run('a')).rejects.toMatchObject({ code: 'audit_log_unusable' });
  expect(readFileSync(path, 'utf8')).toBe(content);
});

test('a file that cannot be opened is named', async () => {
  await expect(openFileSink(folder)).rejects.toMatchObject({
    code: 'audit_log_unusable',
    message: expect.stringContaining(folder),
  });
});

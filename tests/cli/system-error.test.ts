/** Messages for errors of the operating system. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { systemErrorText } from '../../src/cli/client/system-error.js';

const folder = mkdtempSync(join(tmpdir(), 'tessera-system-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('a file that is not there', async () => {
  const missing = join(folder, 'missing.surql');
  const said = await new Promise((resolve) =>
    execFile(process.execPath, ['dist/cli/main.js', 'validate', missing], (error, _, stderr) =>
      resolve([(error as { code?: unknown } | null)?.code, stderr]),
    ),
  );
  expect(said).toEqual([1, `tessera: There is no file ${missing}\n`]);
});

it('an address at which another program listens', async () => {
  const first = createServer();
  await new Promise<void>((resolve) => first.listen(0, '127.0.0.1', resolve));
  const { port } = first.address() as { port: number };
  const error = await new Promise((resolve) => createServer().once('error', resolve).listen(port, '127.0.0.1'));
  expect(systemErrorText(error)).toBe(`Another program listens at 127.0.0.1:${port}`);
  first.close();
});

it('any other system error is reported in its own words', () => {
  expect(systemErrorText(Object.assign(new Error('EPIPE: it broke'), { code: 'EPIPE' }))).toBe('EPIPE: it broke');
  expect(systemErrorText(new Error('a bug'))).toBeUndefined();
  expect(systemErrorText('a text')).toBeUndefined();
});

describe('a server that does not answer', () => {
  const free = () =>
    new Promise<number>((resolve) => {
      const server = createServer().listen(0, '127.0.0.1', () => {
        const { port } = server.address() as { port: number };
        server.close(() => resolve(port));
      });
    });
  const place = ['--ns', 'a', '--db', 'a'];
  const commands = [
    ['sql', ...place],
    ['export', '-', ...place],
    ['import', '-', ...place],
    ['import', 'package.json', ...place],
    ['graphql', 'schema', ...place],
    ['types', ...place],
    ['version'],
  ];

  it.each(['http', 'ws'])('is reported with its address and the reason, over %s', async (scheme) => {
    const port = await free();
    for (const command of commands) {
      const args = [...command, '--endpoint', `${scheme}://127.0.0.1:${port}`];
      const said = await new Promise((resolve) => {
        const child = execFile(process.execPath, ['dist/cli/main.js', ...args], (error, _, stderr) =>
          resolve([(error as { code?: unknown } | null)?.code, stderr]),
        );
        child.stdin?.end('RETURN 1');
      });
      const reason = expect.stringMatching(
        new RegExp(
          `^tessera: No server answers at (http|ws)://127.0.0.1:${port}: nothing listens there. Start one with`,
        ),
      );
      expect(said).toEqual([1, reason]);
    }
  });
});

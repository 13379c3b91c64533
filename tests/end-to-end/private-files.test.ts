/** What other users of the machine can read: files with data, and the arguments of processes. */
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { cleanUp, startServerWith, temporaryFolder } from '../support/server-process.js';

afterEach(cleanUp);

const PASSWORD = 'not-for-others';
const run = promisify(execFile);
const tessera = (...args: string[]) => run(process.execPath, ['dist/bin/tessera.js', ...args]);

/** A folder that every user may enter, as `mkdir` makes them. */
function openFolder(parent: string, name: string): string {
  const folder = join(parent, name);
  mkdirSync(folder);
  chmodSync(folder, 0o755);
  return folder;
}

function passFile(folder: string, mode = 0o600): string {
  const file = join(folder, 'root.pass');
  writeFileSync(file, `${PASSWORD}\n`, { mode });
  chmodSync(file, mode);
  return file;
}

/** The modes of all files in a folder that users other than their owner may use. */
function openFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => (statSync(file).mode & 0o077) !== 0);
}

describe.skipIf(process.platform === 'win32')('in folders that every user may enter', () => {
  it.each([
    ['one process', []],
    ['several', ['--workers', '2']],
  ])('files are their owner’s alone, of %s, and the server warns of the folders', async (_how, workers) => {
    const parent = temporaryFolder();
    const [data, archive, logs, backup] = ['data', 'archive', 'logs', 'backup'].map((name) => openFolder(parent, name));
    const secret = passFile(parent);
    const former = process.umask(0o022);
    try {
      const server = await startServerWith([
        ...[data as string, '--user', 'root', '--pass-file', secret, '--archive', archive as string],
        ...['--audit-log', join(logs as string, 'audit.log'), ...workers],
      ]);
      const connection = ['--endpoint', server.url, '--user', 'root', '--pass-file', secret, '--ns', 'a', '--db', 'b'];
      const exported = join(backup as string, 'export.surql');
      await tessera('export', ...connection, exported);
      expect(readFileSync(exported, 'utf8')).toContain('OPTION IMPORT');
      for (const folder of [data, archive])
        expect(server.log()).toMatch(new RegExp(`"path":"${folder}","mode":"755","msg":"It is open to all users`));
      expect(server.log()).not.toContain(`"path":"${secret}"`);
      expect(server.log()).not.toContain('data.mdb');
      await server.stop();
      await tessera('backup', data as string, join(backup as string, 'one'));
      await tessera('restore', join(backup as string, 'one'), openFolder(parent, 'restored'));
    } finally {
      process.umask(former);
    }
    expect(openFiles(parent)).toEqual([]);
  });

  it('the server warns of files that were made otherwise', async () => {
    const folder = temporaryFolder();
    const secret = passFile(folder, 0o644);
    const first = await startServerWith([join(folder, 'data'), '--user', 'root', '--pass-file', secret]);
    expect(first.log()).toContain(`"path":"${secret}","mode":"644"`);
    expect(first.log()).not.toContain('data","mode');
    await first.stop();
    chmodSync(join(folder, 'data', 'data.mdb'), 0o644);
    const second = await startServerWith([join(folder, 'data')]);
    expect(second.log()).toContain(`"path":"${join(folder, 'data', 'data.mdb')}","mode":"644"`);
  });
});

describe.skipIf(process.platform !== 'linux')('the arguments of a process', () => {
  it('do not have the password once it has read them, nor those of its workers', async () => {
    const server = await startServerWith([temporaryFolder(), '--user', 'root', '--pass', PASSWORD, '--workers', '2']);
    const { pids } = JSON.parse(
      server
        .log()
        .split('\n')
        .find((line) => line.includes('"Listening"')) as string,
    ) as { readonly pids: readonly number[] };
    for (const pid of [server.pid, ...pids]) {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      expect(line).toContain('tessera.js start');
      expect(line).not.toContain(PASSWORD);
    }
  });
});

describe('--pass-file', () => {
  it('is refused beside --pass, if it is empty, and if it can’t be read', async () => {
    const folder = temporaryFolder();
    const empty = join(folder, 'empty');
    writeFileSync(empty, '\n');
    for (const command of [
      ['start', 'memory', '--user', 'root'],
      ['sql', '--user', 'root'],
    ]) {
      const told = (...args: string[]) =>
        tessera(...command, ...args).then(
          () => '',
          ({ stderr }: { readonly stderr: string }) => stderr,
        );
      expect(await told('--pass', 'x', '--pass-file', passFile(folder))).toContain('exclude each other');
      expect(await told('--pass-file', empty)).toContain('is empty');
      expect(await told('--pass-file', join(folder, 'missing'))).toContain('ENOENT');
    }
  });
});

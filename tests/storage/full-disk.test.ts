import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LmdbFile } from '../../src/storage/lmdb/file/lmdb-file.js';
import { walkPages } from '../../src/storage/lmdb/file/lmdb-pages.js';
import { compiled } from '../support/compiled.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'tessera-full-'));
let child: string;
beforeAll(() => {
  child = compiled('tests/storage/full-disk-child.ts', FOLDER);
});
afterAll(() => rmSync(FOLDER, { recursive: true }));

/** The shell bounds the length of files, which the system reports like a full disk. Windows has no such bound. */
const LIMITED = 'ulimit -f "$1"; shift; exec "$@"';

describe.skipIf(process.platform === 'win32')('a full disk', () => {
  // In blocks of 512 bytes or of 1,024, by the shell.
  it.each([4_000, 5_003, 6_001, 7_500])('of %i blocks refuses what has no room, and nothing else', async (blocks) => {
    const data = join(FOLDER, `data${blocks}`);
    const command = ['-c', LIMITED, 'sh', String(blocks), process.execPath, child, data, String(blocks)];
    const { stdout } = await promisify(execFile)('sh', command);
    expect(JSON.parse(stdout)).toEqual({
      threads: 1,
      codes: ['storage_full'],
      fatal: 0,
      whenFull: true,
      deleted: 100,
      written: 20,
      afterwards: true,
      whenReopened: true,
    });
    const faults: string[] = [];
    const file = new LmdbFile(join(data, 'data.mdb'));
    walkPages(file, { fault: (what) => faults.push(what) });
    file.close();
    expect(faults).toEqual([]);
  });

  it('of no room at all is reported when a store is opened', async () => {
    const data = join(FOLDER, 'none');
    const command = ['-c', LIMITED, 'sh', '4', process.execPath, child, data, '1'];
    await expect(promisify(execFile)('sh', command)).rejects.toMatchObject({
      code: 1,
      signal: null,
      stderr: expect.stringContaining('storage_full'),
    });
  });
});

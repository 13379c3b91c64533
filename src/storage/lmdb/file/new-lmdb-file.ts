/**
 * Makes the files that LMDB's library is going to open. It would write the first two pages into the file itself,
 * without a flush: a failure of power could leave one of them, and the file would be damaged before it held anything.
 */
import { existsSync, linkSync, renameSync, rmSync, statSync } from 'node:fs';
import { lazyLibrary } from '../../../base/lazy.js';
import { createPrivately } from '../../../base/private-file.js';
import { syncFile } from '../../file-system.js';
import { lockFileOf } from './lmdb-lock-file.js';

const lmdb = lazyLibrary<typeof import('lmdb')>('lmdb');

/** Makes a file without entries, unless there is one. @throws Error of the system or of the library */
export function makeLmdbFile(path: string): void {
  const exists = existsSync(path);
  if (exists && statSync(path).size > 0) return;
  const fresh = `${path}-${process.pid}`;
  const discard = () => {
    for (const each of [fresh, lockFileOf(fresh)]) rmSync(each, { force: true });
  };
  // In a container each process may have the same number.
  discard();
  try {
    createPrivately(fresh);
    void lmdb().open({ path: fresh, noSubdir: true, overlappingSync: false, maxReaders: 1 }).close();
    syncFile(fresh);
    if (exists) renameSync(fresh, path);
    else linkSync(fresh, path);
  } catch (error) {
    // The first caller has made it.
    if ((error as { readonly code?: unknown }).code !== 'EEXIST') throw error;
  } finally {
    discard();
  }
}

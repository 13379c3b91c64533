/** The lock on a data folder, which the kernel releases however its process ends; workers of one server share it. */
import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { lazyLibrary } from '../../../base/lazy.js';
import { failure } from '../../../errors/error.js';
import { checkEmptyFile } from './lmdb-integrity.js';
import { lockFileOf } from './lmdb-lock-file.js';
import { allocateLock } from './lmdb-space.js';
import { makeLmdbFile } from './new-lmdb-file.js';

const lmdb = lazyLibrary<typeof import('lmdb')>('lmdb');

const WRITABLE = constants.R_OK | constants.W_OK;

/** Maximum number of processes that check the owner of a folder at once. */
const MAX_OWNERS = 64;

/**
 * Reserves a data folder for one engine, in this process or any other. Returns a function that releases it.
 *
 * An otherwise empty LMDB file, `owner.mdb`, is used for its table of readers: an entry there is backed by a lock of
 * the kernel on behalf of the process, so it is gone as soon as the process is, however it ended. Each process enters
 * itself first and then checks for others, so that two concurrent ones can't miss each other.
 *
 * @throws TesseraError `storage_in_use`; Error of the system, with the path that can't be written to
 */
export function lockFolder(folder: string): () => Promise<void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'owner.mdb');
  // The library's error names no file.
  for (const each of [folder, path, lockFileOf(path)]) if (existsSync(each)) accessSync(each, WRITABLE);
  checkEmptyFile(path);
  allocateLock(lockFileOf(path), MAX_OWNERS, false);
  const { entry, file } = enter(path);
  const release = () => {
    entry.done();
    return file.close();
  };
  file.readerCheck();
  if (processesIn(file.readerList()).length > 1) {
    void release();
    throw failure('storage_in_use', { store: `data folder ${folder}` });
  }
  return release;
}

/**
 * Joins the owner of a folder, which is another process of the same server: the folder stays locked until the last of
 * them has left it. Returns a function that leaves.
 * @throws TesseraError `storage_in_use` if the owner doesn't have the folder
 */
export function joinFolder(folder: string, owner: number): () => Promise<void> {
  const { entry, file } = enter(join(folder, 'owner.mdb'));
  const leave = () => {
    entry.done();
    return file.close();
  };
  file.readerCheck();
  if (processesIn(file.readerList()).includes(owner)) return leave;
  void leave();
  throw failure('storage_in_use', { store: `data folder ${folder}` });
}

function enter(path: string) {
  makeLmdbFile(path);
  const file = lmdb().open({ path, noSubdir: true, overlappingSync: false, maxReaders: MAX_OWNERS });
  return { file, entry: file.useReadTransaction() };
}

/** LMDB prints its table with a heading and then a line for each reader that begins with its process. */
function processesIn(table: string): readonly number[] {
  return [...table.matchAll(/^\s*(\d+)\s/gm)].map(([, process]) => Number(process));
}

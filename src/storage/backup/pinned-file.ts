/**
 * One state of a data file, unchanged while servers write: a reader in LMDB's table prevents its pages
 * from being reused. It needs neither the folder's lock nor the server.
 */
import { chownSync, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { failure } from '../../errors/error.js';
import { DATA_FILE } from '../lmdb/engine/lmdb-store.js';
import { MAX_READERS, openDatabases } from '../lmdb/file/lmdb-databases.js';
import { LmdbFile, readAmidWrites, readMetaFacts } from '../lmdb/file/lmdb-file.js';
import { checkDataFile, METADATA_TREE } from '../lmdb/file/lmdb-integrity.js';
import { lockFileOf } from '../lmdb/file/lmdb-lock-file.js';
import {
  decodeMetadata,
  decodeUnsealed,
  KNOWN_LMDB_FORMATS,
  LMDB_FORMAT,
  type MetadataName,
} from '../lmdb/file/lmdb-metadata.js';
import { treeEntries, treesOf } from '../lmdb/file/lmdb-pages.js';
import { allocateLock } from '../lmdb/file/lmdb-space.js';
import type { StorePosition } from './manifest.js';

export interface PinnedFile {
  readonly file: LmdbFile;
  readonly position: StorePosition;
  /** The meta page of this state. */
  readonly metaPage: { readonly number: number; readonly bytes: Uint8Array };
  release(): Promise<void>;
}

/**
 * Pins the newest state.
 * @throws TesseraError `storage_corrupt`, `storage_format`, `restore_incomplete`; Error of the system or of the
 * library, such as that there is no such folder
 */
export async function pinFile(folder: string): Promise<PinnedFile> {
  const path = join(folder, DATA_FILE);
  const { uid, gid } = statSync(path);
  const check = { verifyUpTo: 0, readOnly: true, describeKey: () => 'an entry', report: () => undefined };
  readAmidWrites(() => checkDataFile(path, check));
  prepareLock(lockFileOf(path), uid, gid);
  const { root } = openDatabases(path, { sync: true, readOnly: true });
  // Commits from now on don't reuse the pages of the state that is read next.
  const reader = root.useReadTransaction();
  const release = async () => {
    reader.done();
    await root.close();
  };
  try {
    const pinned = readAmidWrites(() => readState(folder, path));
    return {
      ...pinned,
      release: async () => {
        pinned.file.close();
        await release();
      },
    };
  } catch (error) {
    await release();
    throw error;
  }
}

/** If no server has run yet, the lock file must belong to the server's user, not to the user who takes backups. */
function prepareLock(path: string, uid: number, gid: number): void {
  const exists = existsSync(path);
  allocateLock(path, MAX_READERS, false);
  if (!exists && process.getuid?.() === 0) chownSync(path, uid, gid);
}

function readState(folder: string, path: string): Omit<PinnedFile, 'release'> {
  const file = new LmdbFile(path);
  try {
    const number = file.meta.transaction % 2;
    const page = file.pages(number, 1);
    if (readMetaFacts(page).transaction !== file.meta.transaction) file.damaged('it was being written');
    return { file, position: positionOf(file, folder), metaPage: { number, bytes: page.bytes } };
  } catch (error) {
    file.close();
    throw error;
  }
}

/** @throws TesseraError `storage_format`, `storage_corrupt` */
function positionOf(file: LmdbFile, folder: string): StorePosition {
  const header = treesOf(file).get(METADATA_TREE);
  const metadata = header === undefined ? new Map<string, Uint8Array>() : treeEntries(file, header, METADATA_TREE);
  const stored = metadata.get('format');
  if (stored === undefined) file.damaged('the store in it was never used');
  const format = decodeUnsealed(stored);
  if (!KNOWN_LMDB_FORMATS.has(format)) throw failure('storage_format', { folder, format, known: LMDB_FORMAT });
  const text = (name: MetadataName) => {
    const bytes = metadata.get(name);
    return bytes && (format === String(LMDB_FORMAT) ? decodeMetadata(name, bytes) : decodeUnsealed(bytes));
  };
  return { id: text('store') ?? '', format, version: Number(text('version') ?? 0), stamp: text('stamp') ?? '0' };
}

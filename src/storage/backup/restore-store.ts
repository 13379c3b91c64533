/** Restores a store from a backup, and later writes from an archive. */
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { OWNER_ONLY } from '../../base/private-file.js';
import { failure, TesseraError } from '../../errors/error.js';
import { type ArchivedGroup, archivedGroups } from '../archive/read-archive.js';
import { DATA_FILE } from '../lmdb/engine/lmdb-store.js';
import { lockFolder } from '../lmdb/file/folder-lock.js';
import { openDatabases, putChange, putVersion } from '../lmdb/file/lmdb-databases.js';
import { RESTORE_MARK } from '../lmdb/file/lmdb-file.js';
import { checkDataFile } from '../lmdb/file/lmdb-integrity.js';
import { lockFileOf } from '../lmdb/file/lmdb-lock-file.js';
import { KNOWN_LMDB_FORMATS, LMDB_FORMAT } from '../lmdb/file/lmdb-metadata.js';
import { syncFolder } from '../sync-folder.js';
import type { OpenBackup } from './read-backup.js';
import { restoreFile } from './restore-file.js';

/** The folder of the data file until it is complete. */
const UNFINISHED = 'restoring';
/** Files that an interrupted restore leaves, and its locks, some of them unfinished. */
const OWN_FILES = /^(?:restoring|owner\.mdb|(?:data|owner)\.mdb-lock(?:-\d+)?)$/;

export interface RestoreOptions {
  readonly archive?: { readonly folder: string; readonly until: number | undefined } | undefined;
  /** Called with the folder in which the store is complete, before it takes its place. */
  finish(folder: string): Promise<void>;
  /** Bytes of pages that were written. */
  progress(bytes: number): void;
  /** A readable name for an entry. */
  describeKey?(key: string): string;
  /** A value in the backup is damaged: reading it fails, all other data is usable. */
  damaged?(error: TesseraError): void;
  /** A group of the archive was applied. */
  replayed(group: ArchivedGroup): void;
}

/**
 * Restores into a folder, which is created, or empty, or holds a restore that was interrupted. Until all is done the
 * folder doesn't open: `restore_incomplete`.
 * @throws TesseraError `restore_target_not_empty`, `storage_in_use`, `storage_format`, `backup_damaged`, `archive_gap`,
 * `archive_foreign`, `restore_time`, those of the blobs and of `finish`; Error of the system
 */
export async function restoreStore(backup: OpenBackup, folder: string, options: RestoreOptions): Promise<void> {
  const { format } = backup.manifest.store;
  if (!KNOWN_LMDB_FORMATS.has(format))
    throw failure('storage_format', { folder: backup.blobs.location, format, known: LMDB_FORMAT });
  mustBeFree(folder);
  const unlock = lockFolder(folder);
  try {
    // Of two concurrent restores one gets the lock.
    mustBeFree(folder);
    const location = join(folder, UNFINISHED);
    rmSync(location, { recursive: true, force: true });
    mkdirSync(location, { mode: 0o700 });
    mark(folder, location);
    const path = join(location, DATA_FILE);
    await restoreFile(backup, path, (bytes) => options.progress(bytes));
    mustBeSound(path, options);
    await bringForward(backup, path, options);
    await options.finish(location);
    sync(path);
    rmSync(lockFileOf(join(folder, DATA_FILE)), { force: true });
    renameSync(path, join(folder, DATA_FILE));
    syncFolder(folder);
    rmSync(location, { recursive: true });
  } finally {
    await unlock();
  }
}

/**
 * Reads the restored file to its end before the library does: checksums of parts tell that they are as they were
 * written, not that the file is a sound store, and an unsound page could end the process.
 * @throws TesseraError `backup_damaged`
 */
function mustBeSound(path: string, options: RestoreOptions): void {
  try {
    checkDataFile(path, {
      verifyUpTo: Number.POSITIVE_INFINITY,
      readOnly: true,
      describeKey: (key) => options.describeKey?.(key) ?? 'an entry',
      report: (error) => options.damaged?.(error),
    });
  } catch (error) {
    if (!(error instanceof TesseraError) || error.code !== 'storage_corrupt') throw error;
    throw failure('backup_damaged', { what: 'a page of the store in it is not sound' }, { cause: error });
  }
}

/** Makes the folder fail to open. There is never an empty data file, which would count as a new store. */
function mark(folder: string, location: string): void {
  const path = join(location, 'mark');
  writeFileSync(path, RESTORE_MARK, { mode: OWNER_ONLY, flush: true });
  renameSync(path, join(folder, DATA_FILE));
  syncFolder(folder);
}

/** @throws TesseraError `restore_target_not_empty` */
function mustBeFree(folder: string): void {
  if (!existsSync(folder)) return;
  const isOwn = (name: string) => OWN_FILES.test(name) || (name === DATA_FILE && isMark(join(folder, name)));
  if (!readdirSync(folder).every(isOwn)) throw failure('restore_target_not_empty', { folder });
}

function isMark(path: string): boolean {
  return statSync(path).size === RESTORE_MARK.length && readFileSync(path).equals(RESTORE_MARK);
}

/** Approximate number of changes that are applied in one transaction of LMDB. */
const STEP_CHANGES = 16_384;

/** Applies the archive, and gives the store a new id, since its history now differs from the backup's store. */
async function bringForward({ manifest }: OpenBackup, path: string, options: RestoreOptions): Promise<void> {
  const { id, version: after } = manifest.store;
  const { archive } = options;
  const databases = openDatabases(path, { sync: false, readOnly: false });
  try {
    await databases.root.transaction(() => void databases.metadata.remove('store'));
    if (archive === undefined) return;
    const { folder, until } = archive;
    if (until !== undefined && until < Date.parse(manifest.taken))
      throw failure('restore_time', { reason: `the backup was taken at ${manifest.taken}, which is later` });
    let groups: ArchivedGroup[] = [];
    let changes = 0;
    const apply = async () => {
      const step = groups;
      groups = [];
      changes = 0;
      await databases.root.batch(() => {
        for (const group of step) {
          for (const change of group.changes) putChange(databases, change);
          putVersion(databases, group.version, group.stamp);
        }
      });
    };
    for await (const group of archivedGroups(folder, { store: id, after, until })) {
      options.replayed(group);
      groups.push(group);
      changes += group.changes.length;
      if (changes >= STEP_CHANGES) await apply();
    }
    await apply();
  } finally {
    await databases.root.close();
  }
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r+');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Restores a store from a backup, and later writes from an archive. */
import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { endianness } from 'node:os';
import { join } from 'node:path';
import { invariant } from '../../base/invariant.js';
import { OWNER_ONLY } from '../../base/private-file.js';
import { failure, TesseraError } from '../../errors/error.js';
import { type ArchivedGroup, archivedGroups } from '../archive/read-archive.js';
import { syncFolder } from '../file-system.js';
import { DATA_FILE } from '../lmdb/engine/lmdb-store.js';
import { lockFolder } from '../lmdb/file/folder-lock.js';
import { openDatabases, putChange, putVersion } from '../lmdb/file/lmdb-databases.js';
import { NativeBytes, PAGE_HEADER, RESTORE_MARK, readMetaFacts } from '../lmdb/file/lmdb-file.js';
import { checkDataFile } from '../lmdb/file/lmdb-integrity.js';
import { lockFileOf } from '../lmdb/file/lmdb-lock-file.js';
import { encodeMetadata, KNOWN_LMDB_FORMATS, LMDB_FORMAT, LOGGED_LMDB_FORMAT } from '../lmdb/file/lmdb-metadata.js';
import type { PageLayout } from './manifest.js';
import { type OpenBackup, readParts } from './read-backup.js';

/** The folder of the data file until it is complete. */
const UNFINISHED = 'restoring';
/** Files that an interrupted restore leaves, and its locks, some of them unfinished. */
const OWN_FILES = /^(?:restoring|owner\.mdb(?:-\d+)?|(?:data\.mdb|owner\.mdb(?:-\d+)?)-lock(?:-\d+)?)$/;

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
  const { id, version: after, format } = manifest.store;
  const { archive } = options;
  const databases = openDatabases(path, { sync: false, readOnly: false });
  try {
    await databases.root.transaction(() => {
      void databases.metadata.remove('store');
      // Its pages are of a store with a log, which isn't restored.
      if (format === String(LOGGED_LMDB_FORMAT))
        void databases.metadata.put('format', encodeMetadata('format', String(LMDB_FORMAT)));
    });
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

// Writes the data file of a backup.

const META_PAGES = 2;
/** The least page size of the library, in bytes. */
const LEAST_PAGE = 4_096;
/** Offset of the transaction number in a meta page, behind the page header. */
const TRANSACTION = PAGE_HEADER + 128;

/**
 * Writes a data file, which must not exist, page by page. Its meta pages come last, so that an incomplete file doesn't
 * open. Free pages are holes.
 * @throws TesseraError `backup_damaged`, those of the blobs; Error of the system
 */
async function restoreFile(backup: OpenBackup, path: string, progress: (bytes: number) => void): Promise<void> {
  const { size, transaction } = backup.manifest.pages;
  const descriptor = openSync(path, 'wx', OWNER_ONLY);
  try {
    let meta: Uint8Array | undefined;
    await readParts(backup, (runs) => {
      for (const { first, bytes } of runs) {
        if (first < META_PAGES) meta = bytes;
        else writeAll(descriptor, bytes, first * size);
        progress(bytes.length);
      }
    });
    if (meta === undefined || !isMetaOf(meta, backup.manifest.pages))
      throw failure('backup_damaged', { what: 'its meta page is missing, or of another state of the store' });
    ftruncateSync(descriptor, (backup.manifest.pages.last + 1) * size);
    fsyncSync(descriptor);
    for (const page of metaPages(meta, transaction)) writeAll(descriptor, page.bytes, page.number * size);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** The manifest's values must equal those of the page, since the length of the file depends on them. */
function isMetaOf(bytes: Uint8Array, { size, last, transaction }: PageLayout): boolean {
  if (bytes.length !== size || size < LEAST_PAGE || transaction < 1) return false;
  const facts = readMetaFacts(new NativeBytes(bytes));
  return facts.pageSize === size && facts.lastPage === last && facts.transaction === transaction;
}

/** Both of the same state: transaction n has meta page n mod 2, and the one before it the other. */
function metaPages(newest: Uint8Array, transaction: number) {
  const older = Buffer.from(newest);
  const view = new DataView(older.buffer, older.byteOffset, older.length);
  const isLittleEndian = endianness() === 'LE';
  invariant(transaction > 0, 'a state with data was made by a transaction');
  view.setBigUint64(TRANSACTION, BigInt(transaction - 1), isLittleEndian);
  view.setBigUint64(0, BigInt((transaction - 1) % 2), isLittleEndian);
  return [
    { number: (transaction - 1) % 2, bytes: older },
    { number: transaction % 2, bytes: newest },
  ];
}

function writeAll(descriptor: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; )
    done += writeSync(descriptor, bytes, done, bytes.length - done, position + done);
}

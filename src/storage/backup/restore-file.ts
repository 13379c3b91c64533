/** Writes the data file of a backup. */
import { closeSync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { endianness } from 'node:os';
import { invariant } from '../../base/invariant.js';
import { OWNER_ONLY } from '../../base/private-file.js';
import { failure } from '../../errors/error.js';
import { NativeBytes, PAGE_HEADER, readMetaFacts } from '../lmdb/file/lmdb-file.js';
import type { PageLayout } from './manifest.js';
import { type OpenBackup, readParts } from './read-backup.js';

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
export async function restoreFile(backup: OpenBackup, path: string, progress: (bytes: number) => void): Promise<void> {
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

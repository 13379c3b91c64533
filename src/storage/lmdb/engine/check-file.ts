/** Checks a data file from its first page to its last, without LMDB's library and without changing anything. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { failure, TesseraError } from '../../../errors/error.js';
import { LmdbFile } from '../file/lmdb-file.js';
import { ChecksumVisitor, readFacts } from '../file/lmdb-integrity.js';
import { KNOWN_LMDB_FORMATS, LMDB_FORMAT } from '../file/lmdb-metadata.js';
import { type PageTotals, walkPages } from '../file/lmdb-pages.js';
import { type LoggedStore, readLog } from '../log/read-log.js';
import { DATA_FILE } from './lmdb-store.js';

export interface FileFaults {
  /** A page or the store's metadata is damaged. */
  page(what: string): void;
  /** The checksum of a value is wrong. */
  value(key: string): void;
  /** Called now and then. */
  progress(pages: number, ofPages: number): void;
}

export interface CheckedFile {
  readonly format: string | undefined;
  /** In bytes. */
  readonly size: number;
  readonly pages: PageTotals;
  readonly entries: number;
}

/**
 * Calls `faults` for each fault. Returns the findings; `undefined` if they can't be determined.
 * @throws TesseraError `storage_format` for a format that isn't known; Error of the system, or if there is no data file
 */
export function checkFile(folder: string, faults: FileFaults): CheckedFile | undefined {
  const path = join(folder, DATA_FILE);
  if (statSync(path).size === 0) {
    faults.page(`${DATA_FILE} is empty`);
    return undefined;
  }
  let file: LmdbFile | undefined;
  try {
    file = new LmdbFile(path);
    return checkOpen(folder, file, faults);
  } catch (error) {
    if (!(error instanceof TesseraError) || error.code !== 'storage_corrupt') throw error;
    faults.page(error.message);
    return undefined;
  } finally {
    file?.close();
  }
}

function checkOpen(folder: string, file: LmdbFile, faults: FileFaults): CheckedFile {
  const facts = readFacts(file);
  const { format } = facts;
  if (format !== undefined && !KNOWN_LMDB_FORMATS.has(format))
    throw failure('storage_format', { folder, format, known: LMDB_FORMAT });
  const values = new ChecksumVisitor(facts, (key) => faults.value(key));
  const all = file.meta.lastPage + 1;
  let entries = 0;
  const pages = walkPages(file, {
    fault: (what) => faults.page(what),
    entry: (tree, key, value) => {
      entries++;
      values.entry(tree, key, value);
    },
    progress: (count) => faults.progress(count, all),
  });
  if (facts.log !== undefined) checkLog({ folder, ...facts.log }, faults);
  return { format, size: file.size, pages, entries };
}

/** Groups that are only in the log count as parts of the file. */
function checkLog(store: LoggedStore, faults: FileFaults): void {
  try {
    readLog(store);
  } catch (error) {
    if (!(error instanceof TesseraError) || error.code !== 'storage_corrupt') throw error;
    faults.page(error.message);
  }
}

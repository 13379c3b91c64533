/** Waits until the data file of a store has what is in its log, since a backup is a copy of the file alone. */
import { join } from 'node:path';
import type { Timers } from '../../env/environment.js';
import { TesseraError } from '../../errors/error.js';
import { openLmdb } from '../lmdb/engine/lmdb.js';
import { DATA_FILE } from '../lmdb/engine/lmdb-store.js';
import { LmdbFile, readAmidWrites } from '../lmdb/file/lmdb-file.js';
import { readFacts, type StoreFacts } from '../lmdb/file/lmdb-integrity.js';
import { lastLogged } from '../lmdb/log/read-log.js';

/** Milliseconds until the file is read again. */
const AGAIN = 20;

/**
 * Waits until all that was in the log when it was called is in the data file. A server that runs sees to that; if none
 * does, one has ended without having closed the store, which is opened and closed.
 * @throws TesseraError as `openLmdb` does, but for `storage_in_use`; Error of the system
 */
export async function awaitLog(folder: string, timers: Timers): Promise<void> {
  const { log } = factsOf(folder);
  if (log === undefined) return;
  const last = lastLogged({ folder, ...log });
  for (let version = log.version; version < last; version = factsOf(folder).log?.version ?? last) {
    try {
      await openLmdb(folder, { verifyUpTo: 0 }).close();
    } catch (error) {
      if (!(error instanceof TesseraError) || error.code !== 'storage_in_use') throw error;
      await timers.wait(AGAIN);
    }
  }
}

function factsOf(folder: string): StoreFacts {
  return readAmidWrites(() => {
    const file = new LmdbFile(join(folder, DATA_FILE));
    try {
      return readFacts(file);
    } finally {
      file.close();
    }
  });
}

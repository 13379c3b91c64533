/** Opens a data folder for several worker processes: the parent locks and prepares it, each worker joins. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { realEnvironment } from '../../../env/real.js';
import { openLmdb } from '../engine/lmdb.js';
import { anyEntry, type LmdbOptions } from '../engine/lmdb-options.js';
import { DATA_FILE } from '../engine/lmdb-store.js';
import { openArchivedLmdb } from '../engine/open-archived.js';
import { unopened } from '../engine/store-failures.js';
import { joinFolder, lockFolder } from '../file/folder-lock.js';
import { MAX_READERS, openDatabases } from '../file/lmdb-databases.js';
import { LmdbFile } from '../file/lmdb-file.js';
import { readFacts } from '../file/lmdb-integrity.js';
import { SharedLmdbEngine } from './shared-engine.js';
import { SharedByteStore } from './shared-store.js';

const DEFAULT_CACHE_BYTES = 128 << 20;

/** The processes of one server that share a folder. */
export interface WorkerGroup {
  /** The process that holds the lock of the folder, and has made sure that the store is whole. */
  readonly owner: number;
  /** How many workers there are. */
  readonly size: number;
}

export interface SharedLmdbOptions extends LmdbOptions {
  /** The folder in which every write is archived. */
  readonly archive?: string | undefined;
}

export interface ShareOptions {
  /** The folder in which every write is archived. */
  readonly archive?: string | undefined;
  /** Called before values of format 1 get their checksums. */
  readonly converting?: () => void;
}

/**
 * Locks the folder of a store, which has been opened and closed before, for processes that `openSharedLmdb`. Answers a
 * function that unlocks it, for when they have ended. Values of format 1 get their checksums first, since that is for
 * one process to do; `converting` is called before.
 * @throws TesseraError `storage_in_use`; as `openLmdb` does; Error of the library
 */
export async function shareFolder(
  folder: string,
  { archive, converting = () => undefined }: ShareOptions = {},
): Promise<() => Promise<void>> {
  if (mayBeUnsealed(folder)) {
    converting();
    const options = { verifyUpTo: 0 };
    const engine = archive === undefined ? openLmdb(folder, options) : await openArchivedLmdb(folder, archive, options);
    await engine.sealed;
    await engine.close();
  }
  const unlock = lockFolder(folder);
  try {
    const { root, log } = openDatabases(join(folder, DATA_FILE), { sync: true, readOnly: false, hasLog: true });
    // What was logged before concerns none of the processes to come.
    await log?.clearAsync();
    await root.close();
    return unlock;
  } catch (error) {
    await unlock();
    throw error;
  }
}

function mayBeUnsealed(folder: string): boolean {
  const file = new LmdbFile(join(folder, DATA_FILE));
  try {
    return readFacts(file).mayBeUnsealed;
  } finally {
    file.close();
  }
}

/**
 * Opens the store in a folder as one of several processes that use it. What `options` says of the room of caches and of
 * the number of views is divided among them.
 * @throws TesseraError `storage_in_use` if the owner is gone, `storage_format`, `storage_full`, `storage_unavailable`
 */
export function openSharedLmdb(
  folder: string,
  { owner, size }: WorkerGroup,
  options: SharedLmdbOptions = {},
): SharedLmdbEngine {
  try {
    const leave = joinFolder(folder, owner);
    try {
      const { timers = realEnvironment.timers, clock = realEnvironment.clock } = options;
      const { archive, sync, report } = options;
      const store = new SharedByteStore(folder, { sync: sync !== 'never', timers, clock, archive, report });
      const settings = {
        node: randomBytes(8).toString('hex'),
        cacheBytes: (options.cacheBytes ?? DEFAULT_CACHE_BYTES) / size,
        maxViews: Math.floor((options.maxViews ?? MAX_READERS / 2) / size),
        describeKey: options.describeKey ?? anyEntry,
        fatal: options.fatal ?? (() => undefined),
        timers,
        clock,
      };
      return new SharedLmdbEngine(store, settings, leave);
    } catch (error) {
      void leave();
      throw error;
    }
  } catch (error) {
    throw unopened(folder, error);
  }
}

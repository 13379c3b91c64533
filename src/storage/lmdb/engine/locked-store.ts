/** Opens the files of a store whose folder this process has locked. */
import { realEnvironment } from '../../../env/real.js';
import { lockFolder } from '../file/folder-lock.js';
import { DEFAULT_VERIFY_UP_TO } from '../file/lmdb-limits.js';
import { anyEntry, type LmdbOptions } from './lmdb-options.js';
import { type ByteStore, openByteStore } from './lmdb-store.js';
import { unopened } from './store-failures.js';

/** The files of a store whose folder is locked for an engine. */
export interface LockedStore {
  readonly store: ByteStore;
  readonly unlock: () => Promise<void>;
}

/** @throws TesseraError as `openLmdb` does */
export function openLocked(folder: string, options: LmdbOptions): LockedStore {
  try {
    const unlock = lockFolder(folder);
    try {
      const store = openByteStore(folder, {
        sync: options.sync !== 'never',
        verifyUpTo: options.verifyUpTo ?? DEFAULT_VERIFY_UP_TO,
        describeKey: options.describeKey ?? anyEntry,
        report: options.report ?? (() => {}),
        readOnly: options.readOnly ?? false,
        timers: options.timers ?? realEnvironment.timers,
      });
      return { store, unlock };
    } catch (error) {
      void unlock();
      throw error;
    }
  } catch (error) {
    throw unopened(folder, error);
  }
}

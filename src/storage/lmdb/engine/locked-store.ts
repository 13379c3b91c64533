/** Opens the files of a store whose folder this process has locked. */
import { realEnvironment } from '../../../env/real.js';
import { lockFolder } from '../file/folder-lock.js';
import { DEFAULT_VERIFY_UP_TO } from '../file/lmdb-limits.js';
import { GroupLog } from '../log/group-log.js';
import { anyEntry, type LmdbOptions } from './lmdb-options.js';
import { type ByteStore, openByteStore } from './lmdb-store.js';
import { unopened } from './store-failures.js';

/** The files of a store whose folder is locked for an engine. */
export interface LockedStore {
  readonly store: ByteStore;
  readonly log: GroupLog | undefined;
  readonly unlock: () => Promise<void>;
  /** Closes all of them, and unlocks the folder, where no engine does. */
  close(): Promise<void>;
}

/** @throws TesseraError as `openLmdb` does */
export function openLocked(folder: string, options: LmdbOptions): LockedStore {
  try {
    const unlock = lockFolder(folder);
    try {
      const { store, log } = openFiles(folder, options);
      const close = async () => {
        log?.close(false);
        await store.close();
        await unlock();
      };
      return { store, log, unlock, close };
    } catch (error) {
      void unlock();
      throw error;
    }
  } catch (error) {
    throw unopened(folder, error);
  }
}

function openFiles(folder: string, options: LmdbOptions): Pick<LockedStore, 'store' | 'log'> {
  const sync = options.sync !== 'never';
  const readOnly = options.readOnly ?? false;
  const store = openByteStore(folder, {
    sync,
    verifyUpTo: options.verifyUpTo ?? DEFAULT_VERIFY_UP_TO,
    describeKey: options.describeKey ?? anyEntry,
    report: options.report ?? (() => {}),
    readOnly,
    timers: options.timers ?? realEnvironment.timers,
  });
  if ((readOnly || !sync) && !store.isLogged) return { store, log: undefined };
  try {
    const { id, version, isLogged } = store;
    const owner = { folder, id, version, isLogged, setLogged: (value: boolean) => store.setLogged(value) };
    const { clock = realEnvironment.clock } = options;
    return { store, log: new GroupLog(owner, { clock, isWritten: sync, readOnly }) };
  } catch (error) {
    void store.close();
    throw error;
  }
}

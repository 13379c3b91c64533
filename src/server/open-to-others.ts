import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../http/base/log.js';
import { readStoreAddress } from '../storage/address.js';
import { DATA_FILE } from '../storage/lmdb/engine/lmdb-store.js';
import type { Configuration } from './configuration.js';

/** The bits of a mode for those who are neither the owner nor in the group. */
const OTHERS = 0o007;

type Named = Pick<Configuration, 'path' | 'archive' | 'auditLog' | 'auditKeyFile' | 'webKey' | 'passFile'>;

/** Warns of files and folders with data or secrets that every user of the machine may read or write. */
export function warnOfOpenFiles(configuration: Named, log: Log): void {
  // Windows has no such modes.
  if (process.platform === 'win32') return;
  for (const path of filesOf(configuration)) {
    const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
    if ((mode & OTHERS) === 0) continue;
    const details = { path, mode: (mode & 0o777).toString(8) };
    log.warn(details, 'It is open to all users of this machine; "chmod o= PATH" changes that');
  }
}

/** What there is of it. */
function filesOf({ path, archive, auditLog, auditKeyFile, webKey, passFile }: Named): string[] {
  const store = readStoreAddress(path);
  const data = store.engine === 'lmdb' ? [store.path, join(store.path, DATA_FILE)] : [];
  const log = auditLog === 'stdout' ? undefined : auditLog;
  return [...data, ...[archive, log, auditKeyFile, webKey, passFile].filter((each) => each !== undefined)];
}

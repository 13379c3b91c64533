/** The folder `.tessera`: the data of `tessera dev`, whether it has been seeded, and how the server is reached. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OWNER_ONLY } from '../../base/private-file.js';
import { realEnvironment } from '../../env/real.js';
import { lockFolder } from '../../storage/lmdb/file/folder-lock.js';
import { DEV_FOLDER, readDevConnection } from '../client/dev-connection.js';
import { DATA_FOLDER } from './configuration.js';

const SEEDED = join(DEV_FOLDER, 'seeded');

/** Makes the folder, which Git ignores whatever the app's own `.gitignore` says. */
export function prepareDevFolder(): void {
  mkdirSync(DEV_FOLDER, { recursive: true, mode: 0o700 });
  writeFileSync(join(DEV_FOLDER, '.gitignore'), '*\n');
  // Data that was removed by hand is fresh as well.
  if (!existsSync(DATA_FOLDER)) rmSync(SEEDED, { force: true });
}

/** Removes the data. @throws TesseraError `storage_in_use` where a server has it open; Error of the file system */
export async function removeData(): Promise<void> {
  if (existsSync(DATA_FOLDER)) {
    const unlock = lockFolder(DATA_FOLDER);
    await unlock();
    rmSync(DATA_FOLDER, { recursive: true });
  }
  rmSync(SEEDED, { force: true });
}

/** Random bytes of a password. */
const PASSWORD_BYTES = 12;

/** The root user's password: the one that was made with the data, or another one. */
export function devPassword(): string {
  const made = () => Buffer.from(realEnvironment.random.bytes(PASSWORD_BYTES)).toString('base64url');
  return readDevConnection()?.pass ?? made();
}

/** Whether the data has been seeded. */
export function isSeeded(): boolean {
  return existsSync(SEEDED);
}

/** Remembers that it has. */
export function markSeeded(): void {
  writeFileSync(SEEDED, '', { mode: OWNER_ONLY });
}

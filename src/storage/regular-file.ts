/** Opens files of backups and archives without blocking on a pipe or a device of that name. */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/**
 * Opens a file for reading; `undefined` for anything but a regular file: pipes and devices are neither read nor waited
 * for. @throws Error of the system
 */
export async function openRegularFile(path: string): Promise<FileHandle | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  if ((await file.stat()).isFile()) return file;
  await file.close();
  return undefined;
}

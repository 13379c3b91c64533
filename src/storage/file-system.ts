/** What Node's file functions lack: folders whose names are durable, and files opened without waiting for a pipe. */
import { closeSync, constants, fsyncSync, openSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/**
 * Syncs a folder, so that the names in it, such as that of a new file, survive a power failure. @throws Error of the
 * system
 */
export function syncFolder(path: string): void {
  // Windows can't open folders, and needn't.
  if (process.platform === 'win32') return;
  sync(path, 'r');
}

/** Syncs what any process has written to a file. @throws Error of the system */
export function syncFile(path: string): void {
  sync(path, 'r+');
}

function sync(path: string, flags: 'r' | 'r+'): void {
  const descriptor = openSync(path, flags);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

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

/** Makes names in a folder durable, which an fsync of the files alone doesn't. */
import { closeSync, fsyncSync, openSync } from 'node:fs';

/**
 * Syncs a folder, so that the names in it, such as that of a new file, survive a power failure. @throws Error of the
 * system
 */
export function syncFolder(path: string): void {
  // Windows can't open folders, and needn't.
  if (process.platform === 'win32') return;
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

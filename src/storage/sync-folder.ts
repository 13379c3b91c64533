import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Has the names in a folder, such as that of a new file, survive a power failure. @throws Error of the system */
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

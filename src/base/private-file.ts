/** Files that only their owner can read. */
import { closeSync, openSync } from 'node:fs';

/** The mode of files that hold data: only their owner can read them, whatever the folder and the umask allow. */
export const OWNER_ONLY = 0o600;

/**
 * Makes an empty file unless there is one, for libraries that would leave its mode to the umask. @throws Error of the
 * system
 */
export function createPrivately(path: string): void {
  closeSync(openSync(path, 'a', OWNER_ONLY));
}

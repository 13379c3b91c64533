import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Folders in use. They go with the process at the latest. @type {Set<string>} */
const open = new Set();
const removed = (path) => rmSync(path, { recursive: true, force: true });
process.once('exit', () => open.forEach(removed));

/** A new folder: `{path, remove()}`. */
export function temporaryFolder() {
  const path = mkdtempSync(join(tmpdir(), 'tessera-bench-'));
  open.add(path);
  return {
    path,
    remove: () => {
      open.delete(path);
      removed(path);
    },
  };
}

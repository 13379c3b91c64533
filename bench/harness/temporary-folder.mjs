import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new folder: `{path, remove()}`. It goes with the process at the latest. */
export function temporaryFolder() {
  const path = mkdtempSync(join(tmpdir(), 'tessera-bench-'));
  const remove = () => rmSync(path, { recursive: true, force: true });
  process.once('exit', remove);
  return {
    path,
    remove: () => {
      process.off('exit', remove);
      remove();
    },
  };
}

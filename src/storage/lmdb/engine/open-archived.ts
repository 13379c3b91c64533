/** Opens a data folder with an archive, which gets each group of commits before the store does. */
import { realEnvironment } from '../../../env/real.js';
import { ArchiveWriter } from '../../archive/archive-writer.js';
import { LmdbEngine } from './lmdb.js';
import type { LmdbOptions } from './lmdb-options.js';
import { openLocked } from './locked-store.js';
import { unopened } from './store-failures.js';

/**
 * Opens a store in a folder as `openLmdb` does, with an archive of its writes in another folder.
 * @throws TesseraError as `openLmdb` does; `archive_foreign`
 */
export async function openArchivedLmdb(folder: string, archive: string, options: LmdbOptions): Promise<LmdbEngine> {
  const files = openLocked(folder, options);
  const { store, log } = files;
  try {
    const { clock = realEnvironment.clock, report = () => undefined } = options;
    const version = log?.tail.at(-1)?.version ?? store.version;
    const writer = await ArchiveWriter.open(archive, { id: store.id, version }, clock, report);
    return new LmdbEngine({ ...files, archive: writer }, options);
  } catch (error) {
    await files.close();
    throw unopened(archive, error);
  }
}

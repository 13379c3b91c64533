import { realEnvironment } from '../../../env/real.js';
import { ArchiveWriter } from '../../archive/archive-writer.js';
import { ArchivedStore } from './archived-store.js';
import { LmdbEngine } from './lmdb.js';
import type { LmdbOptions } from './lmdb-options.js';
import { openLocked } from './locked-store.js';
import { unopened } from './store-failures.js';

/**
 * Opens a store in a folder as `openLmdb` does, with an archive of its writes in another folder.
 * @throws TesseraError as `openLmdb` does; `archive_foreign`
 */
export async function openArchivedLmdb(folder: string, archive: string, options: LmdbOptions): Promise<LmdbEngine> {
  const { store, unlock } = openLocked(folder, options);
  try {
    const view = store.view();
    const { version } = view;
    view.release();
    const { clock = realEnvironment.clock, report = () => undefined } = options;
    const writer = await ArchiveWriter.open(archive, { id: store.id, version }, clock, report);
    return new LmdbEngine(new ArchivedStore(store, writer), options, unlock);
  } catch (error) {
    await store.close();
    await unlock();
    throw unopened(archive, error);
  }
}

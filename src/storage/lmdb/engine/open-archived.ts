/** Opens a data folder with an archive: a wrapper of the store appends each write to the archive first. */
import { realEnvironment } from '../../../env/real.js';
import { ArchiveWriter } from '../../archive/archive-writer.js';
import type { Versionstamp } from '../../contract.js';
import type { SpaceDemand } from '../file/lmdb-space.js';
import type { EncodedChange } from '../file/packed-changes.js';
import { LmdbEngine } from './lmdb.js';
import type { LmdbOptions } from './lmdb-options.js';
import type { ByteStore, ByteView, WriteBatch } from './lmdb-store.js';
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

/**
 * A store whose writes are archived: each write is on the disk of the archive before the store begins it, so that the
 * archive never lacks a write of the store.
 */
class ArchivedStore implements ByteStore {
  readonly #store: ByteStore;
  readonly #archive: ArchiveWriter;

  constructor(store: ByteStore, archive: ArchiveWriter) {
    this.#store = store;
    this.#archive = archive;
  }

  get lastStamp(): Versionstamp {
    return this.#store.lastStamp;
  }

  get mayBeUnsealed(): boolean {
    return this.#store.mayBeUnsealed;
  }

  get isReadOnly(): boolean {
    return this.#store.isReadOnly;
  }

  get id(): string {
    return this.#store.id;
  }

  revision(): string {
    return this.#store.revision();
  }

  measure(change: EncodedChange, room: SpaceDemand): void {
    this.#store.measure(change, room);
  }

  reserve(room: SpaceDemand): void {
    this.#archive.space.admit(room);
    this.#store.reserve(room);
  }

  sealed(): Promise<void> {
    return this.#store.sealed();
  }

  view(): ByteView {
    return this.#store.view();
  }

  /** The store's write comes some rounds later, behind that of the archive. */
  prepare(): void {}

  async write(changes: WriteBatch, version: number, stamp?: Versionstamp): Promise<void> {
    await this.#archive.append(changes.changes, version, stamp);
    await this.#store.write(changes, version, stamp);
  }

  async close(): Promise<void> {
    await this.#store.close();
    await this.#archive.close();
  }
}

/** Opens any store by its address; engines other than memory and LMDB are imported only when an address names them. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { failure } from '../../errors/error.js';
import { readStoreAddress, type StoreAddress } from '../address.js';
import type { Engine } from '../contract.js';
import { openLmdb } from '../lmdb/engine/lmdb.js';
import type { LmdbOptions } from '../lmdb/engine/lmdb-options.js';
import { DATA_FILE } from '../lmdb/engine/lmdb-store.js';
import type { WorkerGroup } from '../lmdb/shared/open.js';
import { MemoryEngine } from '../memory/memory.js';

export interface EngineOptions extends LmdbOptions {
  /** The processes that share a folder, this one among them; absent if it is alone. */
  readonly group?: WorkerGroup | undefined;
  /** The folder in which every write of a store in a folder is archived. */
  readonly archive?: string | undefined;
  /** No other process may have it open meanwhile, in PostgreSQL as well. */
  readonly exclusive?: boolean;
}

/**
 * Opens the store that an address names: `memory` or `mem://`; `lmdb:/path` or `file:/path`, with two slashes more if
 * you like; the path of a folder, which means LMDB; the names of the peer's engines, which mean LMDB too; or
 * `postgres://user:password@host/database` (`postgres/address.ts`). `?sync=never` is an option of LMDB.
 *
 *     const engine = await openEngine('lmdb:./data', { sync: 'every' });
 *
 * @throws TesseraError `storage_address`, `storage_foreign`, `storage_format`, `storage_in_use`, `storage_unavailable`,
 * `restore_incomplete`, `archive_foreign`
 */
export async function openEngine(address: string, options: EngineOptions = {}): Promise<Engine> {
  const store = readStoreAddress(address);
  if (store.engine === 'memory') return new MemoryEngine(options);
  // The library is loaded only where it is needed.
  if (store.engine === 'postgres') return (await import('../postgres/open.js')).openPostgres(address, options);
  mustNotBeForeign(store);
  const sync = store.parameters.get('sync') === 'never' ? 'never' : options.sync;
  const settings = { ...options, ...(sync !== undefined && { sync }) };
  const { group, archive } = options;
  if (group !== undefined) return (await import('../lmdb/shared/open.js')).openSharedLmdb(store.path, group, settings);
  if (archive === undefined) return openLmdb(store.path, settings);
  return (await import('../lmdb/engine/open-archived.js')).openArchivedLmdb(store.path, archive, settings);
}

/** Files of another engine in the folder can't be read, and must not be mixed with ours. */
function mustNotBeForeign({ path, inPlaceOf }: StoreAddress): void {
  if (inPlaceOf === undefined || !existsSync(path) || !statSync(path).isDirectory()) return;
  const files = readdirSync(path);
  if (files.length > 0 && !files.includes(DATA_FILE))
    throw failure('storage_foreign', { folder: path, engine: inPlaceOf });
}

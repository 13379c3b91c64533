import { failure } from '../../errors/error.js';
import type { Engine } from '../contract.js';
import { type LmdbOptions, openLmdb } from './lmdb.js';
import { MemoryEngine } from './memory.js';

export type EngineOptions = LmdbOptions;

/** What may stand before a colon in a store's address. A single letter is a drive of Windows and belongs to a path. */
const SCHEMES: Readonly<Record<string, (path: string, options: EngineOptions) => Engine>> = {
  mem: (_, options) => new MemoryEngine(options),
  memory: (_, options) => new MemoryEngine(options),
  lmdb: openFolder,
  file: openFolder,
};

/**
 * Opens the store that an address names: `memory` or `mem://`; `lmdb:/path` or `file:/path`, with two slashes more if you like; or the path
 * of a folder, which means LMDB.
 *
 *     const engine = await openEngine('lmdb:./data', { sync: 'every' });
 *
 * @throws TesseraError `storage_address`, `storage_in_use`, `storage_unavailable`
 */
export async function openEngine(address: string, options: EngineOptions = {}): Promise<Engine> {
  if (address === 'memory' || address === 'mem') return new MemoryEngine(options);
  const [, scheme, path] = /^([a-z][a-z0-9+-]+):(.*)$/is.exec(address) ?? [];
  if (scheme === undefined || path === undefined) return openFolder(address, options);
  const open = Object.hasOwn(SCHEMES, scheme.toLowerCase()) ? SCHEMES[scheme.toLowerCase()] : undefined;
  if (open === undefined) throw failure('storage_address', { address });
  // `lmdb://data` and `file:///var/data`: the two slashes say nothing, what follows is the path.
  return open(path.startsWith('//') ? path.slice(2) : path, options);
}

function openFolder(path: string, options: EngineOptions): Engine {
  if (path === '') throw failure('storage_address', { address: path });
  return openLmdb(path, options);
}

/**
 * The address of a store, as users write it: `memory`, `./data`, `file:./data`, `rocksdb:/var/data?sync=never`,
 * `postgres://host/database`.
 */
import { failure } from '../errors/error.js';

export interface StoreAddress {
  readonly engine: 'memory' | 'lmdb' | 'postgres';
  /** The folder; for PostgreSQL the whole address; empty in memory. */
  readonly path: string;
  /** The peer's engine in the address, which Tessera's own replaces. */
  readonly inPlaceOf: string | undefined;
  /** What follows a `?`. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** A scheme before a colon. A single letter is a drive of Windows and belongs to a path. */
const SCHEMES: Readonly<Record<string, Pick<StoreAddress, 'engine' | 'inPlaceOf'>>> = {
  mem: { engine: 'memory', inPlaceOf: undefined },
  memory: { engine: 'memory', inPlaceOf: undefined },
  lmdb: { engine: 'lmdb', inPlaceOf: undefined },
  file: { engine: 'lmdb', inPlaceOf: undefined },
  rocksdb: { engine: 'lmdb', inPlaceOf: 'RocksDB' },
  speedb: { engine: 'lmdb', inPlaceOf: 'SpeeDB' },
  surrealkv: { engine: 'lmdb', inPlaceOf: 'SurrealKV' },
  'surrealkv+versioned': { engine: 'lmdb', inPlaceOf: 'SurrealKV' },
  postgres: { engine: 'postgres', inPlaceOf: undefined },
  postgresql: { engine: 'postgres', inPlaceOf: undefined },
};

/**
 * Reads the address of a store. `file:///var/data` and `file:/var/data` are the same: the host between the slashes is
 * empty, and the path follows.
 *
 *     readStoreAddress('surrealkv://data').path === 'data'
 *
 * @throws TesseraError `storage_address`
 */
export function readStoreAddress(address: string): StoreAddress {
  if (address === 'memory' || address === 'mem') return readStoreAddress(`${address}://`);
  const [, scheme, rest] = /^([a-z][a-z0-9+-]+):(.*)$/is.exec(address) ?? [];
  // Without a scheme the whole text is a path, question marks included.
  if (scheme === undefined || rest === undefined) {
    if (address === '') throw failure('storage_address', { address: withoutPassword(address) });
    return { engine: 'lmdb', path: address, inPlaceOf: undefined, parameters: new Map() };
  }
  const name = scheme.toLowerCase();
  const known = Object.hasOwn(SCHEMES, name) ? SCHEMES[name] : undefined;
  if (known === undefined) throw failure('storage_address', { address: withoutPassword(address) });
  if (known.engine === 'postgres') return { ...known, path: address, parameters: new Map() };
  const [, path = '', query = ''] = /^(?:\/\/)?([^?]*)\??(.*)$/s.exec(rest) ?? [];
  if (known.engine === 'lmdb' && path === '') throw failure('storage_address', { address: withoutPassword(address) });
  return { ...known, path: known.engine === 'memory' ? '' : path, parameters: new Map(new URLSearchParams(query)) };
}

/** An address without its password, for display. */
export function withoutPassword(address: string): string {
  return address.replace(/^([a-z]+:\/\/[^:@/]*):.*@/i, '$1:…@').replace(/([?&]password=)[^&#]*/gi, '$1…');
}

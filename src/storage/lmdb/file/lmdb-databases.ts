/** The trees of a data file, opened with LMDB's library. */
import type { Database, RootDatabase } from 'lmdb';
import { invariant } from '../../../base/invariant.js';
import { lazyLibrary } from '../../../base/lazy.js';
import type { Key, Versionstamp } from '../../contract.js';
import { stampBytes } from '../../transaction/append.js';
import { decodeMetadata, encodeMetadata, type MetadataName } from './lmdb-metadata.js';
import { makeLmdbFile } from './new-lmdb-file.js';
import type { EncodedChange } from './packed-changes.js';

const lmdb = lazyLibrary<typeof import('lmdb')>('lmdb');

/** What the callback of a transaction returns to have the library abort it. */
export function abortTransaction(): unknown {
  return lmdb().ABORT;
}

/** Transactions with different snapshots that may be under way at once. Each takes 64 bytes of the lock file. */
export const MAX_READERS = 8192;

/** Methods of Node's buffers that are missing in their types: they need no lookup of an encoding by name. */
interface Latin1Buffer {
  readonly length: number;
  [at: number]: number;
  latin1Write(text: string, offset: number, length: number): number;
  latin1Slice(start: number, end: number): string;
}

/**
 * Shorter keys are written faster here than by a call out of JavaScript: measured with 26 bytes, it takes half a
 * microsecond off a read of 1.8.
 */
const SHORT_KEY = 64;

/** Reads and writes a byte string straight from and into the buffers of LMDB's library. */
const BYTE_STRING_KEYS = {
  writeKey(key: Key, target: Latin1Buffer, start: number): number {
    // The RangeError makes the library grow its buffer and retry.
    const end = start + key.length;
    if (end > target.length) throw new RangeError('a key longer than the buffer');
    if (key.length > SHORT_KEY) target.latin1Write(key, start, key.length);
    else for (let at = start; at < end; at++) target[at] = key.charCodeAt(at - start);
    return end;
  },
  readKey(source: Latin1Buffer, start: number, end: number): Key {
    return source.latin1Slice(start, end);
  },
};

/**
 * Passes the bytes of a value in the library's buffer, which is reused each time: a copy of them
 * takes as long as decoding a small record.
 */
const BYTES_IN_PLACE = {
  encode: (bytes: Uint8Array) => bytes,
  decode: (bytes: Uint8Array) => bytes,
};

export interface LmdbDatabases {
  readonly root: RootDatabase<Uint8Array, Key>;
  /** All keys of the contract. */
  readonly records: Database<Uint8Array, Key>;
  /** The store's metadata (`lmdb-metadata.ts`). */
  readonly metadata: Database<Uint8Array, MetadataName>;
  /** The log of commits, by the version that each group made, where several processes use the store. */
  readonly log: Database<Uint8Array, Key> | undefined;
}

export interface LmdbDatabasesOptions {
  readonly sync: boolean;
  readonly readOnly: boolean;
  /** Whether to keep a log of commits. */
  readonly hasLog?: boolean | undefined;
}

/**
 * LMDB's own order of a commit is kept (`overlappingSync` is off): pages, fsync, then the page that makes them visible.
 * So no reader sees a commit that a power failure could still undo. Without `sync` nothing is flushed: the operating
 * system does it at its own time, and a crash of the machine (not of the process) may damage the file.
 *
 * @throws Error of the system or of the library
 */
export function openDatabases(path: string, { sync, readOnly, hasLog }: LmdbDatabasesOptions): LmdbDatabases {
  if (!readOnly) makeLmdbFile(path);
  const root = lmdb().open<Uint8Array, Key>({
    path,
    noSubdir: true,
    overlappingSync: false,
    noSync: !sync,
    maxReaders: MAX_READERS,
    readOnly,
    encoding: 'binary',
  });
  try {
    const named = <K extends Key>(name: string, values: object) =>
      root.openDB<Uint8Array, K>({ name, keyEncoder: BYTE_STRING_KEYS, ...values } as { name: string });
    return {
      root,
      records: named('records', { encoder: BYTES_IN_PLACE }),
      metadata: named('about', { encoding: 'binary' }),
      log: hasLog ? named('log', { encoder: BYTES_IN_PLACE }) : undefined,
    };
  } catch (error) {
    void root.close();
    throw error;
  }
}

/** To be called within a transaction or a batch, whose promise covers those of all changes. */
export function putChange({ records }: LmdbDatabases, { key, bytes }: EncodedChange): void {
  void (bytes === undefined ? records.remove(key) : records.put(key, bytes));
}

/** The same for the metadata that a write updates; `stamp` if it is a new one. */
export function putVersion({ metadata }: LmdbDatabases, version: number, stamp: Versionstamp | undefined): void {
  void metadata.put('version', encodeMetadata('version', String(version)));
  if (stamp !== undefined) void metadata.put('stamp', encodeMetadata('stamp', String(stamp)));
}

/** The version of the last write, as the transaction that is under way sees it; 0 before the first one. */
export function versionOf({ metadata }: LmdbDatabases): number {
  const bytes = metadata.get('version');
  return bytes === undefined ? 0 : Number(decodeMetadata('version', bytes));
}

/** Groups of commits that the log keeps: a process that has missed more of them discards its state. */
export const LOG_GROUPS = 2_048;
/** Adds the group that makes a version to the log, and removes the one that is too old by that. */
export function putLog({ log }: LmdbDatabases, version: number, bytes: Uint8Array): void {
  invariant(log !== undefined, 'a store without a log of commits');
  void log.put(groupLogKey(version), bytes);
  void log.remove(groupLogKey(Math.max(0, version - LOG_GROUPS)));
}

/** The version as eight big-endian bytes. */
export function groupLogKey(version: number): Key {
  return stampBytes(BigInt(version));
}

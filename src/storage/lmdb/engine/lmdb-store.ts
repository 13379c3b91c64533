/** The data file as the engine uses it: opening and checking it, snapshots of its bytes, and atomic writes. */
import { randomBytes } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Database, Transaction } from 'lmdb';
import type { Timers } from '../../../env/environment.js';
import { failure } from '../../../errors/error.js';
import type { Key, KeyRange, Versionstamp } from '../../contract.js';
import { syncFile, syncFolder } from '../../file-system.js';
import { type LmdbDatabases, MAX_READERS, openDatabases, putChange, putVersion } from '../file/lmdb-databases.js';
import { checkDataFile, type FileCheck, RECORDS_TREE } from '../file/lmdb-integrity.js';
import { MAX_KEY_LENGTH } from '../file/lmdb-limits.js';
import { lockFileOf } from '../file/lmdb-lock-file.js';
import {
  decodeMetadata,
  decodeUnsealed,
  encodeMetadata,
  KNOWN_LMDB_FORMATS,
  LMDB_FORMAT,
  LOGGED_LMDB_FORMAT,
  UNSEALED_LMDB_FORMAT,
} from '../file/lmdb-metadata.js';
import { allocateLock, noDemand, probeSpace, type SpaceDemand, SpaceReserve } from '../file/lmdb-space.js';
import type { EncodedChange } from '../file/packed-changes.js';
import { LARGE_WRITE, LargeWriter } from './large-writer.js';
import { LmdbMetrics } from './lmdb-metrics.js';
import { NO_READERS, readersOf } from './oldest-reader.js';

/** The file in a folder that holds everything. */
export const DATA_FILE = 'data.mdb';

/** Changes that are written together, and the space reserved for them. */
export interface WriteBatch {
  readonly changes: readonly EncodedChange[];
  readonly room: SpaceDemand;
}

/** A file of keys and bytes with snapshots and atomic writes: the interface of LMDB for the engine. */
export interface ByteStore {
  /** Identifies the store; empty in one of an older release that is only read. */
  readonly id: string;
  /** The last versionstamp that was written before the store was opened; 0 if there was none. */
  readonly lastStamp: Versionstamp;
  /** Whether there may be values without checksums, from format 1. */
  readonly mayBeUnsealed: boolean;
  /** Whether nothing can be written. */
  readonly isReadOnly: boolean;
  /** The version of the last write before the store was opened. */
  readonly version: number;
  /** Whether the data file says that there is a log beside it. */
  readonly isLogged: boolean;
  /** Has it say so or not, durably. @throws Error of the library */
  setLogged(isLogged: boolean): void;
  /** Adds the space that a change may take to that of others. */
  measure(change: EncodedChange, room: SpaceDemand): void;
  /**
   * Reserves space for changes that `write` will get.
   * @throws TesseraError `storage_full`, `storage_unavailable`, with nothing reserved
   */
  reserve(room: SpaceDemand): void;
  /** Notes that every value has a checksum by now. */
  sealed(): Promise<void>;
  /** Pins the last committed state. */
  view(): ByteView;
  /**
   * Announces a `write` in this round of the event loop: one of few changes then starts at the end of this round rather
   * than of the next.
   */
  prepare(): void;
  /**
   * Writes all changes, or none, and gives the store a new version. Called for one write at a time. When the promise
   * resolves the changes are durable; they become visible to new views no sooner than that. `stamp` is the last
   * assigned versionstamp, if it is a new one.
   */
  write(changes: WriteBatch, version: number, stamp?: Versionstamp): Promise<void>;
  close(): Promise<void>;
  /** Absent if nothing is measured. */
  readonly metrics?: LmdbMetrics;
}

/** Decode the bytes that it returns before reading anything else: the buffer is reused. */
export interface ByteView {
  /** The version of the last write that this view shows. */
  readonly version: number;
  get(key: Key): Uint8Array | undefined;
  has(key: Key): boolean;
  /**
   * The first existing key at or above another; above its beginning, if it is longer than the longest possible key.
   */
  next(from: Key): Key | undefined;
  /** Entries in order, at most `limit`. `visit` gets no bytes if `keysOnly`; `true` from it ends the scan. */
  scan(range: KeyRange, options: ByteScan, visit: VisitBytes): void;
  count(range: KeyRange): number;
  /** The key of a range that `before` others precede; with `reverse`, counted from its end. */
  keyAt(range: KeyRange, before: number, reverse: boolean): Key | undefined;
  release(): void;
}

export type VisitBytes = (key: Key, bytes: Uint8Array | undefined) => boolean | undefined;

export interface ByteScan {
  readonly reverse: boolean;
  readonly keysOnly: boolean;
  readonly limit: number;
}

export interface ByteStoreOptions extends FileCheck {
  readonly sync: boolean;
  readonly timers: Timers;
}

/**
 * Opens or creates the files of a store in a folder, which must be locked.
 * @throws TesseraError `storage_format`, `storage_corrupt`, `storage_full`, `storage_unavailable`; Error of the system
 * or of the library
 */
export function openByteStore(folder: string, options: ByteStoreOptions): ByteStore {
  const path = join(folder, DATA_FILE);
  const { readOnly = false } = options;
  checkDataFile(path, options);
  if (!readOnly) prepareFiles(path);
  const databases = openDatabases(path, { sync: options.sync, readOnly });
  try {
    if (readOnly) return new LmdbByteStore(databases, undefined, options);
    settleFormat(databases, folder);
    settleIdentity(databases);
    if (options.sync) {
      // The last commit of a killed process may be in the system's memory only: the log won't have it any longer.
      syncFile(path);
      // A new file must also survive in its folder, and a new folder in the one above.
      for (const path of [folder, dirname(resolve(folder))]) syncFolder(path);
    }
    return new LmdbByteStore(databases, path, options);
  } catch (error) {
    void databases.root.close();
    throw error;
  }
}

/** Ensures space for what the library writes to the files when it opens them. */
function prepareFiles(path: string): void {
  if (!existsSync(path) || statSync(path).size === 0) probeSpace(path);
  else new SpaceReserve(path, RECORDS_TREE, NO_READERS).close();
  allocateLock(lockFileOf(path), MAX_READERS, true);
}

/**
 * Marks a new store with our format, and one of format 1, whose values have no checksums.
 * @throws TesseraError `storage_format` for a store of any other, which stays as it is
 */
function settleFormat({ root, metadata }: LmdbDatabases, folder: string): void {
  const stored = metadata.get('format');
  if (stored === undefined) {
    metadata.putSync('format', encodeMetadata('format', String(LMDB_FORMAT)));
    return;
  }
  const format = decodeUnsealed(stored);
  if (!KNOWN_LMDB_FORMATS.has(format)) throw failure('storage_format', { folder, format, known: LMDB_FORMAT });
  if (format !== String(UNSEALED_LMDB_FORMAT)) return;
  root.transactionSync(() => {
    for (const name of ['version', 'stamp'] as const) {
      const text = metadata.get(name);
      if (text !== undefined) metadata.putSync(name, encodeMetadata(name, decodeUnsealed(text)));
    }
    metadata.putSync('unsealed', encodeMetadata('unsealed', 'yes'));
    metadata.putSync('format', encodeMetadata('format', String(LMDB_FORMAT)));
  });
}

/** Draws the id of a store that has none. */
function settleIdentity({ metadata }: LmdbDatabases): void {
  if (metadata.get('store') !== undefined) return;
  metadata.putSync('store', encodeMetadata('store', randomBytes(STORE_ID_BYTES).toString('hex')));
}

const STORE_ID_BYTES = 16;

class LmdbByteStore implements ByteStore {
  readonly id: string;
  readonly version: number;
  readonly isLogged: boolean;
  readonly lastStamp: Versionstamp;
  readonly mayBeUnsealed: boolean;
  readonly isReadOnly: boolean;
  readonly metrics: LmdbMetrics;
  readonly #databases: LmdbDatabases;
  /** None in a store that is only read. */
  readonly #space: SpaceReserve | undefined;
  /** None either. */
  readonly #large: LargeWriter | undefined;
  /** The version of the last write that is known to have succeeded. */
  #written = 0;

  constructor(databases: LmdbDatabases, path: string | undefined, { sync, timers }: ByteStoreOptions) {
    this.#databases = databases;
    this.metrics = new LmdbMetrics(databases);
    const { metadata, root } = databases;
    const format = metadata.get('format');
    const stored = format && decodeMetadata('format', format);
    const isUnsealed = stored === String(UNSEALED_LMDB_FORMAT);
    this.isLogged = stored === String(LOGGED_LMDB_FORMAT);
    const number = (name: 'version' | 'stamp') => storedNumber(name, metadata.get(name), isUnsealed);
    this.version = Number(number('version'));
    this.lastStamp = BigInt(number('stamp'));
    const id = metadata.get('store');
    this.id = id === undefined ? '' : decodeMetadata('store', id);
    this.mayBeUnsealed = isUnsealed || metadata.get('unsealed') !== undefined;
    this.isReadOnly = path === undefined;
    if (path === undefined) return;
    this.#space = new SpaceReserve(path, RECORDS_TREE, readersOf(root));
    this.#large = new LargeWriter({ path: resolve(path), file: statSync(path, { bigint: true }), sync }, timers);
  }

  setLogged(isLogged: boolean): void {
    this.#space?.admit(noDemand());
    const format = isLogged ? LOGGED_LMDB_FORMAT : LMDB_FORMAT;
    this.#databases.metadata.putSync('format', encodeMetadata('format', String(format)));
  }

  measure(change: EncodedChange, room: SpaceDemand): void {
    this.#space?.measure(change, room);
  }

  reserve(room: SpaceDemand): void {
    if (this.#space === undefined) throw failure('read_only');
    this.#space.admit(room);
  }

  async sealed(): Promise<void> {
    this.#space?.admit(noDemand());
    await this.#commit(() => void this.#databases.metadata.remove('unsealed'));
  }

  view(): ByteView {
    const { root } = this.#databases;
    const view = new LmdbByteView(this.#databases, root.useReadTransaction(), this.isReadOnly);
    if (view.version >= this.#written) return view;
    // The library shares one transaction of LMDB among all reads of a turn of the event loop; this one is older than
    // the last write.
    view.release();
    root.resetReadTxn();
    return new LmdbByteView(this.#databases, root.useReadTransaction(), this.isReadOnly);
  }

  prepare(): void {
    // The library starts its batches by a `setImmediate` of its own, which it sets when the first write comes, even an
    // empty one.
    void this.#databases.root.batch(NOTHING).catch(NOTHING);
  }

  async write({ changes, room }: WriteBatch, version: number, stamp?: Versionstamp): Promise<void> {
    const isWritten = changes.length > LARGE_WRITE && (await this.#large?.write(changes, version, stamp));
    if (isWritten !== true) {
      await this.#commit(() => {
        for (const change of changes) putChange(this.#databases, change);
        putVersion(this.#databases, version, stamp);
      });
    }
    this.#space?.written(room);
    this.#written = version;
  }

  async close(): Promise<void> {
    await this.#large?.close();
    await this.#databases.root.close();
    this.#space?.close();
  }

  async #commit(write: () => void): Promise<void> {
    try {
      await this.#databases.root.batch(write);
    } catch (error) {
      throw await commitError(error);
    }
  }
}

/** Of the metadata; 0 where nothing was written yet. */
function storedNumber(name: 'version' | 'stamp', bytes: Uint8Array | undefined, isUnsealed: boolean): string {
  if (bytes === undefined) return '0';
  const text = isUnsealed ? decodeUnsealed(bytes) : decodeMetadata(name, bytes);
  if (!/^\d+$/.test(text)) throw failure('storage_corrupt', { what: `the store's ${name} is not as it was written` });
  return text;
}

const NOTHING = (): void => {};

/** The library reports the cause of a failed commit in another promise, which must not be left unobserved. */
export async function commitError(error: unknown): Promise<unknown> {
  const cause = (error as { readonly commitError?: Promise<unknown> }).commitError;
  try {
    await cause;
    return error;
  } catch (reason) {
    return reason;
  }
}

export class LmdbByteView implements ByteView {
  readonly version: number;
  readonly #records: Database<Uint8Array, Key>;
  readonly transaction: Transaction;
  readonly #options: { readonly transaction: Transaction };

  constructor({ records, metadata }: LmdbDatabases, transaction: Transaction, isReadOnly: boolean) {
    this.#records = records;
    this.transaction = transaction;
    this.#options = { transaction };
    const version = metadata.get('version', this.#options);
    this.version = version === undefined || isReadOnly ? 0 : Number(decodeMetadata('version', version));
  }

  get(key: Key): Uint8Array | undefined {
    return canExist(key) ? this.#records.get(key, this.#options) : undefined;
  }

  has(key: Key): boolean {
    // Counting, unlike reading, never touches the value, which may be large.
    const only = { start: key, end: key, inclusiveEnd: true, ...this.#options };
    return canExist(key) && this.#records.getKeysCount(only) > 0;
  }

  next(from: Key): Key | undefined {
    const start = from.slice(0, MAX_KEY_LENGTH);
    for (const key of this.#records.getKeys({ start, limit: 1, ...this.#options })) return key;
    return undefined;
  }

  scan(range: KeyRange, { reverse, keysOnly, limit }: ByteScan, visit: VisitBytes): void {
    const options = { ...bounds(range, reverse), limit, ...this.#options };
    if (keysOnly) {
      for (const key of this.#records.getKeys(options)) if (visit(key, undefined) === true) return;
    } else {
      for (const { key, value } of this.#records.getRange(options)) if (visit(key, value) === true) return;
    }
  }

  count(range: KeyRange): number {
    return range.from < range.to ? this.#records.getKeysCount({ ...bounds(range, false), ...this.#options }) : 0;
  }

  keyAt(range: KeyRange, before: number, reverse: boolean): Key | undefined {
    const options = { ...bounds(range, reverse), offset: before, limit: 1, ...this.#options };
    for (const key of this.#records.getKeys(options)) return key;
    return undefined;
  }

  release(): void {
    this.transaction.done();
  }
}

function canExist(key: Key): boolean {
  return key !== '' && key.length <= MAX_KEY_LENGTH;
}

/**
 * A range in LMDB's terms. No key is longer than the limit, so a bound that is can be cut off if it then lets its equal
 * fall below it.
 */
function bounds({ from, to }: KeyRange, reverse: boolean) {
  const low = from.slice(0, MAX_KEY_LENGTH);
  const high = to.slice(0, MAX_KEY_LENGTH);
  const lowInclusive = low === from;
  const highInclusive = high !== to;
  const [start, startInclusive, end, endInclusive] = reverse
    ? [high, highInclusive, low, lowInclusive]
    : [low, lowInclusive, high, highInclusive];
  return { reverse, start, exclusiveStart: !startInclusive, end, inclusiveEnd: endInclusive };
}

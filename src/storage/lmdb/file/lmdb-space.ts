/**
 * Prevents LMDB's library from meeting a full disk: it writes the text of that error into a buffer that is too
 * small for it (`mdb_page_flush` in `mdb.c` of lmdb 3.5.6), after which the process can't be trusted.
 *
 * The data file is kept longer than needed by as much as the next commits may add, in zeros that are
 * written beforehand; a commit for which there is no room is refused before anything of it is written. Lock files,
 * which the library maps into memory and writes to there, are given their whole length at once.
 */
import {
  closeSync,
  existsSync,
  fstatSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { OWNER_ONLY } from '../../../base/private-file.js';
import { failure, TesseraError } from '../../../errors/error.js';
import { LmdbFile, readAmidWrites } from './lmdb-file.js';
import { freePages, type TreeName, treesOf } from './lmdb-pages.js';
import type { EncodedChange } from './packed-changes.js';

/**
 * Zeros written at once: no more than a page. Linux keeps a file in memory by the pieces in which it was written first,
 * and for each page that is written again it writes all of its piece to the disk: with pieces of 256 KiB, 100 KB a
 * commit instead of 16.
 */
const ZEROS = Buffer.alloc(4_096);
/** More isn't written in one turn; beyond that the file system is asked how much is free, and so much must be left. */
const MAX_WRITTEN = 4 << 20;
const MARGIN = 16 << 20;
/**
 * Pages that a commit may take beside those of its changes: of the list of free pages, of what the store says about
 * itself.
 */
const COMMIT_PAGES = 24;
/** The file grows by a sixteenth of itself, within these bounds of pages. */
const MIN_GROWTH = 32;
const MAX_GROWTH = 256;
/** The assumed depth of a tree that can't be read just now. */
const LIKELY_DEPTH = 8;
/** Bytes of an entry in a page besides its key and its value. */
const ENTRY_OVERHEAD = 10;
/** The system's errors for lack of space: of the disk, a quota, the maximum file size. */
const NO_ROOM: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** The space demand of changes, as sums: the demands of several commits add up to that of their group. */
export interface SpaceDemand {
  /** Number of entries, each of which copies the pages on the path to it. */
  entries: number;
  /** Their bytes in shared pages. */
  bytes: number;
  /** Pages of large values. */
  own: number;
}

/** The table of readers of a data file. */
export interface Readers {
  /** Forgets processes that have died: the states that they read would keep pages from being used again. */
  forgetDead(): void;
  /** The number of the oldest transaction whose state is being read. */
  oldest(): number;
}

/** Reserves space for commits in a data file. */
export class SpaceReserve {
  readonly #path: string;
  readonly #descriptor: number;
  readonly #tree: TreeName;
  readonly #readers: Readers;
  #pageSize = 0;
  #depth = LIKELY_DEPTH;
  /** How many pages the library used when the depth was read. */
  #depthAt = 0;
  /** The pages that the library uses or has given up, as last checked. */
  #used = 0;
  /** Those of the tree: all of them, as long as it isn't read. */
  #shared = 0;
  /** Pages that commits admitted since then may take. */
  #admitted: SpaceDemand = noDemand();
  /** Pages that unwritten commits may take. */
  #unwritten: SpaceDemand = noDemand();
  #size = 0;

  /** @throws TesseraError `storage_full`, `storage_unavailable` */
  constructor(path: string, tree: TreeName, readers: Readers) {
    this.#path = path;
    this.#tree = tree;
    this.#readers = readers;
    // Appends, so that zeros never overwrite what the library writes meanwhile.
    this.#descriptor = openSync(path, 'a+', OWNER_ONLY);
    try {
      // Other processes may be writing.
      readAmidWrites(() => this.look());
      this.admit(noDemand());
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Adds a change to a demand. */
  measure({ key, bytes: value }: EncodedChange, demand: SpaceDemand): void {
    const page = this.#pageSize;
    const size = value?.length ?? 0;
    const isOwn = key.length + size + ENTRY_OVERHEAD > page / 2 - 12;
    if (isOwn) demand.own += Math.ceil((size + ENTRY_OVERHEAD * 3) / page);
    demand.bytes += key.length + (isOwn ? 0 : size) + ENTRY_OVERHEAD;
    demand.entries++;
  }

  /**
   * Ensures that there is space for changes, and reserves it until `written`.
   * @throws TesseraError `storage_full`, with nothing reserved; `storage_unavailable` if the file can't be written to
   * or is cut off
   */
  admit(demand: SpaceDemand): void {
    if (this.#missing(demand) > 0) {
      this.look();
      if (this.#missing(demand) > 0) this.#readTree();
      const missing = this.#missing(demand);
      if (missing > 0) this.#extend(missing, demand);
    }
    addDemand(this.#admitted, demand);
    addDemand(this.#unwritten, demand);
  }

  /** Admitted changes have been written, or never will be. */
  written(demand: SpaceDemand): void {
    addDemand(this.#unwritten, demand, -1);
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  /** Number of pages that the file lacks for admitted changes and for more. */
  #missing(more: SpaceDemand): number {
    const entries = this.#admitted.entries + more.entries;
    // Pages that are there may each be split; one that was split is at least a quarter full. For several children a
    // parent is split once at the most.
    const halves = this.#shared + ((this.#admitted.bytes + more.bytes) * 4) / this.#pageSize + 1;
    const split = Math.ceil(Math.min(entries, halves) * 1.25);
    const fresh = split + this.#admitted.own + more.own;
    // The path to an entry, and to a neighbour with which its page is merged.
    const copies = Math.min(entries * this.#depth * 2, this.#shared + fresh);
    // The numbers of freed pages are listed, eight bytes each.
    const listed = Math.ceil(((copies + fresh) * 8) / this.#pageSize);
    const wanted = this.#used + copies + fresh + listed + COMMIT_PAGES;
    return Math.ceil(wanted - Math.floor(this.#size / this.#pageSize));
  }

  /**
   * Checks how much of the file the library uses, after other processes may have written. Values that can't be read
   * because they are being written stay unchanged.
   * @throws TesseraError `storage_unavailable` if the file was cut off
   */
  look(): void {
    const size = fstatSync(this.#descriptor).size;
    if (size < this.#size) {
      const what = `the data file was cut off from ${this.#size} to ${size} bytes by another program`;
      throw failure('storage_unavailable', { reason: what });
    }
    this.#size = size;
    try {
      const file = new LmdbFile(this.#path, this.#descriptor);
      this.#pageSize = file.meta.pageSize;
      const used = file.meta.lastPage + 1;
      // A tree grows by one level at the most until it has several times as many pages.
      if (used > this.#depthAt * 2) {
        this.#depth = (treesOf(file).get(this.#tree)?.depth ?? 0) + 1;
        this.#depthAt = used;
      }
      this.#used = used;
      this.#shared = used;
      this.#admitted = { ...this.#unwritten };
    } catch (error) {
      if (this.#pageSize === 0) throw error;
    }
  }

  /** Of many changes a large part of the demand is for pages of the tree that they may copy and split. */
  #readTree(): void {
    try {
      const tree = treesOf(new LmdbFile(this.#path, this.#descriptor)).get(this.#tree);
      if (tree !== undefined) this.#shared = tree.branches + tree.leaves;
    } catch {
      // It is being written.
    }
  }

  #extend(missing: number, demand: SpaceDemand): void {
    // It may be because of them that the file grows.
    this.#readers.forgetDead();
    const page = this.#pageSize;
    const growth = Math.min(Math.max(Math.ceil(this.#size / page / 16), MIN_GROWTH), MAX_GROWTH);
    const wanted = Math.max(missing, growth) * page;
    try {
      if (missing * page <= MAX_WRITTEN) this.#append(wanted);
      else this.#mustBeFree(missing * page);
    } catch (error) {
      if (!isNoRoom(error)) throw unavailable(error);
      this.#size = fstatSync(this.#descriptor).size;
      if (this.#missing(demand) <= 0 || this.#hasFreePages(missing, demand)) return;
      throw failure('storage_full', { reason: 'the disk or its quota is full' }, { cause: error });
    }
  }

  #append(length: number): void {
    // Whole pages, whatever a write that was cut short has left.
    const end = Math.ceil((this.#size + length) / this.#pageSize) * this.#pageSize;
    while (this.#size < end)
      this.#size += writeSync(this.#descriptor, ZEROS, 0, Math.min(ZEROS.length, end - this.#size));
  }

  #mustBeFree(length: number): void {
    const { bavail, bsize } = statfsSync(dirname(this.#path));
    if (bavail * bsize < length + MARGIN) throw Object.assign(new Error('little is free'), { code: 'ENOSPC' });
    this.#append(MAX_GROWTH * this.#pageSize);
  }

  /**
   * Whether the library can take pages that it has given up, which lie scattered: values of several pages need more.
   */
  #hasFreePages(missing: number, { own }: SpaceDemand): boolean {
    if (own > 0 || this.#unwritten.own > 0) return false;
    try {
      return freePages(new LmdbFile(this.#path, this.#descriptor), this.#readers.oldest()) >= missing;
    } catch {
      return false;
    }
  }
}

/** No demand. */
export function noDemand(): SpaceDemand {
  return { entries: 0, bytes: 0, own: 0 };
}

/** Adds a demand for space to a sum, or with -1 takes it away. */
export function addDemand(to: SpaceDemand, { entries, bytes, own }: SpaceDemand, times: 1 | -1 = 1): void {
  to.entries += entries * times;
  to.bytes += bytes * times;
  to.own += own * times;
}

function isNoRoom(error: unknown): boolean {
  return NO_ROOM.has((error as { readonly code?: unknown }).code);
}

function unavailable(error: unknown): TesseraError {
  if (error instanceof TesseraError) return error;
  return failure(
    'storage_unavailable',
    { reason: `the data file can't be written: ${(error as Error).message}` },
    { cause: error },
  );
}

/** Bytes of a new store. */
const NEW_STORE = 1 << 18;

/**
 * Ensures that there is space for a new store, by writing as much to a file next to it, which is removed again.
 * @throws TesseraError `storage_full`; Error of the system
 */
export function probeSpace(path: string): void {
  const probe = `${path}-probe`;
  try {
    writeZeros(probe, NEW_STORE);
  } finally {
    rmSync(probe, { force: true });
  }
}

/** The lock file's header with the first reader, and each further reader. */
const LOCK_HEADER = 272;
const LOCK_READER = 64;

/**
 * Allocates the whole length of a lock file, if it doesn't exist. With `isOurs`, also of an existing one: no process
 * may have it open.
 * @throws TesseraError `storage_full`; Error of the system
 */
export function allocateLock(path: string, readers: number, isOurs: boolean): void {
  const length = LOCK_HEADER + LOCK_READER * (readers - 1);
  const exists = existsSync(path);
  if (exists && (!isOurs || isAllocated(path, length))) return;
  const fresh = `${path}-${process.pid}`;
  try {
    writeZeros(fresh, length);
    if (exists) renameSync(fresh, path);
    else linkSync(fresh, path);
  } catch (error) {
    // The first caller has made it.
    if ((error as { readonly code?: unknown }).code !== 'EEXIST') throw error;
  } finally {
    rmSync(fresh, { force: true });
  }
}

/** Windows doesn't report how much of a file is allocated. */
function isAllocated(path: string, length: number): boolean {
  const { size, blocks } = statSync(path);
  return process.platform === 'win32' || (size >= length && blocks * 512 >= length);
}

/** Writes a file of zeros. @throws TesseraError `storage_full`; Error of the system */
export function writeZeros(path: string, length: number): void {
  const descriptor = openSync(path, 'w', OWNER_ONLY);
  try {
    for (let left = length; left > 0; ) left -= writeSync(descriptor, ZEROS, 0, Math.min(ZEROS.length, left));
  } catch (error) {
    if (!isNoRoom(error)) throw error;
    throw failure('storage_full', { reason: 'the disk or its quota is full' }, { cause: error });
  } finally {
    closeSync(descriptor);
  }
}

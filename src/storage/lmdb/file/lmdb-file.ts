/**
 * Reads LMDB's file format without its library, which trusts what it maps into memory: a damaged page can end the
 * process. The layout is that of version 2 of the format (`mdb.c` of the `lmdb` package): pages of equal size, of which
 * the first two are *meta pages*. Each commit writes one of them in turn; the one with the greater transaction number
 * counts.
 *
 *     page:   number u64 · transaction u64 · pad u16 · flags u16 · lower u16, upper u16 (overflow: pages u32) · …
 *     meta:   page · magic u32 · version u32 · address u64 · map size u64 · tree of free pages · main tree · last page u64 · transaction u64
 *     tree:   page size u32 (free pages only) · flags u16 · depth u16 · branch pages u64 · leaf pages u64 · overflow pages u64 · entries u64 · root u64
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { endianness } from 'node:os';
import { basename, dirname } from 'node:path';
import { failure, TesseraError } from '../../../errors/error.js';

export const PAGE_HEADER = 24;
const MAGIC = 0xbeefc0de;
const VERSION = 2;
const META_LENGTH = PAGE_HEADER + 144;
const MIN_PAGE = 4096;
const MAX_PAGE = 65_536;
export const PAGE_FLAGS = { branch: 1, leaf: 2, overflow: 4, meta: 8 } as const;
/** The library's flags of the tree of free pages: keys that are ints, and a file without a folder of its own. */
const FREE_TREE_FLAGS = 0x4008;
const NO_PAGE = 0xffff_ffff_ffff_ffffn;
const TREE_LENGTH = 48;

/** The text in place of a data file while it is restored. */
export const RESTORE_MARK = Buffer.from('Tessera: a restore into this folder is not complete\n', 'utf8');

/** The counts that are stored for a tree. */
export interface TreeHeader {
  readonly flags: number;
  readonly depth: number;
  readonly branches: number;
  readonly leaves: number;
  readonly overflows: number;
  readonly entries: number;
  /** The number of its uppermost page; `undefined` for an empty tree. */
  readonly root: number | undefined;
}

/** The content of the newer meta page. */
export interface Meta {
  readonly pageSize: number;
  readonly lastPage: number;
  readonly transaction: number;
  readonly free: TreeHeader;
  readonly main: TreeHeader;
}

/** Numbers of pages and transactions are read as doubles: a file of so many pages can't exist. */
function toNumber(value: bigint): number {
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.POSITIVE_INFINITY : Number(value);
}

const LITTLE_ENDIAN = endianness() === 'LE';

/** Bytes in the byte order of the machine, which LMDB uses. */
export class NativeBytes {
  readonly #view: DataView;

  constructor(readonly bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  uint16(at: number): number {
    return this.#view.getUint16(at, LITTLE_ENDIAN);
  }

  uint32(at: number): number {
    return this.#view.getUint32(at, LITTLE_ENDIAN);
  }

  /** @returns infinity for numbers beyond 2^53 */
  uint64(at: number): number {
    const [low, high] = LITTLE_ENDIAN ? [at, at + 4] : [at + 4, at];
    const value = this.uint32(high) * 2 ** 32 + this.uint32(low);
    return Number.isSafeInteger(value) ? value : Number.POSITIVE_INFINITY;
  }

  int64(at: number): bigint {
    return this.#view.getBigInt64(at, LITTLE_ENDIAN);
  }
}

export function readTree(page: NativeBytes, at: number): TreeHeader {
  const root = page.int64(at + 40);
  return {
    flags: page.uint16(at + 4),
    depth: page.uint16(at + 6),
    branches: page.uint64(at + 8),
    leaves: page.uint64(at + 16),
    overflows: page.uint64(at + 24),
    entries: page.uint64(at + 32),
    root: BigInt.asUintN(64, root) === NO_PAGE ? undefined : toNumber(BigInt.asUintN(64, root)),
  };
}

export { TREE_LENGTH };

/** Which state of which file a meta page describes. */
export type MetaFacts = Pick<Meta, 'pageSize' | 'lastPage' | 'transaction'>;

/** Reads a meta page by itself; nothing in it is verified. `page` holds it wholly. */
export function readMetaFacts(page: NativeBytes): MetaFacts {
  return {
    pageSize: page.uint32(PAGE_HEADER + 24),
    lastPage: page.uint64(PAGE_HEADER + 120),
    transaction: page.uint64(PAGE_HEADER + 128),
  };
}

/** Attempts to read a file that is being written. */
const ATTEMPTS = 100;

/**
 * Reads a file that others may be writing: its meta pages, or pages below them, may then be of different states.
 * A state that is just being written can't be read; the next one can. Damage persists.
 * @throws TesseraError `storage_corrupt` if it still is after many attempts, and other errors of `read`
 */
export function readAmidWrites<T>(read: () => T): T {
  for (let attempt = 1; ; attempt++) {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof TesseraError) || error.code !== 'storage_corrupt' || attempt === ATTEMPTS) throw error;
    }
  }
}

/** A file that is open for reading, as large as it was when it was opened. */
export class LmdbFile {
  readonly name: string;
  readonly meta: Meta;
  /** In bytes. */
  readonly size: number;
  readonly #descriptor: number;
  readonly #isBorrowed: boolean;

  /**
   * `descriptor`: of the file, if it is already open for reading; it stays open.
   * @throws TesseraError `storage_corrupt` if the meta pages can't be right, `restore_incomplete`; Error with a text
   * for users for a file that isn't LMDB's
   */
  constructor(path: string, descriptor?: number) {
    this.name = basename(path);
    this.#isBorrowed = descriptor !== undefined;
    this.#descriptor = descriptor ?? openSync(path, 'r');
    try {
      this.size = fstatSync(this.#descriptor).size;
      this.meta = this.#readMeta(path);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  close(): void {
    if (!this.#isBorrowed) closeSync(this.#descriptor);
  }

  /** The bytes of `count` pages from one on. @throws TesseraError `storage_corrupt` if the file ends before */
  pages(first: number, count: number): NativeBytes {
    const { pageSize } = this.meta;
    return this.#read(first * pageSize, count * pageSize);
  }

  damaged(what: string): never {
    throw failure('storage_corrupt', { what: `${this.name}: ${what}` });
  }

  #read(position: number, length: number): NativeBytes {
    if (position + length > this.size) this.damaged(`it ends at ${this.size} bytes, before its data does`);
    const bytes = Buffer.allocUnsafe(length);
    if (readSync(this.#descriptor, bytes, 0, length, position) < length) this.damaged('it became shorter');
    return new NativeBytes(bytes);
  }

  #readMeta(path: string): Meta {
    this.#mustBeRestored(path);
    const beginning = this.size >= META_LENGTH ? this.#read(0, META_LENGTH) : undefined;
    if (beginning?.uint32(PAGE_HEADER) !== MAGIC)
      throw new Error(`${path} is no data file of Tessera's, or it is damaged`);
    const { pageSize } = this.#metaIn(beginning, 0);
    // Both at once: others may be writing.
    const { bytes } = this.#read(0, pageSize + META_LENGTH);
    const first = this.#metaIn(new NativeBytes(bytes), 0);
    const second = this.#metaIn(new NativeBytes(bytes.subarray(pageSize)), 1);
    if (second.pageSize !== first.pageSize) this.damaged('its two meta pages have different page sizes');
    const [older, newer] = first.transaction > second.transaction ? [second, first] : [first, second];
    // Transaction n writes meta page n mod 2, so the two belong to transactions that follow each other; of none, if
    // nothing was written yet.
    const isNew = older.transaction === 0 && newer.transaction === 0;
    const follows = newer.transaction === older.transaction + 1 && first.transaction % 2 === 0;
    if (!isNew && !follows) this.damaged('its meta pages contradict each other');
    return newer;
  }

  #mustBeRestored(path: string): void {
    if (this.size !== RESTORE_MARK.length) return;
    if (Buffer.compare(this.#read(0, this.size).bytes, RESTORE_MARK) === 0)
      throw failure('restore_incomplete', { folder: dirname(path) });
  }

  /** @param page bytes that begin with the meta page of a number */
  #metaIn(page: NativeBytes, number: number): Meta {
    const at = PAGE_HEADER;
    const wrong = (what: string) => this.damaged(`meta page ${number}: ${what}`);
    if (page.uint32(at) !== MAGIC) wrong('it is not marked as one');
    if (page.uint32(at + 4) !== VERSION) wrong(`it has version ${page.uint32(at + 4)} of the format`);
    if (page.uint64(0) !== number || page.uint16(18) !== PAGE_FLAGS.meta) wrong('its header is wrong');
    const facts = readMetaFacts(page);
    const { pageSize } = facts;
    if (pageSize < MIN_PAGE || pageSize > MAX_PAGE || (pageSize & (pageSize - 1)) !== 0)
      wrong(`a page size of ${pageSize} bytes`);
    const free = readTree(page, at + 24);
    const main = readTree(page, at + 24 + TREE_LENGTH);
    if (free.flags !== FREE_TREE_FLAGS || main.flags !== 0 || page.int64(at + 8) !== 0n) wrong('its flags are wrong');
    const mapSize = page.uint64(at + 16);
    if (mapSize > Number.MAX_SAFE_INTEGER) wrong(`a map of ${mapSize} bytes`);
    return { ...facts, free, main };
  }
}

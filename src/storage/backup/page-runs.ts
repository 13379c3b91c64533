/**
 * Pages of a data file in a part of a backup:
 *
 *     count of runs u32 · for each run: first page u64, pages u32 · the pages of all runs      little-endian
 */
import type { LmdbFile } from '../lmdb/file/lmdb-file.js';
import { forEachFreeRun } from '../lmdb/file/lmdb-pages.js';

/** Consecutive pages. */
export interface PageRun {
  readonly first: number;
  readonly pages: number;
}

const HEADER = 4;
const RUN = 12;
const META_PAGES = 2;

/**
 * The pages of a file, except for the meta pages and free ones, as runs of at most `longest` pages. Deleted
 * data isn't in them.
 */
export function* usedRuns(file: LmdbFile, longest: number): Generator<PageRun> {
  const all = file.meta.lastPage + 1;
  const isFree = new Uint8Array(Math.ceil(all / 8));
  forEachFreeRun(file, Number.POSITIVE_INFINITY, (first, pages) => {
    for (let page = first; page < Math.min(first + pages, all); page++)
      isFree[page >>> 3] = (isFree[page >>> 3] as number) | (1 << (page & 7));
  });
  const isUsed = (page: number) => page < all && ((isFree[page >>> 3] as number) & (1 << (page & 7))) === 0;
  for (let first = META_PAGES; first < all; ) {
    let end = first;
    while (end - first < longest && isUsed(end)) end++;
    if (end > first) yield { first, pages: end - first };
    first = end > first ? end : first + 1;
  }
}

/** Runs of pages in one part: their number, first page and length of each, then the pages. Little-endian. */
export function packRuns(runs: readonly PageRun[], pages: readonly Uint8Array[]): Uint8Array {
  const header = Buffer.alloc(HEADER + RUN * runs.length);
  header.writeUInt32LE(runs.length, 0);
  for (const [index, { first, pages: count }] of runs.entries()) {
    header.writeBigUInt64LE(BigInt(first), HEADER + RUN * index);
    header.writeUInt32LE(count, HEADER + RUN * index + 8);
  }
  return Buffer.concat([header, ...pages]);
}

/** The runs of a part; `undefined` if the bytes are no part with such pages. */
export function unpackRuns(
  part: Uint8Array,
  pageSize: number,
): readonly (PageRun & { readonly bytes: Uint8Array })[] | undefined {
  const bytes = Buffer.from(part.buffer, part.byteOffset, part.length);
  const count = bytes.length < HEADER ? Number.NaN : bytes.readUInt32LE(0);
  let at = HEADER + RUN * count;
  if (!(at <= bytes.length)) return undefined;
  const runs: (PageRun & { readonly bytes: Uint8Array })[] = [];
  for (let index = 0; index < count; index++) {
    const first = Number(bytes.readBigUInt64LE(HEADER + RUN * index));
    const pages = bytes.readUInt32LE(HEADER + RUN * index + 8);
    const end = at + pages * pageSize;
    if (end > bytes.length) return undefined;
    runs.push({ first, pages, bytes: bytes.subarray(at, end) });
    at = end;
  }
  return at === bytes.length ? runs : undefined;
}

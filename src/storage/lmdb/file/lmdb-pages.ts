/** Walks the trees of an LMDB file page by page, and finds faults in them. */
import {
  type LmdbFile,
  type NativeBytes,
  PAGE_FLAGS,
  PAGE_HEADER,
  readTree,
  TREE_LENGTH,
  type TreeHeader,
} from './lmdb-file.js';

/** The names of the trees in which there are entries: those of the file itself have none. */
export type TreeName = string;

export interface PageVisitor {
  /** A fault. Throwing ends the walk. */
  fault(what: string): void;
  /** An entry, in the order of keys; the bytes are the visitor's until it returns. */
  entry?(tree: TreeName, key: string, value: Uint8Array): void;
  /** Called now and then with the number of pages that have been read. */
  progress?(pages: number): void;
}

/** The counts of a walk. */
export interface PageTotals {
  /** Used pages, without the two meta pages. */
  readonly used: number;
  readonly free: number;
  /** Pages that neither hold anything nor are listed as free: the library never uses them again. */
  readonly lost: number;
}

const NODE_HEADER = 8;
const NODE_FLAGS = { overflow: 1, tree: 2 } as const;
/** Trees can't be deeper. */
const MAX_DEPTH = 32;
const META_PAGES = 2;

/** Calls `visitor.fault` for each fault. A file that is being written meanwhile will seem damaged. */
export function walkPages(file: LmdbFile, visitor: PageVisitor): PageTotals {
  return new PageWalk(file, visitor).run();
}

/** The trees that the file has by name. */
export function treesOf(file: LmdbFile): ReadonlyMap<TreeName, TreeHeader> {
  const trees = new Map<TreeName, TreeHeader>();
  const walk = new PageWalk(file, { fault: (what) => file.damaged(what) });
  walk.tree('main', file.meta.main, (key, node) => {
    if (node.flags === NODE_FLAGS.tree && node.value.length === TREE_LENGTH)
      trees.set(key, readTree(node.page, node.at));
  });
  return trees;
}

/** The entries of a small tree. */
export function treeEntries(file: LmdbFile, header: TreeHeader, name: TreeName): ReadonlyMap<string, Uint8Array> {
  const entries = new Map<string, Uint8Array>();
  const walk = new PageWalk(file, { fault: (what) => file.damaged(what) });
  walk.tree(name, header, (key, { value }) => entries.set(key, value));
  return entries;
}

/**
 * The pages that are free for transactions as long as no reader uses a state older than that of transaction `oldest`.
 */
export function freePages(file: LmdbFile, oldest: number): number {
  let count = 0;
  forEachFreeRun(file, oldest, (_, pages) => {
    count += pages;
  });
  return count;
}

/** The same pages as runs: `count` pages from `first` on. */
export function forEachFreeRun(file: LmdbFile, oldest: number, visit: (first: number, pages: number) => void): void {
  const walk = new PageWalk(file, { fault: (what) => file.damaged(what) });
  walk.tree('free pages', file.meta.free, (key, node) => {
    if (transactionOf(key) < oldest) walk.freeList(node, visit);
  });
}

interface Leaf {
  readonly page: NativeBytes;
  /** Where the value begins in it. */
  readonly at: number;
  readonly flags: number;
  readonly value: Uint8Array;
}

/**
 * Keys of the tree of free pages are transaction numbers in the byte order of the machine; this is the order in which
 * they sort.
 */
function transactionOf(key: string): number {
  let number = 0;
  for (let at = 0; at < key.length; at++) number = number * 256 + key.charCodeAt(at);
  return number;
}

class PageWalk {
  readonly #file: LmdbFile;
  readonly #visitor: PageVisitor;
  /** One bit a page, for all that is used or free. */
  readonly #seen: Uint8Array;
  readonly #pageCount: number;
  #read = 0;

  constructor(file: LmdbFile, visitor: PageVisitor) {
    this.#file = file;
    this.#visitor = visitor;
    // Pages at the end may be missing if they are free: the library writes none of those.
    this.#pageCount = Math.min(file.meta.lastPage + 1, 2 ** 32);
    this.#seen = new Uint8Array(Math.ceil(Math.min(this.#pageCount, file.size / file.meta.pageSize + 1) / 8));
  }

  run(): PageTotals {
    const { meta } = this.#file;
    const used = this.#run('free pages', meta.free) + this.#runMain();
    const free = this.#walkFree(meta.free);
    this.#visitor.progress?.(this.#read);
    const lost = Math.max(0, meta.lastPage + 1 - META_PAGES - used - free);
    return { used, free, lost };
  }

  /** Every entry of a tree, without looking whether its pages overlap with others. */
  tree(name: string, header: TreeHeader, entry: (key: string, leaf: Leaf) => void): Counts {
    const counts: Counts = { branches: 0, leaves: 0, overflows: 0, entries: 0 };
    if (header.root === undefined) {
      if (header.depth !== 0) this.#fault(`the tree "${name}" has no root`);
      return counts;
    }
    if (header.depth === 0 || header.depth > MAX_DEPTH) {
      this.#fault(`the tree "${name}" has a depth of ${header.depth}`);
      return counts;
    }
    this.#page({ name, header, counts, entry }, header.root, header.depth, undefined, undefined);
    return counts;
  }

  /** Calls `visit` for each run of pages in an entry of the tree of free pages. */
  freeList({ page, at, value }: Leaf, visit: (first: number, pages: number) => void): void {
    const words = Math.floor(value.length / 8);
    const length = words === 0 ? 0 : page.uint64(at);
    if (words * 8 !== value.length || words === 0 || length > words - 1) {
      this.#fault('an entry of the list of free pages is too short');
      return;
    }
    for (let index = 1; index <= length; index++) {
      const word = page.int64(at + index * 8);
      // Nothing; a page; or the length of a run, negative, and its first page. A length at the end belongs to no page.
      if (word === 0n) continue;
      if (word > 0n) visit(Number(word), 1);
      else if (index < length) visit(Number(page.int64(at + ++index * 8)), Number(-word));
    }
  }

  #run(name: string, header: TreeHeader): number {
    const counts = this.tree(name, header, () => {});
    return this.#compare(name, header, counts);
  }

  #runMain(): number {
    const { main } = this.#file.meta;
    const trees: [TreeName, TreeHeader][] = [];
    const counts = this.tree('main', main, (key, leaf) => {
      if (leaf.flags === NODE_FLAGS.tree && leaf.value.length === TREE_LENGTH)
        trees.push([key, readTree(leaf.page, leaf.at)]);
      else this.#fault(`"${printable(key)}" is no tree`);
    });
    let used = this.#compare('main', main, counts);
    for (const [name, header] of trees) {
      if (header.flags !== 0) this.#fault(`the tree "${name}" has the flags ${header.flags}`);
      const found = this.tree(name, header, (key, { flags, value }) => {
        if (flags !== 0 && flags !== NODE_FLAGS.overflow)
          this.#fault(`an entry of the tree "${name}" has the flags ${flags}`);
        this.#visitor.entry?.(name, key, value);
      });
      used += this.#compare(name, header, found);
    }
    return used;
  }

  #compare(name: string, header: TreeHeader, counts: Counts): number {
    for (const what of ['branches', 'leaves', 'overflows', 'entries'] as const) {
      if (counts[what] !== header[what])
        this.#fault(`the tree "${name}" has ${counts[what]} ${what}, where ${header[what]} are stored`);
    }
    return counts.branches + counts.leaves + counts.overflows;
  }

  #walkFree(header: TreeHeader): number {
    let free = 0;
    const again = new PageWalk(this.#file, { fault: () => {} });
    again.tree('free pages', header, (key, leaf) => {
      if (transactionOf(key) > this.#file.meta.transaction) this.#fault('pages that a later transaction freed');
      this.freeList(leaf, (first, pages) => {
        if (!(first >= META_PAGES && first + pages <= this.#pageCount)) {
          this.#fault(`the list of free pages has page ${first}, which the file has not`);
          return;
        }
        for (let number = first; number < first + pages; number++) this.#claim(number, 'the list of free pages');
        free += pages;
      });
    });
    return free;
  }

  /** Each page has one owner, or is on the list of free pages once. */
  #claim(number: number, owner: string): boolean {
    const byte = number >>> 3;
    // A free page behind the end of the file has no bit, nor anything to collide with.
    if (byte >= this.#seen.length) return true;
    const bit = 1 << (number & 7);
    const seen = this.#seen[byte] as number;
    if ((seen & bit) !== 0) {
      this.#fault(`page ${number} of ${owner} is used twice, or is used and free`);
      return false;
    }
    this.#seen[byte] = seen | bit;
    return true;
  }

  #fault(what: string): void {
    this.#visitor.fault(what);
  }

  /** Reads a page that must exist and have no other owner. */
  #open(name: string, number: number, count: number): NativeBytes | undefined {
    const { pageSize } = this.#file.meta;
    if (!(number >= META_PAGES && number + count <= this.#pageCount)) {
      this.#fault(`the tree "${name}" refers to page ${number}, which the file has not`);
      return undefined;
    }
    if ((number + count) * pageSize > this.#file.size) {
      this.#fault(
        `the file ends at ${this.#file.size} bytes, before page ${number + count - 1} of the tree "${name}" does`,
      );
      return undefined;
    }
    for (let each = number; each < number + count; each++)
      if (!this.#claim(each, `the tree "${name}"`)) return undefined;
    this.#read += count;
    if (this.#read % 1024 < count) this.#visitor.progress?.(this.#read);
    const page = this.#file.pages(number, count);
    if (page.uint64(0) !== number) {
      this.#fault(`page ${number} of the tree "${name}" says that it is another`);
      return undefined;
    }
    if (page.uint64(8) > this.#file.meta.transaction) this.#fault(`page ${number} is of a later transaction`);
    return page;
  }

  /** `low` is the least key that may be there, `high` the least that may not. */
  #page(walk: TreeWalk, number: number, depth: number, low: string | undefined, high: string | undefined): void {
    const { name, counts } = walk;
    const page = this.#open(name, number, 1);
    if (page === undefined) return;
    const isLeaf = depth === 1;
    const where = `page ${number} of the tree "${name}"`;
    if (page.uint16(18) !== (isLeaf ? PAGE_FLAGS.leaf : PAGE_FLAGS.branch)) {
      this.#fault(`${where} is of the wrong kind`);
      return;
    }
    const nodes = this.#nodes(page, where, isLeaf);
    if (nodes === undefined) return;
    if (isLeaf) counts.leaves++;
    else counts.branches++;
    const isInteger = walk.header === this.#file.meta.free;
    let before: string | undefined;
    const keys = nodes.map((at, index) => {
      // The first key of a branch page covers all keys below the second.
      if (!isLeaf && index === 0) return low ?? '';
      const key = keyAt(page, at, isInteger);
      const isInOrder = (before === undefined || before < key) && (low === undefined || low <= key);
      if (!isInOrder || (high !== undefined && key >= high)) this.#fault(`${where}: keys are out of order`);
      before = key;
      return key;
    });
    for (const [index, at] of nodes.entries()) {
      const key = keys[index] as string;
      if (isLeaf) this.#leaf(walk, page, at, key);
      else {
        const child = page.uint16(at) + page.uint16(at + 2) * 2 ** 16 + page.uint16(at + 4) * 2 ** 32;
        this.#page(walk, child, depth - 1, index === 0 ? low : key, index + 1 < nodes.length ? keys[index + 1] : high);
      }
    }
  }

  /** Where the nodes of a page begin: they fill the page from its upper bound to its end, without gaps. */
  #nodes(page: NativeBytes, where: string, isLeaf: boolean): number[] | undefined {
    const { pageSize } = this.#file.meta;
    const lower = page.uint16(20);
    const upper = page.uint16(22);
    const room = pageSize - PAGE_HEADER;
    const count = lower >> 1;
    if (lower % 2 !== 0 || lower > upper || upper > room || count < (isLeaf ? 1 : 2)) {
      this.#fault(`${where} has wrong bounds`);
      return undefined;
    }
    const nodes: number[] = [];
    let taken = 0;
    for (let index = 0; index < count; index++) {
      const offset = page.uint16(PAGE_HEADER + index * 2);
      const at = offset + PAGE_HEADER;
      const end = offset < upper ? Number.POSITIVE_INFINITY : nodeEnd(page, at, pageSize, isLeaf);
      if (end > pageSize) {
        this.#fault(`${where}: entry ${index} lies outside of it`);
        return undefined;
      }
      nodes.push(at);
      taken += end - at + ((end - at) & 1);
    }
    if (taken !== room - upper) {
      this.#fault(`${where}: its entries overlap`);
      return undefined;
    }
    return nodes;
  }

  #leaf(walk: TreeWalk, page: NativeBytes, at: number, key: string): void {
    const { name, counts, entry } = walk;
    const flags = page.uint16(at + 4);
    const start = at + NODE_HEADER + page.uint16(at + 6);
    const size = page.uint32(at);
    counts.entries++;
    if ((flags & NODE_FLAGS.overflow) === 0) {
      entry(key, { page, at: start, flags, value: page.bytes.subarray(start, start + size) });
      return;
    }
    const first = page.uint64(start);
    const count = page.uint64(start + 16);
    if (count * this.#file.meta.pageSize < size + PAGE_HEADER || count > this.#pageCount) {
      this.#fault(`a value of ${size} bytes in the tree "${name}" has ${count} pages`);
      return;
    }
    const value = this.#open(name, first, count);
    if (value === undefined) return;
    if (value.uint16(18) !== PAGE_FLAGS.overflow || value.uint32(20) !== count) {
      this.#fault(`page ${first} of the tree "${name}" is of the wrong kind`);
      return;
    }
    counts.overflows += count;
    const bytes = value.bytes.subarray(PAGE_HEADER, PAGE_HEADER + size);
    entry(key, { page: value, at: PAGE_HEADER, flags, value: bytes });
  }
}

interface Counts {
  branches: number;
  leaves: number;
  overflows: number;
  entries: number;
}

interface TreeWalk {
  readonly name: TreeName;
  readonly header: TreeHeader;
  readonly counts: Counts;
  readonly entry: (key: string, leaf: Leaf) => void;
}

function nodeEnd(page: NativeBytes, at: number, pageSize: number, isLeaf: boolean): number {
  if (at + NODE_HEADER > pageSize) return Number.POSITIVE_INFINITY;
  const key = at + NODE_HEADER + page.uint16(at + 6);
  if (!isLeaf) return key;
  const isOverflow = (page.uint16(at + 4) & NODE_FLAGS.overflow) !== 0;
  return key + (isOverflow ? OVERFLOW_REFERENCE : page.uint32(at));
}

/** Number, transaction and count of the pages that hold a large value. */
const OVERFLOW_REFERENCE = 24;

function keyAt(page: NativeBytes, at: number, isInteger: boolean): string {
  const start = at + NODE_HEADER;
  const length = page.uint16(at + 6);
  if (isInteger && length === 8) {
    let key = '';
    for (let word = BigInt.asUintN(64, page.int64(start)), at = 0; at < 8; at++, word >>= 8n)
      key = String.fromCharCode(Number(word & 0xffn)) + key;
    return key;
  }
  const { bytes } = page;
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, length).toString('latin1');
}

/** A name as it may be shown. */
export function printable(name: string): string {
  return JSON.stringify(name).slice(1, -1);
}

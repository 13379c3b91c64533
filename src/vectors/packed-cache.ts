/** Packed vectors of what was searched before. */
import { BlockMemory } from './block-memory.js';
import { type BlockPlace, PackedBlock, paddedLength } from './packed-block.js';

/** Of which blocks one is. */
export interface BlockSite {
  /** Of the table, the field and the length of the vectors. */
  readonly name: string;
  readonly dimension: number;
  /** The most vectors that a block has. */
  readonly capacity: number;
}

/** A block with what it was packed of, by which it is known whether it still holds: arrays are never changed. */
interface Kept {
  readonly sources: readonly unknown[];
  readonly block: PackedBlock;
}

/** What a component takes in the array that a block was packed of, and what refers to that array. */
const SOURCE = 8;
const REFERENCE = 8;
/** The first blocks of a scan are small. So few vectors are measured as fast by copying them. */
const APART = 2;

/** The blocks of one table, in the order in which a scan meets them. */
class KeptBlocks {
  readonly blocks: (Kept | undefined)[] = [];
  /** What was accounted for each. It isn't given back before all of them are forgotten, since memories don't shrink. */
  readonly charged: number[] = [];
  /** All of it, in bytes. */
  size = 0;
  #memory: BlockMemory | undefined;
  #hasMemory = true;

  /** Of the `at`-th block; `undefined` where it needs a memory of its own. */
  place(at: number, { dimension, capacity }: BlockSite, vectors: number): BlockPlace | undefined {
    if (at < APART || vectors > capacity || !this.#hasMemory) return undefined;
    this.#memory ??= BlockMemory.for(paddedLength(dimension), capacity);
    this.#hasMemory = this.#memory?.hasRoomFor(at - APART) === true;
    return this.#memory && this.#hasMemory ? { memory: this.#memory, at: at - APART } : undefined;
  }
}

/**
 * Keeps the blocks of tables within a number of bytes. Those that were searched least recently go first; of a table
 * that doesn't fit, the beginning is kept.
 */
export class PackedCache {
  readonly #room: number;
  readonly #tables = new Map<string, KeptBlocks>();
  #taken = 0;

  constructor(bytes: number) {
    this.#room = bytes;
  }

  /** In bytes, roughly. */
  get taken(): number {
    return this.#taken;
  }

  /**
   * The block of the `at`-th batch of a table, packed again unless that was just of these.
   * @param pack adds the vectors of the sources
   */
  block(site: BlockSite, at: number, sources: readonly unknown[], pack: (block: PackedBlock) => void): PackedBlock {
    const table = this.#touched(site.name);
    const kept = table.blocks[at];
    if (kept !== undefined && isSame(kept.sources, sources)) return kept.block;
    // Its place is written to.
    table.blocks[at] = undefined;
    const isKept = this.#makeRoom(table, at, site, sources.length);
    const place = isKept ? table.place(at, site, sources.length) : undefined;
    const block = new PackedBlock(sources.length, site.dimension, place);
    pack(block);
    if (isKept) table.blocks[at] = { sources, block };
    return block;
  }

  /**
   * Takes bytes for something else that is kept, for which blocks are forgotten; answers whether there was room. Less
   * than none gives them back.
   */
  reserve(bytes: number): boolean {
    for (const [name, { size }] of this.#tables) {
      if (this.#taken + bytes <= this.#room) break;
      this.#tables.delete(name);
      this.#taken -= size;
    }
    const hasRoom = bytes <= 0 || this.#taken + bytes <= this.#room;
    if (hasRoom) this.#taken += bytes;
    return hasRoom;
  }

  #touched(name: string): KeptBlocks {
    const table = this.#tables.get(name) ?? new KeptBlocks();
    this.#tables.delete(name);
    this.#tables.set(name, table);
    return table;
  }

  /** Accounts for the `at`-th block, for which other tables are forgotten; answers whether there was room. */
  #makeRoom(table: KeptBlocks, at: number, site: BlockSite, vectors: number): boolean {
    const more = sizeOf(site, at, vectors) - (table.charged[at] ?? 0);
    if (more <= 0) return true;
    for (const [other, { size: freed }] of this.#tables) {
      if (this.#taken + more <= this.#room || other === site.name) break;
      this.#tables.delete(other);
      this.#taken -= freed;
    }
    if (this.#taken + more > this.#room) return false;
    table.charged[at] = more + (table.charged[at] ?? 0);
    table.size += more;
    this.#taken += more;
    return true;
  }
}

/** In bytes. A block in the memory of its table takes its whole place. */
function sizeOf({ dimension, capacity }: BlockSite, at: number, vectors: number): number {
  const places = at < APART ? vectors : Math.max(vectors, capacity);
  return PackedBlock.sizeOf(places, dimension) + vectors * (REFERENCE + SOURCE * paddedLength(dimension));
}

function isSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}

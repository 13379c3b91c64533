/** Packed vectors of what was searched before. */
import type { PackedBlock } from './packed-block.js';

/** A block with what it was packed of, by which it is known whether it still holds: arrays are never changed. */
interface Kept {
  readonly sources: readonly unknown[];
  readonly block: PackedBlock;
}

/** What a component takes in the array that a block was packed of. */
const SOURCE = 8;

/** The blocks of one table, in the order in which a scan meets them. */
class KeptBlocks {
  readonly blocks: (Kept | undefined)[] = [];
  size = 0;
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
   * @param name of the table, the field and the length of the vectors
   */
  block(name: string, at: number, sources: readonly unknown[], pack: () => PackedBlock): PackedBlock {
    const table = this.#touched(name);
    const kept = table.blocks[at];
    if (kept !== undefined && isSame(kept.sources, sources)) return kept.block;
    this.#forget(table, at);
    const block = pack();
    this.#keep(name, table, at, { sources, block });
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

  #keep(name: string, table: KeptBlocks, at: number, kept: Kept): void {
    const size = sizeOf(kept);
    for (const [other, { size: freed }] of this.#tables) {
      if (this.#taken + size <= this.#room || other === name) break;
      this.#tables.delete(other);
      this.#taken -= freed;
    }
    if (this.#taken + size > this.#room) return;
    table.blocks[at] = kept;
    table.size += size;
    this.#taken += size;
  }

  #forget(table: KeptBlocks, at: number): void {
    const kept = table.blocks[at];
    if (kept === undefined) return;
    const size = sizeOf(kept);
    table.blocks[at] = undefined;
    table.size -= size;
    this.#taken -= size;
  }
}

function sizeOf({ block, sources }: Kept): number {
  return block.size + sources.length * 8 + block.count * block.width * SOURCE;
}

function isSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}

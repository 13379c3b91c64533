/** Packed vectors of what was searched before. */
import { PackedBlock } from './packed-block.js';
import { type PackedPart, type PackedRange, type PackedSite, PackedTable } from './packed-table.js';

/**
 * Keeps the packed vectors of tables within a number of bytes. Those that were searched least recently go first; of a
 * table that doesn't fit, the beginning is kept.
 */
export class PackedCache {
  readonly #room: number;
  readonly #tables = new Map<string, PackedTable>();
  #taken = 0;

  constructor(bytes: number) {
    this.#room = bytes;
  }

  /** In bytes, roughly. */
  get taken(): number {
    return this.#taken;
  }

  /** What is kept for a site; to be asked again after each wait. */
  table(site: PackedSite): Pick<PackedTable, 'at' | 'behind'> {
    return this.#touched(site);
  }

  /**
   * Packs the vectors of a range, and keeps them if there is room and the range has a revision.
   * @param pack adds the vectors, as many as keys
   */
  pack(site: PackedSite, range: PackedRange, keys: readonly string[], pack: (block: PackedBlock) => void): PackedPart {
    const table = this.#touched(site);
    this.#account(table, () => table.clear(range));
    const isKept = range.revision !== undefined && this.#makeRoom(table, table.mostFor(keys));
    const block = isKept
      ? this.#account(table, () => table.newBlock(keys.length))
      : new PackedBlock(keys.length, site.dimension);
    pack(block);
    const part = { ...range, keys, block };
    if (isKept) this.#account(table, () => table.put(part));
    return part;
  }

  /**
   * Takes bytes for something else that is kept, for which tables are forgotten; answers whether there was room. Less
   * than none gives them back.
   */
  reserve(bytes: number): boolean {
    const hasRoom = bytes <= 0 || this.#makeRoom(undefined, bytes);
    if (hasRoom) this.#taken += bytes;
    return hasRoom;
  }

  #touched(site: PackedSite): PackedTable {
    const table = this.#tables.get(site.name) ?? new PackedTable(site);
    this.#tables.delete(site.name);
    this.#tables.set(site.name, table);
    return table;
  }

  /** Forgets other tables than one until there is room for more bytes; answers whether there is. */
  #makeRoom(present: PackedTable | undefined, bytes: number): boolean {
    for (const [name, table] of this.#tables) {
      if (this.#taken + bytes <= this.#room) break;
      if (table === present) continue;
      this.#tables.delete(name);
      this.#taken -= table.size;
    }
    return this.#taken + bytes <= this.#room;
  }

  /** Does what changes the size of a table. */
  #account<T>(table: PackedTable, work: () => T): T {
    const before = table.size;
    const result = work();
    this.#taken += table.size - before;
    return result;
  }
}

/** A power of two. */
const SLOTS = 2 ** 15;

/**
 * A direct-mapped table of hashes of constant size: a collision evicts the former entry, and equal hashes count as
 * equal.
 */
export class SeenHashes {
  readonly #slots = new Int32Array(SLOTS);

  has(hash: number): boolean {
    return this.#slots[slotOf(hash)] === hash;
  }

  /** Adds a nonzero hash; returns whether it was present. */
  note(hash: number): boolean {
    const slot = slotOf(hash);
    const wasThere = this.#slots[slot] === hash;
    this.#slots[slot] = hash;
    return wasThere;
  }

  clear(): void {
    this.#slots.fill(0);
  }
}

function slotOf(hash: number): number {
  return (hash ^ (hash >>> 15)) & (SLOTS - 1);
}

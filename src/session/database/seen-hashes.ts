/** A power of two. */
const SLOTS = 2 ** 15;

/**
 * What came before, by hashes, in a table that never grows. One that is pushed out by another was never there; what has the hash of another
 * counts as that.
 */
export class SeenHashes {
  readonly #slots = new Int32Array(SLOTS);

  has(hash: number): boolean {
    return this.#slots[slotOf(hash)] === hash;
  }

  /** Notes a hash, which isn't 0; answers whether it was there. */
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

/** A power of two. */
const SLOTS = 2 ** 15;

/**
 * What came before, by hashes, in a table that never grows. One that is pushed out by another was never there; what has the hash of another
 * counts as that.
 */
export class Sightings {
  readonly #slots = new Int32Array(SLOTS);

  /** Whether a hash that isn't 0 came before; it has now. */
  has(hash: number): boolean {
    const slot = (hash ^ (hash >>> 15)) & (SLOTS - 1);
    if (this.#slots[slot] === hash) return true;
    this.#slots[slot] = hash;
    return false;
  }

  clear(): void {
    this.#slots.fill(0);
  }
}

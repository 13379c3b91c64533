/** A binary heap of numbers by a key, the least key first. */
const FIRST_CAPACITY = 64;
/** A heap that is emptied keeps no more room than this. */
const MOST_KEPT = 4_096;

export class Heap {
  #keys = new Float64Array(FIRST_CAPACITY);
  #items = new Uint32Array(FIRST_CAPACITY);
  size = 0;

  /** Of the first item; NaN of an empty heap. */
  get key(): number {
    return this.size === 0 ? Number.NaN : (this.#keys[0] as number);
  }

  /** The first item. */
  get item(): number {
    return this.#items[0] as number;
  }

  clear(): void {
    this.size = 0;
    if (this.#keys.length <= MOST_KEPT) return;
    this.#keys = new Float64Array(FIRST_CAPACITY);
    this.#items = new Uint32Array(FIRST_CAPACITY);
  }

  push(key: number, item: number): void {
    if (this.size === this.#keys.length) this.#grow();
    const keys = this.#keys;
    const items = this.#items;
    let at = this.size++;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if ((keys[above] as number) <= key) break;
      keys[at] = keys[above] as number;
      items[at] = items[above] as number;
      at = above;
    }
    keys[at] = key;
    items[at] = item;
  }

  /** Removes the first item. */
  pop(): void {
    const keys = this.#keys;
    const items = this.#items;
    const last = --this.size;
    const key = keys[last] as number;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= last) break;
      if (below + 1 < last && (keys[below + 1] as number) < (keys[below] as number)) below++;
      if ((keys[below] as number) >= key) break;
      keys[at] = keys[below] as number;
      items[at] = items[below] as number;
      at = below;
    }
    keys[at] = key;
    items[at] = items[last] as number;
  }

  /** The items in no order, `at` from 0 to less than `size`. */
  keyAt(at: number): number {
    return this.#keys[at] as number;
  }

  itemAt(at: number): number {
    return this.#items[at] as number;
  }

  #grow(): void {
    const keys = new Float64Array(2 * this.#keys.length);
    const items = new Uint32Array(keys.length);
    keys.set(this.#keys);
    items.set(this.#items);
    this.#keys = keys;
    this.#items = items;
  }
}

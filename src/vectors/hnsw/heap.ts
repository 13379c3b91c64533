/** A binary heap of numbers by a key, the least key first. */
const FIRST_CAPACITY = 64;

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

  /** All items, those with the greatest keys first. */
  descending(): { readonly item: number; readonly key: number }[] {
    const items = Array.from({ length: this.size }, (_, at) => ({
      item: this.#items[at] as number,
      key: this.#keys[at] as number,
    }));
    return items.sort((a, b) => b.key - a.key);
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

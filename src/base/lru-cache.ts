/**
 * A map that keeps the `capacity` entries used last, and at most as many again.
 *
 * Entries live in two generations. What is used moves into the young one; when that is full it becomes the old one, and what was left in
 * the old one is forgotten. So an entry that is used often costs one lookup a time: nothing is moved, unlike in a list ordered by use.
 */
export class LruCache<K, V> {
  #young = new Map<K, V>();
  #old = new Map<K, V>();
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** At most twice the capacity. */
  get size(): number {
    return this.#young.size + this.#old.size;
  }

  get(key: K): V | undefined {
    const value = this.#young.get(key);
    if (value !== undefined) return value;
    const aged = this.#old.get(key);
    if (aged !== undefined) this.set(key, aged);
    return aged;
  }

  set(key: K, value: V): void {
    this.#old.delete(key);
    this.#young.set(key, value);
    if (this.#young.size < this.#capacity) return;
    this.#old = this.#young;
    this.#young = new Map();
  }

  delete(key: K): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
  }
}

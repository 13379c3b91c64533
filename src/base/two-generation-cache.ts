/**
 * A cache of the `capacity` most recently used entries, and at most as many older ones. With `weigh`, the capacity is
 * their total weight; the weight of an entry must not change.
 *
 * Entries live in two generations. A used entry moves to the young one; when that is full, it becomes the old one, and
 * the remaining old entries are evicted. A frequently used entry costs a single lookup, without the list updates of an
 * LRU cache.
 */
export class TwoGenerationCache<K, V> {
  #young = new Map<K, V>();
  #old = new Map<K, V>();
  /** Total weight of the young generation. */
  #weight = 0;
  readonly #capacity: number;
  readonly #weigh: (key: K, value: V) => number;

  constructor(capacity: number, weigh: (key: K, value: V) => number = () => 1) {
    this.#capacity = capacity;
    this.#weigh = weigh;
  }

  /** Number of entries; they weigh at most twice the capacity. */
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

  /** All entries at present; looking at them isn't using them. */
  entries(): [K, V][] {
    return [...this.#young, ...this.#old];
  }

  set(key: K, value: V): void {
    this.#old.delete(key);
    const before = this.#young.get(key);
    if (before !== undefined) this.#weight -= this.#weigh(key, before);
    this.#weight += this.#weigh(key, value);
    this.#young.set(key, value);
    if (this.#weight >= this.#capacity) this.#turn();
  }

  /**
   * Evicts entries not used since the last call, the oldest first, until the remaining ones weigh no more than `kept`.
   */
  age(kept: number): void {
    let weight = this.#weight;
    for (const [key, value] of this.#old) weight += this.#weigh(key, value);
    for (const [key, value] of this.#old) {
      if (weight <= kept) break;
      this.#old.delete(key);
      weight -= this.#weigh(key, value);
    }
    for (const [key, value] of this.#young) this.#old.set(key, value);
    this.#young = new Map();
    this.#weight = 0;
  }

  /** The young generation becomes the old one, which is evicted. */
  #turn(): void {
    this.#old = this.#young;
    this.#young = new Map();
    this.#weight = 0;
  }

  delete(key: K): void {
    const young = this.#young.get(key);
    if (young !== undefined && this.#young.delete(key)) this.#weight -= this.#weigh(key, young);
    this.#old.delete(key);
  }

  clear(): void {
    this.#young.clear();
    this.#weight = 0;
    this.#old.clear();
  }
}

/**
 * A map that keeps the `capacity` entries used last, and at most as many again. Where entries are weighed, `capacity` is what they
 * weigh together; weights don't change while an entry is there.
 *
 * Entries live in two generations. What is used moves into the young one; when that is full it becomes the old one, and what was left in
 * the old one is forgotten. So an entry that is used often costs one lookup a time: nothing is moved, unlike in a list ordered by use.
 */
export class TwoGenerationCache<K, V> {
  #young = new Map<K, V>();
  #old = new Map<K, V>();
  /** Of the young ones. */
  #weight = 0;
  readonly #capacity: number;
  readonly #weigh: (key: K, value: V) => number;

  constructor(capacity: number, weigh: (key: K, value: V) => number = () => 1) {
    this.#capacity = capacity;
    this.#weigh = weigh;
  }

  /** How many entries there are; they weigh at most twice the capacity. */
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
    const before = this.#young.get(key);
    if (before !== undefined) this.#weight -= this.#weigh(key, before);
    this.#weight += this.#weigh(key, value);
    this.#young.set(key, value);
    if (this.#weight >= this.#capacity) this.#turn();
  }

  /** Forgets what wasn't used since the last call. */
  age(): void {
    if (this.size > 0) this.#turn();
  }

  /** The young generation becomes the old one, which is forgotten. */
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

/** An entry of a cache: `used` is set whenever it is read. */
export interface CacheEntry {
  used: boolean;
}

/**
 * The second-chance (clock) algorithm of cache eviction: it cycles through entries in order of insertion, sparing those
 * that were read since the last cycle. So frequently used entries survive a scan of many others, and a hit only sets a
 * flag.
 */
export class SecondChance<T extends CacheEntry> {
  readonly #all: { values(): Iterator<T> };
  #hand: Iterator<T>;

  /** The iterator of a map or set, which sees insertions and deletions. */
  constructor(all: { values(): Iterator<T> }) {
    this.#all = all;
    this.#hand = all.values();
  }

  /** The next to give up. There must be one. */
  next(): T {
    for (;;) {
      const { value, done } = this.#hand.next();
      if (done) this.#hand = this.#all.values();
      else if (value.used) value.used = false;
      else return value;
    }
  }
}

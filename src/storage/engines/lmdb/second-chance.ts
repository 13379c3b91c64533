/** What a cache keeps: `used` is set whenever it is read. */
export interface CacheEntry {
  used: boolean;
}

/**
 * Which of the things in a cache to give up. It goes around in the order in which they came, sparing those that were
 * read since the last time around. So what is read again and again outlives a flood of what is read once, and a hit
 * costs no more than setting a flag.
 */
export class SecondChance<T extends CacheEntry> {
  readonly #all: { values(): Iterator<T> };
  #hand: Iterator<T>;

  /** Of a map or set, whose iterators see what comes and goes. */
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

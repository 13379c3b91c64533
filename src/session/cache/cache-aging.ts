/** Shrinks caches of an idle server. */
import type { Timers } from '../../env/environment.js';

/** Milliseconds after which an unused entry is evicted; at most twice as long. */
const INTERVAL = 30_000;

/** A cache that can evict unused entries. */
export interface Aging {
  /** Evicts entries that were not used since the last call. */
  age(): void;
}

/** Periodically ages caches, so that they shrink when idle. */
export class CacheAging {
  readonly #caches: readonly Aging[];
  readonly #timers: Timers;
  #cancel: () => void = () => undefined;

  constructor(caches: readonly Aging[], timers: Timers) {
    this.#caches = caches;
    this.#timers = timers;
    this.#wait();
  }

  stop(): void {
    this.#cancel();
  }

  #wait(): void {
    this.#cancel = this.#timers.after(INTERVAL, () => {
      for (const cache of this.#caches) cache.age();
      this.#wait();
    });
  }
}

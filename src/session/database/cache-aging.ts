import type { Timers } from '../../env/environment.js';

/** Milliseconds after which what wasn't used is forgotten; twice as many at the most. */
const INTERVAL = 30_000;

/** What can forget what wasn't used for a while. */
export interface Aging {
  /** Forgets what wasn't used since the last call. */
  age(): void;
}

/** Lets caches shrink when what filled them isn't asked for any more. */
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

import type { Clock, Timers } from '../../env/environment.js';

/** Limits work to a rate of bytes a second, on average since it began. */
export class RateLimit {
  readonly #rate: number | undefined;
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #began: number;
  #bytes = 0;

  /** `rate` in bytes a second; `undefined`: no limit. */
  constructor(rate: number | undefined, { clock, timers }: { readonly clock: Clock; readonly timers: Timers }) {
    this.#rate = rate;
    this.#clock = clock;
    this.#timers = timers;
    this.#began = clock.monotonic();
  }

  /** Waits until `bytes` more may have been done by now. */
  async spend(bytes: number): Promise<void> {
    this.#bytes += bytes;
    if (this.#rate === undefined) return;
    const early = this.#began + (this.#bytes / this.#rate) * 1_000 - this.#clock.monotonic();
    if (early >= 1) await this.#timers.wait(early);
  }
}

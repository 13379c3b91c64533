import type { Timers } from '../env/environment.js';
import type { Context } from './context.js';

/** Ends what waits for the client for too long; how long all of it may take isn't bounded. */
export class ClientTimeout {
  readonly #timers: Timers;
  readonly #patience: number;
  readonly #onTimeout: () => void;
  #stop: (() => void) | undefined;

  constructor({ environment, options }: Pick<Context, 'environment' | 'options'>, onTimeout: () => void) {
    this.#timers = environment.timers;
    this.#patience = options.requestTimeout;
    this.#onTimeout = onTimeout;
  }

  /** The client's turn. */
  begin(): void {
    if (this.#patience > 0) this.#stop = this.#timers.after(this.#patience, this.#onTimeout);
  }

  end(): void {
    this.#stop?.();
    this.#stop = undefined;
  }
}

/** The timeout of a client that stops reading a response or sending a body. */
import type { Timers } from '../../env/environment.js';
import type { Context } from '../base/context.js';

/** A timeout for each wait for the client, not for all of them together. */
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

  /** The wait begins. */
  begin(): void {
    if (this.#patience > 0) this.#stop = this.#timers.after(this.#patience, this.#onTimeout);
  }

  end(): void {
    this.#stop?.();
    this.#stop = undefined;
  }
}

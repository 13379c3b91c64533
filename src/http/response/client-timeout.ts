/** The timeout of a client that stops reading a response or sending a body, or that sends it too slowly. */
import type { Environment } from '../../env/environment.js';
import type { Context } from '../base/context.js';

export interface ClientTimeoutOptions {
  /** Bytes that the client must send in each second in which it is waited for, beyond the first timeout. */
  readonly leastRate?: number;
}

/** A timeout for each wait for the client, and with a least rate one for all of them together. */
export class ClientTimeout {
  readonly #environment: Pick<Environment, 'clock' | 'timers'>;
  readonly #patience: number;
  readonly #leastRate: number | undefined;
  readonly #onTimeout: () => void;
  /** Milliseconds for which the client may still be waited for, all in all. */
  #left: number;
  #since = 0;
  #stop: (() => void) | undefined;

  constructor(
    { environment, options }: Pick<Context, 'environment' | 'options'>,
    onTimeout: () => void,
    { leastRate }: ClientTimeoutOptions = {},
  ) {
    this.#environment = environment;
    this.#patience = options.requestTimeout;
    this.#left = this.#patience;
    this.#leastRate = leastRate;
    this.#onTimeout = onTimeout;
  }

  /** The wait begins. */
  begin(): void {
    if (this.#patience === 0) return;
    const { clock, timers } = this.#environment;
    this.#since = clock.monotonic();
    this.#stop = timers.after(Math.max(0, Math.min(this.#patience, this.#left)), this.#onTimeout);
  }

  /** The wait is over, after which so many bytes came. */
  end(bytes = 0): void {
    if (this.#stop === undefined) return;
    this.#stop();
    this.#stop = undefined;
    if (this.#leastRate === undefined) return;
    this.#left += (bytes * 1000) / this.#leastRate - (this.#environment.clock.monotonic() - this.#since);
  }
}

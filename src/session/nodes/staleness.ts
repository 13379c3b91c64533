/** The bound on what this node may lag behind others before it refuses signed-in users. */
import type { Clock } from '../../env/environment.js';
import { failure } from '../../errors/error.js';
import type { SharedStore } from '../../storage/contract.js';

/** Milliseconds. */
export const DEFAULT_MAX_STALENESS = 2_000;

/**
 * How far this node is behind the commits of others. A commit that it doesn't know might have revoked a token or
 * removed a user, so that it refuses work for signed-in users once it is too far behind.
 */
export class Staleness {
  readonly #shared: SharedStore;
  readonly #clock: Clock;
  readonly #most: number;

  /** `most`: in milliseconds. */
  constructor(shared: SharedStore, clock: Clock, most = DEFAULT_MAX_STALENESS) {
    this.#shared = shared;
    this.#clock = clock;
    this.#most = most;
  }

  /** In milliseconds. */
  get current(): number {
    return Math.max(this.#clock.monotonic() - this.#shared.caughtUpAt, 0);
  }

  /** @throws TesseraError `storage_unavailable` if this node is too far behind */
  assertCurrent(): void {
    const { current } = this;
    if (current <= this.#most) return;
    throw failure('storage_unavailable', {
      reason:
        `this server hasn't received the commits of others for ${Math.round(current)} ms (--max-staleness), ` +
        'so that it can’t know whether a token is revoked',
    });
  }
}

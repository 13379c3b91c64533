/** Notices that a session expires, even without activity. */
import type { SessionIdentity } from '../../auth/identity.js';
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import type { Timers } from '../../env/environment.js';

/** A session, of which notifications depend on who it is. */
export interface WatchedSession {
  /** The current identity; `undefined` if the session has expired. */
  identity(): PromiseOrValue<SessionIdentity | undefined>;
  /** Milliseconds until the session expires unless it is used; Infinity if never. */
  remaining(): number;
}

/** Longer delays exceed what timers support. */
const LONGEST_WAIT = 86_400_000;

export class ExpiryWatch {
  readonly #timers: Timers;
  readonly #session: WatchedSession;
  readonly #expired: () => void;
  #stop: (() => void) | undefined;

  constructor(timers: Timers, session: WatchedSession, expired: () => void) {
    this.#timers = timers;
    this.#session = session;
    this.#expired = expired;
  }

  get isOn(): boolean {
    return this.#stop !== undefined;
  }

  /** Watches as long as the session lasts by now. */
  renew(): void {
    this.end();
    const remaining = this.#session.remaining();
    if (remaining === Number.POSITIVE_INFINITY) return;
    const wait = Math.min(Math.max(Math.ceil(remaining), 0), LONGEST_WAIT);
    this.#stop = this.#timers.after(wait, () => {
      if (this.#session.remaining() <= 0) this.#expired();
      else this.renew();
    });
  }

  end(): void {
    this.#stop?.();
    this.#stop = undefined;
  }
}

import { createHash } from 'node:crypto';
import type { Environment } from '../../src/env/environment.js';
import { fakeMail } from './fake-mail.js';
import { fakeNetwork } from './fake-network.js';

/** A world whose clock stands still until the test moves it, and whose random bytes repeat from run to run. */
export class StubbedEnvironment implements Environment {
  #nanoseconds = 1_800_000_000n * 1_000_000_000n;
  #drawn = 0;
  #timers: { at: number; callback: () => void }[] = [];

  readonly clock = {
    now: () => this.#nanoseconds,
    monotonic: () => Number(this.#nanoseconds / 1_000n) / 1_000,
  };

  readonly random = {
    bytes: (length: number) => {
      const hash = createHash('shake256', { outputLength: length });
      return new Uint8Array(hash.update(`${this.#drawn++}`).digest());
    },
    float: () => 0.5,
  };

  readonly network = fakeNetwork();

  readonly mail = fakeMail();

  readonly heap = { used: () => 0, limit: 2 ** 30 };

  readonly timers = {
    after: (milliseconds: number, callback: () => void) => {
      const timer = { at: this.clock.monotonic() + milliseconds, callback };
      this.#timers.push(timer);
      return () => {
        this.#timers = this.#timers.filter((other) => other !== timer);
      };
    },
    wait: (milliseconds: number) => new Promise<void>((wake) => void this.timers.after(milliseconds, wake)),
    yield: () => Promise.resolve(),
    nextRound: (): Promise<void> => this.timers.yield(),
  };

  get seconds(): number {
    return Number(this.#nanoseconds / 1_000_000_000n);
  }

  /** How long the next timer still has, in milliseconds. */
  get nextTimer(): number | undefined {
    const first = Math.min(...this.#timers.map(({ at }) => at));
    return Number.isFinite(first) ? first - this.clock.monotonic() : undefined;
  }

  /** Pending calls are cancelled. */
  forgetTimers(): void {
    this.#timers = [];
  }

  /** Lets time pass and fires what falls due. */
  advance(milliseconds: number): void {
    this.#nanoseconds += BigInt(Math.round(milliseconds * 1_000_000));
    const due = this.#timers.filter(({ at }) => at <= this.clock.monotonic() + 1e-6);
    this.#timers = this.#timers.filter((timer) => !due.includes(timer));
    for (const { callback } of due) callback();
  }
}

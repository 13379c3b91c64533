/** The time that failed sign-ins take, which mustn't reveal why they failed. */
import type { Environment } from '../../env/environment.js';
import type { ErrorCode } from '../../errors/catalogue.js';
import { TesseraError } from '../../errors/error.js';

/** All in milliseconds. */
export interface FailureDelayOptions {
  /** Failures take at least this long, which exceeds common password functions. */
  readonly minimum?: number;
  /** Failure times are rounded up to multiples of this. */
  readonly step?: number;
  /** The upper bound of the observed maximum. */
  readonly maximum?: number;
}

/** Half-life of the observed maximum, in milliseconds. */
const HALF_LIFE = 60 * 60 * 1000;

/** Delay of throttled attempts in milliseconds, to slow down clients that retry without a pause. */
const REFUSAL = 100;

/**
 * Timing equalization: all failed sign-ins take the same time, so that timing doesn't enumerate users.
 *
 * The SIGNIN clause of record users is a query of the application, which returns early for an unknown account and
 * hashes a password for a known one. A failure is therefore delayed to a time that doesn't depend on its cause: the
 * `minimum`, or the slowest recent attempt, rounded up to whole steps. Successful attempts count as well, so that an
 * expensive hash is covered after its first run.
 */
export class FailureDelay {
  readonly #environment: Environment;
  readonly #minimum: number;
  readonly #step: number;
  readonly #maximum: number;
  #slowest = 0;
  #learnedAt = 0;

  constructor(environment: Environment, options: FailureDelayOptions = {}) {
    this.#environment = environment;
    this.#minimum = options.minimum ?? 300;
    this.#step = options.step ?? 100;
    this.#maximum = options.maximum ?? 3000;
  }

  /**
   * Returns the result of `work` at once, and delays its error; a throttled attempt is delayed briefly, since it
   * reveals nothing about the account.
   */
  async equalize<T>(work: () => Promise<T>): Promise<T> {
    const { clock, timers } = this.#environment;
    const startedAt = clock.monotonic();
    try {
      return await work();
    } catch (error) {
      const elapsed = clock.monotonic() - startedAt;
      await timers.wait(isRefusal(error) ? REFUSAL : this.#due(elapsed) - elapsed);
      throw error;
    }
  }

  /** Answers `work` and its errors after whole steps, whatever it has found. Slow ones aren't remembered. */
  async constant<T>(work: () => Promise<T>): Promise<T> {
    const { clock, timers } = this.#environment;
    const startedAt = clock.monotonic();
    try {
      return await work();
    } finally {
      const elapsed = clock.monotonic() - startedAt;
      await timers.wait(this.#due(elapsed) - elapsed);
    }
  }

  /** Delays only throttled attempts; for work with constant time. */
  async delayThrottled<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (isRefusal(error)) await this.#environment.timers.wait(REFUSAL);
      throw error;
    }
  }

  /** Measures `work`: the part of an attempt whose duration depends on what it finds. */
  async observe<T>(work: () => Promise<T>): Promise<T> {
    const { clock } = this.#environment;
    const startedAt = clock.monotonic();
    try {
      return await work();
    } finally {
      this.#learn(clock.monotonic() - startedAt);
    }
  }

  #learn(elapsed: number): void {
    const now = this.#environment.clock.monotonic();
    const remembered = this.#slowest * 2 ** ((this.#learnedAt - now) / HALF_LIFE);
    this.#slowest = Math.min(Math.max(remembered, elapsed), this.#maximum);
    this.#learnedAt = now;
  }

  /** When a failure that took `elapsed` is answered, in milliseconds from the start. */
  #due(elapsed: number): number {
    const floor = Math.max(this.#minimum, this.#slowest, elapsed);
    // Timers fire slightly late, which might leak the elapsed time; jitter hides it.
    const jitter = this.#environment.random.float() * (this.#step / 2);
    return Math.ceil(floor / this.#step) * this.#step + jitter;
  }
}

const isRefusal = (error: unknown) => error instanceof TesseraError && REFUSALS.has(error.code);
const REFUSALS: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['too_many_attempts', 'rate_limited']);

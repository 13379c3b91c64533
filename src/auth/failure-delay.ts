import type { Environment } from '../env/environment.js';
import { TesseraError } from '../errors/error.js';

/** Milliseconds. */
export interface FailureDelayOptions {
  /** No failure is told sooner; longer than the usual password functions take. */
  readonly minimum?: number;
  /** The steps in which failures are told. */
  readonly step?: number;
  /** What is learned from slow tries goes no further than this. */
  readonly maximum?: number;
}

/** Milliseconds after which half of what was learned is forgotten. */
const HALF_LIFE = 60 * 60 * 1000;

/** Milliseconds after which a refusal is told, so that whoever goes on asking without a pause costs little. */
const REFUSAL = 100;

/**
 * Makes failures take the same time, whatever they failed at.
 *
 * Sign-ins of record users run the user's own query, which returns early when there is no such account and hashes a password when there
 * is. Hence a failure is held back until a moment that doesn't depend on its cause: the `minimum`, or as long as the slowest tries of late have taken,
 * in whole steps. Every try teaches, successes too, so that queries with an expensive hash are covered as soon as they have run.
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

  /** Gives the result of `work` at once, and its error in due time: soon where the throttle refused, which says nothing of an account. */
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

  /** Holds back nothing but refusals by the throttle, for work that takes the same time anyway. */
  async delayThrottled<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (isRefusal(error)) await this.#environment.timers.wait(REFUSAL);
      throw error;
    }
  }

  /** Learns from how long `work` takes, which is the part of a try that depends on what it finds. */
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

  /** When, counted from the start, a failure that took `elapsed` is told. */
  #due(elapsed: number): number {
    const floor = Math.max(this.#minimum, this.#slowest, elapsed);
    // Timers wake up late by a little that might tell something; the jitter buries it.
    const jitter = this.#environment.random.float() * (this.#step / 2);
    return Math.ceil(floor / this.#step) * this.#step + jitter;
  }
}

const isRefusal = (error: unknown) => error instanceof TesseraError && error.code === 'too_many_attempts';

/** Work in the background that comes in rounds, one at a time. */
import type { Timers } from '../../env/environment.js';
import { asTesseraError, type TesseraError } from '../../errors/error.js';

/** Milliseconds until a round after `wake`, so that what several commits queue is done together. */
const SOON = 10;

export interface RoundOptions {
  /** Milliseconds between two rounds without `wake`, for what was left over or has failed. */
  readonly interval: number;
  /** Whether the first round comes soon, for what was queued before a shutdown or crash; else after an interval. */
  readonly startsSoon: boolean;
}

export class BackgroundRounds {
  readonly #timers: Timers;
  readonly #round: () => Promise<void>;
  readonly #interval: number;
  readonly #report: (error: TesseraError) => void;
  #cancel: () => void = () => undefined;
  #isWoken = false;
  #isRunning = false;
  #isStopped = false;

  /** `report` gets the error of a round that fails; the next one comes all the same. */
  constructor(
    timers: Timers,
    round: () => Promise<void>,
    report: (error: TesseraError) => void,
    { interval, startsSoon }: RoundOptions,
  ) {
    this.#timers = timers;
    this.#round = round;
    this.#interval = interval;
    this.#report = report;
    this.#wait(startsSoon ? SOON : interval);
  }

  /** A round that is under way should end as soon as it can, and may leave the rest. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Something was queued by a commit: a round comes soon, or follows the one that is under way. */
  wake(): void {
    if (this.#isWoken || this.#isStopped) return;
    this.#isWoken = true;
    if (this.#isRunning) return;
    this.#cancel();
    this.#wait(SOON);
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  /** Reports an error, unless the end has caused it. */
  fail(error: unknown): void {
    if (!this.#isStopped) this.#report(asTesseraError(error));
  }

  #wait(milliseconds: number): void {
    this.#cancel = this.#timers.after(milliseconds, () => {
      this.#isWoken = false;
      this.#isRunning = true;
      void this.#round()
        .catch((error: unknown) => this.fail(error))
        .finally(() => {
          this.#isRunning = false;
          if (!this.#isStopped) this.#wait(this.#isWoken ? SOON : this.#interval);
        });
    });
  }
}

/** Background work that events trigger, such as following a log: never two runs at once, and none lost. */
import type { Timers } from '../env/environment.js';
import { asTesseraError, type TesseraError } from '../errors/error.js';

/** Milliseconds until a run that has failed is repeated. */
const RETRY = 250;

/**
 * Work that is repeated after events: one run at a time, and one for all events during the
 * last one. A run that fails is repeated until one succeeds; the first of consecutive failures is reported.
 */
export class CoalescedTask {
  readonly #timers: Timers;
  readonly #work: () => Promise<void>;
  readonly #report: (error: TesseraError) => void;
  #isWanted = false;
  #isRunning = false;
  #isFailing = false;
  #isStopped = false;
  #running: Promise<void> | undefined;
  #cancelRetry: (() => void) | undefined;

  constructor(timers: Timers, work: () => Promise<void>, report: (error: TesseraError) => void) {
    this.#timers = timers;
    this.#work = work;
    this.#report = report;
  }

  /** Running work should end as soon as it can. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** A run begins now, or after the running one. */
  wake(): void {
    this.#isWanted = true;
    if (this.#isStopped || this.#isRunning) return;
    this.#cancelRetry?.();
    this.#isRunning = true;
    this.#running = this.#run();
  }

  /** Ends it: no run begins from now on. */
  stop(): void {
    this.#isStopped = true;
    this.#cancelRetry?.();
  }

  /** Waits for the runs requested by now, except for repetitions of a failed one. */
  async settled(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#isWanted && !this.#isStopped) {
      this.#isWanted = false;
      try {
        await this.#work();
        this.#isFailing = false;
      } catch (error) {
        this.#failed(asTesseraError(error));
        break;
      }
    }
    this.#isRunning = false;
  }

  #failed(error: TesseraError): void {
    if (this.#isStopped) return;
    if (!this.#isFailing) this.#report(error);
    this.#isFailing = true;
    this.#cancelRetry = this.#timers.after(RETRY, () => this.wake());
  }
}

/**
 * Compares this server's clock with the store's. Nothing is decided by the difference; but the servers of a store issue
 * tokens by their own clocks, and refuse those of others that come from too far in the future.
 */
import type { Clock } from '../../env/environment.js';
import { failure, type TesseraError } from '../../errors/error.js';
import type { SharedStore } from '../../storage/contract.js';

/** Milliseconds between two comparisons. */
export const CLOCK_INTERVAL = 60_000;
/** Nanoseconds of a difference that is reported. */
const NOTEWORTHY = 1_000_000_000n;

export class ClockWatch {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #shared: Pick<SharedStore, 'time'>;
  readonly #report: (error: TesseraError) => void;
  /** A difference is reported once, until it is over. */
  #isReported = false;

  constructor(clock: Pick<Clock, 'now'>, shared: Pick<SharedStore, 'time'>, report: (error: TesseraError) => void) {
    this.#clock = clock;
    this.#shared = shared;
    this.#report = report;
  }

  async compare(): Promise<void> {
    const before = this.#clock.now();
    const time = await this.#shared.time?.();
    const after = this.#clock.now();
    if (time === undefined) return;
    // Whatever part of the call the answer took.
    const difference = time < before ? before - time : time > after ? time - after : 0n;
    const isNoteworthy = difference > NOTEWORTHY;
    if (isNoteworthy && !this.#isReported) {
      const seconds = (Number(difference / 1_000_000n) / 1_000).toFixed(1);
      this.#report(failure('clock_differs', { seconds, way: time < before ? 'ahead of' : 'behind' }));
    }
    this.#isReported = isNoteworthy;
  }
}

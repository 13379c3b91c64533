/** Reports a full disk to the operator, at most once a minute. */
import type { Clock } from '../../../env/environment.js';
import { TesseraError } from '../../../errors/error.js';

/** Milliseconds until a disk that stays full is reported again. */
const AGAIN = 60_000;

/** Reports at once that a disk has no room for a commit: operators don't see the error that the client gets. */
export class FullDiskReport {
  readonly #report: (error: TesseraError) => void;
  readonly #clock: Pick<Clock, 'monotonic'>;
  #reported: number | undefined;

  constructor(report: (error: TesseraError) => void, clock: Pick<Clock, 'monotonic'>) {
    this.#report = report;
    this.#clock = clock;
  }

  /** Reserves room by `work`. @throws as `work` does */
  admit(work: () => void): void {
    try {
      work();
      this.#reported = undefined;
    } catch (error) {
      if (error instanceof TesseraError && error.code === 'storage_full') this.#note(error);
      throw error;
    }
  }

  #note(error: TesseraError): void {
    const now = this.#clock.monotonic();
    if (this.#reported !== undefined && now - this.#reported < AGAIN) return;
    this.#reported = now;
    this.#report(error);
  }
}

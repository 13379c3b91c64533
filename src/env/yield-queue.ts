/** Compact the array after so many resumed entries. */
const DROPPED = 1024;

/**
 * A FIFO queue of computations that yielded: one resumes per round of the event loop, which serves connections, timers
 * and short work in between.
 */
export class YieldQueue {
  readonly #schedule: (callback: () => void) => void;
  /** Waiting entries; those before `#next` have resumed. */
  #waiting: (() => void)[] = [];
  #next = 0;

  /** `schedule` calls back in the next round. */
  constructor(schedule: (callback: () => void) => void) {
    this.#schedule = schedule;
  }

  /** Resolves when it is the caller's turn. */
  wait(): Promise<void> {
    return new Promise((resume) => {
      if (this.#waiting.push(resume) === 1) this.#schedule(this.#admit);
    });
  }

  readonly #admit = (): void => {
    const resume = this.#waiting[this.#next++];
    const isLast = this.#next === this.#waiting.length;
    if (isLast || this.#next === DROPPED) {
      this.#waiting = this.#waiting.slice(this.#next);
      this.#next = 0;
    }
    if (!isLast) this.#schedule(this.#admit);
    resume?.();
  };
}

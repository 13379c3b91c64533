/** Places of those who had their turn are given up when there are so many. */
const DROPPED = 1024;

/**
 * A line in which work waits for its next turn: one goes on in each round of the event loop, first come, first served. Between two of them
 * the loop sees to whatever else is ready: connections, timers, what is short.
 */
export class YieldQueue {
  readonly #schedule: (callback: () => void) => void;
  /** Whose turns are still to come, behind those before `#next`. */
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

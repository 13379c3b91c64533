import { failure } from '../errors/error.js';

/**
 * Runs at most `maxRunning` pieces of work at once, and lets at most `maxWaiting` more wait for their turn, first come, first served.
 *
 * @throws TesseraError `hashing_busy` when there is no room to wait
 */
export class WorkQueue {
  readonly #maxRunning: number;
  readonly #maxWaiting: number;
  #running = 0;
  /** Starts of the waiting work; `#head` is the next one. The front is cut off now and then, so that taking one costs O(1). */
  #waiting: (() => void)[] = [];
  #head = 0;

  constructor(maxRunning: number, maxWaiting: number) {
    this.#maxRunning = maxRunning;
    this.#maxWaiting = maxWaiting;
  }

  /** Whether there is no room left to wait. */
  get full(): boolean {
    return this.#running >= this.#maxRunning && this.#waiting.length - this.#head >= this.#maxWaiting;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#maxRunning) this.#running++;
    else await this.#turn();
    try {
      return await work();
    } finally {
      this.#next();
    }
  }

  /** Waits until a place is handed over; `#running` keeps counting it. */
  #turn(): Promise<void> {
    if (this.full) throw failure('hashing_busy', { retryAfter: 1 });
    return new Promise((start) => this.#waiting.push(start));
  }

  #next(): void {
    const start = this.#waiting[this.#head];
    if (start === undefined) {
      this.#running--;
      return;
    }
    this.#head++;
    if (this.#head === this.#waiting.length) {
      this.#waiting = [];
      this.#head = 0;
    } else if (this.#head > this.#maxWaiting) {
      this.#waiting = this.#waiting.slice(this.#head);
      this.#head = 0;
    }
    start();
  }
}

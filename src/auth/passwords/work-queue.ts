/** Bounds work that takes processor time, such as password hashes. */
import { failure } from '../../errors/error.js';

/**
 * Runs at most `maxRunning` tasks at once, and queues at most `maxWaiting` more, first in, first out.
 *
 * @throws TesseraError `hashing_busy` if the queue is full
 */
export class WorkQueue {
  readonly #maxRunning: number;
  readonly #maxWaiting: number;
  #running = 0;
  /**
   * Queued tasks; `#head` is the next one. The front is cut off occasionally, so that dequeuing costs O(1) amortized.
   */
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

/** A queue for work that must not overlap, such as the requests of one session. */
import { isPromise, type PromiseOrValue } from './promise-or-value.js';

/**
 * Runs tasks one at a time, in the order of submission.
 *
 *     const queue = new SerialQueue();
 *     queue.run(() => fetch(first));
 *     queue.run(() => fetch(second)); // begins when the first has settled
 */
export class SerialQueue {
  #last: Promise<void> | undefined;

  /** Runs `work` when all earlier tasks have settled; at once if none is running. */
  run<T>(work: () => PromiseOrValue<T>): PromiseOrValue<T> {
    const turn = this.#last === undefined ? work() : this.#last.then(work);
    if (!isPromise(turn)) return turn;
    const done = () => {
      if (this.#last === last) this.#last = undefined;
    };
    const last: Promise<void> = turn.then(done, done);
    this.#last = last;
    return turn;
  }

  /** Resolves when all tasks submitted so far have settled; never rejects. */
  get done(): PromiseOrValue<void> {
    return this.#last;
  }
}

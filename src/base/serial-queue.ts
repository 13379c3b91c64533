import { isPromise, type PromiseOrValue } from './promise-or-value.js';

/**
 * Work that is done one after the other, in the order in which it comes.
 *
 *     const turns = new SerialQueue();
 *     queue.run(() => fetch(first));
 *     queue.run(() => fetch(second)); // begins when the first has come or failed
 */
export class SerialQueue {
  #last: Promise<void> | undefined;

  /** Does `work` when everything before it is done, whatever came of that; at once if nothing is under way. */
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

  /** Everything that has been taken up so far; it never fails. */
  get done(): PromiseOrValue<void> {
    return this.#last;
  }
}

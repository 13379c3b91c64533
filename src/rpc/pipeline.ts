import { andThen, isPromise, lastly, type PromiseOrValue } from '../base/promise-or-value.js';
import { SerialQueue } from '../base/serial-queue.js';
import type { Session } from '../session/contract.js';
import type { ObjectValue } from '../value/value.js';

/** Takes an answer to the client. */
export type Deliver = (answer: ObjectValue) => PromiseOrValue<void>;

/**
 * The requests of one session. Each sees what those before it have done, and answers go out in the order of requests, when what they tell is
 * durable. A request waits until the one before it is answered, unless nothing but the disk keeps that answer back: requests that come
 * together are written together.
 */
export class Pipeline {
  readonly session: Session;
  readonly #requests = new SerialQueue();
  readonly #answers = new SerialQueue();

  constructor(session: Session) {
    this.session = session;
  }

  /**
   * Does a request in its turn and delivers the answer in its own; `lost` makes what is answered instead when what was done turns out not to
   * last. Without an answer there is nothing to deliver.
   */
  take(
    request: () => PromiseOrValue<ObjectValue | undefined>,
    deliver: Deliver,
    lost: (thrown: unknown) => ObjectValue,
  ): PromiseOrValue<void> {
    let delivered: PromiseOrValue<void> | undefined;
    const turn = this.#requests.run(() =>
      andThen(request(), (answer) => {
        const release = this.session.memory.takeResults();
        if (answer === undefined) return release();
        const { durable } = this.session;
        if (!isPromise(durable)) {
          delivered = this.#answers.run(() => lastly(() => deliver(answer), release));
          return delivered;
        }
        const settled = durable.then(() => answer, lost);
        delivered = this.#answers.run(() => settled.then(deliver).finally(release));
        return undefined;
      }),
    );
    return isPromise(turn) ? turn.then(() => delivered) : delivered;
  }

  /** Waits for the answers to all requests that were done so far. */
  get answered(): PromiseOrValue<void> {
    return this.#answers.done;
  }

  /** Waits for the requests that were taken, and for their answers. */
  async settled(): Promise<void> {
    await this.#requests.done;
    await this.#answers.done;
  }
}

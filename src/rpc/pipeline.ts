/** Request order within a session: clients send requests without waiting, and replies keep their order. */
import { andThen, isPromise, lastly, type PromiseOrValue } from '../base/promise-or-value.js';
import { SerialQueue } from '../base/serial-queue.js';
import type { Session } from '../session/contract.js';
import type { ObjectValue } from '../value/value.js';

/** Sends an answer to the client. */
export type Deliver = (answer: ObjectValue) => PromiseOrValue<void>;

/**
 * The request pipeline of one session. Each request sees the effects of earlier ones, and answers are sent in request
 * order, once durable. A request waits until the previous one is answered, unless only durability delays that answer:
 * pipelined requests share an fsync.
 */
export class Pipeline {
  readonly session: Session;
  readonly #requests = new SerialQueue();
  readonly #answers = new SerialQueue();

  constructor(session: Session) {
    this.session = session;
  }

  /**
   * Processes a request in order and delivers its answer in order. `lost` creates the answer if durability fails.
   * Without an answer nothing is delivered. `ended` is called when the answer may be sent.
   */
  take(
    request: () => PromiseOrValue<ObjectValue | undefined>,
    deliver: Deliver,
    lost: (thrown: unknown) => ObjectValue,
    ended: () => void,
  ): PromiseOrValue<void> {
    let delivered: PromiseOrValue<void> | undefined;
    const turn = this.#requests.run(() =>
      andThen(request(), (answer) => {
        const release = this.session.memory.takeResults();
        if (answer === undefined) return release();
        const { durable } = this.session;
        if (!isPromise(durable)) {
          ended();
          delivered = this.#answers.run(() => lastly(() => deliver(answer), release));
          return delivered;
        }
        const wait = this.session.trace?.span?.begin('store wait');
        const settled = durable
          .then(() => answer, lost)
          .finally(() => {
            wait?.end();
            ended();
          });
        delivered = this.#answers.run(() => settled.then(deliver).finally(release));
        return undefined;
      }),
    );
    return isPromise(turn) ? turn.then(() => delivered) : delivered;
  }

  /** Resolves when all processed requests are answered. */
  get answered(): PromiseOrValue<void> {
    return this.#answers.done;
  }

  /** Resolves when all accepted requests are processed and answered. */
  async settled(): Promise<void> {
    await this.#requests.done;
    await this.#answers.done;
  }
}

/** An active subscription: a live query whose changes are written as answers. */
import { isSamePrincipal } from '../../catalog/principal.js';
import type { Notification, Session } from '../../session/contract.js';
import type { Uuid, Value } from '../../value/value.js';
import type { SourceStreams } from './source-streams.js';

/**
 * A rendezvous channel: an unbuffered channel whose sender waits until a receiver takes the item.
 *
 *     void channel.give('a').then(() => channel.give('b'));
 *     await channel.take();   // 'a'
 *     await channel.take();   // 'b'
 */
class RendezvousChannel<T> {
  #offered: { readonly thing: T; readonly taken: () => void } | undefined;
  #wanted: ((thing: T | undefined) => void) | undefined;
  #closed = false;

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Nothing else may be given before it is taken. */
  give(thing: T): Promise<void> | undefined {
    if (this.#closed) return undefined;
    if (this.#wanted !== undefined) {
      this.#wanted(thing);
      this.#wanted = undefined;
      return undefined;
    }
    return new Promise((taken) => {
      this.#offered = { thing, taken };
    });
  }

  /** `undefined` once it is closed. */
  take(): Promise<T | undefined> {
    const offered = this.#offered;
    if (offered !== undefined) {
      this.#offered = undefined;
      offered.taken();
      return Promise.resolve(offered.thing);
    }
    if (this.#closed) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#wanted = resolve;
    });
  }

  /** Closes the channel: waiting senders and receivers resume, and pending items are dropped. */
  close(): void {
    this.#closed = true;
    this.#offered?.taken();
    this.#offered = undefined;
    this.#wanted?.(undefined);
    this.#wanted = undefined;
  }
}

/**
 * The response stream of a subscription (GraphQL specification, section 6.2.3), in commit order. The next change is
 * processed when the last response was taken; a reader that falls too far behind is disconnected. It ends with an error
 * if there is a reason. For a single reader, who calls `return` to stop.
 *
 *     for await (const response of stream) …
 */
export class ResponseStream<T> implements AsyncIterableIterator<T, undefined> {
  readonly #session: Session;
  readonly #feed: SourceStreams;
  readonly #answer: (notification: Notification) => Promise<T>;
  readonly #changes = new RendezvousChannel<Notification>();
  readonly #subscriber;
  #id: Uuid | undefined;

  private constructor(session: Session, feed: SourceStreams, answer: (notification: Notification) => Promise<T>) {
    this.#session = session;
    this.#feed = feed;
    this.#answer = answer;
    this.#subscriber = session.identity.principal;
  }

  /** `answer` writes the answer to a change; what it throws ends the subscription. `kept` is what it remembers. */
  static async begin<T>(
    session: Session,
    feed: SourceStreams,
    start: () => Promise<Uuid>,
    kept: readonly Value[],
    answer: (notification: Notification) => Promise<T>,
  ): Promise<ResponseStream<T>> {
    const subscription = new ResponseStream(session, feed, answer);
    subscription.#id = await feed.begin(start, kept, (change) => subscription.#changes.give(change));
    return subscription;
  }

  /** @throws TesseraError why there is nothing more to come */
  async next(): Promise<IteratorResult<T, undefined>> {
    try {
      for (;;) {
        const change = await this.#changes.take();
        if (change?.reason !== undefined) throw change.reason;
        if (change === undefined || change.action === 'KILLED') return await this.return();
        const value = await this.#answer(change);
        // Data read for one user isn't sent to another who has signed in meanwhile.
        const isMeant = isSamePrincipal(this.#subscriber, this.#session.identity.principal);
        if (isMeant && !this.#changes.isClosed) return { done: false, value };
      }
    } catch (thrown) {
      await this.return();
      throw thrown;
    }
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#changes.close();
    if (this.#id !== undefined) await this.#feed.end(this.#id);
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

/** What a live query brings, as an async iterator for one loop. */
import type { TesseraError } from '../errors/error.js';
import type { Uuid, Value } from '../value/value.js';

interface Asker<T> {
  resolve(result: IteratorResult<T, undefined>): void;
  reject(error: TesseraError): void;
}

/** Leaving the loop ends the live query, and so does `kill()`. If it ends for another reason, the loop throws. */
export abstract class NotificationStream<T = Value> implements AsyncIterableIterator<T, undefined>, AsyncDisposable {
  readonly id: Uuid;
  readonly #kill: () => Promise<void>;
  /** Pending calls of `next`. */
  #asking: Asker<T>[] = [];
  #ended = false;
  #reason: TesseraError | undefined;

  constructor(id: Uuid, kill: () => Promise<void>) {
    this.id = id;
    this.#kill = kill;
  }

  /** The next of what waits. */
  protected abstract take(): { readonly value: T } | undefined;

  /** Nothing of what waits will be taken. */
  protected abstract drop(): void;

  protected get isEnded(): boolean {
    return this.#ended;
  }

  /** Something waits. */
  protected arrived(): void {
    if (this.#asking.length === 0) return;
    const taken = this.take();
    if (taken !== undefined) this.#asking.shift()?.resolve({ done: false, value: taken.value });
  }

  protected end(reason: TesseraError | undefined): void {
    this.#ended = true;
    const [first, ...others] = this.#asking;
    this.#asking = [];
    if (first === undefined) this.#reason = reason;
    else if (reason === undefined) first.resolve({ done: true, value: undefined });
    else first.reject(reason);
    for (const other of others) other.resolve({ done: true, value: undefined });
  }

  /** Ends the live query for a reason found here. */
  protected abandon(reason: TesseraError): void {
    this.drop();
    this.end(reason);
    void this.#kill();
  }

  /** The session was closed. */
  closed(): void {
    this.end(undefined);
  }

  next(): Promise<IteratorResult<T, undefined>> {
    const taken = this.take();
    if (taken !== undefined) return Promise.resolve({ done: false, value: taken.value });
    const reason = this.#reason;
    this.#reason = undefined;
    if (reason !== undefined) return Promise.reject(reason);
    if (this.#ended) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve, reject) => this.#asking.push({ resolve, reject }));
  }

  async return(): Promise<IteratorResult<T, undefined>> {
    await this.kill();
    return { done: true, value: undefined };
  }

  /** Ends the live query. */
  async kill(): Promise<void> {
    this.drop();
    this.end(undefined);
    await this.#kill();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill();
  }
}

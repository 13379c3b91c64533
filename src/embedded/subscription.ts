/** Live queries for programs in process, as async iterators. */
import { failure, type TesseraError } from '../errors/error.js';
import type { Notification } from '../session/contract.js';
import type { RecordId, Uuid, Value } from '../value/value.js';

/** A change seen by a live query: a record that was created, updated or deleted. */
export interface Change<T = Value> {
  readonly action: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly record: RecordId;
  /** The record as selected by the live query; for a deleted record its last state. */
  readonly result: T;
  /** For live queries with SINCE: the versionstamp to resume from. */
  readonly versionstamp?: bigint;
}

/** Maximum number of buffered changes. */
const MAX_WAITING = 100_000;

interface Asker<T> {
  resolve(result: IteratorResult<Change<T>, undefined>): void;
  reject(error: TesseraError): void;
}

/**
 * A live query as an async iterator of changes in commit order. Leaving the loop ends it, and so does `kill()`. If it
 * ends for another reason, the loop throws: the principal changed, the table was removed, or too many changes were
 * buffered.
 */
export class Subscription<T = Value> implements AsyncIterableIterator<Change<T>, undefined>, AsyncDisposable {
  readonly id: Uuid;
  readonly #kill: () => Promise<void>;
  #waiting: Change<T>[] = [];
  /** Pending calls of `next`. */
  #asking: Asker<T>[] = [];
  #ended = false;
  #reason: TesseraError | undefined;

  constructor(id: Uuid, kill: () => Promise<void>) {
    this.id = id;
    this.#kill = kill;
  }

  /** Takes a notification of the session. */
  deliver({ action, record, result, reason, versionstamp }: Notification): void {
    if (this.#ended) return;
    if (action === 'KILLED' || record === undefined) {
      this.#end(reason);
      return;
    }
    const stamp = versionstamp === undefined ? {} : { versionstamp };
    const change = { action, record, result: result as T, ...stamp };
    const asker = this.#asking.shift();
    if (asker !== undefined) asker.resolve({ done: false, value: change });
    else if (this.#waiting.length < MAX_WAITING) this.#waiting.push(change);
    else {
      this.#waiting = [];
      this.#end(failure('live_queries_behind'));
      void this.#kill();
    }
  }

  /** The session was closed. */
  closed(): void {
    this.#end(undefined);
  }

  next(): Promise<IteratorResult<Change<T>, undefined>> {
    const value = this.#waiting.shift();
    if (value !== undefined) return Promise.resolve({ done: false, value });
    const reason = this.#reason;
    this.#reason = undefined;
    if (reason !== undefined) return Promise.reject(reason);
    if (this.#ended) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve, reject) => this.#asking.push({ resolve, reject }));
  }

  async return(): Promise<IteratorResult<Change<T>, undefined>> {
    await this.kill();
    return { done: true, value: undefined };
  }

  /** Ends the live query. */
  async kill(): Promise<void> {
    this.#waiting = [];
    this.#end(undefined);
    await this.#kill();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill();
  }

  #end(reason: TesseraError | undefined): void {
    this.#ended = true;
    const [first, ...others] = this.#asking;
    this.#asking = [];
    if (first === undefined) this.#reason = reason;
    else if (reason === undefined) first.resolve({ done: true, value: undefined });
    else first.reject(reason);
    for (const other of others) other.resolve({ done: true, value: undefined });
  }
}

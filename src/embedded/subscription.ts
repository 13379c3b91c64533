/** Live queries for programs in process, as async iterators. */
import { failure } from '../errors/error.js';
import type { Notification } from '../session/contract.js';
import type { RecordId, Value } from '../value/value.js';
import { NotificationStream } from './notification-stream.js';

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

/**
 * A live query as an async iterator of changes in commit order. Leaving the loop ends it, and so does `kill()`. If it
 * ends for another reason, the loop throws: the principal changed, the table was removed, or too many changes were
 * buffered.
 */
export class Subscription<T = Value> extends NotificationStream<Change<T>> {
  #waiting: Change<T>[] = [];

  /** Takes a notification of the session. */
  deliver({ action, record, result, reason, versionstamp }: Notification): void {
    if (this.isEnded) return;
    if (action === 'KILLED' || record === undefined) {
      this.end(reason);
      return;
    }
    if (this.#waiting.length === MAX_WAITING) {
      this.abandon(failure('live_queries_behind'));
      return;
    }
    const stamp = versionstamp === undefined ? {} : { versionstamp };
    this.#waiting.push({ action, record, result: result as T, ...stamp });
    this.arrived();
  }

  protected take(): { readonly value: Change<T> } | undefined {
    const value = this.#waiting.shift();
    return value && { value };
  }

  protected drop(): void {
    this.#waiting = [];
  }
}

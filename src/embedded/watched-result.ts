/** Results that are kept right (LIVE QUERY) for programs in process. */
import { invariant } from '../base/invariant.js';
import type { Notification } from '../session/contract.js';
import { toText } from '../value/text/text.js';
import { isArray, isObject, type Uuid, type Value } from '../value/value.js';
import { NotificationStream } from './notification-stream.js';

/**
 * The result of a query as an async iterator: the present one first, then each later one, whole. A loop that takes its
 * time gets the latest. If it ends for a reason other than `kill()`, such as a table that was removed, the loop throws.
 */
export class WatchedResult<T = Value> extends NotificationStream<T> {
  #result: Value;
  #versionstamp: bigint;
  /** Whether the result wasn't taken yet. */
  #isNew = true;

  constructor(id: Uuid, kill: () => Promise<void>, first: { readonly result: Value; readonly versionstamp: bigint }) {
    super(id, kill);
    this.#result = first.result;
    this.#versionstamp = first.versionstamp;
  }

  /** Takes a notification of the session. */
  deliver(notification: Notification): void {
    if (this.isEnded) return;
    if (notification.action === 'KILLED') {
      this.end(notification.reason);
      return;
    }
    this.#result = applied(this.#result, notification);
    const { versionstamp = this.#versionstamp } = notification;
    // The differences of one evaluation belong together: the last one has another versionstamp.
    if (versionstamp === this.#versionstamp) return;
    this.#versionstamp = versionstamp;
    this.#isNew = true;
    this.arrived();
  }

  protected take(): { readonly value: T } | undefined {
    if (!this.#isNew) return undefined;
    this.#isNew = false;
    return { value: this.#result as T };
  }

  protected drop(): void {
    this.#isNew = false;
  }
}

/** A result with one difference applied: rows that stay are the same objects. */
function applied(result: Value, { action, record, result: row, position }: Notification): Value {
  if (record === undefined) return row;
  invariant(isArray(result), 'differences of rows are of a list');
  const name = toText(record);
  const at = result.findIndex((each) => isObject(each) && toText(each['id']) === name);
  const others = result.filter((_, place) => place !== at);
  if (action === 'DELETE') return others;
  const place = position ?? (at < 0 ? others.length : at);
  return [...others.slice(0, place), row, ...others.slice(place)];
}

/**
 * The asynchronous events of a database that failed after their last retry, until they are run again or discarded. The
 * latest `MOST_KEPT` are kept: each has a slot, which a later one takes over. A counter gives them their numbers.
 */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Stored, Transaction } from '../../storage/contract.js';
import { datetimeNanoseconds, toDatetime } from '../../value/time/datetime.js';
import { type Datetime, isObject, objectFrom } from '../../value/value.js';
import { weightOf } from '../../value/weight.js';
import { rowOf } from '../definitions/stored-definition.js';
import { entriesOf } from '../entries.js';
import { type Id, prefixRange } from '../keys/key-bytes.js';
import { failedEventCounterKey, failedEventKey, failedEventPrefix } from '../keys/store-keys.js';
import { eventRow, type QueuedEvent, queuedEventOf, rowWith } from './event-queue.js';

export interface FailedEvent {
  /** From 1 on. */
  readonly id: number;
  /** In nanoseconds since 1970. */
  readonly at: bigint;
  readonly attempts: number;
  readonly error: string;
  /** What is run again; its records are absent if they were too large to be kept. */
  readonly event: QueuedEvent;
  readonly isComplete: boolean;
}

/** Events of a database that are kept. */
export const MOST_KEPT = 500;
/** Bytes of the records that an event is kept with, and characters of its error. */
const LARGEST = 32 * 1024;
const LONGEST_ERROR = 1_000;

/** Keeps an event that failed, in place of the one that failed `MOST_KEPT` events before it. */
export function keepFailedEvent(
  transaction: Transaction,
  event: QueuedEvent,
  { at, attempts, error }: Pick<FailedEvent, 'at' | 'attempts' | 'error'>,
): PromiseOrValue<void> {
  const counter = failedEventCounterKey(event.databaseId);
  return andThen(transaction.get(counter), (last) => {
    const id = (typeof last === 'number' ? last : 0) + 1;
    const isComplete = weightOf(event.before, event.after, event.input) <= LARGEST;
    const kept = isComplete ? event : { ...event, before: undefined, after: keyOf(event), input: undefined };
    const failed = { id, at: toDatetime(at), attempts, error: error.slice(0, LONGEST_ERROR), isComplete };
    transaction.put(counter, id);
    transaction.put(slotOf(event.databaseId, id), rowWith({ ...eventRow(kept), failed: rowWith(failed) }));
  });
}

/** The record without what is in it. */
function keyOf({ before, after }: QueuedEvent): QueuedEvent['after'] {
  const id = (after ?? before)?.['id'];
  return id === undefined ? undefined : objectFrom({ id });
}

/** The events that are kept, the latest first. */
export function failedEvents(transaction: Transaction, database: Id): PromiseOrValue<FailedEvent[]> {
  return andThen(entriesOf(transaction, prefixRange(failedEventPrefix(database))), (entries) =>
    entries.map(([, stored]) => readFailedEvent(stored)).sort((one, other) => other.id - one.id),
  );
}

/** The event with a number, if it is kept. */
export function findFailedEvent(
  transaction: Transaction,
  database: Id,
  id: number,
): PromiseOrValue<FailedEvent | undefined> {
  return andThen(transaction.get(slotOf(database, id)), (stored) => {
    const found = stored === undefined ? undefined : readFailedEvent(stored);
    return found?.id === id ? found : undefined;
  });
}

/** Keeps an event that was found no longer. */
export function dropFailedEvent(transaction: Transaction, { id, event }: FailedEvent): void {
  transaction.delete(slotOf(event.databaseId, id));
}

function slotOf(database: Id, id: number): string {
  return failedEventKey(database, id % MOST_KEPT);
}

/** Decodes an entry of the store. */
export function readFailedEvent(stored: Stored): FailedEvent {
  const { failed, ...event } = rowOf(stored);
  const { id, at, attempts, error, isComplete } = isObject(failed) ? failed : {};
  return {
    id: Number(id),
    at: datetimeNanoseconds(at as Datetime),
    attempts: Number(attempts),
    error: String(error),
    isComplete: isComplete === true,
    event: queuedEventOf(event),
  };
}

/**
 * The queues of asynchronous events, one for each database. The transaction that changes a record appends them, so that
 * events and changes commit together, in commit order.
 */
import { andThen, forEachInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Role } from '../../language/ast.js';
import type { Stored, Transaction } from '../../storage/contract.js';
import { isObject, newObject, type ObjectValue, RecordId, type Value } from '../../value/value.js';
import { rowOf } from '../definitions/stored-definition.js';
import { entriesOf } from '../entries.js';
import type { Id } from '../keys/key-bytes.js';
import { prefixRange } from '../keys/key-bytes.js';
import {
  databaseKey,
  databaseOfEvents,
  EVENT_DATABASES_RANGE,
  eventDatabaseKey,
  eventQueue,
  FORMER_EVENT_QUEUE,
} from '../keys/store-keys.js';
import type { Principal } from '../principal.js';

export interface QueuedEvent {
  readonly namespace: string;
  readonly database: string;
  /** A database that is removed and defined again has another id. */
  readonly databaseId: Id;
  readonly table: string;
  readonly event: string;
  readonly action: string;
  readonly before: ObjectValue | undefined;
  readonly after: ObjectValue | undefined;
  readonly input: ObjectValue | undefined;
  /** The number of asynchronous events that led to this one. */
  readonly depth: number;
  readonly maxDepth: number;
  readonly failures: number;
  /** The number of retries left. */
  readonly retry: number;
  /** The principal whose write raised the event. */
  readonly principal: Principal;
  readonly access: string | undefined;
}

/** Queues an asynchronous event. It runs once the transaction is committed, in the order of commits. */
export function queueEvent(transaction: Transaction, { principal, ...event }: QueuedEvent): void {
  transaction.append(eventQueue(event.databaseId), eventRow({ principal, ...event }));
}

/** The databases in which events were ever queued. They stay listed as long as they exist. */
export function databasesWithEvents(transaction: Transaction): PromiseOrValue<Id[]> {
  return andThen(entriesOf(transaction, EVENT_DATABASES_RANGE), (rows) => rows.map(([key]) => databaseOfEvents(key)));
}

/**
 * Lists a database among those in which events were queued. It is read first, so that most commits don't write root.
 */
export function listEventDatabase(transaction: Transaction, database: Id): PromiseOrValue<void> {
  const key = eventDatabaseKey(database);
  return andThen(transaction.get(key), (stored) => {
    if (stored === undefined) transaction.put(key, true);
  });
}

/** Entries that one transaction moves. */
const MOVED_AT_ONCE = 256;

/**
 * Moves events from the one queue that 0.1 has for the whole store to those of their databases, in their order. Returns
 * whether there may be more.
 */
export function moveFormerEvents(transaction: Transaction): PromiseOrValue<boolean> {
  const former = prefixRange(FORMER_EVENT_QUEUE);
  const cursor = transaction.scan(former, { limit: MOVED_AT_ONCE });
  return andThen(cursor.next(), (batch = []) => {
    cursor.close();
    const moved = forEachInOrder(batch, ([key, stored]) => {
      const { databaseId, namespace, database } = readQueuedEvent(stored);
      transaction.delete(key);
      return andThen(transaction.get(databaseKey(namespace, database)), (row) => {
        // The database may have been removed.
        if (row === undefined || rowOf(row)['id'] !== databaseId) return false;
        // The keys stay the same behind the prefix, and so does the order.
        transaction.put(eventQueue(databaseId) + key.slice(FORMER_EVENT_QUEUE.length), stored);
        return andThen(listEventDatabase(transaction, databaseId), () => false);
      });
    });
    return andThen(moved, () => batch.length > 0);
  });
}

/** An event as it is stored. */
export function eventRow({ principal, ...event }: QueuedEvent): ObjectValue {
  return rowWith({ ...event, principal: rowWith(principal) });
}

/** An object without the members that are `undefined`. */
export function rowWith(members: object): ObjectValue {
  const object = newObject();
  for (const [name, value] of Object.entries(members)) if (value !== undefined) object[name] = value as Value;
  return object;
}

/** Decodes an entry of the queue. */
export function readQueuedEvent(stored: Stored): QueuedEvent {
  return queuedEventOf(rowOf(stored));
}

/** The event of a row. */
export function queuedEventOf({ before, after, input, principal, access, ...event }: ObjectValue): QueuedEvent {
  return {
    ...(event as unknown as Pick<QueuedEvent, 'namespace' | 'database' | 'databaseId' | 'table' | 'event' | 'action'> &
      Pick<QueuedEvent, 'depth' | 'maxDepth' | 'failures' | 'retry'>),
    before: objectOrNone(before),
    after: objectOrNone(after),
    input: objectOrNone(input),
    principal: isObject(principal) ? readPrincipal(principal) : { kind: 'guest' },
    access: typeof access === 'string' ? access : undefined,
  };
}

function objectOrNone(value: Value): ObjectValue | undefined {
  return isObject(value) ? value : undefined;
}

function readPrincipal(stored: ObjectValue): Principal {
  const { kind, namespace, database, access, id } = stored;
  if (kind === 'record' && id instanceof RecordId) {
    return { kind, namespace: String(namespace), database: String(database), access: String(access), id };
  }
  if (kind !== 'system') return { kind: 'guest' };
  const { level, name, roles } = stored;
  return {
    kind,
    level: level === 'root' || level === 'namespace' ? level : 'database',
    ...(namespace !== undefined && { namespace: String(namespace) }),
    ...(database !== undefined && { database: String(database) }),
    name: String(name),
    roles: roles as readonly Role[],
  };
}

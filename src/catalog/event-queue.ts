/**
 * The queue of asynchronous events. The transaction that changes a record appends them, so that events and changes
 * commit together, in commit order.
 */
import type { Role } from '../language/ast.js';
import type { Stored, Transaction } from '../storage/contract.js';
import { isObject, newObject, type ObjectValue, RecordId, type Value } from '../value/value.js';
import type { Id } from './definitions/definition.js';
import { rowOf } from './definitions/stored-definition.js';
import { EVENT_QUEUE } from './keys.js';
import type { Principal } from './principal.js';

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

export function queueEvent(transaction: Transaction, { principal, ...event }: QueuedEvent): void {
  transaction.append(EVENT_QUEUE, row({ ...event, principal: row(principal) }));
}

/** An object without the members that are `undefined`. */
function row(members: object): ObjectValue {
  const object = newObject();
  for (const [name, value] of Object.entries(members)) if (value !== undefined) object[name] = value as Value;
  return object;
}

/** Decodes an entry of the queue. */
export function readQueuedEvent(stored: Stored): QueuedEvent {
  const { before, after, input, principal, access, ...event } = rowOf(stored);
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

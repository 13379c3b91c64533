/**
 * Asynchronous events that wait to be run. The transaction that changes a record appends them, so that they are there if and only if the
 * change is, in the order of commits.
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
  /** A database that was removed and defined anew has another. */
  readonly databaseId: Id;
  readonly table: string;
  readonly event: string;
  readonly action: string;
  readonly before: ObjectValue | undefined;
  readonly after: ObjectValue | undefined;
  readonly input: ObjectValue | undefined;
  /** How many asynchronous events led to this one. */
  readonly depth: number;
  readonly maxDepth: number;
  readonly failures: number;
  /** How often it is tried again. */
  readonly retry: number;
  /** Whose change raised it. */
  readonly principal: Principal;
  readonly access: string | undefined;
}

export function queueEvent(transaction: Transaction, { principal, ...event }: QueuedEvent): void {
  transaction.append(EVENT_QUEUE, row({ ...event, principal: row(principal) }));
}

/** An object of what isn't NONE. */
function row(members: object): ObjectValue {
  const object = newObject();
  for (const [name, value] of Object.entries(members)) if (value !== undefined) object[name] = value as Value;
  return object;
}

/** The entry that `queueEvent` appended. */
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

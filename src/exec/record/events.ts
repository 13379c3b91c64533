/** Runs the events of tables: at once, or behind the commit when they are ASYNC. */
import { andThen, forEachInOrder, mapInOrder, otherwise, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { DatabaseCatalog } from '../../catalog/definitions/database-catalog.js';
import { listEventDatabase, type QueuedEvent, queueEvent } from '../../catalog/events/event-queue.js';
import { failure } from '../../errors/error.js';
import { equals } from '../../value/order.js';
import { isTruthy } from '../../value/truthiness.js';
import type { ObjectValue } from '../../value/value.js';
import { withDefinerRightsCap } from '../authorization/definer-rights-cap.js';
import { isQueryError, isSafeToExpose } from '../authorization/error-redaction.js';
import { UNCHECKED } from '../authorization/permission.js';
import { deeperByEvent } from '../runtime/depth.js';
import type { Execution } from '../runtime/execution.js';
import { Frame } from '../runtime/frame.js';
import { peerError } from '../runtime/peer-error-wording.js';
import type { WrittenRecord } from '../runtime/record-access.js';
import { Scope } from '../runtime/scope.js';
import { assertStorable } from './storable.js';
import type { PreparedEvent, PreparedTable, TablePreparer } from './table.js';

/** What an event sees of the change that raised it. */
type Raised = Pick<QueuedEvent, 'action' | 'before' | 'after' | 'input'>;

/** Runs the events that a change raises, in the order of their names. A write that changes nothing raises none. */
export function raiseEvents(
  execution: Execution,
  catalog: DatabaseCatalog,
  { events }: PreparedTable,
  { before, after, table }: WrittenRecord,
  input: ObjectValue | undefined,
): PromiseOrValue<void> {
  if (events.length === 0 || (before !== undefined && after !== undefined && equals(before, after))) return;
  const action = before === undefined ? 'CREATE' : after === undefined ? 'DELETE' : 'UPDATE';
  const raised = { action, before, after, input };
  return forEachInOrder(events, (event) =>
    event.queue === undefined
      ? runEvent(execution, event, raised)
      : enqueue(execution, catalog, table.definition.name, event.name, event.queue, raised),
  );
}

/** With permissions off, since the owner of the schema defined it, but with `$auth` of the writer. */
function runEvent(
  execution: Execution,
  event: PreparedEvent,
  { action, before, after, input }: Raised,
): PromiseOrValue<undefined> {
  const inner: Execution = { ...deeperByEvent(withDefinerRightsCap(execution)), checks: UNCHECKED };
  const scope = new Scope();
  scope.set('event', action);
  scope.set('before', before);
  scope.set('after', after);
  scope.set('value', after ?? before);
  scope.set('input', input);
  const frame = new Frame(inner, scope, after ?? before);
  const run = (): PromiseOrValue<undefined> =>
    andThen(event.when === undefined ? true : event.when(frame), (verdict) => {
      if (!isTruthy(verdict)) return undefined;
      const done = mapInOrder(event.actions, (action) => action(frame));
      return andThen(done, () => undefined);
    });
  return otherwise(run, (thrown) => {
    const error = peerError(thrown);
    if (!isQueryError(error)) throw error;
    const reason = execution.checks.view && !isSafeToExpose(error) ? 'it failed' : error.message;
    throw failure('event_failed', { event: event.name, reason }, { cause: error });
  });
}

function enqueue(
  execution: Execution,
  { namespace, database }: DatabaseCatalog,
  table: string,
  event: string,
  bounds: NonNullable<PreparedEvent['queue']>,
  raised: Raised,
): PromiseOrValue<undefined> {
  const { principal, access } = execution.identity;
  assertStorable(raised.input);
  const { transaction } = execution.context;
  queueEvent(transaction, {
    ...raised,
    ...bounds,
    namespace: namespace.name,
    database: database.name,
    databaseId: database.id,
    table,
    event,
    depth: execution.request.eventDepth,
    failures: 0,
    principal,
    access,
  });
  const { queuedEvents } = execution.services;
  transaction.afterCommit(() => queuedEvents.committed(database.id));
  // It is listed once, before its first event.
  if (queuedEvents.isListed(database.id)) return undefined;
  return andThen(listEventDatabase(transaction, database.id), () => undefined);
}

/** Runs an event that was queued, as it is defined now; one whose table or definition is gone isn't run. */
export function runQueuedEvent(execution: Execution, tables: TablePreparer, queued: QueuedEvent): PromiseOrValue<void> {
  return andThen(execution.context.catalog(), (catalog) => {
    const table = catalog?.database.id === queued.databaseId ? catalog.tables.get(queued.table) : undefined;
    const event = table && tables.prepare(table).events.find(({ name }) => name === queued.event);
    return event && runEvent(execution, event, queued);
  });
}

/** Runs the events of tables: at once, or behind the commit when they are ASYNC. */
import { andThen, forEachInOrder, mapInOrder, otherwise, type PromiseOrValue } from '../base/promise-or-value.js';
import type { DatabaseCatalog } from '../catalog/definitions/database-catalog.js';
import { listEventDatabase, type QueuedEvent, queueEvent } from '../catalog/events/event-queue.js';
import { failure } from '../errors/error.js';
import type { FieldsRead } from '../plan/fields-read.js';
import { withDefinerRightsCap } from '../runtime/authorization/definer-rights-cap.js';
import { isQueryError, isSafeToExpose } from '../runtime/authorization/error-redaction.js';
import { UNCHECKED } from '../runtime/authorization/permission.js';
import { deeperByWrite } from '../runtime/depth.js';
import type { Execution } from '../runtime/execution.js';
import { Frame } from '../runtime/frame.js';
import { peerError } from '../runtime/peer-error-wording.js';
import type { WrittenRecord } from '../runtime/record-access.js';
import { Scope } from '../runtime/scope.js';
import { equals } from '../value/order.js';
import { isTruthy } from '../value/truthiness.js';
import type { ObjectValue } from '../value/value.js';
import { computeFields } from './computed.js';
import { assertStorable } from './storable.js';
import type { PreparedEvent, PreparedTable, TablePreparer } from './table.js';

/** What an event sees of the change that raised it. */
type Raised = Pick<QueuedEvent, 'action' | 'before' | 'after' | 'input'>;

/** Runs the events that a change raises, in the order of their names. A write that changes nothing raises none. */
export function raiseEvents(
  execution: Execution,
  catalog: DatabaseCatalog,
  prepared: PreparedTable,
  { before, after, table }: WrittenRecord,
  input: ObjectValue | undefined,
): PromiseOrValue<void> {
  const { events } = prepared;
  if (events.length === 0 || (before !== undefined && after !== undefined && equals(before, after))) return;
  const action = before === undefined ? 'CREATE' : after === undefined ? 'DELETE' : 'UPDATE';
  const raised = { action, before, after, input };
  return forEachInOrder(events, (event) =>
    event.queue === undefined
      ? runEvent(execution, prepared, event, raised)
      : enqueue(execution, catalog, table.definition.name, event.name, event.queue, raised),
  );
}

/** With permissions off, since the owner of the schema defined it, but with `$auth` of the writer. */
function runEvent(
  execution: Execution,
  table: PreparedTable,
  event: PreparedEvent,
  raised: Raised,
): PromiseOrValue<undefined> {
  const inner: Execution = { ...deeperByWrite(withDefinerRightsCap(execution)), checks: UNCHECKED };
  const run = (): PromiseOrValue<undefined> => {
    const frame = event.when === undefined ? undefined : frameOf(inner, table, raised, event.whenReads);
    const verdict = frame && andThen(frame, (known) => event.when?.(known));
    return andThen(verdict, (holds) => {
      if (event.when !== undefined && !isTruthy(holds)) return undefined;
      // What only the actions read is computed for those changes that they are for.
      return andThen(frameOf(inner, table, raised, event.reads), (known) =>
        andThen(
          mapInOrder(event.actions, (action) => action(known)),
          () => undefined,
        ),
      );
    });
  };
  return otherwise(run, (thrown) => {
    const error = peerError(thrown);
    if (!isQueryError(error)) throw error;
    const reason = execution.checks.view && !isSafeToExpose(error) ? 'it failed' : error.message;
    throw failure('event_failed', { event: event.name, reason }, { cause: error });
  });
}

/** What clauses of an event see, with the computed fields that they read of the record before and after. */
function frameOf(
  execution: Execution,
  table: PreparedTable,
  { action, before, after, input }: Raised,
  reads: FieldsRead,
): PromiseOrValue<Frame> {
  const computed = table.computed.needed(reads);
  const seen = (record: ObjectValue | undefined) => record && computeFields(execution, table, record, computed);
  return andThen(seen(before), (seenBefore) =>
    andThen(seen(after), (seenAfter) => {
      const scope = new Scope();
      scope.set('event', action);
      scope.set('before', seenBefore);
      scope.set('after', seenAfter);
      scope.set('value', seenAfter ?? seenBefore);
      scope.set('input', input);
      return new Frame(execution, scope, seenAfter ?? seenBefore);
    }),
  );
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
  return queueWithCommit(execution, {
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
}

/** Queues an event with the commit of the transaction, and has it run then. */
export function queueWithCommit({ context, services }: Execution, event: QueuedEvent): PromiseOrValue<undefined> {
  const { transaction } = context;
  const { queuedEvents } = services;
  const { databaseId } = event;
  queueEvent(transaction, event);
  transaction.afterCommit(() => queuedEvents.committed(databaseId));
  // It is listed once, before its first event.
  if (queuedEvents.isListed(databaseId)) return undefined;
  return andThen(listEventDatabase(transaction, databaseId), () => undefined);
}

/** Runs an event that was queued, as it is defined now; one whose table or definition is gone isn't run. */
export function runQueuedEvent(execution: Execution, tables: TablePreparer, queued: QueuedEvent): PromiseOrValue<void> {
  return andThen(execution.context.catalog(), (catalog) => {
    const table = catalog?.database.id === queued.databaseId ? catalog.tables.get(queued.table) : undefined;
    const prepared = table && tables.prepare(table);
    const event = prepared?.events.find(({ name }) => name === queued.event);
    return event && prepared && runEvent(execution, prepared, event, queued);
  });
}

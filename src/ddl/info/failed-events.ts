/** INFO FOR EVENTS: the asynchronous events of a database that failed after their last retry. */
import { failedEvents } from '../../catalog/events/failed-events.js';
import { authorize } from '../../runtime/authorization/authorize.js';
import { selectedDatabase } from '../../runtime/authorization/selected-database.js';
import type { Execution } from '../../runtime/execution.js';
import { toDatetime } from '../../value/time/datetime.js';
import { type ObjectValue, objectFrom } from '../../value/value.js';

/**
 * The rows of INFO FOR EVENTS, the latest first, for owners of the database: the record that raised each, and nothing
 * of what is in it, but what the error says.
 * @throws TesseraError `not_allowed`
 */
export async function failedEventList(execution: Execution): Promise<ObjectValue[]> {
  authorize(execution.identity, 'own', selectedDatabase(execution), 'Event');
  const catalog = await execution.context.catalog();
  if (catalog === undefined) return [];
  const failed = await failedEvents(execution.context.transaction, catalog.database.id);
  return failed.map(({ id, at, attempts, error, isComplete, event: { action, after, before, event, table } }) =>
    objectFrom({
      action,
      at: toDatetime(at),
      attempts,
      error,
      event,
      id,
      record: (after ?? before)?.['id'],
      retryable: isComplete,
      table,
    }),
  );
}

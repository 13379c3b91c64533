/** RETRY EVENT and KILL EVENT: queue asynchronous events that failed once more, or discard them. */
import { dropFailedEvent, type FailedEvent, failedEvents, findFailedEvent } from '../catalog/events/failed-events.js';
import { failure } from '../errors/error.js';
import type { FailedEvents } from '../language/ast.js';
import { queueWithCommit } from '../records/events.js';
import { authorize } from '../runtime/authorization/authorize.js';
import { selectedDatabase } from '../runtime/authorization/selected-database.js';
import type { Execution } from '../runtime/execution.js';
import type { Compiler, Evaluate } from '../runtime/frame.js';
import { toText } from '../value/text/text.js';
import type { Value } from '../value/value.js';

/**
 * For owners of the database. RETRY EVENTS leaves those that can't be run again.
 * @throws TesseraError `read_only`, `not_allowed`, `no_failed_event`, `event_not_kept`, when it runs
 */
export function compileFailedEvents({ action, id }: FailedEvents, compiler: Compiler): Evaluate {
  const evaluate = id && compiler.expression(id);
  return async (frame) => {
    const { execution } = frame;
    if (!execution.writable) throw failure('read_only');
    authorize(execution.identity, 'own', selectedDatabase(execution), 'Event');
    const concerned = evaluate === undefined ? await all(execution) : [await one(execution, await evaluate(frame))];
    for (const failed of concerned) {
      if (action === 'retry' && !failed.isComplete) {
        if (evaluate === undefined) continue;
        throw failure('event_not_kept', { id: failed.id });
      }
      dropFailedEvent(execution.context.transaction, failed);
      // Its retries begin again.
      if (action === 'retry') await queueWithCommit(execution, { ...failed.event, failures: 0 });
    }
    return undefined;
  };
}

async function all({ context }: Execution): Promise<readonly FailedEvent[]> {
  const catalog = await context.catalog();
  return catalog === undefined ? [] : failedEvents(context.transaction, catalog.database.id);
}

async function one({ context }: Execution, id: Value): Promise<FailedEvent> {
  const catalog = await context.catalog();
  const found =
    typeof id === 'number' && catalog !== undefined
      ? await findFailedEvent(context.transaction, catalog.database.id, id)
      : undefined;
  if (found === undefined) throw failure('no_failed_event', { id: toText(id) });
  return found;
}

/** LIVE SELECTs and LIVE QUERYs alike: finds one by its id, and ends it. */
import type { TesseraError } from '../errors/error.js';
import type { LiveRegistry, LiveResultRegistry, LiveStatement } from './execution.js';

interface LiveRegistries {
  readonly liveQueries: LiveRegistry;
  readonly liveResults: LiveResultRegistry;
}

/** One of this process. */
export function findLive({ liveQueries, liveResults }: LiveRegistries, id: string): LiveStatement | undefined {
  return liveQueries.get(id) ?? liveResults.get(id);
}

/** Ends one of this process at once, with a reason; a KILL has none. */
export function endLive(
  { liveQueries, liveResults }: LiveRegistries,
  statement: LiveStatement,
  reason?: TesseraError,
): void {
  if (statement.kind === 'result') liveResults.end(statement, reason);
  else liveQueries.end(statement, reason);
}

/**
 * KILL: ends a live query or result of the session, or of any session, those of other nodes too, for users who may edit
 * the database.
 */
import { isSamePath } from '../../catalog/principal.js';
import { failure } from '../../errors/error.js';
import type { Kill } from '../../language/ast.js';
import { printExpression } from '../../language/print.js';
import type { Execution, LiveStatement } from '../../runtime/execution.js';
import type { Compiler, Evaluate } from '../../runtime/frame.js';
import { endLive, findLive } from '../../runtime/live-statements.js';
import { parseUuid } from '../../value/uuid.js';
import { Uuid } from '../../value/value.js';

/**
 * The error names the id as the statement does, so that the value of a parameter stays hidden.
 * @throws TesseraError `live_query_missing`, when it runs
 */
export function compileKill({ id }: Kill, compiler: Compiler): Evaluate {
  const evaluate = compiler.expression(id);
  const shown = printExpression(id);
  return async (frame) => {
    const value = await evaluate(frame);
    const { services, context, checks } = frame.execution;
    const uuid = typeof value === 'string' ? parseUuid(value) : value;
    const query = uuid instanceof Uuid ? findLive(services, uuid.text) : undefined;
    if (query !== undefined && mayKill(frame.execution, query)) {
      context.transaction.afterCommit(() => endLive(services, query));
      return undefined;
    }
    const mayKillOthers = uuid instanceof Uuid && query === undefined && !checks.edit;
    const isEnded = mayKillOthers && (await endElsewhere(frame.execution, uuid.text));
    if (!isEnded) throw failure('live_query_missing', { id: shown });
    return undefined;
  };
}

/** Ends one of another node; false if there is none. */
async function endElsewhere({ services, context, identity }: Execution, id: string): Promise<boolean> {
  const { liveQueries, liveResults } = services;
  if (await liveQueries.endElsewhere(context, id)) return true;
  return liveResults.endElsewhere(context, identity.databasePath, id);
}

function mayKill(
  { request: { listener }, checks, identity: { databasePath } }: Execution,
  query: LiveStatement,
): boolean {
  if (query.listener === listener) return true;
  return isSamePath(databasePath, query.databasePath) && !checks.edit;
}

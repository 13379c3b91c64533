/** Sends the statements of a request on their way, as many at once as the budget allows. */
import { asTesseraError } from '../../errors/error.js';
import type { Statement } from '../../language/ast.js';
import type { StatementExecutor, StatementResult } from '../../session/contract.js';
import { isArray, isObject, newObject, type ObjectValue } from '../../value/value.js';
import type { ExecutionContext, FetchRequest } from './execution-context.js';

/** Statements that belong together. */
export interface StatementBatch {
  readonly statements: readonly Statement[];
  readonly values: ObjectValue;
  /** Maximum number of values of their records. */
  readonly most: number;
  /** Takes their results; may not fail but for an exceeded budget. */
  deliver(results: readonly StatementResult[]): void;
  /** Nothing of it was run. */
  fail(thrown: unknown): void;
}

/**
 * Runs statements in their order. Statements whose maximum results are within the budget run in one call; others
 * wait until the results of the former are known.
 */
export async function send(
  batches: readonly StatementBatch[],
  call: ExecutionContext,
  executor: Pick<StatementExecutor, 'execute'>,
): Promise<void> {
  let at = 0;
  while (at < batches.length) {
    const batch: StatementBatch[] = [];
    const values = newObject();
    let most = 0;
    for (let parcel = batches[at]; parcel !== undefined; parcel = batches[at]) {
      if (batch.length > 0 && most + parcel.most > call.reads.left) break;
      most += parcel.most;
      batch.push(parcel);
      Object.assign(values, parcel.values);
      at++;
    }
    const statements = batch.flatMap((parcel) => parcel.statements);
    let results: readonly StatementResult[];
    try {
      results = statements.length === 0 ? [] : await executor.execute(statements, values, call.deadline);
    } catch (thrown) {
      for (const { fail } of batch) fail(thrown);
      continue;
    }
    let next = 0;
    for (const { statements, deliver } of batch) {
      deliver(results.slice(next, next + statements.length));
      next += statements.length;
    }
  }
}

/** Fetches what waits, level by level, until nothing does. */
export async function runPendingFetches(
  call: ExecutionContext,
  executor: Pick<StatementExecutor, 'execute'>,
): Promise<void> {
  while (call.waiting.length > 0) {
    const fetches = call.waiting;
    call.waiting = [];
    await send(
      fetches.flatMap((fetch) => Array.from(fetch.requests(call), parcelOf)),
      call,
      executor,
    );
  }
}

function parcelOf({ statement, values, most, deliver, fail }: FetchRequest): StatementBatch {
  return {
    statements: [statement],
    values,
    most,
    deliver: ([result]) => {
      if (result?.outcome.ok === false) fail(result.outcome.error);
      const rows = result?.outcome.ok === true ? result.outcome.value : undefined;
      if (isArray(rows)) deliver(rows.filter(isObject));
    },
    fail: (thrown) => fail(asTesseraError(thrown)),
  };
}

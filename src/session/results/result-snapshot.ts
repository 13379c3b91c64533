/** Statements in an evaluation of a result that is kept right: of those who ask for it in code, such as GraphQL. */
import { asTesseraError, type TesseraError } from '../../errors/error.js';
import type { Statement } from '../../language/ast.js';
import type { Execution } from '../../runtime/execution.js';
import type { Executor } from '../../statements/executor.js';
import type { ObjectValue } from '../../value/value.js';
import type { ResultSnapshot } from '../contract.js';
import { requestScope } from '../resources/session-variables.js';
import type { StatementResult } from '../statement-executor.js';

/** Errors that concern the whole result, not one of the statements alone. */
const OF_ALL: ReadonlySet<TesseraError['code']> = new Set(['live_result_unsteady', 'storage_unavailable', 'timed_out']);

/** The definitions as an execution sees them, and statements that run in it. */
export async function resultSnapshot(executor: Executor, execution: Execution): Promise<ResultSnapshot> {
  const run = async (statement: Statement, variables?: ObjectValue): Promise<StatementResult> => {
    try {
      const value = await executor.run(statement, execution, requestScope(undefined, variables));
      return { time: 0n, outcome: { ok: true, value } };
    } catch (thrown) {
      const error = asTesseraError(thrown);
      if (OF_ALL.has(error.code)) throw error;
      return { time: 0n, outcome: { ok: false, error } };
    }
  };
  return {
    catalog: await execution.context.catalog(),
    execute: async (statements, variables) => {
      const results: StatementResult[] = [];
      for (const statement of statements) results.push(await run(statement, variables));
      return results;
    },
  };
}

/** Runs the single statement into which most methods translate their parameters. */
import type { Statement } from '../../language/ast.js';
import type { StatementExecutor } from '../../session/contract.js';
import type { ObjectValue, Value } from '../../value/value.js';

/**
 * Runs one statement and returns its value.
 * @throws TesseraError the statement's error
 */
export async function executeOne(
  executor: StatementExecutor,
  statement: Statement,
  variables?: ObjectValue,
): Promise<Value> {
  const results = await executor.execute([statement], variables);
  const outcome = results[0]?.outcome;
  if (outcome === undefined) return undefined;
  if (!outcome.ok) throw outcome.error;
  return outcome.value;
}

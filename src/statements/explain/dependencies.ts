/** What a live result depends on, for EXPLAIN: how much of which table an evaluation reads. */
import type { DatabaseCatalog } from '../../catalog/definitions/database-catalog.js';
import { whatKeyHolds } from '../../catalog/keys/describe-key.js';
import type { Expression } from '../../language/ast.js';
import type { Execution } from '../../runtime/execution.js';
import { type Compiler, Frame } from '../../runtime/frame.js';
import { Scope } from '../../runtime/scope.js';
import type { Key } from '../../storage/contract.js';

interface Count {
  keys: number;
  ranges: number;
}

/**
 * Runs an expression that only reads, and says what it has read. Users to whom PERMISSIONS apply get nothing, since
 * what rules look at is among it.
 *
 *     definitions (1); person: records, ranges (1); wrote: edges and references, ranges (3)
 */
export async function dependenciesOf(
  expression: Expression,
  execution: Execution,
  compiler: Compiler,
): Promise<string | undefined> {
  if (execution.checks.view) return undefined;
  const evaluate = compiler.expression(expression);
  const { keys, ranges } = await execution.services.liveResults.dependenciesOf(execution, (evaluation) =>
    evaluate(new Frame(evaluation, new Scope())),
  );
  const catalog = await execution.context.catalog();
  const counts = new Map<string, Count>();
  const countOf = (key: Key): Count => {
    const name = nameOf(key, catalog);
    const count = counts.get(name) ?? { keys: 0, ranges: 0 };
    counts.set(name, count);
    return count;
  };
  for (const key of keys) countOf(key).keys++;
  for (const { from } of ranges) countOf(from).ranges++;
  return [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, { keys, ranges }]) => [amount(ranges, `${name}, ranges`), amount(keys, name)])
    .filter((text) => text !== undefined)
    .join('; ');
}

/** `person: records`; of the database: `definitions`. */
function nameOf(key: Key, catalog: DatabaseCatalog | undefined): string {
  const { table, holds } = whatKeyHolds(key);
  if (table === undefined) return holds;
  const { name = 'another table' } = catalog?.tablesById.get(table)?.definition ?? {};
  return `${name}: ${holds}`;
}

function amount(count: number, of: string): string | undefined {
  return count === 0 ? undefined : `${of} (${count})`;
}

import type { DatabaseCatalog, TableEntry } from '../../catalog/definitions/database-catalog.js';
import { valueCode } from '../../language/value-code.js';
import { VIEW_TOTALS } from '../../plan/effects.js';
import { groupTotals, outlivesSources, storedGroups } from '../../query/view/totals.js';
import type { Execution } from '../../runtime/execution.js';
import { objectFrom } from '../../value/value.js';

/**
 * The running totals of a view that can't be built from its sources, a batch of groups at a time; nothing for all other
 * tables.
 */
export async function* viewTotals(
  execution: Execution,
  catalog: DatabaseCatalog,
  table: TableEntry,
): AsyncGenerator<string> {
  if (!outlivesSources(catalog, table)) return;
  const view = table.definition.name;
  const cursor = storedGroups(execution, catalog, table);
  try {
    for (let entries = await cursor.next(); entries !== undefined; entries = await cursor.next()) {
      const groups = entries.map((entry) => groupTotals(entry, catalog, table));
      yield `LET $${VIEW_TOTALS} = ${valueCode(objectFrom({ view, groups }))};\n`;
      await execution.interrupt.checkpoint();
    }
  } finally {
    cursor.close();
  }
}

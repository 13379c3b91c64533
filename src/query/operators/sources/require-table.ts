/** The definition of a table that must exist, or the error of the level that is missing. */
import { andThen, type PromiseOrValue } from '../../../base/promise-or-value.js';
import type { DatabaseCatalog, TableEntry } from '../../../catalog/definitions/database-catalog.js';
import { failure } from '../../../errors/error.js';
import type { Execution } from '../../../runtime/execution.js';

/** @throws TesseraError `table_missing`, or that nothing is selected */
export function requireTable(
  { context, identity }: Execution,
  name: string,
): PromiseOrValue<{ readonly catalog: DatabaseCatalog; readonly entry: TableEntry }> {
  return andThen(context.catalog(), (catalog) => {
    const entry = catalog?.tables.get(name);
    if (catalog === undefined || entry === undefined) {
      const { namespace, database } = identity.databasePath;
      if (namespace === undefined) throw failure('namespace_empty');
      if (database === undefined) throw failure('database_empty');
      throw failure('table_missing', { name });
    }
    return { catalog, entry };
  });
}

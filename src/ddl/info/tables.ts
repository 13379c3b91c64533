/** INFO FOR TABLES: the tables of which the session may see records, for those who may not see definitions. */
import type { TableEntry } from '../../catalog/definitions/database-catalog.js';
import type { TableAction } from '../../language/ast.js';
import { selectedDatabase } from '../../runtime/authorization/selected-database.js';
import type { Execution } from '../../runtime/execution.js';
import { type ObjectValue, objectFrom } from '../../value/value.js';

/**
 * A row for each table whose clause for `select` isn't NONE for the principal, by name:
 * `{ name, relation, schemafull, create, update, delete }`. Whether it may for some record is all that is said: no
 * condition, since that would reveal what is hidden.
 */
export async function tableList(execution: Execution): Promise<ObjectValue[]> {
  selectedDatabase(execution);
  const catalog = await execution.context.catalog();
  if (catalog === undefined) return [];
  return [...catalog.tables.values()]
    .filter((table) => may(execution, table, 'select'))
    .map((table) =>
      objectFrom({
        create: may(execution, table, 'create'),
        delete: may(execution, table, 'delete'),
        name: table.definition.name,
        relation: table.definition.tableKind.kind === 'relation',
        schemafull: table.definition.schemafull,
        update: may(execution, table, 'update'),
      }),
    );
}

function may({ checks }: Execution, { definition }: TableEntry, action: TableAction): boolean {
  const isChecked = action === 'select' ? checks.view : checks.edit;
  return !isChecked || definition.permissions[action].kind !== 'none';
}

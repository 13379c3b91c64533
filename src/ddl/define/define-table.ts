/** DEFINE TABLE, with what follows from a table: the ends of a relation, the rows of a view. */
import { putTable } from '../../catalog/ddl/define.js';
import { viewSources } from '../../catalog/definitions/catalog-draft.js';
import type { DatabaseCatalog } from '../../catalog/definitions/database-catalog.js';
import { failure } from '../../errors/error.js';
import type { DefineTable } from '../../language/ast.js';
import { buildView } from '../../query/view/maintain.js';
import { ensureSelectedDatabase } from '../../runtime/authorization/selected-database.js';
import type { Compiler, Evaluate } from '../../runtime/frame.js';
import { beginDefinition, compileName, finish, settled, shouldDefine, tableNow } from './definition.js';
import { endsOf, settleImplied } from './implied-fields.js';

/**
 * Defines a table; OVERWRITE keeps its records and the definitions on it. A relation gets the fields of its two ends.
 */
export function compileDefineTable(statement: DefineTable, compiler: Compiler): Evaluate {
  const nameOf = compileName(statement.name, 'table name', compiler);
  return async (frame) => {
    const { execution } = frame;
    const { change } = beginDefinition(execution, 'database', 'edit', 'Table');
    const name = await nameOf(frame);
    const catalog = await ensureSelectedDatabase(execution);
    const existing = catalog.tables.get(name);
    if (!shouldDefine(statement.mode, existing !== undefined, () => failure('table_exists', { name }))) return;
    // Imported tables come in the order of names, so that a view may come before its sources.
    if (!execution.importing) checkSources(catalog, statement);
    checkCycle(catalog, name, statement);
    await putTable(change, catalog, settled(statement, { name }));
    finish(execution);
    const before = existing === undefined ? [] : endsOf(name, existing.definition.tableKind);
    const after = endsOf(name, statement.tableKind);
    if (before.length === 0 && after.length === 0 && statement.view === undefined) return undefined;
    await settleImplied(change, await tableNow(execution, name), before, after);
    finish(execution);
    await buildView(execution, name, compiler);
    return undefined;
  };
}

/** The tables that a view reads exist. */
function checkSources(catalog: DatabaseCatalog, view: Pick<DefineTable, 'view'>): void {
  for (const name of viewSources(view)) if (!catalog.tables.has(name)) throw failure('table_missing', { name });
}

/** Checks that no table that a view reads depends on the view. */
function checkCycle(catalog: DatabaseCatalog, name: string, view: Pick<DefineTable, 'view'>): void {
  const seen = new Set<string>();
  const sources = viewSources(view);
  for (let source = sources.pop(); source !== undefined; source = sources.pop()) {
    if (source === name) throw failure('view_cycle', { table: name });
    if (seen.has(source)) continue;
    seen.add(source);
    const definition = catalog.tables.get(source)?.definition;
    if (definition !== undefined) sources.push(...viewSources(definition));
  }
}

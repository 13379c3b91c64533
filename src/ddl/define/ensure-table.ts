/** Implicit definition of tables by the first write. */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { implicitTable, putTable } from '../../catalog/ddl/define.js';
import { mayAct } from '../../catalog/principal.js';
import { failure } from '../../errors/error.js';
import { recordImplied } from '../../runtime/audit-recorder.js';
import { denyWrite } from '../../runtime/authorization/denied-writes.js';
import { ensureSelectedDatabase, schemaChangeOf } from '../../runtime/authorization/selected-database.js';
import type { Execution } from '../../runtime/execution.js';

/**
 * Ensures that a table exists before a write to it. Returns false if it doesn't and the principal may
 * not define it: the write is then denied.
 * @throws TesseraError `write_refused` strictly; `namespace_empty`, `database_empty`, `table_missing` in a STRICT
 * database
 */
export function ensureTable(execution: Execution, name: string): PromiseOrValue<boolean> {
  return andThen(defineIfMissing(execution, name), (exists) => {
    if (!exists) denyWrite(execution, { action: 'create', table: name, isMissing: true });
    return exists;
  });
}

/** Defines a table unless it exists or the principal may not define it; returns whether it exists. */
function defineIfMissing(execution: Execution, name: string): PromiseOrValue<boolean> {
  const { context, identity, checks } = execution;
  const { databasePath } = identity;
  if (databasePath.namespace === undefined) throw failure('namespace_empty');
  if (databasePath.database === undefined) throw failure('database_empty');
  return andThen(context.catalog(), (catalog) => {
    if (catalog?.tables.has(name)) return true;
    // Events and sign-up queries run without checks: their author chose the tables that they write to.
    if (checks.edit && !mayAct(identity.principal, 'edit', databasePath)) return false;
    if (!execution.writable) throw failure('read_only');
    if (catalog?.database.strict) throw failure('table_missing', { name });
    return andThen(ensureSelectedDatabase(execution), (database) => {
      return andThen(putTable(schemaChangeOf(execution), database, implicitTable(name)), () => {
        context.catalogChanged();
        recordImplied(execution.request.auditRecorder, databasePath, 'table', name);
        return true;
      });
    });
  });
}

/** DEFINE DATABASE, which defines its namespace if there is none. */
import { putDatabase } from '../../catalog/ddl/define.js';
import { findDatabase } from '../../catalog/definitions/lookup.js';
import { failure } from '../../errors/error.js';
import type { DefineDatabase } from '../../language/ast.js';
import { ensureSelectedNamespace } from '../../runtime/authorization/selected-database.js';
import type { Compiler, Evaluate } from '../../runtime/frame.js';
import { beginDefinition, compileName, finish, settled, shouldDefine } from './definition.js';

export function compileDefineDatabase(statement: DefineDatabase, compiler: Compiler): Evaluate {
  const nameOf = compileName(statement.name, 'database name', compiler);
  return async (frame) => {
    const { execution } = frame;
    const { change } = beginDefinition(execution, 'namespace', 'edit', 'Database');
    const name = await nameOf(frame);
    const namespace = await ensureSelectedNamespace(execution);
    const existing = await findDatabase(change.transaction, namespace.name, name);
    if (!shouldDefine(statement.mode, existing !== undefined, () => failure('database_exists', { name }))) return;
    await putDatabase(change, namespace.name, settled(statement, { name }));
    return finish(execution);
  };
}

/** DEFINE FUNCTION: the body is stored as it is, and compiled by its first call. */
import { putAtLevel } from '../../catalog/ddl/define.js';
import { failure } from '../../errors/error.js';
import type { DefineFunction } from '../../language/ast.js';
import { ensureSelectedDatabase } from '../../runtime/authorization/selected-database.js';
import type { Evaluate } from '../../runtime/frame.js';
import { beginDefinition, finish, settled, shouldDefine } from './definition.js';

export function compileDefineFunction(statement: DefineFunction): Evaluate {
  const { name, mode } = statement;
  return async ({ execution }) => {
    const { databasePath, change } = beginDefinition(execution, 'database', 'edit', 'Function');
    const catalog = await ensureSelectedDatabase(execution);
    if (!shouldDefine(mode, catalog.functions.has(name), () => failure('function_exists', { name: `fn::${name}` })))
      return;
    await putAtLevel(change, databasePath, settled(statement, { name }));
    return finish(execution);
  };
}

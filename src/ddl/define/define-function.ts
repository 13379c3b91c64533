import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { putAtLevel } from '../../catalog/ddl/define.js';
import { failure } from '../../errors/error.js';
import type { DefineFunction } from '../../language/ast.js';
import { ensureSelectedDatabase } from '../../runtime/authorization/selected-database.js';
import type { Evaluate } from '../../runtime/frame.js';
import { beginDefinition, finish, settled, shouldDefine } from './definition.js';

export function compileDefineFunction(statement: DefineFunction): Evaluate {
  const { name, mode } = statement;
  return ({ execution }) => {
    const { databasePath, change } = beginDefinition(execution, 'database', 'edit', 'Function');
    return andThen(ensureSelectedDatabase(execution), (catalog): PromiseOrValue<undefined> => {
      if (!shouldDefine(mode, catalog.functions.has(name), () => failure('function_exists', { name: `fn::${name}` })))
        return;
      return andThen(putAtLevel(change, databasePath, settled(statement, { name })), () => finish(execution));
    });
  };
}

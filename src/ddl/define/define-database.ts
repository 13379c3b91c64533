import { andThen } from '../../base/promise-or-value.js';
import { putDatabase } from '../../catalog/ddl/define.js';
import { findDatabase } from '../../catalog/definitions/lookup.js';
import { failure } from '../../errors/error.js';
import type { DefineDatabase } from '../../language/ast.js';
import { ensureSelectedNamespace } from '../../runtime/authorization/selected-database.js';
import type { Compiler, Evaluate } from '../../runtime/frame.js';
import { beginDefinition, compileName, finish, settled, shouldDefine } from './definition.js';

export function compileDefineDatabase(statement: DefineDatabase, compiler: Compiler): Evaluate {
  const nameOf = compileName(statement.name, 'database name', compiler);
  return (frame) => {
    const { execution } = frame;
    const { change } = beginDefinition(execution, 'namespace', 'edit', 'Database');
    return andThen(nameOf(frame), (name) =>
      andThen(ensureSelectedNamespace(execution), (namespace) =>
        andThen(findDatabase(change.transaction, namespace.name, name), (existing) => {
          if (!shouldDefine(statement.mode, existing !== undefined, () => failure('database_exists', { name }))) return;
          return andThen(putDatabase(change, namespace.name, settled(statement, { name })), () => finish(execution));
        }),
      ),
    );
  };
}

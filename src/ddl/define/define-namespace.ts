import { andThen } from '../../base/promise-or-value.js';
import { putNamespace } from '../../catalog/ddl/define.js';
import { findNamespace } from '../../catalog/definitions/lookup.js';
import { failure } from '../../errors/error.js';
import type { DefineNamespace } from '../../language/ast.js';
import type { Compiler, Evaluate } from '../../runtime/frame.js';
import { beginDefinition, compileName, finish, settled, shouldDefine } from './definition.js';

export function compileDefineNamespace(statement: DefineNamespace, compiler: Compiler): Evaluate {
  const nameOf = compileName(statement.name, 'namespace name', compiler);
  return (frame) => {
    const { execution } = frame;
    const { change } = beginDefinition(execution, 'root', 'edit', 'Namespace');
    return andThen(nameOf(frame), (name) =>
      andThen(findNamespace(change.transaction, name), (existing) => {
        if (!shouldDefine(statement.mode, existing !== undefined, () => failure('namespace_exists', { name }))) return;
        return andThen(putNamespace(change, settled(statement, { name })), () => finish(execution));
      }),
    );
  };
}

/** DEFINE NAMESPACE. */
import { putNamespace } from '../../catalog/ddl/define.js';
import { findNamespace } from '../../catalog/definitions/lookup.js';
import { failure } from '../../errors/error.js';
import type { DefineNamespace } from '../../language/ast.js';
import type { Compiler, Evaluate } from '../../runtime/frame.js';
import { beginDefinition, compileName, finish, settled, shouldDefine } from './definition.js';

export function compileDefineNamespace(statement: DefineNamespace, compiler: Compiler): Evaluate {
  const nameOf = compileName(statement.name, 'namespace name', compiler);
  return async (frame) => {
    const { execution } = frame;
    const { change } = beginDefinition(execution, 'root', 'edit', 'Namespace');
    const name = await nameOf(frame);
    const existing = await findNamespace(change.transaction, name);
    if (!shouldDefine(statement.mode, existing !== undefined, () => failure('namespace_exists', { name }))) return;
    await putNamespace(change, settled(statement, { name }));
    return finish(execution);
  };
}

/** DEFINE PARAM, whose value is computed once, by its definition. */
import { putAtLevel } from '../../catalog/ddl/define.js';
import { failure } from '../../errors/error.js';
import type { DefineParam } from '../../language/ast.js';
import { REQUEST_PARAMS } from '../../language/engine-params.js';
import { assertStorable } from '../../records/storable.js';
import { ensureSelectedDatabase } from '../../runtime/authorization/selected-database.js';
import type { Compiler, Evaluate } from '../../runtime/frame.js';
import { beginDefinition, finish, settled, shouldDefine } from './definition.js';

/**
 * Defines a param with the current value of its expression.
 * @throws TesseraError `reserved_variable`, `param_exists`, when it runs
 */
export function compileDefineParam(statement: DefineParam, compiler: Compiler): Evaluate {
  const { name, mode } = statement;
  const evaluate = compiler.expression(statement.value);
  return async (frame) => {
    const { execution } = frame;
    const { databasePath, change } = beginDefinition(execution, 'database', 'edit', 'Parameter');
    // A definition could spoof values that only the session provides.
    if (REQUEST_PARAMS.has(name)) throw failure('reserved_variable', { name });
    const catalog = await ensureSelectedDatabase(execution);
    if (!shouldDefine(mode, catalog.params.has(name), () => failure('param_exists', { name: `$${name}` }))) return;
    const value = await evaluate(frame);
    assertStorable(value);
    await putAtLevel(change, databasePath, settled(statement, { value }));
    return finish(execution);
  };
}

/** DEFINE ANALYZER: prepares the analyzer first, so that a missing file fails here and not in a search. */
import { putAtLevel } from '../../catalog/ddl/define.js';
import { failure } from '../../errors/error.js';
import type { DefineAnalyzer } from '../../language/ast.js';
import { ensureSelectedDatabase } from '../../runtime/authorization/selected-database.js';
import type { Compiler, Evaluate } from '../../runtime/frame.js';
import { beginDefinition, compileName, finish, settled, shouldDefine } from './definition.js';

export function compileDefineAnalyzer(statement: DefineAnalyzer, compiler: Compiler): Evaluate {
  const nameOf = compileName(statement.name, 'analyzer name', compiler);
  return async (frame) => {
    const { execution } = frame;
    const { databasePath, change } = beginDefinition(execution, 'database', 'edit', 'Analyzer');
    const name = await nameOf(frame);
    const catalog = await ensureSelectedDatabase(execution);
    const taken = catalog.analyzers.has(name);
    if (!shouldDefine(statement.mode, taken, () => failure('analyzer_exists', { name }))) return;
    const definition = settled(statement, { name });
    // An import may come before the files that it names.
    await (execution.importing ? undefined : execution.services.analyzers.prepare(execution, definition));
    await putAtLevel(change, databasePath, definition);
    return finish(execution);
  };
}

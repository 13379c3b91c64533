import type { DefineStatement } from '../../language/ast.js';
import type { Compiler, Evaluate } from '../../runtime/frame.js';

type CompileDefinition<S extends DefineStatement> = (statement: S, compiler: Compiler) => Evaluate;

/**
 * Compiles a definition so that an import replaces an existing one: the fields that a relation implies are written out
 * in exports, too, and as in the reference engine, an export may be imported twice.
 */
export function importable<S extends DefineStatement>(compile: CompileDefinition<S>): CompileDefinition<S> {
  return (statement, compiler) => {
    if (statement.mode !== undefined) return compile(statement, compiler);
    const define = compile(statement, compiler);
    let replace: Evaluate | undefined;
    return (frame) => {
      if (!frame.execution.importing) return define(frame);
      replace ??= compile({ ...statement, mode: 'overwrite' }, compiler);
      return replace(frame);
    };
  };
}

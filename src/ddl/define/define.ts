/** DEFINE, by what is defined. */
import type { DefineStatement } from '../../language/ast.js';
import { notSupported } from '../../query/statement/not-supported.js';
import type { Compiler, Evaluate } from '../../runtime/frame.js';
import { withPeerErrorText } from '../../runtime/peer-error-wording.js';
import { withComputedClauses } from './computed-clauses.js';
import { compileDefineAccess } from './define-access.js';
import { compileDefineAnalyzer } from './define-analyzer.js';
import { compileDefineApi } from './define-api.js';
import { compileDefineBucket } from './define-bucket.js';
import { compileDefineConfig } from './define-config.js';
import { compileDefineDatabase } from './define-database.js';
import { compileDefineEvent } from './define-event.js';
import { compileDefineField } from './define-field.js';
import { compileDefineFunction } from './define-function.js';
import { compileDefineIndex } from './define-index.js';
import { compileDefineNamespace } from './define-namespace.js';
import { compileDefineParam } from './define-param.js';
import { compileDefineSequence } from './define-sequence.js';
import { compileDefineTable } from './define-table.js';
import { compileDefineUser } from './define-user.js';

type CompileDefinition<S extends DefineStatement> = (statement: S, compiler: Compiler) => Evaluate;

/**
 * Compiles a definition so that an import replaces an existing one: the fields that a relation implies are written out
 * in exports, too, and as in the reference engine, an export may be imported twice.
 */
function importable<S extends DefineStatement>(compile: CompileDefinition<S>): CompileDefinition<S> {
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

/** Rows for the compiler's table of statements. */
export const DEFINITION_COMPILERS: {
  readonly [K in DefineStatement['kind']]: (
    statement: Extract<DefineStatement, { readonly kind: K }>,
    compiler: Compiler,
  ) => Evaluate;
} = {
  'define-namespace': importable(withComputedClauses(compileDefineNamespace)),
  'define-database': importable(withComputedClauses(compileDefineDatabase)),
  'define-table': importable(withComputedClauses(compileDefineTable)),
  'define-field': importable(withComputedClauses(compileDefineField)),
  'define-index': importable(withComputedClauses(compileDefineIndex)),
  'define-event': importable(withComputedClauses(compileDefineEvent)),
  'define-param': importable(withPeerErrorText(withComputedClauses(compileDefineParam))),
  'define-function': importable(withComputedClauses(compileDefineFunction)),
  'define-user': importable(withComputedClauses(compileDefineUser)),
  'define-access': importable(withComputedClauses(compileDefineAccess)),
  'define-config': importable(withComputedClauses(compileDefineConfig)),
  'define-analyzer': importable(withComputedClauses(compileDefineAnalyzer)),
  'define-sequence': importable(compileDefineSequence),
  'define-api': importable(withComputedClauses(compileDefineApi)),
  'define-bucket': importable(withComputedClauses(compileDefineBucket)),
  'define-module': () => notSupported('DEFINE MODULE'),
};

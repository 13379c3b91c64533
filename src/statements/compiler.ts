/** The table of compile functions for every kind of expression and statement. */
import { Derived } from '../base/derived.js';
import type { Block, Expression, Statement } from '../language/ast.js';
import type { ControlStatement } from '../query/control/control-statement.js';
import { compileBreak, compileContinue, compileFor } from '../query/control/for.js';
import { compileLet } from '../query/control/let.js';
import { compileReturn } from '../query/control/return.js';
import { compileSleep } from '../query/control/sleep.js';
import { compileThrow } from '../query/control/throw.js';
import { compileBlock, compileSubquery } from '../query/expression/block.js';
import { compileCall } from '../query/expression/call.js';
import { compileCast } from '../query/expression/cast.js';
import { compileClosure } from '../query/expression/closure.js';
import { compileArray, compileObject, compileSet } from '../query/expression/collection.js';
import { compileIdiom } from '../query/expression/idiom.js';
import { compileIf } from '../query/expression/if.js';
import type { InlineCompiler } from '../query/expression/inline-compiler.js';
import { NO_BLOCKS, ownBlocks } from '../query/expression/let-error-text.js';
import { compileConstant, compileLiteral, compileTableName } from '../query/expression/literal.js';
import { compileBinary, compileUnary } from '../query/expression/operation.js';
import { compileParam } from '../query/expression/param.js';
import { compileRange } from '../query/expression/range.js';
import { compileMock, compileRecordId } from '../query/expression/record-id.js';
import { compileScript } from '../query/expression/script.js';
import { catchingLoopSignals, catchingSignals } from '../query/expression/signal.js';
import { withAudit } from '../runtime/audit/with-audit.js';
import { unlessInView } from '../runtime/authorization/views.js';
import type { Compiler, Evaluate } from '../runtime/frame.js';
import { rewordingErrors } from '../runtime/peer-error-wording.js';
import { DEFAULT_TUNING, type Tuning } from '../runtime/tuning.js';
import { STATEMENT_COMPILERS } from './statement-compilers.js';

type ByKind<Node extends { readonly kind: string }> = {
  readonly [K in Node['kind']]: (node: Extract<Node, { kind: K }>, compiler: InlineCompiler) => Evaluate;
};

const EXPRESSIONS: ByKind<Expression> = {
  literal: compileLiteral,
  constant: compileConstant,
  // A param may be defined in the catalog, with permissions that are bodies of their own.
  param: (param, { outer }) => compileParam(param, outer),
  array: compileArray,
  set: compileSet,
  object: compileObject,
  'record-id': compileRecordId,
  table: compileTableName,
  mock: compileMock,
  range: compileRange,
  idiom: compileIdiom,
  unary: compileUnary,
  binary: compileBinary,
  cast: compileCast,
  call: compileCall,
  script: compileScript,
  closure: compileClosure,
  block: compileBlock,
  if: compileIf,
  subquery: compileSubquery,
};

const CONTROL: ByKind<ControlStatement> = {
  expression: ({ expression }, compiler) => compiler.expression(expression),
  let: compileLet,
  return: compileReturn,
  throw: compileThrow,
  for: compileFor,
  break: compileBreak,
  continue: compileContinue,
  sleep: compileSleep,
};

/** Kinds whose value is that of their last part. */
const LAST: {
  readonly [K in Expression['kind'] | Statement['kind']]?: (
    node: Extract<Expression | Statement, { kind: K }>,
    compiler: InlineCompiler,
  ) => Evaluate;
} = {
  block: (block, compiler) => compileBlock(block, compiler, true),
  if: (choice, compiler) => compileIf(choice, compiler, true),
  subquery: (subquery, compiler) => compileSubquery(subquery, compiler, true),
  expression: ({ expression }, compiler) => compiler.last(expression),
  return: (statement, compiler) => compileReturn(statement, compiler, true),
};

type CompileNode<Node> = (node: Node, compiler: InlineCompiler) => Evaluate;

export interface StatementCompiler extends Compiler {
  /**
   * The same for a statement between BEGIN and COMMIT: a RETURN anywhere in it is rethrown as a signal, since it ends
   * the transaction.
   */
  statementOfTransaction(statement: Statement): Evaluate;
}

/** Compiles bodies and keeps the result: a tree is compiled once, however often it runs. */
class BodyCompiler implements StatementCompiler {
  readonly #compiled = new Derived<Expression | Statement, Evaluate>();
  readonly #ofTransactions = new Derived<Statement, Evaluate>();

  constructor(readonly tuning: Tuning) {}

  expression(expression: Expression): Evaluate {
    return this.#compiled.get(expression) ?? this.#body(expression, NO_BLOCKS, (inline) => inline.last(expression));
  }

  statement(statement: Statement): Evaluate {
    return (
      this.#compiled.get(statement) ??
      this.#body(statement, ownBlocks(statement), (inline) => worded(statement, inline.lastStatement(statement)))
    );
  }

  statementOfTransaction(statement: Statement): Evaluate {
    let evaluate = this.#ofTransactions.get(statement);
    if (evaluate === undefined) {
      evaluate = catchingLoopSignals(worded(statement, new Inline(this, ownBlocks(statement)).statement(statement)));
      this.#ofTransactions.set(statement, evaluate);
    }
    return evaluate;
  }

  #body(node: Expression | Statement, own: ReadonlySet<Block>, compile: (inline: Inline) => Evaluate): Evaluate {
    const inline = new Inline(this, own);
    const body = compile(inline);
    const evaluate = inline.isUnwinding ? catchingSignals(body) : body;
    this.#compiled.set(node, evaluate);
    return evaluate;
  }
}

/** Compiles the parts of one body. */
class Inline implements InlineCompiler {
  isUnwinding = false;
  readonly tuning: Tuning;

  constructor(
    readonly outer: Compiler,
    readonly ownBlocks: ReadonlySet<Block>,
  ) {
    this.tuning = outer.tuning;
  }

  expression(expression: Expression): Evaluate {
    return (EXPRESSIONS[expression.kind] as CompileNode<Expression>)(expression, this);
  }

  statement(statement: Statement): Evaluate {
    if (isControl(statement)) return (CONTROL[statement.kind] as CompileNode<Statement>)(statement, this);
    const compile = STATEMENT_COMPILERS[statement.kind] as (node: Statement, compiler: Compiler) => Evaluate;
    return withAudit(
      statement,
      unlessInView(
        statement,
        whenRun(() => compile(statement, this.outer)),
      ),
    );
  }

  last(expression: Expression): Evaluate {
    const compile = LAST[expression.kind] as CompileNode<Expression> | undefined;
    return compile === undefined ? this.expression(expression) : compile(expression, this);
  }

  lastStatement(statement: Statement): Evaluate {
    const compile = LAST[statement.kind] as CompileNode<Statement> | undefined;
    return compile === undefined ? this.statement(statement) : compile(statement, this);
  }

  unwinds(): void {
    this.isUnwinding = true;
  }
}

/** Compiles a part when it first runs: most branches of a script never do. */
function whenRun(compile: () => Evaluate): Evaluate {
  let compiled: Evaluate | undefined;
  return (frame) => {
    compiled ??= compile();
    return compiled(frame);
  };
}

function worded({ kind }: Statement, evaluate: Evaluate): Evaluate {
  return kind === 'let' ? rewordingErrors(evaluate) : evaluate;
}

function isControl(statement: Statement): statement is ControlStatement {
  return Object.hasOwn(CONTROL, statement.kind);
}

/** The compiler of statements and expressions to closures. `tuning` sets batch sizes, and which rewrite rules apply. */
export function createCompiler(tuning: Tuning = DEFAULT_TUNING): StatementCompiler {
  return new BodyCompiler(tuning);
}

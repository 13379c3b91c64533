/** What a compiler of control flow needs besides `Compiler`: which body it is in, and what may unwind through it. */
import type { Block, Expression, Statement } from '../../language/ast.js';
import type { Compiler, Evaluate } from '../../runtime/frame.js';

/**
 * Compiles the parts of one body: a statement, a closure, the value of a LET. RETURN, BREAK and CONTINUE in a part
 * unwind through the other parts of the body; what is compiled by `outer` is a body of its own, at whose border they
 * end.
 */
export interface InlineCompiler extends Compiler {
  readonly outer: Compiler;
  /** Blocks that the statement of this body runs itself. */
  readonly ownBlocks: ReadonlySet<Block>;
  /** A part in tail position: a RETURN at its end has nothing to unwind. */
  last(expression: Expression): Evaluate;
  lastStatement(statement: Statement): Evaluate;
  /** Called for parts that throw signals, so that the body is compiled to catch them. */
  unwinds(): void;
}

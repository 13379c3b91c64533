/** THROW: fails with the text of a value. */
import { andThen } from '../../base/promise-or-value.js';
import { failure } from '../../errors/error.js';
import type { Throw } from '../../language/ast.js';
import type { Compiler, Evaluate } from '../../runtime/frame.js';
import { toBareText } from '../../value/text/text.js';

export function compileThrow({ value }: Throw, compiler: Compiler): Evaluate {
  const evaluate = compiler.expression(value);
  return (frame) =>
    andThen(evaluate(frame), (what) => {
      throw failure('thrown', { text: toBareText(what) });
    });
}

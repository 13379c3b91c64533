/** RETURN, and its FETCH: ends the body that holds it, by a signal unless it is the last statement. */
import { andThen } from '../../base/promise-or-value.js';
import type { Return } from '../../language/ast.js';
import type { Evaluate } from '../../runtime/frame.js';
import type { InlineCompiler } from '../expression/inline-compiler.js';
import { ReturnSignal } from '../expression/signal.js';
import { compileFetch } from '../operators/rows/follow-links.js';

/** Ends the enclosing body. As the last statement of a body it needn't unwind anything. */
export function compileReturn({ value, fetch }: Return, compiler: InlineCompiler, last = false): Evaluate {
  const given = last ? compiler.last(value) : compiler.expression(value);
  const load = fetch && compileFetch(fetch, compiler.outer);
  const evaluate: Evaluate =
    load === undefined
      ? given
      : (frame) => andThen(given(frame), (result) => andThen(load(frame, [result]), ([loaded]) => loaded));
  if (last) return evaluate;
  compiler.unwinds();
  return (frame) =>
    andThen(evaluate(frame), (result) => {
      throw new ReturnSignal(result);
    });
}

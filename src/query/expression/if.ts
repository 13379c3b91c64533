/** IF … ELSE as a value. */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Expression, If } from '../../language/ast.js';
import type { Evaluate, Frame } from '../../runtime/frame.js';
import { isTruthy } from '../../value/truthiness.js';
import type { Value } from '../../value/value.js';
import type { InlineCompiler } from './inline-compiler.js';

/** The value of the first branch whose condition holds; NONE if none does. */
export function compileIf(expression: If, compiler: InlineCompiler, last = false): Evaluate {
  const compile = (branch: Expression) => (last ? compiler.last(branch) : compiler.expression(branch));
  const branches = expression.branches.map(({ condition, then }) => ({
    condition: compiler.expression(condition),
    then: compile(then),
  }));
  const otherwise = expression.otherwise === undefined ? () => undefined : compile(expression.otherwise);
  const run = (frame: Frame, from: number): PromiseOrValue<Value> => {
    for (let index = from; index < branches.length; index++) {
      const { condition, then } = branches[index] as (typeof branches)[number];
      const verdict = condition(frame);
      if (verdict instanceof Promise) {
        return verdict.then((settled) => (isTruthy(settled) ? then(frame) : run(frame, index + 1)));
      }
      if (isTruthy(verdict)) return then(frame);
    }
    return otherwise(frame);
  };
  const [only] = branches;
  if (branches.length !== 1 || only === undefined) return (frame) => run(frame, 0);
  return (frame) => andThen(only.condition(frame), (verdict) => (isTruthy(verdict) ? only.then : otherwise)(frame));
}

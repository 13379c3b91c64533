import { andThen } from '../base/promise-or-value.js';
import { failure } from '../errors/error.js';
import type { Expression } from '../language/ast.js';
import { toText } from '../value/text/text.js';
import { Duration } from '../value/value.js';
import { type Compiler, type Evaluate, Frame } from './execution.js';

/** TIMEOUT: gives a statement a deadline of its own, inside those it has already. */
export function compileTimeout(timeout: Expression | undefined, compiler: Compiler, run: Evaluate): Evaluate {
  if (timeout === undefined) return run;
  const evaluate = compiler.expression(timeout);
  return (frame) =>
    andThen(evaluate(frame), (duration) => {
      if (!(duration instanceof Duration)) throw failure('invalid_timeout', { value: toText(duration) });
      const { execution } = frame;
      const interrupt = execution.interrupt.within(duration);
      const inner = new Frame({ ...execution, interrupt }, frame.scope, frame.current, frame.parent);
      return andThen(run(inner), (value) => andThen(interrupt.checkpoint(), () => value));
    });
}
